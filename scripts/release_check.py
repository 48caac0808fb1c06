"""Build the release, and test the built files instead of the sources.

    python scripts/release_check.py [tests …]

Source archive and wheel go to dist/. The wheel is installed into a new environment with all extras; the tests come from
the unpacked source archive. Arguments are passed to pytest; without any, all quick tests run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 1_000_000
"""Largest wheel, in bytes."""
QUICK = ["-m", "not slow", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]
"""As `make test`."""
PROGRAMS = {"open3d": ("open3d", "libusb-package"), "pycolmap": ("pycolmap",)}
"""Programs that must read our files, and their packages."""
READERS = ("pyvista",)
"""Packages that quick tests read our files with, if installed: VTK is too large for every set-up."""
KINDS = {".py", ".typed", ".toml", ".j2", ".css", ".js"}


def main(tests: list[str]) -> None:
    wheel, archive = built()
    check_content(wheel)
    with tempfile.TemporaryDirectory() as place:
        python = environment(Path(place) / "venv", f"{wheel}[all,dev]", *READERS)
        sources = unpacked(archive, Path(place))
        say("tests of the installed wheel")
        run(python, "-m", "pytest", "-q", *(tests or QUICK), cwd=sources)
        missed = [name for name in PROGRAMS if not check_with(name, python, sources, Path(place))]
        clean = environment(Path(place) / "clean", str(wheel))
        say("ioadr demo of a plain installation")
        run(clean, "-m", "ioadr", "demo", "--out", "demo", cwd=Path(place))
    untried = f"; not tried, because they do not start on this machine: {', '.join(missed)}" if missed else ""
    say(f"ready to publish: {wheel.name}, {archive.name}{untried}")


def check_with(program: str, python: Path, sources: Path, place: Path) -> bool:
    """Run a slow test with another program in a separate environment; False if the program does not start."""
    other = environment(place / program, *PROGRAMS[program])
    lend_libusb(other, place / program)
    if subprocess.run([str(other), "-c", f"import {program}"], capture_output=True).returncode:
        say(f"{program} does not start on this machine: skipped")
        return False
    say(f"reading our files in {program}")
    os.environ[f"IOADR_{program.upper()}"] = str(other)
    run(python, "-m", "pytest", "-q", "-m", "slow", f"tests/real/test_{program}.py", cwd=sources)
    return True


def lend_libusb(python: Path, folder: Path) -> None:
    """Let Open3D find the libusb of `libusb-package`, if that is installed: many machines have none."""
    where = "import libusb_package; print(libusb_package.get_library_path())"
    done = subprocess.run([str(python), "-c", where], capture_output=True, text=True)
    if sys.platform == "linux" and not done.returncode:
        (folder / "libusb-1.0.so.0").symlink_to(done.stdout.strip())
        os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")]))


def say(text: str) -> None:
    print(f"release-check: {text}", flush=True)


def run(*command: str | Path, cwd: Path) -> None:
    if subprocess.run([str(part) for part in command], cwd=cwd).returncode:
        sys.exit(f"release-check: failed: {' '.join(map(str, command))}")


def built() -> tuple[Path, Path]:
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", dist, ROOT, cwd=ROOT)
    (wheel,), (archive,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    return wheel, archive


def check_content(wheel: Path) -> None:
    """Refuse a large wheel, and one with anything except code: data, pictures, tests."""
    size = wheel.stat().st_size
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    strange = [name for name in names if not name.startswith("ioadr/") or Path(name).suffix not in KINDS]
    if strange or size >= LARGEST:
        sys.exit(f"release-check: the wheel has {size:,} bytes (limit {LARGEST:,}) and unexpected files {strange[:5]}.")
    say(f"{wheel.name}: {size:,} bytes, {len(names)} files")


def environment(folder: Path, *packages: str) -> Path:
    """Python of a new environment with `packages`."""
    say(f"installing {', '.join(Path(package).name for package in packages)}")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages, cwd=folder)
    return python


def unpacked(archive: Path, place: Path) -> Path:
    with tarfile.open(archive) as content:
        content.extractall(place, filter="data")
    (folder,) = (path for path in place.iterdir() if path.name.startswith("ioadr-"))
    return folder


if __name__ == "__main__":
    main(sys.argv[1:])
