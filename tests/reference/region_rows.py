"""Rows of the table: kernels of regions that are accepted or rejected as a whole."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.cost.heard import FINE, Heard, cost_of_map, hear, surface_in_views
from ioadr.cost.view_filters import high_pass
from ioadr.geometry.ppp import Rays
from ioadr.solver.components import label_regions
from ioadr.solver.heard_costs import HIGH_PASS, PENALTIES, seen_surface
from ioadr.solver.plane_search import Area, fit_plane
from ioadr.solver.problem import padded_guide
from ioadr.solver.semiglobal import STORED, gather_paths
from ioadr.solver.surface_choice import choose_surface
from tests.reference import finish, heard, slanted
from tests.reference.geometry import View
from tests.reference.rows import Prepared, Row
from tests.reference.scenes import Problem
from tests.reference.search import Plain

MARGIN = 0.41
"""px, no difference of exact maps."""
PLANES = 6


def passed_rays(rays: Rays) -> Rays:
    passed = np.empty_like(rays.samples)
    high_pass(0, rays.dy.size, rays, np.float32(HIGH_PASS), passed)
    return rays._replace(samples=passed)


def surfaces(problem: Problem) -> NDArray[np.float32]:
    rays = problem.refinement.rays
    out = np.empty((rays.dy.size, *problem.disparity.shape), np.float32)
    surface_in_views(0, len(out), problem.disparity, rays.dy, rays.dx, out)
    return out


def prepare_surfaces(problem: Problem) -> Prepared:
    out = np.empty((problem.refinement.rays.dy.size, *problem.disparity.shape), np.float32)

    def call() -> None:
        out[:] = surfaces(problem)

    return Prepared(call, out, out.size)


def twin_surfaces(problem: Problem, slack: float) -> NDArray[Any]:
    return np.array([heard.surface_in_view(problem.disparity, view.offset) for view in Plain(problem).views])


def prepare_hear(problem: Problem) -> Prepared:
    shape = (*problem.disparity.shape, PLANES)
    out = np.empty((*shape[:2], 2 * PLANES + 1))
    deviation, share, least = np.empty(shape, np.uint16), np.empty(shape, np.uint8), np.empty(shape[:2], np.float32)

    def call() -> None:
        rays, planes = passed_rays(problem.refinement.rays), problem.d[:PLANES]
        seen = seen_surface(problem.disparity, rays, problem.workers)
        given = rays, problem.disparity, seen, planes, np.float32(MARGIN)
        hear(0, shape[0], *given, deviation, share, least)
        out[..., :PLANES], out[..., PLANES:-1], out[..., -1] = deviation / FINE, share / 255, least

    return Prepared(call, out, deviation.size)


def twin_hear(problem: Problem, slack: float) -> NDArray[Any]:
    views = Plain(problem).views
    behind = [heard.surface_in_view(problem.disparity, view.offset) for view in views]
    passed = [View(finish.high_passed(view.image, HIGH_PASS), view.offset) for view in views]
    out = np.empty((*problem.disparity.shape, 2 * PLANES + 1))
    for n, m in np.ndindex(problem.disparity.shape):
        own, least = float(problem.disparity[n, m]), 8.0
        for k, d in enumerate(problem.d[:PLANES]):
            mean, seen = heard.heard(passed, behind, n, m, float(d), own, MARGIN)
            out[n, m, k], out[n, m, PLANES + k] = mean, seen
            least = min(least, mean / seen) if round(seen, 6) >= 0.4 else least
        out[n, m, -1] = least
    return out


def volume(problem: Problem) -> tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.float32]]:
    """Random deviations and shares [N, M, D] and what hidden views pay [N, M]."""
    generator = np.random.default_rng(problem.seed)
    shape = (*problem.disparity.shape, PLANES)
    deviation = generator.integers(0, int(8 * FINE), shape).astype(np.uint16)
    share = generator.integers(0, 256, shape).astype(np.uint8)
    return deviation, share, generator.uniform(0, 4, shape[:2]).astype(np.float32)


def twin_costs(problem: Problem) -> NDArray[np.float64]:
    deviation, share, charge = volume(problem)
    return deviation / FINE + (1 - share / 255) * charge[..., None].astype(np.float64)


def planes_of(problem: Problem) -> NDArray[np.float64]:
    return np.linspace(problem.limits.minimum, problem.limits.maximum, PLANES)


def heard_of(problem: Problem) -> Heard:
    limits = problem.limits
    return Heard(*volume(problem), np.float32(limits.minimum), np.float32(limits.extent / (PLANES - 1)))


def prepare_cost_of_map(problem: Problem) -> Prepared:
    out = np.empty_like(problem.disparity)
    return Prepared(partial(cost_of_map, 0, len(out), heard_of(problem), problem.disparity, out), out, out.size)


def twin_cost_of_map(problem: Problem, slack: float) -> NDArray[Any]:
    costs, planes = twin_costs(problem), planes_of(problem)
    pixels = np.ndindex(problem.disparity.shape)
    found = [np.interp(problem.disparity[pixel], planes, costs[pixel]) for pixel in pixels]
    return np.reshape(found, problem.disparity.shape)


def prepare_semiglobal(problem: Problem) -> Prepared:
    out, sums = np.empty_like(problem.disparity), np.empty((*problem.disparity.shape, PLANES), np.uint16)
    given = padded_guide(problem.refinement.rays, 0), *volume(problem), tuple(np.float32(p) for p in PENALTIES)

    def call() -> None:
        for forward in (True, False):
            gather_paths(forward, *given, sums, out)

    return Prepared(call, out, 8 * sums.size)


def twin_semiglobal(problem: Problem, slack: float) -> NDArray[Any]:
    costs, image = twin_costs(problem), Plain(problem).image
    first = np.floor(heard.path_sums(costs, image, PENALTIES, True) * STORED) / STORED
    total = first + heard.path_sums(costs, image, PENALTIES, False)
    return np.array([[heard.lowest_plane(curve, slack) for curve in row] for row in total])


def mask_of(problem: Problem) -> NDArray[np.bool_]:
    generator = np.random.default_rng(problem.seed)
    mask: NDArray[np.bool_] = generator.random(problem.disparity.shape) < 0.6
    return mask


def prepare_regions(problem: Problem) -> Prepared:
    out = np.empty(problem.disparity.shape, np.int32)
    return Prepared(partial(label_regions, mask_of(problem), out), out, out.size)


def twin_regions(problem: Problem, slack: float) -> NDArray[Any]:
    return heard.regions(mask_of(problem))


REAL_SCALE = 4.0, 0.2, 0.8
SCALE = tuple(np.float32(number) for number in REAL_SCALE)
VALUES, SLOPES = np.array([-0.4, 0.1, 0.6], np.float32), np.array([-0.05, 0.0, 0.05], np.float32)
STEPS = np.array([0.1, 0.02, 0.02], np.float32)
MOST = 0.7
PRICES = 10.0, 8.0


def area_of(problem: Problem) -> Area:
    """Random pixels, and random pairs across a rim."""
    generator, pixels = np.random.default_rng(problem.seed), np.ascontiguousarray(np.argwhere(mask_of(problem)))
    own = generator.uniform(0, 4, len(pixels)).astype(np.float32)
    rim = generator.uniform((0, 0, -1, 0), (*problem.disparity.shape, 1, 10), (20, 4)).astype(np.float32)
    return Area(pixels, own, np.float32(1.5), rim, pixels.mean(axis=0).astype(np.float32))


def prepare_fit(problem: Problem) -> Prepared:
    out, given = np.empty(3, np.float32), (heard_of(problem), area_of(problem), VALUES, SLOPES, STEPS)
    call = partial(fit_plane, *given, np.float32(MOST), SCALE, out, np.empty_like(out))
    return Prepared(call, out, len(VALUES) * len(SLOPES) ** 2)


def twin_fit(problem: Problem, slack: float) -> NDArray[Any]:
    values, slopes, steps = (numbers.astype(np.float64) for numbers in (VALUES, SLOPES, STEPS))
    given = twin_costs(problem), planes_of(problem), area_of(problem), values, slopes, steps
    return slanted.fit(*given, MOST, REAL_SCALE, slack)


def two_surfaces(problem: Problem) -> tuple[NDArray[np.float32], ...]:
    """A map, a plane, and random costs of both."""
    generator, shape = np.random.default_rng(problem.seed), problem.disparity.shape
    rows, columns = np.mgrid[: shape[0], : shape[1]].astype(np.float32)
    costs = generator.uniform(0, 8, (2, *shape)).astype(np.float32)
    return problem.disparity, np.float32(0.03) * rows - np.float32(0.02) * columns, costs[0], costs[1]


def prepare_choice(problem: Problem) -> Prepared:
    out, guide = np.empty_like(problem.disparity), padded_guide(problem.refinement.rays, 0)
    prices = tuple(np.float32(p) for p in PRICES)

    def call() -> None:
        for forward in (True, False):
            choose_surface(forward, guide, *two_surfaces(problem), prices, SCALE, out)

    return Prepared(call, out, 8 * out.size)


def twin_choice(problem: Problem, slack: float) -> NDArray[Any]:
    disparity, plane, own, new = (values.astype(np.float64) for values in two_surfaces(problem))
    return slanted.margins(Plain(problem).image, disparity, plane, own, new, PRICES, REAL_SCALE)


REGIONS = (
    Row("surface in views", "cost.heard: surface_in_views raise_to", prepare_surfaces, twin_surfaces),
    Row("every view heard", "cost.heard: hear hear_plane listen", prepare_hear, twin_hear,
        {"size": (9, 21), "grid": (3, 4)},
        rtol=2.5e-3, floor=1.0, why="shares are stored in 8 bits"),
    Row("cost of a map", "cost.heard: cost_of_map cost_between heard_cost", prepare_cost_of_map, twin_cost_of_map,
        rtol=1e-5, floor=1.0, why="float32 between planes"),
    Row("semi-global match", "solver.semiglobal: gather_paths pixel_paths extend_path likeness lowest_plane",
        prepare_semiglobal, twin_semiglobal, {"size": (9, 10), "grid": (3, 3)}, rtol=5e-3, floor=1.0, slack=4e-3,
        why="sums are stored in 1/512 of a grey level"),
    Row("plane of an area", "solver.plane_search: fit_plane plane_energy plane_at jump", prepare_fit, twin_fit,
        {"size": (9, 10), "grid": (3, 3)}, rtol=1e-5, floor=1.0, slack=1e-3, why="float32 sums"),
    Row("map or plane", "solver.surface_choice: choose_surface extend_choice", prepare_choice, twin_choice,
        {"size": (9, 10), "grid": (3, 3)}, rtol=1e-5, floor=10.0, why="float32 sums of paths"),
    Row("connected regions", "solver.components: label_regions", prepare_regions, twin_regions),
)  # fmt: skip
