"""Holes that a foreground has closed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import DisparityRange, LightField, preset
from ioadr._jit import Workers
from ioadr.geometry.windows import grow
from ioadr.solver.holes import (
    FORGIVING,
    STRICT,
    fit_plane,
    has_rim,
    highest_cost,
    open_all_holes,
    segments,
    sweep_with_holes,
)
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing, plan
from ioadr.solver.segments import label

SIZE, NEAR, FAR = 64, 1.0, 0.0
RANGE = DisparityRange(-0.5, 1.5)
HOLE = np.s_[20:28, 30:36]
WALL = np.s_[:, 40:]
"""Columns in which there is nothing before the wall."""


def behind_a_hole(hole: float = FAR) -> LightField:
    """A board with a hole and an end before a wall; what the hole shows is at the disparity `hole`."""
    random = np.random.default_rng(3)
    wall = 100 + np.cumsum(random.integers(-1, 2, (SIZE, SIZE, 1)), axis=1).clip(-2, 2) + np.zeros(3)
    board = random.integers(140, 230, (SIZE, SIZE, 3)).astype(np.float64)
    open_ = np.zeros((SIZE, SIZE), bool)
    open_[HOLE] = open_[WALL] = True
    views = np.empty((5, 5, SIZE, SIZE, 3), np.uint8)
    for index in np.ndindex(5, 5):
        shift = np.array(index) - 2
        back = np.roll(wall, tuple(-(shift * hole).astype(int)), (0, 1))
        seen = np.roll(open_, tuple(-(shift * NEAR).astype(int)), (0, 1))
        views[index] = np.where(seen[..., None], back, np.roll(board, tuple(-(shift * NEAR).astype(int)), (0, 1)))
    return LightField(views, range=RANGE)


def open_part() -> NDArray[np.bool_]:
    """Pixels of the hole."""
    mask = np.zeros((SIZE, SIZE), bool)
    mask[HOLE] = True
    return mask


def closed() -> NDArray[np.float32]:
    """A map without the hole."""
    disparity = np.full((SIZE, SIZE), NEAR, np.float32)
    disparity[WALL] = FAR
    return disparity


def opened(
    lf: LightField, threads: int = 1, before: NDArray[np.float32] | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A map, without the hole unless given, and the outcome."""
    disparity = closed() if before is None else before.copy()
    with Workers(threads) as workers:
        refinement = Refinement(lf, RANGE, preset("best"), workers)
        refinement.disparity = disparity
        return disparity, open_all_holes(refinement, closing(preset("best"), RANGE), STRICT)


def test_a_hole_opens_as_a_whole():
    before, after = opened(behind_a_hole())
    np.testing.assert_allclose(after[HOLE], FAR, atol=1e-3)
    before[HOLE] = after[HOLE]
    np.testing.assert_array_equal(after, before)


def test_the_rest_of_a_hole_opens():
    """Both parts have one colour, but only one is still on the board."""
    before = closed()
    before[20:28, 30:33] = FAR
    _, after = opened(behind_a_hole(), before=before)
    before[HOLE] = after[HOLE]
    np.testing.assert_allclose(after[HOLE], FAR, atol=1e-3)
    np.testing.assert_array_equal(after, before)


def test_a_hole_differs_from_its_rim():
    """Only pixels on the near surface count as rim: the wall beside the segment does not."""
    rows, columns = (index.reshape(-1) for index in np.mgrid[2:6, 3:6])
    near, image = np.ones((8, 8), np.float32), np.full((8, 8, 3), 90, np.float32)
    labels = np.zeros((8, 8), np.int64)
    labels[2:6, 3:6] = 1
    assert not has_rim(rows, columns, labels, near, 0.5, image)
    image[:, :3, 1] = image[:, 6:, 1] = 110
    assert has_rim(rows, columns, labels, near, 0.5, image)
    near[:, :3] = near[:, 6:] = 0
    assert not has_rim(rows, columns, labels, near, 0.5, image)
    near[labels == 0] = 0
    assert not has_rim(rows, columns, labels, near, 0.5, image)


def test_what_only_looks_like_the_wall_stays():
    """A patch of its colour on the board moves with the board, and costs more behind it."""
    before, after = opened(behind_a_hole(hole=NEAR))
    np.testing.assert_array_equal(after, before)


def test_sweeps_follow_what_opens_before_them():
    """The last sweeps of `best` find the hole open, and leave a patch that only looks like it where it was."""
    parameters = preset("best")
    steps, last = plan(parameters, RANGE), closing(parameters, RANGE)
    assert [step.open_holes for step in steps] == [False] * 4 + [True] * 2
    assert not any(step.open_holes for step in plan(preset("paper"), RANGE))
    for behind, value in ((FAR, FAR), (NEAR, NEAR)):
        with Workers(1) as workers:
            refinement = Refinement(behind_a_hole(behind), RANGE, parameters, workers)
            refinement.disparity = closed()
            record = sweep_with_holes(refinement, steps[4], last, 0)
        assert record.sweep == 4
        assert refinement.opened is not None
        assert (refinement.opened != closed())[HOLE].all() == (behind == FAR)
        np.testing.assert_allclose(refinement.disparity[HOLE], value, atol=0.1)


