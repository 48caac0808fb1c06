"""Laws that hold for any light field, whatever the solver does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ioadr import Camera, DisparityRange, LightField, estimate, preset
from ioadr._jit import Workers
from ioadr.cost.total import Model
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import plan
from tests.builders import make_lightfield
from tests.reference import drivers
from tests.reference.scenes import Problem, random_problem

LIGHT = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 2**31)


def shifted_texture(grid: tuple[int, int], reference: tuple[int, int], d: int, seed: int) -> NDArray[np.uint8]:
    """Views of one plane of whole disparity d: each shows another cut of the same picture."""
    reach = abs(d) * max(grid)
    picture = np.random.default_rng(seed).integers(0, 256, (20 + 2 * reach, 22 + 2 * reach, 3), np.uint8)
    views = np.empty((*grid, 20, 22, 3), np.uint8)
    for row in range(grid[0]):
        for column in range(grid[1]):
            top, left = reach + d * (row - reference[0]), reach + d * (column - reference[1])
            views[row, column] = picture[top : top + 20, left : left + 22]
    return views


def data_costs(lf: LightField, disparity: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint16]]:
    """J_oa and visible views of a map [N, M]."""
    assert lf.range is not None
    refinement = Refinement(lf, lf.range, preset("paper"), Workers(1))
    refinement.disparity = disparity
    costs, visible = refinement.final_costs(plan(preset("paper"), lf.range)[0])
    return costs["data"], visible


@LIGHT
@given(seeds, st.integers(-2, 2), st.tuples(st.integers(3, 5), st.integers(3, 5)), st.data())
def test_a_whole_disparity_costs_nothing_at_the_truth(seed, d, grid, data):
    reference = data.draw(st.tuples(st.integers(0, grid[0] - 1), st.integers(0, grid[1] - 1)))
    lf = LightField(shifted_texture(grid, reference, d, seed), reference=reference, range=DisparityRange(-3, 3))
    costs, _ = data_costs(lf, np.full((20, 22), d, np.float32))
    assert (costs == 0).all()
    wrong, _ = data_costs(lf, np.full((20, 22), d + 0.5, np.float32))
    assert np.median(wrong) > 10


@LIGHT
@given(seeds, st.integers(1, 80))
def test_brighter_light_changes_no_cost(seed, more):
    problem = random_problem(seed, sweep=4, size=(12, 13), dtype="uint8", exact=False)
    views = problem.lf.views // 2
    costs = []
    for added in (0, more):
        brighter = replace(problem, lf=problem.lf.with_(views=(views + added).astype(np.uint8)))
        terms, visible = brighter.refinement.final_costs(problem.step)
        costs.append([*(terms[name] for name in ("data", "congruence", "planar")), visible])
    np.testing.assert_allclose(np.array(costs[0]), np.array(costs[1]), rtol=1e-4, atol=1e-4)


@LIGHT
@given(seeds)
def test_a_transposed_light_field_costs_the_transposed(seed):
    problem = random_problem(seed, size=(12, 15), exact=False)
    lf = problem.lf
    turned = LightField(
        lf.views.transpose(1, 0, 3, 2, 4), reference=lf.reference[::-1], range=lf.range, eta=lf.eta[::-1]
    )
    costs, visible = data_costs(lf, problem.disparity)
    costs_turned, visible_turned = data_costs(turned, np.ascontiguousarray(problem.disparity.T))
    same = visible == visible_turned.T
    assert same.mean() > 0.97, "a view at the very limit may be hidden in one order of additions and not in the other"
    np.testing.assert_allclose(costs[same], costs_turned.T[same], rtol=1e-4, atol=1e-3)


def plane_map(camera: Camera, tilt: tuple[float, float]) -> NDArray[np.float32]:
    """Disparities of a plane: inverse depths, and so disparities, change evenly over the image."""
    n, m = np.mgrid[: camera.height, : camera.width]
    return (0.1 + tilt[0] * (n / camera.height - 0.5) + tilt[1] * (m / camera.width - 0.5)).astype(np.float32)


@pytest.mark.parametrize("name", ["paper", "text"])
@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.5, -0.3), (-1.0, 0.8)])
def test_a_lone_plane_has_no_planar_cost(name, tilt):
    camera = Camera(100.0, 35.0, 50.0, 8.0, 60, 52)
    lf = make_lightfield(size=(52, 60), camera=camera)
    assert lf.range is not None
    parameters = preset(name).vary({"planar.half_width": 6})
    refinement = Refinement(lf, lf.range, parameters, Workers(1))
    refinement.disparity = plane_map(camera, tilt)
    step = plan(parameters, lf.range)[8]
    planes = refinement.model(step).planes
    inner = slice(12, -12), slice(12, -12)
    np.testing.assert_allclose(planes.plane[inner], refinement.disparity[inner], atol=2e-4)
    costs, _ = refinement.final_costs(step)
    assert costs["planar"][inner].max() < 0.02 * step.planar_weight, "degrees"


def hidden_views(problem: Problem, model: Model) -> NDArray[np.bool_]:
    out = np.empty((problem.count, model.rays.dy.size), bool)
    drivers.hidden_views(model, problem.where, problem.d, out)
    return out


@LIGHT
@given(seeds)
def test_the_reference_view_sees_every_hypothesis(seed):
    problem = random_problem(seed, count=200, exact=False)
    assert not hidden_views(problem, problem.model)[:, problem.model.rays.reference].any()


@LIGHT
@given(seeds)
def test_half_a_pixel_higher_the_ceiling_would_hide_nothing(seed):
    """The search is skipped below the ceiling: exactly, were it half a pixel's slope higher and without margin."""
    problem = random_problem(seed, count=200, exact=False)
    model, occluders = problem.model, problem.model.occluders
    everything = model._replace(occluders=occluders._replace(ceiling=np.full_like(occluders.ceiling, np.inf)))
    higher = occluders.ceiling + np.float32(0.5) / occluders.reach + model.data.margin
    exact = model._replace(occluders=occluders._replace(ceiling=higher))
    searched = hidden_views(problem, everything)
    np.testing.assert_array_equal(hidden_views(problem, exact), searched)
    skipped = hidden_views(problem, model)
    assert not (skipped & ~searched).any(), "skipping never hides a view"


