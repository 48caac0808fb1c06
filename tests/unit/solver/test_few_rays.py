"""Fewer views for whatever ranks hypotheses: which ones, and that they are the same views."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ioadr import DisparityRange, estimate, preset
from ioadr._jit import Workers
from ioadr.evaluation.synthetic import random_light_field
from ioadr.solver.few_views import ENOUGH_VIEWS, costs_of, few_rays, seen_by
from ioadr.solver.problem import pack_rays
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing, plan
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


@pytest.fixture(scope="module")
def many():
    return random_light_field(3, "mixed", size=(36, 40), grid=(17, 17)).lightfield


def test_first_sweeps_of_best_need_few_views():
    assert [step.few_views for step in plan(BEST, RANGE)] == [True, True] + 4 * [False]
    assert not any(step.few_views for step in plan(BEST, RANGE, warm=True))
    one = BEST.replace({"search.sweeps": 1})
    assert plan(one, RANGE)[0].few_views
    assert not closing(one, RANGE).few_views  # costs of the result are means over all views


@pytest.mark.parametrize("grid", [(9, 9), (11, 11), (1, 101)])
def test_sweeps_of_a_few_views_take_all(grid):
    lf = random_light_field(3, "mixed", size=(36, 36), grid=grid).lightfield
    first, second = (estimate(lf, BEST.replace({"search.few_view_sweeps": n}), threads=1) for n in (0, 2))
    np.testing.assert_array_equal(first.disparity, second.disparity)


def test_a_sweep_with_few_views_is_one_of_every_second_view(many):
    step, half = plan(BEST, RANGE)[0], BEST.replace({"data.view_step": 2})
    with Workers(1) as workers:
        found, expected = (
            swept(Refinement(many, RANGE, parameters, workers, rays), step)
            for parameters, rays in ((BEST, pack_rays(many)), (half, pack_rays(many, 2)))
        )
        every = swept(Refinement(many, RANGE, BEST, workers), replace(step, few_views=False))
    np.testing.assert_array_equal(found.disparity, expected.disparity)
    np.testing.assert_array_equal(found.state.cost, expected.state.cost)
    assert not np.array_equal(found.disparity, every.disparity)


def test_costs_of_few_views_are_not_reused_with_all(many):
    first, second, third = plan(BEST, RANGE)[:3]
    with Workers(1) as workers:
        found, expected = (swept(Refinement(many, RANGE, BEST, workers), first, second) for _ in range(2))
        assert np.isfinite(found.state.plain).any()
        expected.disparity = expected.disparity  # forgets all costs
        np.testing.assert_array_equal(swept(found, third).disparity, swept(expected, third).disparity)


def swept(refinement, *steps):
    for step in steps:
        refinement.sweep(step, seed=0)
    return refinement
