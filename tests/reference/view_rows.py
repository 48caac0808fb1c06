"""Rows of the table: kernels of `ioadr.views`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.solver.coverage import pack_matting
from ioadr.views.carry import compare_views, count_views, fill_from_behind, place_behind, put_on_surface, splat
from ioadr.views.fitting import fit_rows
from ioadr.views.levelling import stretch
from ioadr.views.pose import Pose
from ioadr.views.rims import correct_rims, find_slopes, measure_outlines, smooth_rims
from ioadr.views.sampling import blend_rows, fill_rows
from ioadr.views.thin import add_threads
from ioadr.views.tracing import cover_from_outlines, find_sides, trace_outlines
from tests.reference import tracing, views
from tests.reference.coverage import Scene
from tests.reference.rows import Prepared, Row
from tests.reference.scenes import Problem
from tests.reference.search import Plain

LINK = 0.19
NEARBY = 0.3
GRAIN = 9.0
ANCHOR = 0.75, -1.5
CONTOUR = 1.5
"""Width of a contour, px."""
POSE = Pose(-0.5, 1.25, 0.05, 0.03, 1.3, 4.0, 5.0, 5.5, 6.25)
"""Beside and before the captured views, through a longer lens."""


def given(problem: Problem) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Map, coverage with gaps, and which pixels count."""
    generator = np.random.default_rng([problem.seed, 9])
    coverage = generator.choice([0.625, 0.75, 1.0, 1.0, 1.0, np.nan], problem.disparity.shape)
    return problem.disparity, coverage.astype(np.float32), generator.random(problem.disparity.shape) < 0.9


def inclined(problem: Problem) -> NDArray[np.float32]:
    """Slopes of a third of the pixels."""
    generator = np.random.default_rng([problem.seed, 15])
    values = generator.uniform(-0.1, 0.1, (2, *problem.disparity.shape))
    return np.where(generator.random(problem.disparity.shape) < 0.3, values, 0.0).astype(np.float32)


