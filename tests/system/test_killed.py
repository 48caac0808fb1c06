"""`estimate`, `benchmark` and `batch` killed at random moments: results whole or absent, and the next run succeeds."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from ioadr import _cache_folder
from ioadr.evaluation.synthetic import random_light_field, write_scene
from tests.killed import COMMANDS, PATIENCE, QUICK, SEED, finished, kill_and_repeat, killed, start

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")


def test_killed_twice(tmp_path):
    """The quick form of `python -m tests.killed --times 200`; `test_stops.py` stops all commands at chosen points, and
    batches are killed in `batch/test_faults.py`."""
    kill_and_repeat("estimate", tmp_path, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_ten_times(name, tmp_path):
    kill_and_repeat(name, tmp_path, 10)


@pytest.mark.slow
def test_killed_while_the_kernel_cache_is_filled(tmp_path, monkeypatch):
    """Two processes fill an empty cache together; one of them is killed, repeatedly. No file is ever damaged."""
    monkeypatch.setenv("IOADR_CACHE", str(tmp_path / "cache"))
    write_scene(random_light_field(0, "mixed", (36, 40), (3, 3)), tmp_path / "scenes" / "s0")
    chance = random.Random(SEED)
    with start(tmp_path, ("estimate", "scenes/s0", "--out", "other", *QUICK)) as other:
        for number in range(4):
            killed(tmp_path, ("estimate", "scenes/s0", "--out", f"out{number}", *QUICK), chance.uniform(2, 12))
            check_cache(tmp_path / "cache")
        _, err = other.communicate(timeout=PATIENCE)
    assert other.returncode == 0, err
    finished(tmp_path, ("estimate", "scenes/s0", "--out", "last", *QUICK))
    assert check_cache(tmp_path / "cache") > 10
    assert (tmp_path / "last/disparity.pfm").read_bytes() == (tmp_path / "other/disparity.pfm").read_bytes()


def check_cache(folder: Path) -> int:
    """How many kernels it holds, all of them whole."""
    files = list(folder.rglob(f"*{_cache_folder.KERNEL}"))
    assert all(_cache_folder.read(file) is not None for file in files)
    return len(files)
