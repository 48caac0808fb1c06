"""The same tests with kernels as plain Python, and with every index checked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(setting: str, *arguments: str) -> None:
    """pytest in a process of its own; numba's settings are part of the cache's name, so it compiles for itself."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, setting: "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout


pytestmark = pytest.mark.skipif(
    any(os.environ.get(name) == "1" for name in ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK")),
    reason="runs itself in these modes",
)


def test_kernels_agree_with_their_twins_without_the_jit():
    run("NUMBA_DISABLE_JIT", "tests/reference/test_twins.py", "-k=-1]")


def test_no_kernel_reads_or_writes_beyond_an_array():
    """Images smaller than every window, and larger ones, through all sweeps of all presets."""
    run("NUMBA_BOUNDSCHECK", "tests/unit/test_laws.py", "-k", "smaller_than or any_view or company")


@pytest.mark.slow
def test_all_tests_of_kernels_without_the_jit():
    run(
        "NUMBA_DISABLE_JIT",
        "tests/reference/test_twins.py",
        "tests/reference/test_departures.py",
        "tests/unit/geometry",
    )


@pytest.mark.slow
def test_all_tests_of_kernels_with_bounds_checked():
    rooms = ("tests/reference", "tests/unit/geometry", "tests/unit/solver")
    files = ("tests/unit/test_laws.py", "tests/unit/test_hard_inputs.py", "tests/unit/test_any_light_field.py")
    run("NUMBA_BOUNDSCHECK", "-m", "not slow", *rooms, *files)
