"""Write requirements/*.txt: versions with hashes of what runs, of the project's tools, of pip, and the oldest allowed.

    python scripts/lock.py

Resolved for all machines and Pythons from 3.11 on; the oldest for Python 3.11 alone, as few have files for later ones.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EDITABLES = "editables>=0.3"
"""Package that hatchling needs for editable installations, but does not list as a requirement."""
TESTS = "pytest>=8.2\nhypothesis>=6.100\n"
COMMON = ["--generate-hashes", "--no-header", "--no-emit-index-url", "--no-annotate", "--python-version", "3.11"]


def main() -> int:
    if find_spec("uv") is None:
        sys.exit("make lock: uv is missing, which resolves versions for all systems. Install it: pip install uv")
    with tempfile.TemporaryDirectory() as folder:
        build, tests, pip = (Path(folder) / f"{name}.in" for name in ("build", "tests", "pip"))
        build.write_text("\n".join([*build_requires(), EDITABLES]))
        tests.write_text(TESTS)
        pip.write_text("pip\n")
        package = ("pyproject.toml", str(build))
        dev = compiled("dev", *package, "--universal", "--all-extras")
        run = compiled("run", *package, "--universal", "--extra", "formats", "--constraint", "requirements/dev.txt")
        oldest = compiled("oldest", *package, str(tests), "--resolution", "lowest-direct", "--extra", "all")
        return dev or run or oldest or compiled("pip", str(pip), "--universal")


def build_requires() -> list[str]:
    """What builds the package is installed by hash as well."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [str(text) for text in project["build-system"]["requires"]]


def compiled(name: str, *options: str) -> int:
    command = [sys.executable, "-m", "uv", "--quiet", "pip", "compile", *options, *COMMON, "--upgrade"]
    done = subprocess.run([*command, "--output-file", f"requirements/{name}.txt"], cwd=ROOT, stdout=subprocess.DEVNULL)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
