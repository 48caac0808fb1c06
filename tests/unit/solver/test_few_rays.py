"""Fewer views for whatever ranks hypotheses: which ones, and that they are the same views."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import DisparityRange, preset
from ioadr._jit import Workers
from ioadr.solver.few_views import ENOUGH_VIEWS, costs_of, few_rays, seen_by
from ioadr.solver.problem import pack_rays
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing
from tests.builders import make_lightfield

BEST = preset("best")
RANGE = DisparityRange(-1.0, 1.5)


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("grid", [(9, 9), (3, 3), (17, 17), (1, 30), (30, 2)])
def test_they_are_few_and_spread_over_any_grid(grid, step):
    lf = make_lightfield(grid=grid, size=(12, 14))
    with Workers(1) as workers:
        refinement = Refinement(lf, RANGE, BEST.replace({"data.view_step": step}), workers, pack_rays(lf, step))
    few, rays = few_rays(refinement), refinement.rays
    assert min(9, rays.dy.size) <= few.dy.size <= ENOUGH_VIEWS
    assert few.reach.max() >= 0.7 * rays.reach.max()


def test_they_are_what_packing_them_gives():
    lf = make_lightfield(grid=(9, 9), size=(12, 14))
    with Workers(1) as workers:
        few, packed = few_rays(Refinement(lf, RANGE, BEST, workers)), pack_rays(lf, 2)
    for name in packed._fields:
        np.testing.assert_array_equal(getattr(few, name), getattr(packed, name), name)


def test_costs_are_those_of_the_map_where_they_are_wanted():
    lf = make_lightfield(grid=(5, 5), size=(20, 22), disparity=0.7)
    with Workers(1) as workers:
        refinement = Refinement(lf, RANGE, BEST, workers)
        refinement.disparity = np.full((20, 22), 0.5, np.float32)
        step = closing(BEST, RANGE)
        model = refinement.model(step)
        costs, _ = refinement.final_costs(step)
        wanted = np.zeros((20, 22), bool)
        wanted[3:7, 5:9] = True
        found = costs_of(seen_by(few_rays(refinement), model, refinement), refinement.disparity, wanted, workers)
    np.testing.assert_allclose(found[wanted], costs["data"][wanted], rtol=1e-5)
    assert np.isnan(found[~wanted]).all()
