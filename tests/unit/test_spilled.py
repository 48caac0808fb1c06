"""Large arrays in a temporary file."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest

import ioadr
from ioadr import preset, spilled
from ioadr.app.words.description import described
from ioadr.app.words.expectation import expected_bytes
from tests.builders import make_views, write_hci_scene

pytestmark = pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the system reserves no room in files")


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_an_array_gives_its_memory_back_and_keeps_its_values(monkeypatch):
    monkeypatch.setattr(spilled, "LARGE", 10_000_000)
    array = spilled.empty((40, 1000, 1000), np.uint8)
    array[:] = np.arange(40, dtype=np.uint8)[:, None, None]
    full, part = resident(), array.reshape(5, 8, 1000, 1000)[:, ::2]
    spilled.let_rest(part)
    assert full - resident() > 30_000_000
    np.testing.assert_array_equal(array[:, 3, 4], np.arange(40))
    assert spilled.is_spilled(part)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library keeps its heap")
def test_free_memory_between_arrays_is_returned():
    arrays = [np.ones(100_000, np.uint8) for _ in range(800)]  # too small for pages of their own
    del arrays[::2]
    before = resident()
    spilled.trim_heap()
    assert before - resident() > 20_000_000
    assert all(array[0] == array[-1] == 1 for array in arrays)


def test_small_arrays_stay_in_memory():
    array = spilled.empty((3, 4), np.float32)
    assert array.shape == (3, 4)
    assert not spilled.is_spilled(array)
    spilled.let_rest(array)


def test_an_array_stays_in_memory_if_the_disk_is_full(monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spilled, "LARGE", 0)
    monkeypatch.setattr(os, "posix_fallocate", full)
    assert not spilled.is_spilled(spilled.empty((3, 4), np.float32))


def test_large_views_are_read_into_a_file_and_give_the_same_result(tmp_path, monkeypatch):
    scene = write_hci_scene(tmp_path / "waves", make_views(grid=(5, 5), size=(24, 28)))
    whole = ioadr.read(scene)
    monkeypatch.setattr(spilled, "LARGE", 0)
    large = ioadr.read(scene)
    assert spilled.is_spilled(large.views)
    assert "MB for the views in a temporary file, about" in described(large)["memory"]
    assert expected_bytes(whole) - expected_bytes(large) == whole.views.nbytes
    first, second = (ioadr.estimate(lf, preset("fast"), threads=1) for lf in (whole, large))
    np.testing.assert_array_equal(first.disparity, second.disparity)


@pytest.mark.parametrize("options", [{"scale": 0.5}, {"skip": [(0, 4), (3, 1)]}])
def test_scaled_and_incomplete_views_are_put_into_a_file_too(tmp_path, monkeypatch, options):
    scene = write_hci_scene(tmp_path / "waves", make_views(grid=(5, 5), size=(24, 28)))
    whole = ioadr.read(scene, **options)
    monkeypatch.setattr(spilled, "LARGE", 0)
    large = ioadr.read(scene, **options)
    assert spilled.is_spilled(large.views)
    np.testing.assert_array_equal(large.views, whole.views)
    assert not large.views[~large.present].any()
