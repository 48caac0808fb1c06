"""Rows of the table: kernels of `ioadr.solver`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import preset
from ioadr.solver.candidates import MOST
from ioadr.solver.initialise import plane_sweep
from ioadr.solver.plane_sweep import pixel_curves, plane_cost
from ioadr.solver.refine import random_numbers, single_precision
from ioadr.solver.segments import average_colours, label
from ioadr.solver.structure_tensor import epi_orientation
from tests.reference import drivers, first_map, search
from tests.reference.geometry import point_projection_image
from tests.reference.rows import Prepared, Row
from tests.reference.scenes import Problem
from tests.reference.search import Plain

SIGMA, HALF = 1.4, 3


def epi_of(problem: Problem) -> tuple[NDArray[np.float64], int]:
    """Views through the reference view's row [K, N, M], first channel, in grey levels; index of the reference."""
    views = [view for view in Plain(problem).views if view.offset[0] == 0]
    centre = next(k for k, view in enumerate(views) if view.offset[1] == 0)
    return np.array([view.image[..., 0] for view in views]), centre


def prepare_orientation(problem: Problem) -> Prepared:
    epi, centre = epi_of(problem)
    taps = [t.astype(np.float32) for t in first_map.gaussian(SIGMA, HALF)]
    out = np.empty((2, *epi.shape[1:]), np.float32)
    given = epi.astype(np.float32), centre, *taps
    return Prepared(partial(epi_orientation, 0, epi.shape[1], *given, out[0], out[1]), out, epi[0].size)


def twin_orientation(problem: Problem, slack: float) -> NDArray[Any]:
    epi, centre = epi_of(problem)
    taps = first_map.gaussian(SIGMA, HALF)
    out = np.empty((2, *epi.shape[1:]))
    for n, m in np.ndindex(epi.shape[1:]):
        out[:, n, m] = first_map.orientation(epi[:, n], centre, m, *taps)
    return out


def prepare_half(problem: Problem) -> Prepared:
    out = np.empty(problem.count, np.float32)
    rays = problem.refinement.rays
    return Prepared(partial(drivers.half_deviations, rays, problem.where, problem.d, out), out, problem.count)


def twin_half(problem: Problem, slack: float) -> NDArray[Any]:
    views = Plain(problem).views
    return np.array([first_map.half_deviation(views, *hypothesis) for hypothesis in problem.hypotheses])


def prepare_plane_cost(problem: Problem) -> Prepared:
    out = np.empty_like(problem.disparity)
    return Prepared(partial(plane_cost, 0, len(out), problem.refinement.rays, problem.d[0], out), out, out.size)


def twin_plane_cost(problem: Problem, slack: float) -> NDArray[Any]:
    views, d = Plain(problem).views, float(problem.d[0])
    costs = [first_map.half_deviation(views, n, m, d) for n, m in np.ndindex(problem.disparity.shape)]
    return np.minimum(costs, 255.0).reshape(problem.disparity.shape)


def prepare_plane_sweep(problem: Problem) -> Prepared:
    out = np.empty_like(problem.disparity)
    rays = problem.refinement.rays

    def call() -> None:
        out[:] = plane_sweep(rays, problem.limits, problem.workers)

    return Prepared(call, out, out.size)


def twin_plane_sweep(problem: Problem, slack: float) -> NDArray[Any]:
    views = Plain(problem).views
    reach = max(abs(i) for view in views for i in view.offset)
    count = max(int(np.ceil(problem.limits.extent * reach)), 2)
    planes = np.linspace(problem.limits.minimum, problem.limits.maximum, count + 1)
    return first_map.plane_sweep(views, problem.disparity.shape, planes, 2, slack)


def prepare_curves(problem: Problem) -> Prepared:
    out = np.empty((problem.count, 5), np.float32)
    rays = problem.refinement.rays
    return Prepared(
        partial(pixel_curves, 0, problem.count, rays, problem.where, problem.d[:5], 1, out), out, out.size * 9
    )


def twin_curves(problem: Problem, slack: float) -> NDArray[Any]:
    """Beyond the edge the nearest pixel counts."""
    views, (height, width) = Plain(problem).views, problem.disparity.shape
    out = np.zeros((problem.count, 5))
    for h, (n, m) in enumerate(problem.where):
        for j, i in np.ndindex(3, 3):
            pixel = min(max(int(n) + j - 1, 0), height - 1), min(max(int(m) + i - 1, 0), width - 1)
            out[h] += [min(first_map.half_deviation(views, *pixel, float(d)), 255.0) / 9 for d in problem.d[:5]]
    return out


def beyond(problem: Problem) -> NDArray[np.float32]:
    """Disparities far beyond both ends of the range."""
    return (problem.d * 7).astype(np.float32)


def prepare_reflections(problem: Problem) -> Prepared:
    out, limits = np.empty(problem.count, np.float32), problem.limits
    ends = np.float32(limits.minimum), np.float32(limits.maximum)
    return Prepared(partial(drivers.reflections, beyond(problem), *ends, out), out, out.size)


