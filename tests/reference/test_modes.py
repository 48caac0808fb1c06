"""The same tests with kernels as plain Python, with every index checked, and compiled for older processors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite.binding import get_host_cpu_features

ROOT = Path(__file__).resolve().parents[2]


def run(setting: str, *arguments: str, value: str = "1", **others: str) -> None:
    """pytest in a separate process, which compiles its own kernels: numba's settings are part of the cache's name."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    settings = {**os.environ, setting: value, **others}
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout


pytestmark = pytest.mark.skipif(
    any(os.environ.get(name) for name in ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "NUMBA_CPU_NAME")),
    reason="runs itself in these modes",
)


OLDER = {"AVX2": ("haswell", "avx2"), "SSE4": ("nehalem", "sse4.2"), "SSE2": ("x86-64", "sse2")}
"""Instruction set: a processor that has no better one, and the feature that this machine needs to play it."""


def compiled_for(name: str, *arguments: str) -> None:
    """Run tests with the code generator held to one of them."""
    cpu, feature = OLDER[name]
    if not get_host_cpu_features().get(feature):
        pytest.skip(f"this processor has no {feature}")
    run("NUMBA_CPU_NAME", *arguments, value=cpu, NUMBA_CPU_FEATURES="")


@pytest.mark.slow
@pytest.mark.parametrize("name", OLDER)
def test_lanes_do_the_same_on_older_processors(name):
    compiled_for(name, "tests/unit/test_lanes.py", "tests/reference/test_twins.py", "-k", "lanes or J_oa-0]")


@pytest.mark.slow
@pytest.mark.parametrize("name", OLDER)
def test_kernels_agree_with_their_twins_on_older_processors(name):
    compiled_for(name, "tests/reference/test_twins.py", "-k=-1]")


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
    """Among them images smaller than every window, and larger ones, through all sweeps of all presets."""
    rooms = ("tests/reference", "tests/unit/geometry", "tests/unit/solver")
    files = ("tests/unit/test_laws.py", "tests/unit/test_hard_inputs.py", "tests/unit/test_any_light_field.py")
    run("NUMBA_BOUNDSCHECK", "-m", "not slow", *rooms, *files)
