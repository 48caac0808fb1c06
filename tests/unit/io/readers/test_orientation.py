"""Rows and columns that run the wrong way are noticed and put right."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr.evaluation.synthetic import demo
from ioadr.io import read
from ioadr.io.orientation import Evidence
from tests.builders import make_views
from tests.layouts import npy, quilt

SIZE = (96, 128)


@pytest.fixture(scope="module")
def views():
    return demo(grid=(5, 5), size=SIZE).light_field.views


@pytest.mark.parametrize("rows", [1, -1])
@pytest.mark.parametrize("columns", [1, -1])
def test_reversed_order_is_put_right(views, rows, columns, tmp_path):
    path, _ = npy(tmp_path, views[::rows, ::columns])
    lightfield = read(path)
    np.testing.assert_array_equal(lightfield.views, views)
    notes = " ".join(lightfield.source.notes)
    assert ("rows of views run the other way" in notes) == (rows < 0)
    assert ("columns of views run the other way" in notes) == (columns < 0)


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
    path, _ = npy(tmp_path, plane)
    np.testing.assert_array_equal(read(path).views, plane)
    path, _ = npy(tmp_path, plane[::-1])
    np.testing.assert_array_equal(read(path).views, plane)


@pytest.mark.parametrize("kind", ["noise", "no parallax", "small", "line"])
def test_without_evidence_nothing_is_changed(kind, tmp_path):
    random = np.random.default_rng(0)
    views = {
        "noise": random.integers(0, 255, (5, 5, 64, 64, 3), dtype=np.uint8),
        "no parallax": np.broadcast_to(random.integers(0, 255, (64, 64, 3), dtype=np.uint8), (5, 5, 64, 64, 3)),
        "small": make_views(grid=(5, 5), size=(12, 12))[::-1],
        "line": make_views(grid=(1, 5), size=(64, 64)),
    }[kind]
    path, _ = npy(tmp_path, np.ascontiguousarray(views))
    lightfield = read(path)
    np.testing.assert_array_equal(lightfield.views, views)
    assert lightfield.source.notes == ()


@pytest.mark.parametrize(
    ("agreement", "occlusion", "flips"),
    [
        (0.2, 20.0, (False, False)),
        (0.2, -20.0, (True, True)),
        (0.2, -3.0, (False, False)),
        (-0.2, 20.0, (True, False)),
        (-0.2, 0.0, (True, False)),
        (-0.2, -20.0, (False, True)),
        (0.01, -20.0, (False, False)),
        (0.0, -20.0, (False, True)),
    ],
)
def test_verdicts(agreement, occlusion, flips):
    assert Evidence(agreement, occlusion).flips() == flips