def twin_reflections(problem: Problem, slack: float) -> NDArray[Any]:
    limits = problem.limits
    return np.array([search.reflect(float(d), limits.minimum, limits.maximum) for d in beyond(problem)])


def prepare_proposals(problem: Problem) -> Prepared:
    state, heuristics = problem.refinement.state, single_precision(problem.step.heuristics)
    plain = Plain(problem, back=-1 if problem.step.forward else 1)
    noise = random_numbers(problem.seed, problem.step, problem.lf.part)[0]
    current = [(int(n), int(m), float(problem.disparity[n, m])) for n, m in problem.where]
    smooth = np.array([plain.smoothed(*pixel) for pixel in current], np.float32)
    plane = np.array([plain.planes[1][n, m] for n, m, _ in current], np.float32)
    drawn = np.array([noise[n, m] for n, m, _ in current])
    out = np.full((problem.count, MOST), np.nan, np.float32)
    given = problem.where, problem.model.pad, plain.back, smooth, plane, drawn
    return Prepared(partial(drivers.proposals, heuristics, state.disparity, *given, out), out, problem.count)


def twin_proposals(problem: Problem, slack: float) -> NDArray[Any]:
    plain = Plain(problem, back=-1 if problem.step.forward else 1)
    noise = random_numbers(problem.seed, problem.step, problem.lf.part)[0]
    out = np.full((problem.count, MOST), np.nan)
    for h, (n, m) in enumerate(problem.where):
        found = search.candidates(plain, problem.step.heuristics, int(n), int(m), float(noise[n, m]))
        out[h, : len(found)] = found
    return out


