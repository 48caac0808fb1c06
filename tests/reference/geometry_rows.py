"""Rows of the table: kernels of `ioadr.geometry`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import RayModel
from ioadr.geometry.normals import smooth_normals
from ioadr.geometry.plane import mark_inliers, robust_planes, surface_points
from ioadr.geometry.resample import resample_rows
from ioadr.geometry.warp import project_map, sample_along
from ioadr.solver.problem import _kernel, plane_border, plane_window
from tests.reference import drivers, geometry
from tests.reference.rows import Prepared, Row
from tests.reference.scenes import Problem
from tests.reference.search import Plain


def prepare_projections(problem: Problem) -> Prepared:
    rays = problem.refinement.rays
    out = np.empty((problem.count, rays.dy.size, 4), np.float32)
    d_other = problem.d[::-1].copy()
    return Prepared(partial(drivers.projections, rays, problem.where, problem.d, d_other, out), out, out.size // 4)


def twin_projections(problem: Problem, slack: float) -> NDArray[Any]:
    views = geometry.views_of(problem.lf)
    return np.array(
        [
            [
                (*geometry.project(n, m, d, view.offset), *geometry.intersection(n, m, d, float(other), view.offset))
                for view in views
            ]
            for (n, m, d), other in zip(problem.hypotheses, problem.d[::-1], strict=True)
        ]
    )


def prepare_images(problem: Problem) -> Prepared:
    rays = problem.refinement.rays
    colours = np.empty((problem.count, rays.dy.size, 3), np.float32)
    inside = np.empty(colours.shape[:2], bool)
    return Prepared(partial(drivers.images, rays, problem.where, problem.d, colours, inside), colours, problem.count)


def twin_images(problem: Problem, slack: float) -> NDArray[Any]:
    views = geometry.views_of(problem.lf)
    outside = np.full(3, np.nan)
    rows = [geometry.point_projection_image(views, n, m, d) for n, m, d in problem.hypotheses]
    return np.array([[outside if colour is None else colour for colour in row] for row in rows])


def random_planes(problem: Problem, rays: RayModel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A plane through a point near each hypothesis: normals [H, 3], offsets [H]."""
    generator = np.random.default_rng(problem.seed)
    normals = generator.normal(size=(problem.count, 3)) * 0.2 + (0, 0, -1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    points = np.array([geometry.point(n, m, d, rays) for n, m, d in problem.hypotheses])
    return normals, (points * normals).sum(axis=1) * generator.uniform(0.9, 1.1, problem.count)


def prepare_points(problem: Problem) -> Prepared:
    rays = Plain(problem).rays
    normals, offsets = random_planes(problem, rays)
    out = np.empty((problem.count, 4))
    return Prepared(
        partial(drivers.points_and_planes, rays, problem.where, problem.d, normals, offsets, out), out, problem.count
    )


def twin_points(problem: Problem, slack: float) -> NDArray[Any]:
    rays = Plain(problem).rays
    rows = zip(problem.hypotheses, *random_planes(problem, rays), strict=True)
    return np.array(
        [
            (*geometry.point(n, m, d, rays), geometry.plane_disparity(n, m, normal, offset, rays))
            for (n, m, d), normal, offset in rows
        ]
    )


def prepare_normals(problem: Problem) -> Prepared:
    rays, height = Plain(problem).rays, problem.lf.height
    normals = np.empty((3, *problem.disparity.shape), np.float32)
    taps = _kernel(problem.parameters.planar)
    return Prepared(
        partial(smooth_normals, 0, height, problem.disparity, rays, taps, normals), normals, problem.disparity.size
    )


def twin_normals(problem: Problem, slack: float) -> NDArray[Any]:
    term = problem.parameters.planar
    points = geometry.points_of(problem.disparity, Plain(problem).rays)
    return geometry.large_normals(points, term.kernel_half_width, term.kernel_sigma).transpose(2, 0, 1)


def given_normals(problem: Problem, rays: RayModel) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Points and ν_lg [3, N, M] as kernels keep them: what planes are fitted to."""
    height, term = problem.lf.height, problem.parameters.planar
    points, normals = np.empty((2, 3, *problem.disparity.shape), np.float32)
    surface_points(0, height, problem.disparity, rays, points)
    smooth_normals(0, height, problem.disparity, rays, _kernel(term), normals)
    return points, normals


def prepare_planes(problem: Problem) -> Prepared:
    rays, height, term = Plain(problem).rays, problem.lf.height, problem.parameters.planar
    points, normals = given_normals(problem, rays)
    out = np.empty((4, *problem.disparity.shape), np.float32)
    tolerance = term.tolerance if term.gate_offsets else np.inf
    rules = plane_window(term), plane_border(term), np.float32(term.inlier_share), tolerance
    given = 0, height, problem.disparity, rays, points, normals, *rules
    return Prepared(partial(robust_planes, *given, out[:3], out[3]), out, problem.disparity.size)


def twin_planes(problem: Problem, slack: float) -> NDArray[Any]:
    rays, term = Plain(problem).rays, problem.parameters.planar
    points, normals = (np.moveaxis(a, 0, -1).astype(np.float64) for a in given_normals(problem, rays))
    out = np.empty((4, *problem.disparity.shape))
    for n, m in np.ndindex(problem.disparity.shape):
        normal, d = geometry.robust_plane(n, m, problem.disparity, points, normals, rays, term, slack)
        out[:, n, m] = *normal, d
    return out


def prepare_inliers(problem: Problem) -> Prepared:
    """Inliers [H, W] of some pixels."""
    rays, term = Plain(problem).rays, problem.parameters.planar
    _, normals = given_normals(problem, rays)
    window = plane_window(term)
    out = np.empty((problem.count, len(window)), bool)

    def call() -> None:
        for h, (n, m) in enumerate(problem.where):
            mark_inliers(normals, n, m, window, plane_border(term), np.float32(term.inlier_share), out[h])

    return Prepared(call, out, out.size)


def twin_inliers(problem: Problem, slack: float) -> NDArray[Any]:
    rays, term = Plain(problem).rays, problem.parameters.planar
    normals = np.moveaxis(given_normals(problem, rays)[1], 0, -1).astype(np.float64)
    steps = geometry.window_steps(term)
    out = np.zeros((problem.count, len(steps) ** 2))
    for h, (n, m) in enumerate(problem.where):
        found = geometry.inliers(int(n), int(m), normals, term, slack)
        out[h] = [(n + j, m + i) in found for j in steps for i in steps]
    return out


OFFSET = 1.5, -2.25
"""Rows and columns per px of disparity from the reference view to another."""


def prepare_other_view(problem: Problem) -> Prepared:
    """Disparity map of another view, and the reference view seen from there [4, N, M]."""
    maps = np.empty(problem.disparity.shape, np.float32)
    image = np.ascontiguousarray(Plain(problem).image, np.float32)
    colours = np.empty(image.shape, np.float32)
    out = np.empty((4, *maps.shape))

    def call() -> None:
        project_map(problem.disparity, *map(np.float32, OFFSET), maps)
        sample_along(image, maps, *map(np.float32, OFFSET), colours)
        out[0], out[1:] = maps, colours.transpose(2, 0, 1)

    return Prepared(call, out, maps.size)


def twin_other_view(problem: Problem, slack: float) -> NDArray[Any]:
    image = Plain(problem).image
    maps = geometry.seen_from(problem.disparity, OFFSET, slack)
    out = np.full((4, *maps.shape), np.nan)
    out[0] = maps
    for n, m in np.argwhere(np.isfinite(maps)):
        y, x = n + maps[n, m] * OFFSET[0], m + maps[n, m] * OFFSET[1]
        if geometry.inside(y, x, maps.shape, slack):
            out[1:, n, m] = geometry.bilinear(image, y, x)
    return out


def random_places(problem: Problem) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Rows and columns [N, M], some of them outside the picture."""
    generator, (height, width) = np.random.default_rng(problem.seed), problem.disparity.shape
    rows = generator.uniform(-1.5, height + 0.5, (height, width)).astype(np.float32)
    return rows, generator.uniform(-1.5, width + 0.5, (height, width)).astype(np.float32)


def prepare_resampled(problem: Problem) -> Prepared:
    image = np.ascontiguousarray(Plain(problem).image, np.float32)
    out = np.empty(image.shape, np.float32)
    return Prepared(partial(resample_rows, 0, len(image), image, *random_places(problem), out), out, out.size)


def twin_resampled(problem: Problem, slack: float) -> NDArray[Any]:
    image, (rows, columns) = Plain(problem).image, random_places(problem)
    out = np.empty(image.shape)
    for n, m in np.ndindex(rows.shape):
        out[n, m] = geometry.lanczos(image, float(rows[n, m]), float(columns[n, m]))
    return out


UNIT = "components of float32 unit vectors: they are known to 6e-8, however small they are"
PLANAR = {"planar.kernel_half_width": 1, "planar.half_width": 4}
SMALL = {"changes": PLANAR, "size": (14, 17), "limits": (-1.0, 1.0)}

GEOMETRY = (
    Row(
        "projection and intersection",
        "geometry.ppp: project occluder_origin",
        prepare_projections,
        twin_projections,
        floor=1.0,
        why="px in an image some px wide: positions near 0 are differences of larger numbers",
    ),
    Row(
        "4D-PPI",
        "geometry.ppp: point_projection_image sample bilinear_weights unpack project",
        prepare_images,
        twin_images,
    ),
    Row(
        "point and plane",
        "geometry.normals: point direction inverse_depth plane_disparity",
        prepare_points,
        twin_points,
        floor=1e-3,
        why="a disparity near 0 is a difference of inverse depths",
    ),
    Row("large normals", "geometry.normals: smooth_normals point cross", prepare_normals, twin_normals,
        {"changes": {"planar.kernel_half_width": 2}}, floor=1.0, why=UNIT),
    Row("robust planes", "geometry.plane: robust_planes surface_points _around _fill _place _three _square _mean_angle "
        "_inlier_sum _normalise _expect _mean_offset", prepare_planes, twin_planes, SMALL | {"exact": False},
        floor=1.0, slack=1e-5, why=UNIT),
    Row("ungated planes", "geometry.plane: robust_planes", prepare_planes, twin_planes,
        SMALL | {"changes": PLANAR | {"planar.gate_offsets": False, "planar.window_step": 1}, "exact": False},
        floor=1.0, slack=1e-5, why=UNIT),
    Row("inliers", "geometry.plane: mark_inliers _mean_angle _around", prepare_inliers, twin_inliers,
        SMALL | {"exact": False}, slack=1e-5),
    Row("another view", "geometry.warp: project_map refine_map surface_at sample_along", prepare_other_view,
        twin_other_view, {"exact": False}, rtol=1e-5, floor=10.0, slack=1e-5,
        why="positions found by iteration, at which colours change by up to 100 grey levels a px"),
    Row("resampling", "geometry.resample: resample_rows fill_taps lanczos", prepare_resampled, twin_resampled,
        floor=100.0, why="negative lobes: a dark sample is a difference of brighter ones"),
)  # fmt: skip
