"""Gaps that are too narrow to show anything unmixed."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ioadr import DisparityRange, LightField, preset
from ioadr._jit import Workers
from ioadr.solver.coverage import pack_matting, settle_borders
from ioadr.solver.gaps import box_mean, looks_far, lowest_beside, open_gaps
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing

SIZE, NEAR, FAR, FINE = 72, 1.0, 0.0, 4
RANGE = DisparityRange(-0.5, 1.5)
GAP, WALL = np.s_[34:36, 20:44], np.s_[:, 44:]
"""Two rows of the board are a gap that leads to the wall beside it."""


def scene(seen: bool = True, side: int = 9) -> LightField:
    """A board with a narrow gap before a textured wall; if not `seen`, the gap is painted on the board."""
    random = np.random.default_rng(4)
    wall = 70 + np.kron(random.uniform(-30, 30, (SIZE // 2, SIZE // 2, 3)), np.ones((2, 2, 1)))
    board = random.uniform(150, 170, (SIZE, SIZE, 3))
    fine = np.zeros((FINE * SIZE, FINE * SIZE), bool)
    fine[:, FINE * 44 :] = True
    fine[FINE * 34 + 1 : FINE * 36 - 1, FINE * 20 : FINE * 44] = True
    open_ = fine.reshape(SIZE, FINE, SIZE, FINE).mean(axis=(1, 3))[..., None]
    if not seen:
        board = np.where(np.arange(SIZE)[None, :, None] < 44, open_ * wall + (1 - open_) * board, board)
        open_ = np.where(np.arange(SIZE)[None, :, None] < 44, 0.0, open_)
    views = np.empty((side, side, SIZE, SIZE, 3), np.float32)
    for index in np.ndindex(side, side):
        shift = tuple(-(np.array(index) - side // 2) * int(NEAR))
        share = np.roll(open_, shift, (0, 1))
        light = (1 - share) * (np.roll(board, shift, (0, 1)) / 255) ** 2.2 + share * (wall / 255) ** 2.2
        views[index] = 255 * light ** (1 / 2.2)
    return LightField(views, white=255.0, range=RANGE)


def closed() -> NDArray[np.float32]:
    disparity = np.full((SIZE, SIZE), NEAR, np.float32)
    disparity[WALL] = FAR
    return disparity


def opened(lf: LightField, threads: int = 1) -> NDArray[np.float32]:
    parameters = preset("best")
    with Workers(threads) as workers:
        refinement = Refinement(lf, RANGE, parameters, workers)
        refinement.disparity = closed()
        matting_of = partial(pack_matting, rays=refinement.rays, term=parameters.coverage)
        return open_gaps(refinement, closing(parameters, RANGE), matting_of, closed())


def test_a_narrow_gap_opens():
    after, before = opened(scene()), closed()
    assert np.mean(after[GAP] < 0.1) > 0.7
    before[33:37, 19:44] = after[33:37, 19:44]
    np.testing.assert_array_equal(after, before)


def test_a_painted_line_stays():
    """It looks the same, but does not change from view to view as a background does."""
    np.testing.assert_array_equal(opened(scene(seen=False)), closed())


def test_views_must_see_past_the_gap():
    """The background shifts by 3 px in 7×7 views, less than the 4 px of the widest gap."""
    np.testing.assert_array_equal(opened(scene(side=7)), closed())


def test_threads_make_no_difference():
    np.testing.assert_array_equal(opened(scene()), opened(scene(), threads=3))


def test_gaps_are_part_of_the_border_step():
    lf, found = scene(), []
    for gaps in (True, False):
        parameters = preset("best").replace({"coverage.gaps": gaps})
        with Workers(1) as workers:
            refinement = Refinement(lf, RANGE, parameters, workers)
            refinement.disparity = closed()
            list(settle_borders(refinement, closing(parameters, RANGE), 0))
            found.append(np.mean(refinement.disparity[GAP] < 0.1))
    assert found[0] > 0.7 > 0.3 > found[1]


def test_what_looks_far_is_near():
    disparity, image = closed(), np.full((SIZE, SIZE, 3), 160, np.float32)
    image[WALL] = image[GAP] = 70
    mask = looks_far(disparity, image, np.full((SIZE, SIZE), 12, np.float32), 0.25)
    assert mask[34:36, 30:44].all()
    assert not mask[WALL].any()
    assert np.count_nonzero(mask) <= 2 * 24
    assert not looks_far(disparity, image, np.full((SIZE, SIZE), 200, np.float32), 0.25).any()


def test_box_mean_of_a_plane_is_the_plane():
    values = np.arange(60.0 * 50).reshape(60, 50, 1).astype(np.float32)
    np.testing.assert_allclose(box_mean(values)[20:-20, 20:-20], values[20:-20, 20:-20], rtol=1e-5)
    np.testing.assert_allclose(box_mean(np.ones((9, 7, 2), np.float32)), 1, rtol=1e-6)


def test_the_farthest_of_four_neighbours():
    disparity = np.ones((4, 5), np.float32)
    disparity[1, 2] = 0
    around = lowest_beside(disparity)
    assert around[1, 2] == 1
    assert around[0, 2] == around[2, 2] == around[1, 1] == around[1, 3] == 0
    assert around[0, 1] == 1