def decisions(problem: Problem) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Old and new costs and chances, equal costs among them."""
    generator = np.random.default_rng(problem.seed)
    old, new = (generator.uniform(0, 10, (2, 200))).astype(np.float32)
    new[:5] = old[:5]
    return old, new, generator.random(200, np.float32)


def prepare_acceptances(problem: Problem) -> Prepared:
    old, new, chance = decisions(problem)
    out = np.empty(old.size, bool)
    temperature = np.float32(problem.step.temperature)
    return Prepared(partial(drivers.acceptances, old, new, temperature, chance, out), out, out.size)


def twin_acceptances(problem: Problem, slack: float) -> NDArray[Any]:
    rows = zip(*(a.astype(float) for a in decisions(problem)), strict=True)
    return np.array([search.accepted(old, new, problem.step.temperature, chance + slack) for old, new, chance in rows])


def prepare_sweep(problem: Problem) -> Prepared:
    out = np.empty((2, *problem.disparity.shape), np.float32)

    def call() -> None:
        refinement = problem.refinement
        refinement.disparity = problem.disparity
        refinement.state.cost[:] = problem.cost
        refinement.sweep(problem.step, problem.seed)
        out[0], out[1] = refinement.disparity, refinement.state.cost

    return Prepared(call, out, problem.disparity.size)


def twin_sweep(problem: Problem, slack: float) -> NDArray[Any]:
    plain = Plain(problem, slack)
    search.sweep(plain, *random_numbers(problem.seed, problem.step, problem.lf.part))
    return np.array([plain.disparity, plain.cost])


TENSOR = "sums of float32 products that nearly cancel: the slope of a weak tensor is a quotient of small differences"
DRIFT = "what one pixel accepts, its followers try: rounding adds up along the sweep"
SWEEP = (
    "solver.sweep: sweep_share visit best_candidate acceptance_limit data_below nearest_bin current_data_cost "
    "scratch_for; solver.candidates: propose; cost.total: smoothness smoothness_terms smoothed_around"
)
PLANES = (
    "solver.plane_sweep: plane_cost half_deviations add_sides cheapest_side; "
    "cost.row_samples: seen_part unpack_row mix_rows deviations only_first"
)
TINY = {
    "grid": (3, 3),
    "size": (9, 10),
    "exact": False,
    "changes": {"planar.kernel_half_width": 1, "planar.half_width": 3},
}


EVEN, RISE = 30.1, 0.3
"""Grey levels, no difference of exact samples; px of disparity."""
STRAY = 60.3
"""Limit in grey levels; some samples differ by more, and none by exactly that."""


def prepare_segments(problem: Problem) -> Prepared:
    image = Plain(problem).image.astype(np.float32)
    out = np.empty(image.shape[:2], np.int64)
    return Prepared(partial(label, image, problem.disparity, np.float32(EVEN), np.float32(RISE), out), out, out.size)


def twin_segments(problem: Problem, slack: float) -> NDArray[Any]:
    """A flood from every pixel that none before has reached; it stops at edges and at jumps."""
    image, disparity = Plain(problem).image, problem.disparity
    height, width = image.shape[:2]
    out = np.full((height, width), -1)
    for start in np.ndindex(height, width):
        todo = [start] if out[start] < 0 else []
        while todo:
            n, m = todo.pop()
            out[n, m] = start[0] * width + start[1]
            around = [(n + 1, m), (n - 1, m), (n, m + 1), (n, m - 1)]
            inside = [q for q in around if 0 <= q[0] < height and 0 <= q[1] < width and out[q] < 0]
            level = [q for q in inside if abs(disparity[q] - disparity[n, m]) <= RISE]
            todo += [q for q in level if np.abs(image[q] - image[n, m]).max() <= EVEN + slack]
    return out


def prepare_mean_colours(problem: Problem) -> Prepared:
    rays, shape = problem.refinement.rays, problem.disparity.shape
    out, limit = np.empty((*shape, 3), np.float32), np.full(shape, STRAY, np.float32)
    given = rays, problem.disparity, np.arange(rays.dy.size), limit
    return Prepared(partial(average_colours, 0, shape[0], *given, out), out, out.size)


def twin_mean_colours(problem: Problem, slack: float) -> NDArray[Any]:
    """The reference view and all samples like it."""
    plain, out = Plain(problem), np.empty((*problem.disparity.shape, 3))
    for n, m in np.ndindex(problem.disparity.shape):
        ppi = point_projection_image(plain.views, n, m, float(problem.disparity[n, m]))
        seen = [colour for colour in ppi if colour is not None]
        like = [colour for colour in seen if np.abs(colour - plain.image[n, m]).max() <= STRAY + slack]
        out[n, m] = np.mean(like, axis=0)
    return out


SOLVER = (
    Row("mean colours", "solver.segments: average_colours mean_colour", prepare_mean_colours, twin_mean_colours,
        slack=1e-3),
    Row("segments", "solver.segments: label root is_even", prepare_segments, twin_segments, slack=1e-3),
    Row("structure tensor", "solver.structure_tensor: epi_orientation along_row add_products half_tangent",
        prepare_orientation, twin_orientation, {"size": (4, 12), "dtype": "uint8"}, rtol=1e-4, floor=1.0, why=TENSOR),
    Row("half deviation", "solver.plane_sweep: half_deviation", prepare_half, twin_half),
    Row("cost of a plane", PLANES, prepare_plane_cost, twin_plane_cost, {"size": (9, 10)}),
    Row("cost of a wide plane", PLANES, prepare_plane_cost, twin_plane_cost, {"size": (5, 37), "grid": (3, 3)}),
    Row("plane sweep", "solver.plane_sweep: plane_cost keep_best", prepare_plane_sweep, twin_plane_sweep,
        {"size": (9, 10), "grid": (3, 3)}, rtol=1e-5, floor=1.0, slack=1e-5,
        why="the parabola's vertex is a quotient of differences of costs"),
    Row("pixel curves", "solver.plane_sweep: pixel_curves", prepare_curves, twin_curves, {"count": 8}),
    Row("reflection", "solver.candidates: reflect", prepare_reflections, twin_reflections, floor=1.0,
        why="a result near 0 is a difference of disparities of about 10 px"),
    Row("candidates", "solver.candidates: propose reflect", prepare_proposals, twin_proposals, floor=1.0,
        why="a perturbation adds to a disparity of about 1 px"),
    Row("candidates of planar sweeps", "solver.candidates: propose", prepare_proposals, twin_proposals,
        TINY | {"sweep": 7}, floor=1.0, why="a perturbation adds to a disparity of about 1 px"),
    Row("candidates where planes fit", "solver.candidates: propose", prepare_proposals, twin_proposals,
        TINY | {"sweep": 7, "parameters": preset("text")}, floor=1.0,
        why="a perturbation adds to a disparity of about 1 px"),
    Row("acceptance", "solver.sweep: acceptance_limit", prepare_acceptances, twin_acceptances, slack=1e-6),
    Row("acceptance without heat", "solver.sweep: acceptance_limit", prepare_acceptances, twin_acceptances,
        {"changes": {"search.temperature": 0.0}}),
    Row("first sweep", SWEEP, prepare_sweep, twin_sweep, TINY | {"sweep": 0}, rtol=1e-5, floor=1.0, slack=2e-6,
        undecided=0.4, why=DRIFT),
    Row("first sweep on plain surfaces", SWEEP, prepare_sweep, twin_sweep,
        TINY | {"sweep": 0, "changes": {"congruence.plain_weight": 50.0, "congruence.plain_contrast": 300.0}},
        rtol=1e-5, floor=1.0, slack=2e-6, undecided=0.4, why=DRIFT),
    Row("sweep backwards", SWEEP, prepare_sweep, twin_sweep, TINY | {"sweep": 3}, rtol=1e-5, floor=1.0, slack=2e-6,
        undecided=0.4, why=DRIFT),
    Row("planar sweep", SWEEP, prepare_sweep, twin_sweep, TINY | {"sweep": 7}, rtol=1e-5, floor=1.0, slack=2e-6,
        undecided=0.4, why=DRIFT),
    Row("planar sweep with two fits", SWEEP, prepare_sweep, twin_sweep, TINY | {"sweep": 8}, rtol=1e-5, floor=1.0,
        slack=2e-6, undecided=0.4, why=DRIFT),
    Row("planar sweep without J_pg", SWEEP, prepare_sweep, twin_sweep,
        TINY | {"sweep": 7, "parameters": preset("paper/without-planar")}, rtol=1e-5, floor=1.0, slack=2e-6,
        undecided=0.4, why=DRIFT),
)  # fmt: skip