def same_bytes(a: Any, b: Any) -> bool:
    maps = [(a.disparity, b.disparity), (a.visible_views, b.visible_views), (a.confidence, b.confidence)]
    maps += [(a.costs[name], b.costs[name]) for name in a.costs]
    return all(x.tobytes() == y.tobytes() for x, y in maps)


@pytest.mark.parametrize("name", ["paper", "fast", "best"])
def test_same_bytes_for_any_number_of_threads_and_every_run(name):
    for size in ((33, 47), (7, 90), (41, 8)):
        lf = make_lightfield(grid=(3, 5), size=size)
        first = estimate(lf, preset(name), seed=3, threads=1)
        for threads in (1, 2, 2, 3, 7):
            assert same_bytes(first, estimate(lf, preset(name), seed=3, threads=threads))


def test_another_seed_is_another_search():
    lf = make_lightfield(grid=(3, 5), size=(33, 47))
    assert not same_bytes(*(estimate(lf, preset("paper"), seed=seed) for seed in (3, 4)))


def test_grey_light_fields_of_any_shape_and_depth():
    """5×7 views of 120×90 px, grey, 16 bits."""
    lf = make_lightfield(grid=(5, 7), size=(90, 120), channels=1, dtype="uint16", disparity=0.5)
    result = estimate(lf, "paper")
    assert result.disparity.shape == (90, 120)
    assert np.median(abs(result.disparity - 0.5)) < 0.01
    assert np.mean(abs(result.disparity - 0.5) > 0.07) < 0.05


@pytest.mark.parametrize("reference", [(0, 0), (0, 4), (4, 0), (2, 4)])
def test_any_view_may_be_the_reference(reference):
    lf = make_lightfield(grid=(5, 5), size=(48, 56), reference=reference, disparity=-0.4)
    result = estimate(lf, "paper")
    assert np.median(abs(result.disparity + 0.4)) < 0.02
    np.testing.assert_array_equal(result.image, lf.views[reference])


SIZES = [(1, 1), (1, 9), (2, 2), (3, 3), (3, 7), (4, 4), (5, 6), (8, 8), (9, 17)]


@pytest.mark.parametrize("name", ["paper", "fast", "best", "text"])
def test_images_smaller_than_every_window(name):
    for size in SIZES:
        lf = make_lightfield(size=size)
        result = estimate(lf, preset(name), threads=2)
        assert result.disparity.shape == size
        assert np.isfinite(result.disparity).all()
        assert result.disparity.min() >= np.float32(-1.0)
        assert result.disparity.max() <= np.float32(1.5)


def test_whole_sweeps_in_any_company():
    """More workers than cores, rows and blocks, on widths around the block's: the order of waiting changes nothing."""
    for size in ((5, 7), (16, 8), (12, 9), (3, 40), (40, 3), (23, 25)):
        problem = random_problem(5, size=size, grid=(3, 3), sweep=3, exact=False)
        maps = set()
        for count in (1, 2, 3, 5, 8, 5):
            with Workers(count) as workers:
                run = replace(problem, workers=workers)
                run.refinement.sweep(run.step, seed=1)
                maps.add(run.refinement.disparity.tobytes() + run.refinement.state.cost.tobytes())
        assert len(maps) == 1
