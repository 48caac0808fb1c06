"""Many estimations in one process: memory does not grow, results do not change."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

import ioadr
from ioadr import preset
from tests.builders import make_lightfield

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")

SIZES = ((40, 44), (64, 28), (30, 60))
SETTLED = 20
"""Estimations after which buffers of all sizes, presets and numbers of threads are there."""
GROWTH = 6_000_000
"""Bytes; one leaked copy of the views, 133 kB, in each of the other 180 would be 24 MB."""


def memory() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def soak(times: int) -> None:
    inputs = [make_lightfield(grid=(5, 5), size=size, disparity=0.4) for size in SIZES]
    names = ("paper", "fast", "best")
    first: dict[tuple[int, str], bytes] = {}
    before = 0
    for number in range(times):
        which, name = number % len(inputs), names[number // len(inputs) % len(names)]
        found = ioadr.estimate(inputs[which], preset(name), threads=1 + number % 3)
        expected = first.setdefault((which, name), found.disparity.tobytes())
        assert found.disparity.tobytes() == expected, (number, name)
        if number == SETTLED:
            before = memory()
    assert memory() - before < GROWTH


@pytest.mark.slow
def test_two_hundred_estimations():
    soak(200)
