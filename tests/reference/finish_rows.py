"""Rows of the table: kernels of the finish."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.cost.contour import trace_contours
from ioadr.cost.coverage import cover
from ioadr.cost.linearised import linearise
from ioadr.geometry.ppp import Rays, unpack
from ioadr.solver.borders import discount
from ioadr.solver.coverage import pack_matting
from ioadr.solver.filtered_views import high_pass_rays, softened_rays
from ioadr.solver.finish import AGREEING, directions, everywhere, fit, patches
from ioadr.solver.local_fit import UNIT
from tests.reference import finish
from tests.reference.contour import traced
from tests.reference.coverage import Scene, covered
from tests.reference.rows import Prepared, Row
from tests.reference.scenes import Problem
from tests.reference.search import Plain

SHARE = 0.9
"""Of the low frequencies."""

CONTOUR_WIDTHS = [1.3, 2.0]


def prepare_linearise(problem: Problem) -> Prepared:
    term, height = problem.parameters.finish, problem.lf.height
    out = np.empty((3, *problem.disparity.shape), np.float32)
    numbers = np.float32(term.colour_scale), np.float32(term.furthest)
    given = 0, height, problem.model, problem.disparity, *numbers, everywhere(problem.disparity)
    return Prepared(partial(linearise, *given, *out), out, problem.disparity.size)


def twin_linearise(problem: Problem, slack: float) -> NDArray[Any]:
    plain, term = Plain(problem, slack), problem.parameters.finish
    out = np.empty((3, *problem.disparity.shape))
    for n, m in np.ndindex(problem.disparity.shape):
        d = float(problem.disparity[n, m])
        out[:, n, m] = finish.linearised(plain.views, plain.visible(n, m, d)[0], n, m, d, term)
    return out


def prepare_soften(problem: Problem) -> Prepared:
    side = problem.parameters.finish.softening
    return prepare_filter(problem, lambda rays: softened_rays(rays, side, problem.workers))


def prepare_high_pass(problem: Problem) -> Prepared:
    return prepare_filter(problem, lambda rays: high_pass_rays(rays, SHARE, problem.workers))


def twin_high_pass(problem: Problem, slack: float) -> NDArray[Any]:
    return np.array([finish.high_passed(view.image, SHARE, slack) for view in Plain(problem).views])


def prepare_filter(problem: Problem, filtered: Callable[[Rays], Rays]) -> Prepared:
    rays = problem.refinement.rays
    out = np.empty((rays.dy.size, rays.height, rays.width, 3))

    def call() -> None:
        samples = filtered(rays).samples
        words = samples.reshape(rays.dy.size, -1, rays.row_stride)[:, : rays.height, : rays.width]
        for index in np.ndindex(words.shape):
            out[index] = unpack(words[index])
        out[:] /= 4

    return Prepared(call, out, out.size)


def twin_soften(problem: Problem, slack: float) -> NDArray[Any]:
    side = problem.parameters.finish.softening
    return np.array([finish.softened(view.image, side, slack) for view in Plain(problem).views])


RISE = 0.073


def prepare_discount(problem: Problem) -> Prepared:
    out = np.ones_like(problem.disparity)
    given = 0, problem.lf.height, problem.disparity, directions(), np.float32(RISE)
    return Prepared(partial(discount, *given, out), out, out.size)


def twin_discount(problem: Problem, slack: float) -> NDArray[Any]:
    return 1.0 - finish.beside_rises(problem.disparity, RISE + slack)


def prepare_coverage(problem: Problem) -> Prepared:
    out = np.empty((6, *problem.disparity.shape), np.float32)
    term = problem.parameters.coverage
    matting = pack_matting(problem.disparity, problem.refinement.rays, term, sloping(problem))
    given = 0, problem.lf.height, matting, problem.disparity, asked(problem)
    return Prepared(partial(cover, *given, out[:3], out[3:]), out, problem.disparity.size)


def sloping(problem: Problem) -> NDArray[np.float32]:
    """Slopes at a third of the pixels."""
    generator = np.random.default_rng([problem.seed, 16])
    values = generator.uniform(-0.05, 0.05, (2, *problem.disparity.shape))
    return np.where(generator.random(problem.disparity.shape) < 0.3, values, 0.0).astype(np.float32)


def asked(problem: Problem) -> NDArray[np.bool_]:
    """Pixels whose coverage is wanted: all but every seventh."""
    return np.arange(problem.disparity.size).reshape(problem.disparity.shape) % 7 != 0


def twin_coverage(problem: Problem, slack: float) -> NDArray[Any]:
    term = problem.parameters.coverage
    scene = Scene(Plain(problem).views, problem.disparity, term, slack, sloping(problem))
    found = [covered(scene, (n, m)) for n, m in np.ndindex(*problem.disparity.shape)]
    return np.where(asked(problem), np.array(found).T.reshape(6, *problem.disparity.shape), np.nan)


def prepare_contours(problem: Problem) -> Prepared:
    surfaces, told = (np.empty((3, *problem.disparity.shape), np.float32) for _ in range(2))
    matting = pack_matting(problem.disparity, problem.refinement.rays, problem.parameters.coverage)
    everywhere = np.ones(problem.disparity.shape, np.bool_)
    cover(0, problem.lf.height, matting, problem.disparity, everywhere, surfaces, told)
    pixels = np.argwhere(np.isfinite(surfaces[0]))[::5]
    out = np.empty((len(pixels), 2, 2), np.float32)
    widths = np.array(CONTOUR_WIDTHS, np.float32)
    return Prepared(partial(trace_contours, 0, len(pixels), matting, pixels, surfaces, widths, out), out, len(pixels))


def twin_contours(problem: Problem, slack: float) -> NDArray[Any]:
    scene = Scene(Plain(problem).views, problem.disparity, problem.parameters.coverage, slack)
    beside = [p for p in np.ndindex(*problem.disparity.shape) if scene.sides(p) is not None]
    return np.array([traced(scene, p, CONTOUR_WIDTHS) for p in beside[::5]])


def targets(problem: Problem) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Around the map, some firm, some not."""
    generator = np.random.default_rng(problem.seed)
    target = problem.disparity + generator.normal(0, 0.02, problem.disparity.shape)
    return target.astype(np.float32), generator.uniform(0, 1e4, target.shape).astype(np.float32)


