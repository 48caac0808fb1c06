"""Surfaces thinner than a pixel do not break where they land between two pixels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ioadr.views.pose import captured
from ioadr.views.rendering import add_thin
from ioadr.views.surfaces import look
from tests.unit.views.test_surfaces import FAR, LINK, NEAR, SIZE, square, surface

COLUMN, WIDTH = 14, 0.8


def cord(middle=0.0, across="columns"):
    """A vertical (or horizontal) cord in front of a wall: its middle is that many px beside the centre of its pixel."""
    columns = np.arange(SIZE[1]) if across == "columns" else np.arange(SIZE[0])
    left, right = COLUMN + middle - WIDTH / 2, COLUMN + middle + WIDTH / 2
    share = np.clip(np.minimum(columns + 0.5, right) - np.maximum(columns - 0.5, left), 0.0, 1.0)
    near, coverage = share >= 0.5, np.maximum(share, 1.0 - share)
    shape = (1, -1) if across == "columns" else (-1, 1)
    flat = surface(np.broadcast_to(np.where(near, NEAR, FAR).reshape(shape), SIZE))
    return replace(flat, coverage=np.ascontiguousarray(np.broadcast_to(coverage.reshape(shape), SIZE), np.float32))


def near_of(surfaces, pose, thin=True):
    """[H, W]: pixels on the near surface, as a camera sees it."""
    sight = look(surfaces, pose, SIZE, LINK)
    if thin:
        add_thin(sight, surfaces, pose, LINK)
    return sight.disparity == NEAR


@pytest.mark.parametrize("across", ["columns", "rows"])
@pytest.mark.parametrize("middle", [0.0, -0.2, 0.3])
def test_a_cord_is_one_pixel_wide_wherever_it_lands(middle, across):
    one, broken = cord(middle, across), 0
    for fraction in np.arange(0.01, 1.0, 0.02):
        offset = (0.0, fraction / NEAR) if across == "columns" else (fraction / NEAR, 0.0)
        found, before = near_of([one], captured(offset)), near_of([one], captured(offset), thin=False)
        taken = np.argwhere(found if across == "columns" else found.T)
        assert len(taken) == SIZE[0 if across == "columns" else 1]  # one pixel in each line
        assert len(np.unique(taken[:, 1])) == 1
        assert abs(taken[0, 1] - (COLUMN + middle - fraction)) < 0.5 + 0.1  # shares tell the middle to 0.1 px
        broken += not before.any()
    assert broken >= 3  # without it, the cord disappears there


def test_an_enlarged_cord_has_no_gaps_and_keeps_its_width():
    pose = captured((0.0, 0.0))._replace(zoom=2.5, n0=SIZE[0] / 2, m0=COLUMN, cy=SIZE[0] / 2, cx=COLUMN)
    width = near_of([cord()], pose).sum(axis=1)
    assert (np.abs(width - 2.5 * WIDTH) <= 1).all()


def test_a_wide_surface_stays_as_it_is():
    pose = captured((0.3, 0.2))
    np.testing.assert_array_equal(near_of([square()], pose), near_of([square()], pose, thin=False))


def test_a_nearer_surface_hides_it():
    nearer = surface(np.full(SIZE, NEAR + 1.0))
    sight = look([cord(), nearer], captured((0.0, 0.1)), SIZE, LINK)
    before = sight.disparity.copy()
    add_thin(sight, [cord(), nearer], captured((0.0, 0.1)), LINK)
    np.testing.assert_array_equal(sight.disparity, before)


def test_it_comes_with_its_confidence_and_its_anchor():
    wall = surface(np.full(SIZE, FAR))
    one = cord()
    one = replace(one, confidence=np.full(SIZE, 0.25, np.float32))
    sight = look([wall, replace(one, kept=np.zeros(SIZE, bool))], captured((0.0, 0.25)), SIZE, LINK)
    add_thin(sight, [wall, one], captured((0.0, 0.25)), LINK)
    near = sight.disparity == NEAR
    assert near.any()
    assert (sight.source[near] == 1).all()
    assert (sight.confidence[near] == 0.25).all()
