"""The plane sweep: the right plane, beside occluders too."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import DisparityRange
from ioadr._jit import Workers
from ioadr.solver.initialise import plane_sweep
from ioadr.solver.plane_sweep import half_deviation, keep_best, pixel_curves
from ioadr.solver.problem import pack_rays
from tests.builders import make_lightfield
from tests.unit.solver.squares import BACK, FRONT, square_lightfield, square_map

INNER = np.s_[4:-4, 4:-4]


@pytest.mark.parametrize("disparity", [-0.7, 0.0, 0.3, 1.1])
def test_a_plane_is_found_between_the_planes_tried(disparity):
    lf = make_lightfield(grid=(5, 5), size=(30, 34), disparity=disparity)
    with Workers(2) as workers:
        found = plane_sweep(pack_rays(lf), DisparityRange(-1.0, 1.5), workers)
    assert np.abs(found - disparity)[INNER].max() < 0.12
    assert np.median(np.abs(found - disparity)[INNER]) < 0.06


def test_values_stay_inside_the_range():
    lf = make_lightfield(grid=(5, 5), disparity=1.0)
    with Workers(1) as workers:
        found = plane_sweep(pack_rays(lf), DisparityRange(-0.5, 0.5), workers)
    assert found.min() >= -0.5
    assert found.max() <= 0.5


def test_beside_an_occluder_one_half_of_the_views_is_enough():
    rays, truth = pack_rays(square_lightfield()), square_map()
    edges = np.argwhere((truth == BACK) & (np.roll(truth, 1, axis=1) == FRONT))
    assert len(edges) > 5
    for n, m in edges:
        assert half_deviation(rays, n, m, np.float32(BACK)) == pytest.approx(0, abs=1e-3)
        assert half_deviation(rays, n, m, np.float32(FRONT)) > 5


def test_curves_are_lowest_at_the_truth():
    lf = make_lightfield(grid=(5, 5), size=(30, 34), disparity=0.5)
    pixels = np.array([[8, 9], [15, 20], [20, 12]], np.int64)
    disparities = np.arange(-1, 1.5, 0.25).astype(np.float32)
    curves = np.empty((len(pixels), len(disparities)), np.float32)
    pixel_curves(0, len(pixels), pack_rays(lf), pixels, disparities, 1, curves)
    assert (disparities[curves.argmin(axis=1)] == 0.5).all()


def test_the_cheapest_plane_is_kept_with_its_neighbours():
    """Against the plain form: average every plane over squares cut at the border, take the minimum."""
    costs = np.random.default_rng(0).uniform(0, 9, (7, 12, 15)).astype(np.float32)
    shape, width = costs.shape[1:], 2
    plain = np.empty_like(costs)
    for n, m in np.ndindex(*shape):
        plain[:, n, m] = costs[:, max(n - width, 0) : n + width + 1, max(m - width, 0) : m + width + 1].mean((1, 2))
    averaged, before = np.empty(shape, np.float32), np.full(shape, np.inf, np.float32)
    best = np.full((4, *shape), np.inf, np.float32)
    for index, cost in enumerate(costs):
        keep_best(0, 12, cost, width, index, averaged, before, best)
        averaged, before = before, averaged
    chosen = plain.argmin(axis=0)
    assert np.array_equal(best[0], chosen)
    around = np.pad(plain, ((1, 1), (0, 0), (0, 0)), constant_values=np.inf)
    for plane, offset in ((1, 1), (2, 0)):
        expected = np.take_along_axis(around, (chosen + offset)[None], 0)[0]
        assert np.allclose(best[plane], expected, rtol=1e-5)
    inside = chosen < len(costs) - 1
    assert np.allclose(best[3][inside], np.take_along_axis(around, (chosen + 2)[None], 0)[0][inside], rtol=1e-5)
