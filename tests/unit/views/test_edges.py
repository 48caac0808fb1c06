"""Outlines between pixels: of thin bars, in narrow gaps and at corners."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr.views.edges import edge_at, share_at

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
    assert np.isnan(edge_at(disparity, coverage, 6.0, 6.0, NEAR, LINK)[0])
