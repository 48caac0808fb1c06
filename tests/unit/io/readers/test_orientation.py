"""Reversed rows and columns are noticed and corrected."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ioadr import InputError
from ioadr.io import read
from ioadr.io.capture import Capture
from ioadr.io.orientation import LARGEST, order_of
from tests import explored
from tests.arrangement_cases import ARRANGEMENTS, Case, arranged
from tests.arrangements import state_of
from tests.builders import make_views, write_hci_scene
from tests.layouts import npy, quilt
from tests.marks import some_quick


@pytest.fixture(scope="module")
def views():
    return explored.larger()


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_every_arrangement_is_put_right(views, arrangement, tmp_path):
    transposed, rows, columns = arrangement
    path, _ = npy(tmp_path, arranged(views, arrangement))
    lightfield = read(path)
    np.testing.assert_array_equal(lightfield.views, views)
    notes = " ".join(lightfield.source.notes)
    assert ("the grid of views is transposed" in notes) == transposed
    # Transposing comes first: what were rows are columns then.
    assert ("rows of views were in reverse order" in notes) == (columns if transposed else rows)
    assert ("columns of views were in reverse order" in notes) == (rows if transposed else columns)
    assert lightfield.source.order.startswith("corrected" if any(arrangement) else "agrees")


@pytest.mark.parametrize("arrangement", ARRANGEMENTS[1:])
def test_a_format_that_defines_its_order_is_warned_of_and_kept(views, arrangement, tmp_path):
    stored = arranged(views, arrangement)
    lightfield = read(write_hci_scene(tmp_path / "scene", stored))
    np.testing.assert_array_equal(lightfield.views, stored)
    (note,) = lightfield.source.notes
    assert "contradict the order that the format defined, which was kept" in note
    assert ("transpose=True" in note) == arrangement[0]


def test_the_command_that_is_advised_reads_it_right(views, tmp_path):
    folder = write_hci_scene(tmp_path / "scene", arranged(views, (False, True, True)))
    assert "Try flip_both=True" in read(folder).source.notes[0]
    np.testing.assert_array_equal(read(folder, flip_both=True).views, views)
    with pytest.raises(InputError, match="flip_both=True contradicts flip_rows=False"):
        read(folder, flip_both=True, flip_rows=False)


@pytest.mark.parametrize("seed", some_quick([0, 2, 4, 7], [4]))
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_noisy_random_scenes_are_told_or_left_alone(seed, arrangement):
    assert state_of(noisy(seed), arrangement) in ("decided", "partly")


@cache
def noisy(seed):
    return Case(seed, (128, 128), (5, 5), 3.0, (-1.5, 1.5)).views()


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_a_line_of_views_is_told(views, arrangement, tmp_path):
    line = views[2:3]
    path, _ = npy(tmp_path, arranged(line, arrangement))
    lightfield = read(path)
    assert lightfield.grid == (1, 5)
    found = [lightfield.views, lightfield.views[:, ::-1]]
    unsure = any("could not tell near from far" in note for note in lightfield.source.notes)
    assert np.array_equal(found[0], line) or (unsure and np.array_equal(found[1], line))


def test_without_occlusion_near_and_far_are_not_told_apart(tmp_path):
    plane = make_views(grid=(5, 5), size=(64, 64), disparity=1.2)
    for stored in (plane, plane[::-1, ::-1]):
        path, _ = npy(tmp_path, stored)
        lightfield = read(path)
        np.testing.assert_array_equal(lightfield.views, stored)
        assert lightfield.source.order.startswith("unknown")
        assert lightfield.source.notes == ("could not tell near from far: check the picture, or use flip_both=True",)


def test_the_users_word_wins(views, tmp_path):
    path, _ = npy(tmp_path, views[::-1])
    kept = read(path, flip_rows=False)
    np.testing.assert_array_equal(kept.views, views[::-1])
    np.testing.assert_array_equal(read(path, flip_rows=True).views, views)
    np.testing.assert_array_equal(read(path, flip_rows=True, flip_columns=True).views, views[:, ::-1])


def test_indices_mean_the_order_as_read(views, tmp_path):
    path, _ = npy(tmp_path, views[::-1])
    lightfield = read(path, skip=((0, 3),), reference=(4, 4))
    assert lightfield.present is not None
    assert not lightfield.present[0, 3]
    np.testing.assert_array_equal(lightfield.reference_view, views[4, 4])


def test_wide_baselines_and_other_layouts(views, tmp_path):
    """Every second view of a quilt: disparities twice as large."""
    path, _ = quilt(tmp_path, views[::-1][::2, ::2])
    np.testing.assert_array_equal(read(path, quilt="3x3").views, views[::2, ::2])


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_a_plane_says_whether_rows_and_columns_agree(dtype, tmp_path):
    plane = make_views(grid=(5, 5), size=(64, 64), disparity=1.2, dtype=dtype)
    path, _ = npy(tmp_path, plane[::-1])
    lightfield = read(path)
    np.testing.assert_array_equal(lightfield.views, plane[::-1])
    (note,) = lightfield.source.notes
    assert "it is unclear which: the order was kept. Use flip_rows=True, or flip_columns=True" in note


@pytest.mark.parametrize("kind", ["noise", "no parallax", "small"])
def test_without_evidence_nothing_is_changed_and_that_is_said(kind, tmp_path):
    random = np.random.default_rng(0)
    views = {
        "noise": random.integers(0, 255, (5, 5, 64, 64, 3), dtype=np.uint8),
        "no parallax": np.broadcast_to(random.integers(0, 255, (64, 64, 3), dtype=np.uint8), (5, 5, 64, 64, 3)),
        "small": make_views(grid=(5, 5), size=(12, 12))[::-1],
    }[kind]
    path, _ = npy(tmp_path, np.ascontiguousarray(views))
    lightfield = read(path)
    np.testing.assert_array_equal(lightfield.views, views)
    assert lightfield.source.order.startswith("unknown")
    assert any("could not tell the order of the views" in note for note in lightfield.source.notes)


def test_the_order_of_huge_views_is_judged_from_their_middle(views):
    """Views of gigapixels were loaded whole before the limit of memory was checked."""
    size = 1_000_000
    rows, columns, height, width, channels = views.shape
    windows = []

    def load(numbers, window):
        windows.append(window)
        assert max(window.height, window.width) <= LARGEST
        padded = np.zeros((len(numbers), window.height, window.width, channels), np.uint8)
        padded[:, :height, :width] = views.reshape(-1, height, width, channels)[list(numbers)]
        return padded

    index = np.arange(rows * columns).reshape(rows, columns)
    capture = Capture("numpy", Path("huge"), index, size, size, channels, np.dtype(np.uint8), load, [""] * index.size)
    order_of(capture)
    assert {(window.top + window.bottom, window.left + window.right) for window in windows} == {(size, size)}