def earlier(problem: Problem) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The map so far, with holes, and the confidence of the new surface."""
    generator = np.random.default_rng([problem.seed, 10])
    known = generator.uniform(-1.5, 2.0, problem.disparity.shape)
    known[generator.random(known.shape) < 0.4] = np.nan
    return known.astype(np.float32), generator.random(known.shape).astype(np.float32)


def prepare_carried(problem: Problem) -> Prepared:
    """Map with the new surface in it, its confidence and number, [3, N, M]."""
    disparity, coverage, kept = given(problem)
    slopes = inclined(problem)
    known, confidence = earlier(problem)
    out = np.zeros((3, *known.shape), np.float32)
    alone, source = np.empty_like(known), np.zeros(known.shape, np.uint8)

    def call() -> None:
        out[0] = known
        splat(disparity, slopes, coverage, kept, LINK, *ANCHOR, POSE, alone)
        put_on_surface(disparity, slopes, LINK, *ANCHOR, POSE, alone)
        place_behind(alone, confidence, 3, LINK, *ANCHOR, POSE, out[0], out[1], source)
        out[2] = source

    return Prepared(call, out, known.size)


def twin_carried(problem: Problem, slack: float) -> NDArray[Any]:
    disparity, coverage, kept = given(problem)
    known, confidence = earlier(problem)
    alone = views.carried(disparity, inclined(problem), coverage, kept, LINK, ANCHOR, POSE, known.shape, slack)
    out = np.zeros((3, *known.shape))
    out[0] = known
    for i, j in np.argwhere(np.isfinite(alone)):
        if np.isnan(known[i, j]) or alone[i, j] > known[i, j] + LINK + slack:
            y, x = views.origin(i, j, float(alone[i, j]), ANCHOR, POSE)
            n, m = (min(max(round(p + slack), 0), s - 1) for p, s in zip((y, x), known.shape, strict=True))
            out[:, i, j] = alone[i, j], confidence[n, m], 3
    return out


def prepare_threads(problem: Problem) -> Prepared:
    """Map with thin surfaces in it, their confidence and number, [3, N, M]."""
    disparity, coverage, kept = given(problem)
    known, confidence = earlier(problem)
    out, source = np.zeros((3, *known.shape), np.float32), np.zeros(known.shape, np.uint8)

    def call() -> None:
        out[0] = known
        add_threads(disparity, coverage, confidence, kept, 3, LINK, *ANCHOR, POSE, out[0], out[1], source)
        out[2] = source

    return Prepared(call, out, known.size)


def twin_threads(problem: Problem, slack: float) -> NDArray[Any]:
    disparity, coverage, kept = given(problem)
    known, confidence = earlier(problem)
    found, origins = views.threaded(disparity, coverage, kept, LINK, ANCHOR, POSE, known, slack)
    new = origins[..., 0] >= 0
    return np.stack([found, np.where(new, confidence[origins[..., 0], origins[..., 1]], 0.0), 3 * new])


def prepare_compared(problem: Problem) -> Prepared:
    known, _ = earlier(problem)
    other = np.nan_to_num(known)
    out = np.zeros((2, *known.shape), bool)
    return Prepared(lambda: compare_views(problem.disparity, other, LINK, *ANCHOR, out[0], out[1]), out, known.size)


def prepare_counted(problem: Problem) -> Prepared:
    other = np.nan_to_num(earlier(problem)[0])
    pixels, out = np.argwhere(np.ones(other.shape, bool)), np.zeros(other.size, np.uint16)
    return Prepared(lambda: count_views(pixels, problem.disparity, other, LINK, *ANCHOR, out), out, out.size)


def twin_counted(problem: Problem, slack: float) -> NDArray[Any]:
    return twin_compared(problem, slack)[1].reshape(-1).astype(np.uint16)


def twin_compared(problem: Problem, slack: float) -> NDArray[Any]:
    return views.compared(problem.disparity, np.nan_to_num(earlier(problem)[0]), LINK, ANCHOR, slack)


def prepare_filled(problem: Problem) -> Prepared:
    known, _ = earlier(problem)
    out = np.empty_like(known)
    return Prepared(lambda: fill_from_behind(known, out), out, known.size)


def twin_filled(problem: Problem, slack: float) -> NDArray[Any]:
    return views.filled(earlier(problem)[0])


def blending(problem: Problem) -> tuple[Any, ...]:
    """Views of the problem, a map for each, one for the picture, one with wider near surfaces, and a mask."""
    generator = np.random.default_rng([problem.seed, 11])
    lightfield = problem.lf
    index = np.ascontiguousarray(np.argwhere(lightfield.present))
    shifts = generator.choice([0.0, 0.0, 0.5], (len(index), *problem.disparity.shape))
    maps = (problem.disparity + shifts).astype(np.float32)
    target = problem.disparity
    wide = np.where(generator.random(target.shape) < 0.5, target + np.float32(0.5), target)
    anchored = generator.random(target.shape) < 0.5
    return lightfield.views, maps, lightfield.offsets.reshape(-1, 2).copy(), index, target, wide, anchored


def prepare_blended(problem: Problem) -> Prepared:
    *given_, target, wide, anchored = blending(problem)
    views_ = given_[0]
    out, seen = np.empty((*target.shape, views_.shape[4]), np.float32), np.empty(target.shape, bool)

    def run() -> None:
        blend_rows(0, len(target), *given_, target, wide, POSE, LINK, 1.0, NEARBY, anchored, out, seen)
        out[~seen] *= -1

    return Prepared(run, out, target.size)


def twin_blended(problem: Problem, slack: float) -> NDArray[Any]:
    pictures, maps, places, _, target, wide, anchored = blending(problem)
    flat = pictures.reshape(-1, *pictures.shape[2:]).astype(np.float64)
    return views.blended(flat, maps, places, target, wide, anchored, POSE, LINK, 1.0, NEARBY, slack)


def fitting(problem: Problem) -> tuple[Any, ...]:
    """Views of the problem, and maps of them and of the picture that are almost flat, with single jumps."""
    generator = np.random.default_rng([problem.seed, 13])
    pictures, _, places, index, *_ = blending(problem)
    shape = (len(index) + 1, *problem.disparity.shape)
    maps = 0.3 + generator.uniform(-0.02, 0.02, shape) + 0.5 * (generator.random(shape) < 0.01)
    picture = problem.lf.reference_view.astype(np.float32)
    return pictures, maps[1:].astype(np.float32), places, index, maps[0].astype(np.float32), picture


def prepare_fitted(problem: Problem) -> Prepared:
    *given_, target, picture = fitting(problem)
    out = picture.copy()

    def run() -> None:
        out[:] = picture
        fit_rows(0, len(target), *given_, target, POSE, LINK, 1.0, NEARBY, GRAIN, out)

    return Prepared(run, out, target.size)


def twin_fitted(problem: Problem, slack: float) -> NDArray[Any]:
    pictures, maps, places, _, target, picture = fitting(problem)
    flat = pictures.reshape(-1, *pictures.shape[2:]).astype(np.float64)
    return views.fitted(flat, maps, places, target, picture, POSE, LINK, GRAIN, NEARBY, slack)


def rims(problem: Problem) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Two noisy slanted surfaces, the pixels to smooth and those of less weight."""
    generator = np.random.default_rng([problem.seed, 14])
    rows, columns = np.indices(problem.disparity.shape)
    smooth = np.where(columns > 0.4 * rows + 3, 1.0, 0.0) + 0.01 * rows - 0.02 * columns
    noisy = smooth + generator.uniform(-0.02, 0.02, smooth.shape)
    return noisy.astype(np.float32), *(generator.random((2, *smooth.shape)) < 0.5)


