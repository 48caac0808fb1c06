"""Write requirements/*.txt: versions with hashes of what is run, of the project's tools, and the oldest allowed.

    python scripts/lock.py

Resolved for all machines and Pythons from 3.11 on; the oldest for Python 3.11 alone, as few have files for later ones.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = "hatchling>=1.25\neditables\n"
TESTS = "pytest>=8.2\nhypothesis>=6.100\n"
COMMON = ["--generate-hashes", "--no-header", "--no-emit-index-url", "--no-annotate", "--python-version", "3.11"]


def main() -> int:
    if find_spec("uv") is None:
        sys.exit("make lock: expected uv, which resolves for all machines, found none. Install it: pip install uv")
    with tempfile.TemporaryDirectory() as folder:
        build, tests = Path(folder) / "build.in", Path(folder) / "tests.in"
        build.write_text(BUILD)
        tests.write_text(TESTS)
        dev = compiled("dev", "--universal", "--all-extras", str(build))
        run = compiled("run", "--universal", "--extra", "formats", "--constraint", "requirements/dev.txt", str(build))
        oldest = compiled("oldest", "--resolution", "lowest-direct", "--extra", "all", str(build), str(tests))
    return dev or run or oldest


def compiled(name: str, *options: str) -> int:
    command = [
        sys.executable,
        "-m",
        "uv",
        "--quiet",
        "pip",
        "compile",
        "pyproject.toml",
        *options,
        *COMMON,
        "--upgrade",
    ]
    done = subprocess.run([*command, "--output-file", f"requirements/{name}.txt"], cwd=ROOT, stdout=subprocess.DEVNULL)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
