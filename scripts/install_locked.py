"""Install the package, and exactly the files that a lock in requirements/ names by their hashes.

    python scripts/install_locked.py run|dev|oldest

Where the lock has nothing for this Python or machine, what pyproject.toml allows is installed instead, and that is
said; LOCK=no asks for it. A file whose hash differs from the lock's is never installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = {"run": ".[formats]", "dev": ".[all,dev]", "oldest": None}
"""What to install without the lock; the oldest versions make no sense without theirs."""
# Python compiles a module when it is first imported; most of these never are, and take pip as long as the rest.
PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
PIP_LOCK = "requirements/pip.txt"
"""The pip of Python 3.11 needs twice as long for the same files."""
FIRST_RUN = """
import imagecodecs, jinja2
import ioadr.app.commands.estimate, ioadr.app.compile_ahead, ioadr.app.report.page, ioadr.estimation, ioadr.io.reading
from numba.core.registry import cpu_target
cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
"""
"""Imports what a first run does, so that Python stores the bytecode of these modules; that takes 2 s."""
UNKNOWN = "No matching distribution found"


def install(name: str) -> int:
    if os.environ.get("LOCK") == "no":
        return pip("--editable", str(EXTRAS[name]))
    if pip("--require-hashes", "--requirement", PIP_LOCK):
        print(f"{PIP_LOCK} could not be installed: continuing with the present pip.")
    lock = Path("requirements") / f"{name}.txt"
    done = subprocess.run(
        [*PIP, "--require-hashes", "--requirement", str(lock)], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    if done.returncode == 0:
        # What builds the package is in the lock as well.
        return pip("--no-deps", "--no-build-isolation", "--editable", ".") or compiled()
    sys.stderr.write(done.stderr)
    if UNKNOWN not in done.stderr or EXTRAS[name] is None:
        print(f"{lock} could not be installed; `LOCK=no make …` installs without it, unchecked.")
        return done.returncode
    print(f"{lock} has no files for this Python or machine: installing what pyproject.toml allows, unchecked.")
    return pip("--editable", str(EXTRAS[name]))


def compiled() -> int:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run([sys.executable, "-c", FIRST_RUN], cwd=ROOT, env=environment).returncode


def pip(*arguments: str) -> int:
    return subprocess.run([*PIP, *arguments], cwd=ROOT).returncode


if __name__ == "__main__":
    if sys.argv[1:] not in [[name] for name in EXTRAS]:
        sys.exit(__doc__)
    sys.exit(install(sys.argv[1]))