def prepare_fit(problem: Problem) -> Prepared:
    target, precision = targets(problem)
    out = np.empty_like(problem.disparity)

    def call() -> None:
        out[:] = fit(problem.disparity, target, precision, problem.parameters.finish, problem.workers)

    return Prepared(call, out, out.size)


def twin_fit(problem: Problem, slack: float) -> NDArray[Any]:
    term = problem.parameters.finish
    target, precision = targets(problem)
    limited = 1 / (1 / np.maximum(precision.astype(float), 1e-9) + term.finest**2)
    bounds, rows = patches(term.widest)
    discs = [finish.offsets(rows[a:b].tolist()) for a, b in pairwise(bounds)]
    given = problem.disparity, target, limited, discs, UNIT, term
    surfaces = np.array([finish.fitted(*given, n, m) for n, m in np.ndindex(problem.disparity.shape)])
    surfaces = surfaces.T.reshape(7, *problem.disparity.shape)
    return finish.shared(surfaces, term.sharing, UNIT, term.widest_gate / AGREEING)


FINISH = (
    Row("linearised data",
        "cost.linearised: linearise find_seen robust_normal_equation cubic cubic_slope cubic_row neighbours noise_gain",
        prepare_linearise, twin_linearise, {"size": (9, 18), "grid": (3, 3)}, rtol=3e-5, floor=1.0, slack=1e-5,
        why="sums of squares of differences of float32 samples, sixteen pixels at once"),
    Row("softened views", "cost.view_filters: soften mix_rows mix_columns", prepare_soften, twin_soften,
        {"size": (6, 7), "grid": (3, 3)}, slack=1e-3),
    Row("high-pass views", "cost.view_filters: high_pass blur_rows less_blur", prepare_high_pass, twin_high_pass,
        {"size": (7, 20), "grid": (3, 3)}, slack=1e-3),
    Row("fitted surfaces",
        "solver.local_fit: fit_surfaces narrow fit_patch fill_system eliminate moments row_moments add_row add; "
        "solver.shared_surfaces: share_surfaces add_said",
        prepare_fit, twin_fit, {"size": (11, 18), "changes": {"finish.widest": 8}, "exact": False}, rtol=1e-5,
        floor=1.0, why="normal equations of float32 moments"),
    Row("discounted borders", "solver.borders: discount beside_rise room_behind is_gap", prepare_discount,
        twin_discount, {"size": (14, 15), "grid": (3, 3), "limits": (-0.5, 0.8)}, slack=1e-5),
    Row("coverage", "cost.coverage: cover judge weigh mixture_error misfit moments mean_of gather_means contrast; "
        "cost.sight: sides look background is_free is_inside light_at near_colour is_surface reference_light inverse "
        "level_scale", prepare_coverage, twin_coverage,
        {"size": (12, 13), "grid": (4, 5), "limits": (-0.6, 0.9)}, rtol=1e-3,
        floor=10.0, slack=1e-5, why="quotients of differences of float32 samples between pixels"),
    Row("contours", "cost.contour: trace_contours gather_samples contour_misfit fit_contour", prepare_contours,
        twin_contours, {"size": (12, 13), "grid": (4, 5), "limits": (-0.6, 0.9), "exact": False}, rtol=2e-3, floor=1.0,
        slack=1e-5, undecided=0.3, why="small differences of sums of float32 squares; one sample more or less shows"),
)  # fmt: skip
