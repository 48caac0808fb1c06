"""Is what we would publish complete and sound? Builds it, and tests what was built instead of the sources.

    python scripts/release_check.py [tests …]

Source archive and wheel go to dist/. The wheel is installed into a new environment with all extras; the tests come out
of the unpacked source archive. Arguments are for pytest; without any, all quick tests run.
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
"""Bytes of a wheel."""
QUICK = ["-m", "not slow", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
"""As `make test`."""
KINDS = {".py", ".typed", ".toml", ".j2", ".css", ".js"}


def main(tests: list[str]) -> None:
    wheel, archive = built()
    check_content(wheel)
    with tempfile.TemporaryDirectory() as place:
        python = environment(Path(place) / "venv", f"{wheel}[all,dev]")
        sources = unpacked(archive, Path(place))
        say("tests of the installed wheel")
        run(python, "-m", "pytest", "-q", *(tests or QUICK), cwd=sources)
        for program in ("open3d", "pycolmap"):
            check_with(program, f"tests/real/test_{program}.py", python, sources, Path(place))
        clean = environment(Path(place) / "clean", str(wheel))
        say("ioadr demo of a plain installation")
        run(clean, "-m", "ioadr", "demo", "--out", "demo", cwd=Path(place))
    say(f"fit to be published: {wheel.name}, {archive.name}")


def check_with(program: str, test: str, python: Path, sources: Path, place: Path) -> None:
    """Run a slow test with another program, which lives in an environment of its own."""
    other = environment(place / program, program)
    if subprocess.run([str(other), "-c", f"import {program}"], capture_output=True).returncode:
        say(f"{program} does not start on this machine: its check is left out")
        return
    say(f"what we write, in {program}")
    os.environ[f"IOADR_{program.upper()}"] = str(other)
    run(python, "-m", "pytest", "-q", "-m", "slow", test, cwd=sources)


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
    """Small, and nothing but code: no data, no pictures, no tests."""
    size = wheel.stat().st_size
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    strange = [name for name in names if not name.startswith("ioadr/") or Path(name).suffix not in KINDS]
    if strange or size >= LARGEST:
        sys.exit(f"release-check: expected code in less than {LARGEST:,} bytes, found {size:,} with {strange[:5]}.")
    say(f"{wheel.name}: {size:,} bytes, {len(names)} files")


def environment(folder: Path, package: str) -> Path:
    """Python of a new environment in which `package` is installed."""
    say(f"installing {Path(package).name}")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package, cwd=folder)
    return python


def unpacked(archive: Path, place: Path) -> Path:
    with tarfile.open(archive) as content:
        content.extractall(place, filter="data")
    (folder,) = (path for path in place.iterdir() if path.name.startswith("ioadr-"))
    return folder


if __name__ == "__main__":
    main(sys.argv[1:])
