"""More first maps than one, and who decides between them."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import DisparityRange, LightField, preset
from ioadr._jit import Workers
from ioadr.parameters import Initialise
from ioadr.solver import starts
from ioadr.solver.initialise import WINDOWS, first_maps, followed_lines, plane_sweep, plane_sweeps, sheared, shears
from ioadr.solver.problem import pack_rays
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing
from ioadr.solver.starts import LUCK, begin, handicapped
from ioadr.way import Origin
from tests.builders import make_lightfield

BEST = preset("best")
NARROW, SHEARED, WIDE = DisparityRange(-1.0, 1.5), DisparityRange(-3.5, 3.1), DisparityRange(-1.0, 6.0)


def test_each_pixel_takes_the_map_that_the_views_support():
    lf = make_lightfield(size=(32, 36), disparity=0.7)
    left, right = np.full((32, 36), 0.7, np.float32), np.full((32, 36), 0.7, np.float32)
    left[:, 18:], right[:, :18] = -0.5, 1.3
    with Workers(1) as workers:
        refinement = Refinement(lf, NARROW, BEST, workers)
        begin(refinement, [left, right], [Origin.WINDOWS, Origin.LINES], closing(BEST, NARROW))
    assert np.mean(refinement.disparity == np.float32(0.7)) > 0.97


def test_a_single_map_is_taken_as_it_is():
    lf = make_lightfield(size=(32, 36), disparity=0.7)
    wrong = np.random.default_rng(0).uniform(-1, 1.5, (32, 36)).astype(np.float32)
    with Workers(1) as workers:
        refinement = Refinement(lf, NARROW, BEST, workers)
        begin(refinement, [wrong], [Origin.PIXELS], closing(BEST, NARROW))
    assert refinement.disparity.tobytes() == wrong.tobytes()


def test_single_pixels_win_only_beyond_chance():
    """Noise alone: no start is right, and each pixel's own plane of lowest cost is chance."""
    views = np.random.default_rng(3).normal(128, 20, (5, 5, 24, 26, 3)).clip(0, 255).astype(np.uint8)
    lf = LightField(views, range=NARROW)
    with Workers(1) as workers:
        refinement = Refinement(lf, NARROW, BEST, workers)
        windows, pixels = plane_sweeps(refinement.rays, NARROW, workers, WINDOWS)
        shares = []
        for origin in (Origin.LINES, Origin.PIXELS):
            begin(refinement, [windows, pixels], [Origin.WINDOWS, origin], closing(BEST, NARROW))
            shares.append(np.mean(refinement.disparity == pixels))
    assert shares[1] < 0.75 * shares[0]
    noise = np.abs(np.random.default_rng(0).standard_normal((20_000, 25)))
    spread = noise.mean(axis=1).std() / noise.mean()
    costs = np.array([[1.0, 6.0]], np.float32)
    np.testing.assert_allclose(handicapped(costs, np.zeros_like(costs), 25), costs * (1 + spread), rtol=0.005)
    np.testing.assert_allclose(handicapped(costs, costs, 25), costs * (1 + (1 + LUCK) * spread), rtol=0.01)


@pytest.mark.parametrize(("deviation", "won"), [(0.0, True), (12.0, False)])
def test_in_noise_single_pixels_must_be_much_better(deviation, won, monkeypatch):
    """Single pixels are 40 % cheaper: enough in calm views, no more than luck where noise is most of the cost."""
    lf = make_lightfield(size=(32, 36), disparity=0.7)
    maps = [np.full((32, 36), value, np.float32) for value in (0.7, -0.5)]
    monkeypatch.setattr(starts, "local_noise", lambda *_: np.full((32, 36), deviation, np.float32))
    monkeypatch.setattr(starts, "map_costs", lambda *given: np.where(given[3] > 0, 10.0, 6.0).astype(np.float32))
    with Workers(1) as workers:
        refinement = Refinement(lf, NARROW, BEST, workers)
        begin(refinement, maps, [Origin.WINDOWS, Origin.PIXELS], closing(BEST, NARROW))
    np.testing.assert_array_equal(refinement.disparity, maps[won])


@pytest.mark.parametrize(
    ("method", "limits", "count"),
    [("cheapest", NARROW, 3), ("cheapest", SHEARED, 3), ("cheapest", WIDE, 2), ("auto", NARROW, 1), ("auto", WIDE, 1)],
)
def test_the_structure_tensor_takes_part_where_it_can_follow(method, limits, count):
    lf = make_lightfield(grid=(5, 5), size=(24, 26))
    with Workers(1) as workers:
        maps = first_maps(lf, pack_rays(lf), limits, Initialise(method=method), workers)
    assert len(maps) == count
    assert all(limits.minimum <= values.min() <= values.max() <= limits.maximum for values in maps)


@pytest.mark.parametrize("disparity", [-3.3, -2.0, 0.4, 2.9])
def test_sheared_lines_are_followed_where_shifts_are_large(disparity):
    lf = make_lightfield(grid=(9, 9), size=(40, 42), disparity=disparity)
    with Workers(1) as workers:
        lines = followed_lines(lf, SHEARED, Initialise(method="cheapest"), workers)
    assert np.median(np.abs(lines[14:-14, 14:-14] - disparity)) < 0.1


def test_without_texture_sheared_lines_are_not_a_start():
    random = np.random.default_rng(2)
    views = random.integers(118, 124, (9, 9, 40, 42, 3), np.uint8)
    views[..., 20:, :] = random.integers(20, 235, (40, 22, 3), np.uint8)  # the same in every view
    lf = LightField(views, range=SHEARED)
    with Workers(1) as workers:
        windows, _, lines = first_maps(lf, pack_rays(lf), SHEARED, Initialise(method="cheapest"), workers)
    assert (lines[:, :16] == windows[:, :16]).all()
    assert np.median(np.abs(lines[:, 28:])) < 0.05


@pytest.mark.parametrize("step", [1.0, -1.0, 0.5])
def test_shears_leave_level_lines_only(step):
    shifts = step * np.linspace(SHEARED.minimum, SHEARED.maximum, 50)
    assert all(min(abs(shift - shear) for shear in shears(SHEARED, step)) <= 1.5 for shift in shifts)


def test_shearing_moves_the_views_of_one_disparity_onto_each_other():
    texture = np.random.default_rng(0).integers(0, 255, (3, 40, 1), np.uint8)
    stack = np.stack([np.roll(texture, -2 * (k - 2), axis=1) for k in range(5)])
    assert (sheared(stack, 2, 2)[:, :, 4:-4] == texture[:, 4:-4]).all()
    assert sheared(stack, 2, 0) is stack


def test_several_windows_are_swept_as_each_alone():
    lf = make_lightfield(size=(24, 26))
    with Workers(1) as workers:
        together = plane_sweeps(pack_rays(lf), NARROW, workers, WINDOWS)
        alone = [plane_sweep(pack_rays(lf), NARROW, workers, width) for width in WINDOWS]
    assert [values.tobytes() for values in together] == [values.tobytes() for values in alone]
