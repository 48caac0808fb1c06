"""Outlines between pixels: of thin bars, in narrow gaps and at corners."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr.views.edges import edge_at, edge_of, share_at

LINK, NEAR, FAR = 0.2, 1.0, -0.5
SIZE, FINE = 13, 20
STEPS = (np.arange(FINE) + 0.5) / FINE - 0.5


def map_of(inside):
    """Map and coverage of a near surface that is where `inside(y, x)` holds, from finer pixels."""
    place = np.add.outer(np.arange(SIZE), STEPS).ravel()
    fine = inside(*np.meshgrid(place, place, indexing="ij"))
    share = fine.reshape(SIZE, FINE, SIZE, FINE).mean(axis=(1, 3))
    disparity = np.where(share >= 0.5, NEAR, FAR).astype(np.float32)
    return disparity, np.maximum(share, 1 - share).astype(np.float32)


@pytest.mark.parametrize("width", [1.5, 2.0, 2.6])
@pytest.mark.parametrize("left", np.arange(5.0, 6.0, 0.1))
def test_both_outlines_of_a_thin_bar_are_exact(width, left):
    disparity, coverage = map_of(lambda y, x: (x > left) & (x < left + width))
    for away in np.arange(-0.4, 0.4, 0.11):
        for x in (left + away, left + width - away):
            assert edge_at(disparity, coverage, 6.0, x, NEAR, LINK)[0] == pytest.approx(away, abs=0.03)


@pytest.mark.parametrize("right", np.arange(5.0, 6.0, 0.1))
def test_a_narrow_gap_between_two_bars_keeps_its_width(right):
    disparity, coverage = map_of(lambda y, x: (x < right) | (x > right + 2.2))
    for x in np.arange(right - 0.4, right + 0.3, 0.11):
        assert edge_at(disparity, coverage, 6.0, x, NEAR, LINK)[0] == pytest.approx(right - x, abs=0.03)


@pytest.mark.parametrize("place", np.arange(5.55, 6.5, 0.1))
def test_a_corner_is_not_rounded(place):
    """Where two bars cross, and where one ends: bilinear shares are off by up to half a pixel there."""
    crossing, end = map_of(lambda y, x: (x > place) | (y > place)), map_of(lambda y, x: (x > place) & (y > place))
    for y in np.arange(5.55, 6.5, 0.1):
        for x in np.arange(5.55, 6.5, 0.1):
            for (disparity, coverage), inside in ((crossing, max), (end, min)):
                found = share_at(disparity, coverage, y, x, NEAR, LINK) - 0.5
                assert found == pytest.approx(inside(x - place, y - place), abs=0.05)


def test_a_corner_has_no_direction():
    disparity, coverage = map_of(lambda y, x: (x > 6.1) | (y > 6.1))
    assert edge_at(disparity, coverage, 6.0, 6.0, NEAR, LINK)[1:] == (0.0, 0.0)
    assert edge_at(disparity, coverage, 3.0, 6.0, NEAR, LINK)[1:] == (0.0, 1.0)


def test_next_to_a_nearer_surface_there_is_no_edge():
    disparity, coverage = map_of(lambda y, x: x > 6.1)
    disparity[5] = 2.0
    assert np.isnan(edge_of(disparity, coverage, 6, 6, NEAR, LINK)[0])
    assert np.isnan(edge_at(disparity, coverage, 6.0, 6.0, NEAR, LINK)[0])
    assert edge_at(disparity, coverage, 6.3, 6.0, NEAR, LINK)[0] == pytest.approx(-0.1, abs=0.03)


@pytest.mark.parametrize("width", [1.1, 1.7])
def test_a_mirrored_map_has_mirrored_edges(width):
    disparity, coverage = map_of(lambda y, x: abs(x - 6.2 - 0.2 * (y - 6.0)) < 0.5 * width)
    for y in np.arange(2.0, 10.8, 0.4):
        for x in np.arange(2.0, 10.8, 0.4):
            inside, down, right = edge_at(disparity, coverage, y, x, NEAR, LINK)
            mirrored = edge_at(disparity[:, ::-1], coverage[:, ::-1], y, SIZE - 1 - x, NEAR, LINK)
            np.testing.assert_allclose(mirrored, (inside, down, -right), atol=1e-6)


def wrong_side(inside, *places):
    """Share of places less than 2 px from any of `places` that `share_at` puts on the wrong side of the outline."""
    disparity, coverage = map_of(inside)
    wrong = []
    for row, column in places:
        y, x = np.meshgrid(np.arange(row - 2, row + 2, 0.11), np.arange(column - 2, column + 2, 0.11), indexing="ij")
        found = [share_at(disparity, coverage, a, b, NEAR, LINK) >= 0.5 for a, b in zip(y.flat, x.flat, strict=True)]
        wrong.append(np.array(found) != inside(y, x).ravel())
    return np.mean(wrong)


def test_places_are_on_the_right_side_of_small_and_slanted_shapes():
    """The bounds are a fifth above what is measured."""

    def cross(y, x):
        a, b = 0.94 * (y - 6.1) + 0.34 * (x - 5.8), 0.94 * (x - 5.8) - 0.34 * (y - 6.1)
        return (abs(a) < 1.0) | (abs(b) < 1.0)

    def square(y, x):
        return (abs(y - 6.2) < 2.5) & (abs(x - 5.9) < 2.5)

    assert wrong_side(cross, (6.1, 5.8)) < 0.063
    assert wrong_side(square, (3.7, 3.4), (3.7, 8.4), (8.7, 3.4), (8.7, 8.4)) < 0.0125
