"""Near surfaces that are a pixel too wide, and colours that tell."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import DisparityRange, LightField, preset
from ioadr._jit import Workers
from ioadr.parameters import Finish
from ioadr.solver.borders import discount
from ioadr.solver.finish import directions, fit, settle_borders
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing

SIZE, GRID, LEFT = 40, 5, 15
"""px, views, and the first column of the near surface."""
NEAR, FAR = 1.0, 0.0


def half_covered(share: float) -> LightField:
    """A bright surface before a dark wall; its first column covers `share` of the pixels it lies in."""
    random = np.random.default_rng(2)
    wall = random.integers(20, 60, (SIZE, SIZE, 3)).astype(np.float64)
    sheet = random.integers(190, 230, (SIZE, SIZE, 3)).astype(np.float64)
    views = np.empty((GRID, GRID, SIZE, SIZE, 3), np.uint8)
    for row, column in np.ndindex(GRID, GRID):
        v, h = row - GRID // 2, column - GRID // 2
        cover = np.zeros(SIZE)
        cover[LEFT - h + 1 :] = 1.0
        cover[LEFT - h] = share
        moved = np.roll(sheet, (-v, -h), (0, 1))
        views[row, column] = np.round(cover[:, None] * moved + (1 - cover[:, None]) * wall)
    return LightField(views, range=DisparityRange(-0.5, 1.5))


def settled(lf: LightField, first: int, threads: int = 1) -> np.ndarray:
    """Two passes over a map whose near surface begins in column `first`."""
    disparity = np.full((SIZE, SIZE), FAR, np.float32)
    disparity[:, first:] = NEAR
    parameters = preset("best")
    with Workers(threads) as workers:
        refinement = Refinement(lf, DisparityRange(-0.5, 1.5), parameters, workers)
        refinement.disparity = disparity
        for index in range(2):
            settle_borders(refinement, closing(parameters, DisparityRange(-0.5, 1.5)), index)
        return refinement.disparity


INSIDE = np.s_[4:-4]


@pytest.mark.parametrize(("share", "first"), [(0.2, LEFT + 1), (0.4, LEFT + 1), (0.6, LEFT), (0.8, LEFT)])
def test_a_mixed_pixel_belongs_to_what_covers_most_of_it(share, first):
    found = settled(half_covered(share), LEFT)
    np.testing.assert_array_equal(found[INSIDE, first:-4], NEAR)
    np.testing.assert_array_equal(found[INSIDE, 4:first], FAR)


def test_a_surface_a_pixel_too_wide_is_put_right():
    found = settled(half_covered(1.0), LEFT - 1)
    np.testing.assert_array_equal(found[INSIDE, 4:LEFT], FAR)
    np.testing.assert_array_equal(found[INSIDE, LEFT:-4], NEAR)


def test_a_surface_without_contrast_stays():
    lf = half_covered(0.3)
    grey = LightField(np.full_like(lf.views, 120), range=lf.range)
    assert (settled(grey, LEFT)[:, LEFT] == NEAR).all()


def test_threads_make_no_difference():
    lf = half_covered(0.4)
    np.testing.assert_array_equal(settled(lf, LEFT), settled(lf, LEFT, threads=3))


@pytest.mark.parametrize("slope", [0.0, 0.03])
def test_contrast_of_a_border_does_not_bend_the_surface_behind_it(slope):
    """Its pixels want to be nearer, and are surer of it than the faint surface; a steep surface has no borders."""
    far = np.tile(slope * np.arange(SIZE, dtype=np.float32), (SIZE, 1))
    disparity = far.copy()
    disparity[:, LEFT:] += 0.3
    target, precision = disparity.copy(), np.full_like(disparity, 0.06**-2)
    target[:, LEFT - 1] += 0.03
    precision[:, LEFT - 1] = 0.01**-2
    counted = precision.copy()
    with Workers(1) as workers:
        discount(0, SIZE, disparity, directions()[0], np.float32(0.02), counted)
        bent, straight = (fit(disparity, target, p, Finish(), workers)[8:-8] for p in (precision, counted))
    np.testing.assert_array_equal(np.flatnonzero((counted == 0).any(axis=0)), [LEFT - 1])
    assert (bent - far[8:-8])[:, LEFT - 3 : LEFT].max() > 0.02
    assert np.abs(straight - far[8:-8])[:, LEFT - 8 : LEFT].max() < 0.002


@pytest.mark.parametrize(("width", "counts"), [(2, True), (6, True), (9, False)])
def test_in_a_gap_the_data_at_its_borders_count(width, counts):
    disparity = np.full((SIZE, SIZE), NEAR, np.float32)
    disparity[:, LEFT : LEFT + width] = FAR
    precision = np.ones_like(disparity)
    discount(0, SIZE, disparity, directions()[0], np.float32(0.06), precision)
    assert (precision[8:-8, LEFT] == counts).all()
    assert (precision[:, :LEFT] == 1).all()


def test_what_lies_behind_is_never_ahead():
    ahead, behind = directions()
    assert len({tuple(u) for u in ahead.tolist()}) == 8
    for u, pixels in zip(ahead, behind, strict=True):
        assert (pixels @ u < 0).all()
        assert len({tuple(q) for q in pixels.tolist()}) == 4