def test_a_forgiving_judge_opens_what_a_strict_one_refuses():
    """Noise in the hole's pixels also adds to their cost; a limit that allows no cost rejects the hole."""
    lf = behind_a_hole()
    views = lf.views.copy()
    views[2, 2][HOLE] = views[2, 2][HOLE] + np.random.default_rng(1).integers(0, 3, (8, 6, 1), np.uint8)
    parameters = preset("best")
    for judge, value in (((0.0, 0.0), NEAR), (FORGIVING, FAR)):
        with Workers(1) as workers:
            refinement = Refinement(lf.replace(views=views), RANGE, parameters, workers)
            refinement.disparity = closed()
            after = open_all_holes(refinement, closing(parameters, RANGE), judge)
        np.testing.assert_allclose(after[HOLE], value, atol=1e-3)


def test_noise_does_not_loosen_the_limit():
    """Without noise, the limit is the given one; a cost that is all noise may rise by what adds to it as a square."""
    assert highest_cost(5.0, 0.0, FORGIVING) == pytest.approx(1.1 * 5 + 0.6)
    assert highest_cost(5.0, 5.0, FORGIVING) == highest_cost(5.0, 9.0, FORGIVING) == pytest.approx((25 + 0.36) ** 0.5)
    assert highest_cost(5.0, 4.0, FORGIVING) == pytest.approx((16 + (1.1 * 3 + 0.6) ** 2) ** 0.5)
    for noise in (0.0, 2.0, 7.0):
        assert highest_cost(5.0, noise, STRICT) == pytest.approx(5.0)


@pytest.mark.parametrize("level", [1.0, 4.0])
def test_noise_opens_nothing_but_the_hole(level):
    """A patch of the wall's colour on the board stays, as long as the wall's texture shows; a hole opens."""
    for behind in (FAR, NEAR):
        lf = behind_a_hole(behind)
        random = np.random.default_rng(5)
        noisy = np.clip(lf.views + level * random.standard_normal(lf.views.shape), 0, 255).astype(np.uint8)
        with Workers(1) as workers:
            refinement = Refinement(lf.replace(views=noisy), RANGE, preset("best"), workers)
            refinement.disparity = closed()
            after = open_all_holes(refinement, closing(preset("best"), RANGE), FORGIVING)
        moved = after != closed()
        assert not moved[grow(open_part(), 1) == 0].any()
        assert (moved[HOLE].mean() > 0.8) == (behind == FAR)
        assert behind == FAR or not moved.any()


def test_threads_make_no_difference():
    lf = behind_a_hole()
    np.testing.assert_array_equal(opened(lf)[1], opened(lf, threads=3)[1])


def test_segments_are_what_even_steps_connect():
    image = np.zeros((6, 9, 3), np.float32)
    image[1:3, 1:8] = 50
    image[3:5, 7] = 53
    image[1:3, 4] = 90
    labels = np.empty((6, 9), np.int64)
    near, behind = np.ones((6, 9), np.float32), np.zeros((6, 9), np.float32)
    label(image, near, np.float32(4), np.float32(0.5), labels)
    assert len(np.unique(labels)) == 4
    assert labels[1, 1] == labels[2, 3] != labels[1, 5]
    assert labels[1, 5] == labels[4, 7] == 1 * 9 + 5
    assert [len(rows) for rows, _ in segments(labels, near, behind, 0.5)] == [38]
    assert not [*segments(labels, near, near, 0.5)]


def test_a_jump_divides_a_segment():
    image, disparity = np.full((5, 6, 3), 70, np.float32), np.zeros((5, 6), np.float32)
    disparity[:, 3:] = 1
    disparity[:, 3] = 0.6
    labels = np.empty((5, 6), np.int64)
    label(image, disparity, np.float32(4), np.float32(0.5), labels)
    np.testing.assert_array_equal(labels[0], [0, 0, 0, 3, 3, 3])
    assert len(np.unique(labels)) == 2


def test_a_plane_is_found_among_outliers():
    rows, columns = np.divmod(np.arange(100), 10)
    values = (0.5 + 0.02 * rows - 0.01 * columns).astype(np.float32)
    values[::5] += 2
    plane, missed = fit_plane(rows, columns, values)
    np.testing.assert_allclose(plane, [0.5, 0.02, -0.01], atol=5e-3)
    assert np.mean(missed < 0.05) == 0.8
