"""A known map predicts the other views exactly where they can be predicted."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import LightField
from ioadr.errors import InputError
from ioadr.geometry.synthesis import refocus, residuals, synthesise
from tests.builders import make_lightfield

SIZE = (24, 30)
NEAR, FAR = 2, -1


def two_planes() -> tuple[LightField, NDArray[np.float32]]:
    """A square before a wall, both of integer disparity and random texture: 3×3 views without any interpolation."""
    rng = np.random.default_rng(2)
    wall = rng.integers(0, 256, (60, 60, 3), np.uint8)
    square = rng.integers(0, 256, (8, 10, 3), np.uint8)
    views = np.empty((3, 3, *SIZE, 3), np.uint8)
    for row in range(3):
        for column in range(3):
            top, left = 15 + FAR * (row - 1), 15 + FAR * (column - 1)
            views[row, column] = wall[top : top + SIZE[0], left : left + SIZE[1]]
            top, left = 8 - NEAR * (row - 1), 9 - NEAR * (column - 1)
            views[row, column, top : top + 8, left : left + 10] = square
    disparity = np.full(SIZE, FAR, np.float32)
    disparity[8:16, 9:19] = NEAR
    return LightField(views), disparity


def test_views_are_predicted_exactly_where_visible() -> None:
    lightfield, disparity = two_planes()
    for row in range(3):
        for column in range(3):
            made = synthesise(lightfield.reference_view, disparity, (row - 1, column - 1))
            seen = np.isfinite(made).all(axis=-1)
            assert np.array_equal(made[seen], lightfield.views[row, column][seen])


def test_what_the_reference_does_not_see_is_a_hole() -> None:
    """One view to the right the square moves 3 px over the wall: 3 columns come free, and 1 at the image's side."""
    lightfield, disparity = two_planes()
    holes = ~np.isfinite(synthesise(lightfield.reference_view, disparity, (0, 1))).all(axis=-1)
    expected = np.zeros(SIZE, bool)
    expected[:, 0] = True  # the wall moves right by one
    expected[8:16, 9 - NEAR + 10 : 9 + 10 - FAR] = True
    assert np.array_equal(holes, expected)


def test_residuals_vanish_at_the_truth_only() -> None:
    lightfield, disparity = two_planes()
    found = residuals(lightfield, disparity)
    assert found.mean == 0
    assert np.isnan(found.by_view[1, 1])
    assert 0.85 < np.nanmin(found.covered) < np.nanmax(found.covered) < 1
    assert residuals(lightfield, disparity + 0.2).mean > 10
    assert np.array_equal(residuals(lightfield, disparity, threads=1).by_view, found.by_view, equal_nan=True)


def test_progress_counts_the_views() -> None:
    lightfield, disparity = two_planes()
    calls: list[tuple[int, int]] = []
    residuals(lightfield, disparity, threads=1, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(done, 8) for done in range(1, 9)]


def test_missing_views_are_left_out() -> None:
    lightfield, disparity = two_planes()
    present = np.ones((3, 3), bool)
    present[0, 2] = False
    found = residuals(lightfield.with_(present=present), disparity + 0.2)
    assert np.isnan(found.by_view[0, 2])
    assert np.isfinite(found.mean)


def test_slanted_surface_is_predicted_between_pixels() -> None:
    """d = 0.1·column: a pixel at x in the reference lands at 0.9·x, which the projected map must invert."""
    disparity = np.tile(0.1 * np.arange(40, dtype=np.float32), (5, 1))
    ramp = np.tile(np.arange(40, dtype=np.float32)[:, None], (5, 1, 1))
    made = synthesise(ramp, disparity, (0, 1))[..., 0]
    expected = np.arange(40) / 0.9
    seen = np.isfinite(made[2])
    assert seen[1:35].all()
    assert np.allclose(made[2][seen], expected[seen], atol=0.02)


def test_refocus_at_a_plane_is_the_plane() -> None:
    lightfield = make_lightfield(grid=(5, 5), size=(30, 34), disparity=1.0)
    sharp, blurred = refocus(lightfield, 1.0), refocus(lightfield, -0.5)
    inner = (slice(4, -4), slice(4, -4))
    assert np.abs(sharp - lightfield.reference_view)[inner].max() <= 1.0
    assert np.abs(blurred - lightfield.reference_view)[inner].mean() > 5


def test_wrong_size_is_refused() -> None:
    lightfield, disparity = two_planes()
    with pytest.raises(InputError, match=r"24×30.*found 24×29"):
        residuals(lightfield, disparity[:, 1:])
    with pytest.raises(InputError, match="2×2"):
        synthesise(np.zeros((1, 5, 3)), np.zeros((1, 5)), (0, 1))