def outlines(problem: Problem) -> tuple[Any, ...]:
    """A near surface with a slanted outline, its slopes, coverage and rim, and three other views of it."""
    generator = np.random.default_rng([problem.seed, 16])
    rows, columns = np.indices(problem.disparity.shape)

    def seen_from(down: float, right: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        inside = (columns + 1.03 * right - 0.4 * (rows + 1.03 * down) - 5) / np.hypot(1.0, 0.4)
        share = np.clip(0.5 + inside + generator.uniform(-0.1, 0.1, inside.shape), 0.0, 1.0)
        values = np.where(share >= 0.5, 1.0 + generator.uniform(-0.02, 0.02, inside.shape), 0.0)
        return values.astype(np.float32), np.where(share >= 0.5, share, 1 - share).astype(np.float32)

    disparity, coverage = seen_from(0.0, 0.0)
    others = [(*seen_from(*offset), offset) for offset in ((2.0, 1.5), (-1.0, -2.0), (0.5, -1.5))]
    padded = np.pad(disparity, 1, mode="edge")
    rim = np.zeros(disparity.shape, bool)
    for n, m in np.ndindex(rim.shape):
        rim[n, m] = padded[n : n + 3, m : m + 3].min() < disparity[n, m] - LINK
    return disparity, inclined(problem), coverage, rim, others


def prepare_outlines(problem: Problem) -> Prepared:
    disparity, slopes, coverage, rim, others = outlines(problem)
    anchors = np.stack([o[0] for o in others]), np.stack([o[1] for o in others]), np.array([o[2] for o in others])
    outline, out = np.zeros((3, *rim.shape), np.float32), np.empty_like(disparity)

    def run() -> None:
        measure_outlines(0, len(rim), disparity, slopes, coverage, rim, anchors, LINK, outline)
        correct_rims(0, len(rim), disparity, outline, LINK, out)

    return Prepared(run, out, rim.size)


def twin_outlines(problem: Problem, slack: float) -> NDArray[Any]:
    disparity, slopes, coverage, rim, others = outlines(problem)
    return views.outlined(disparity, slopes, coverage, rim, others, LINK)


def prepare_rims(problem: Problem) -> Prepared:
    disparity, wanted, rim = rims(problem)
    out = np.empty_like(disparity)
    return Prepared(lambda: smooth_rims(0, len(out), disparity, wanted, rim, LINK, out), out, out.size)


def twin_rims(problem: Problem, slack: float) -> NDArray[Any]:
    return views.smooth_rims(*rims(problem), LINK + slack)


def levels(problem: Problem) -> tuple[Any, ...]:
    """Two surfaces, known differences in half of their pixels, confidences, and the pixels to move."""
    disparity, unknown, moving = rims(problem)
    generator = np.random.default_rng([problem.seed, 17])
    known = generator.uniform(-0.1, 0.1, disparity.shape).astype(np.float32)
    known[unknown] = np.nan
    return disparity, known, generator.random(disparity.shape).astype(np.float32), moving | unknown


def prepare_levels(problem: Problem) -> Prepared:
    disparity, known, trust, moving = levels(problem)
    step = known.copy()
    pixels = np.argwhere(moving)

    def run() -> None:
        stretch(pixels, disparity, known, trust, LINK, step)
        np.nan_to_num(step, copy=False)

    return Prepared(run, step, len(pixels))


def twin_levels(problem: Problem, slack: float) -> NDArray[Any]:
    disparity, known, trust, moving = levels(problem)
    return views.stretched(disparity, known, trust, moving, LINK + slack)


def prepare_slopes(problem: Problem) -> Prepared:
    disparity, _, rim = rims(problem)
    out = np.empty((2, *disparity.shape), np.float32)
    return Prepared(lambda: find_slopes(0, len(disparity), disparity, rim, rim, LINK, out), out, disparity.size)


def twin_slopes(problem: Problem, slack: float) -> NDArray[Any]:
    disparity, _, rim = rims(problem)
    return views.slopes(disparity, rim, LINK + slack)


def prepare_edges(problem: Problem) -> Prepared:
    disparity, _, coverage, _, _ = outlines(problem)
    matting = pack_matting(disparity, problem.refinement.rays, problem.parameters.coverage)
    out = np.empty((6, *disparity.shape), np.float32)
    given_ = 0, len(disparity), matting, disparity, coverage, LINK
    return Prepared(lambda: find_sides(*given_, out[:3], out[3:]), out, disparity.size)


def twin_edges(problem: Problem, slack: float) -> NDArray[Any]:
    disparity, _, coverage, _, _ = outlines(problem)
    scene = Scene(Plain(problem).views, disparity, problem.parameters.coverage, slack)
    found = [tracing.edges(scene, coverage, p, LINK) for p in np.ndindex(*disparity.shape)]
    return np.array(found).T.reshape(6, *disparity.shape)


def contours(problem: Problem) -> tuple[Scene, NDArray[np.intp], NDArray[np.float32]]:
    """Every fifth pixel with a jump, and normals of outlines [3, N, M]; the distance of each is not used."""
    scene = Scene(Plain(problem).views, problem.disparity, problem.parameters.coverage, 0.0)
    beside = [p for p in np.ndindex(*problem.disparity.shape) if scene.sides(p) is not None]
    angle = np.random.default_rng([problem.seed, 17]).uniform(0, 2 * np.pi, problem.disparity.shape)
    return scene, np.array(beside[::5]), np.stack([0 * angle, np.sin(angle), np.cos(angle)]).astype(np.float32)


def prepare_traced(problem: Problem) -> Prepared:
    scene, pixels, normals = contours(problem)
    matting = pack_matting(problem.disparity, problem.refinement.rays, problem.parameters.coverage)
    surfaces = np.full((3, *problem.disparity.shape), np.nan, np.float32)
    for n, m in pixels.tolist():
        surfaces[:, n, m] = scene.sides((n, m))
    out = np.empty(len(pixels), np.float32)
    given_ = 0, len(pixels), matting, pixels, surfaces, normals, np.float32(CONTOUR)
    return Prepared(lambda: trace_outlines(*given_, out), out, len(pixels))


def twin_traced(problem: Problem, slack: float) -> NDArray[Any]:
    scene, pixels, normals = contours(problem)
    scene.slack = slack
    places = [(int(n), int(m)) for n, m in pixels]
    return np.array([tracing.traced(scene, p, (normals[1][p], normals[2][p]), CONTOUR) for p in places])


def joining(problem: Problem) -> tuple[NDArray[Any], ...]:
    """Map and near disparities of a slanted outline, its edges [3, N, M], and distances from contours, some wrong."""
    disparity, _, coverage, _, _ = outlines(problem)
    generator = np.random.default_rng([problem.seed, 18])
    edge, near = np.full((3, *disparity.shape), np.nan, np.float32), np.full(disparity.shape, np.nan, np.float32)
    for n, m in np.ndindex(*disparity.shape):
        outline = views.edge(disparity, coverage, n, m, 1.0, LINK)
        if outline is not None and abs(outline[0]) < 1:
            edge[:, n, m], near[n, m] = outline, 1.0
    wrong = generator.uniform(-0.1, 0.1, near.shape) + 0.5 * (generator.random(near.shape) < 0.1)
    traced = np.where(generator.random(near.shape) < 0.9, edge[0] + wrong, np.nan).astype(np.float32)
    return disparity, near, edge, traced


def prepare_joined(problem: Problem) -> Prepared:
    disparity, near, edge, traced = joining(problem)
    out, surfaces = np.empty_like(disparity), np.stack([near, near, near])

    def run() -> None:
        out[:] = np.nan
        cover_from_outlines(0, len(out), disparity, surfaces, edge, traced, LINK, out)

    return Prepared(run, out, out.size)


def twin_joined(problem: Problem, slack: float) -> NDArray[Any]:
    disparity, near, edge, traced = joining(problem)
    return tracing.covered(disparity, near, edge, traced, LINK)


def partly_seen(problem: Problem) -> tuple[NDArray[Any], NDArray[Any]]:
    """A picture, and a mask of it with holes of several sizes."""
    generator = np.random.default_rng([problem.seed, 12])
    rough = generator.random(problem.disparity.shape)
    rough[2:7, 1:8] += 0.5
    return problem.lf.reference_view.astype(np.float32), rough < 0.7


def prepare_unseen(problem: Problem) -> Prepared:
    picture, seen = partly_seen(problem)
    return Prepared(lambda: fill_rows(0, len(seen), picture, seen, problem.disparity, LINK), picture, seen.size)


def twin_unseen(problem: Problem, slack: float) -> NDArray[Any]:
    return views.coloured_by_surface(*partly_seen(problem), problem.disparity, LINK + slack)


VIEWS = (
    Row("carried map", "views.carry: splat landing origin origin_beside fall side_extent surface_at put_on_surface "
        "place_behind; views.edges: share_at edge_at edge_of corner_at share_beside share_of clipped depth_of_cut",
        prepare_carried, twin_carried, {"exact": False}, rtol=1e-5, floor=1.0,
        slack=1e-5, why="disparities found by iteration between float32 samples"),
    Row("thin surfaces", "views.thin: add_threads behind middle_of", prepare_threads, twin_threads,
        {"exact": False}, slack=1e-5),
    Row("seen by another view", "views.carry: compare_views touched", prepare_compared, twin_compared,
        {"exact": False}, slack=1e-5),
    Row("views that see a point", "views.carry: count_views", prepare_counted, twin_counted,
        {"exact": False}, slack=1e-5),
    Row("blended picture", "views.sampling: blend_rows blend_pixel part_in_front nearest_place sight_weight tolerance "
        "add_sample cubic_weight", prepare_blended, twin_blended, {"exact": False, "size": (9, 11), "grid": (3, 3)},
        rtol=1e-5, floor=100.0, slack=1e-5, why="cubic weights cancel; float32 pictures of up to 65535"),
    Row("smooth rims", "views.rims: smooth_rims fit_rim gather_rim", prepare_rims, twin_rims,
        {"exact": False, "size": (9, 11)}, rtol=1e-5, floor=1.0, slack=1e-5, why="normal equations of six unknowns"),
    Row("outlines of rims", "views.rims: measure_outlines outline_step correct_rims", prepare_outlines, twin_outlines,
        {"exact": False, "size": (14, 16)}, rtol=1e-5, floor=1.0, why="edges of shares in float32"),
    Row("levelled maps", "views.levelling: stretch", prepare_levels, twin_levels,
        {"exact": False, "size": (9, 11)}, rtol=5e-3, floor=0.1, slack=1e-5, why="30 passes instead of a solution"),
    Row("slopes of rims", "views.rims: find_slopes substitute_back", prepare_slopes, twin_slopes,
        {"exact": False, "size": (9, 11)}, rtol=1e-5, floor=1.0, slack=1e-5, why="normal equations of six unknowns"),
    Row("edges of surfaces", "views.tracing: find_sides", prepare_edges, twin_edges,
        {"exact": False, "size": (14, 16), "grid": (3, 3)}, rtol=1e-5, floor=1.0, slack=1e-5,
        why="edges of shares in float32"),
    Row("traced outlines", "views.tracing: trace_outlines trace_pixel offset_of", prepare_traced, twin_traced,
        {"size": (12, 13), "grid": (4, 5), "limits": (-0.6, 0.9), "exact": False}, rtol=2e-3, floor=1.0, slack=1e-5,
        undecided=0.3, why="least of small differences of sums of float32 squares"),
    Row("shares from contours", "views.tracing: cover_from_outlines gather_contours join_contours solve_parabola "
        "share_inside", prepare_joined, twin_joined, {"exact": False, "size": (14, 16)}, rtol=1e-5, floor=1.0,
        why="float32 distances"),
    Row("fitted colours", "views.fitting: fit_rows fit_pixel add_view eliminate", prepare_fitted, twin_fitted,
        {"exact": False, "size": (9, 11), "grid": (3, 3)}, rtol=1e-4, floor=100.0, slack=1e-5,
        why="normal equations of six unknowns; float32 pictures of up to 65535"),
    Row("unseen colours", "views.sampling: fill_rows add_ring", prepare_unseen, twin_unseen, {"exact": False},
        rtol=1e-5, floor=100.0, slack=1e-5, why="float32 pictures of up to 65535"),
    Row("filled holes", "views.carry: fill_from_behind", prepare_filled, twin_filled),
)  # fmt: skip
