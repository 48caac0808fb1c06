"""Rows of the table: kernels of `ioadr.cost`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import preset
from ioadr.cost.occlusion import TILE, raise_ceiling, summarise_levels
from ioadr.cost.rivals import costs_at, rival_margins
from ioadr.cost.total import TERMS
from ioadr.solver.curve import cost_curve
from ioadr.solver.sweep import final_costs
from tests.reference import congruence, drivers, geometry, occlusion, planar
from tests.reference.rows import Prepared, Row
from tests.reference.scenes import Problem
from tests.reference.search import Plain


def over_hypotheses(driver: Any, width: tuple[int, ...] = (), dtype: Any = np.float32, state: bool = False) -> Any:
    """Prepare a driver that takes (model[, state], where, d, out)."""

    def prepare(problem: Problem) -> Prepared:
        views = problem.model.rays.dy.size
        out = np.empty((problem.count, *(views if w < 0 else w for w in width)), dtype)
        given = (problem.model, problem.refinement.state) if state else (problem.model,)
        return Prepared(partial(driver, *given, problem.where, problem.d, out), out, problem.count)

    return prepare


def prepare_deviations(problem: Problem) -> Prepared:
    out = np.empty(problem.count, np.float32)
    return Prepared(partial(drivers.deviations, problem.model, problem.where, problem.d, out), out, problem.count)


def twin_deviations(problem: Problem, slack: float) -> NDArray[Any]:
    views, term = geometry.views_of(problem.lf), problem.parameters.data
    values = [occlusion.deviations(views, *hypothesis) for hypothesis in problem.hypotheses]
    return np.array(
        [occlusion.mean_deviation(list(v.values()), term) if len(v) == len(views) else np.nan for v in values]
    )


def twin_hidden(problem: Problem, slack: float) -> NDArray[Any]:
    plain = Plain(problem, slack)
    out = np.ones((problem.count, len(plain.views)))
    for h, hypothesis in enumerate(problem.hypotheses):
        out[h, list(plain.visible(*hypothesis)[0])] = 0
    return out


def twin_visible(problem: Problem, slack: float) -> NDArray[Any]:
    plain = Plain(problem, slack)
    seen = [plain.visible(*hyp)[0] & set(occlusion.deviations(plain.views, *hyp)) for hyp in problem.hypotheses]
    return np.array([len(views) for views in seen])


def twin_data(problem: Problem, slack: float) -> NDArray[Any]:
    plain, term = Plain(problem, slack), problem.parameters.data
    return np.array([occlusion.data_cost(plain.views, *h, *plain.visible(*h), term) for h in problem.hypotheses])


def limits_to_give_up(problem: Problem) -> NDArray[np.float32]:
    """Grey levels around what hypotheses cost, [H]."""
    return np.random.default_rng(problem.seed).uniform(0, 60, problem.count).astype(np.float32)


def prepare_given_up(problem: Problem) -> Prepared:
    out = np.empty((problem.count, 2), bool)
    given = problem.model, problem.where, problem.d, limits_to_give_up(problem)
    return Prepared(partial(drivers.given_up_costs, *given, out), out, problem.count)


def twin_given_up(problem: Problem, slack: float) -> NDArray[Any]:
    """Giving up changes no decision."""
    cheaper = twin_data(problem, slack) < limits_to_give_up(problem) - 100 * slack
    return np.stack([cheaper, cheaper], axis=1)


def prepare_levels(problem: Problem) -> Prepared:
    """Levels of each tile as bools [tile rows, tile columns, level]."""
    occluders = problem.model.occluders
    levels = np.zeros_like(occluders.levels)
    out = np.empty((*levels.shape[:2], 64 * levels.shape[2]), bool)

    def call() -> None:
        summarise_levels(0, len(levels), problem.disparity, occluders.first, occluders.step, levels)
        out[:] = np.unpackbits(levels.astype("<u8").view(np.uint8), axis=2, bitorder="little")

    return Prepared(call, out, problem.disparity.size)


def twin_levels(problem: Problem, slack: float) -> NDArray[Any]:
    step = problem.parameters.data.occluder_step
    first, last = (occlusion.truncate(d, step) for d in (problem.limits.minimum, problem.limits.maximum))
    count = 64 * (round((last - first) / step) // 64 + 1)
    rows, columns = (-(-size // TILE) for size in problem.disparity.shape)
    out = np.zeros((rows, columns, count))
    for n, m in np.ndindex(problem.disparity.shape):
        level = occlusion.truncate(float(problem.disparity[n, m]), step)
        out[n // TILE, m // TILE, round((level - first) / step)] = 1
    return out


def prepare_ceiling(problem: Problem) -> Prepared:
    slope, written = np.float32(1) / problem.model.occluders.reach, problem.model.occluders.written
    cone, out = np.empty_like(problem.disparity), np.empty_like(problem.disparity)
    return Prepared(partial(raise_ceiling, problem.disparity, slope, written, cone, out), out, out.size)


def twin_ceiling(problem: Problem, slack: float) -> NDArray[Any]:
    reach = occlusion.reach_of(geometry.views_of(problem.lf))
    n, m = np.mgrid[: problem.disparity.shape[0], : problem.disparity.shape[1]]
    out = np.empty(problem.disparity.shape)
    for p in np.ndindex(out.shape):
        away = np.maximum(abs(n - p[0]), abs(m - p[1]))
        left_out = 1 if problem.parameters.data.write_hypothesis else 0
        out[p] = (problem.disparity - away / reach)[away >= left_out].max()
    return out


def prepare_window(problem: Problem) -> Prepared:
    out = np.empty((problem.count, problem.model.congruence.offsets.size), np.float32)
    return Prepared(
        partial(drivers.window_weights, problem.model, problem.refinement.state, problem.where, problem.d, out),
        out,
        problem.count,
    )


def twin_window(problem: Problem, slack: float) -> NDArray[Any]:
    plain, term = Plain(problem), problem.parameters.congruence
    rows = []
    for n, m, d in problem.hypotheses:
        cost = float(problem.cost[n, m])
        weights = congruence.window_weights(
            plain.image, plain.disparity, n, m, d, cost, problem.limits, term, slack
        ).ravel()
        rows.append(weights if term.include_centre else np.delete(weights, len(weights) // 2))
    return np.array(rows)


def twin_smoothed(problem: Problem, slack: float) -> NDArray[Any]:
    plain = Plain(problem, slack)
    values = [(d, plain.smoothed(n, m, d)) for n, m, d in problem.hypotheses]
    return np.array([(d_smoothed, congruence.congruence_cost(d, d_smoothed)) for d, d_smoothed in values])


BACK = -1


def prepare_small_normals(problem: Problem) -> Prepared:
    raw = np.empty((problem.count, 3))
    out = np.empty_like(raw)

    def call() -> None:
        drivers.small_normals(problem.model, problem.refinement.state, problem.where, problem.d, BACK, raw)
        out[:] = raw / np.linalg.norm(raw, axis=1, keepdims=True)

    return Prepared(call, out, problem.count)


def twin_small_normals(problem: Problem, slack: float) -> NDArray[Any]:
    rays, term = Plain(problem).rays, problem.parameters.planar
    return np.array([planar.small_normal(problem.disparity, *h, BACK, rays, term) for h in problem.hypotheses])


def prepare_planar(problem: Problem) -> Prepared:
    out = np.empty(problem.count, np.float32)
    given = problem.model, problem.refinement.state, problem.where, problem.d, BACK
    return Prepared(partial(drivers.planar_costs, *given, out), out, problem.count)


def twin_planar(problem: Problem, slack: float) -> NDArray[Any]:
    """Given the planes that the kernel is given."""
    rays, term, planes = Plain(problem).rays, problem.parameters.planar, problem.model.planes
    return np.array(
        [
            planar.planar_cost(
                problem.disparity, n, m, d, BACK, planes.robust[:, n, m], float(planes.plane[n, m]), rays, term, slack
            )
            for n, m, d in problem.hypotheses
        ]
    )


def prepare_angles(problem: Problem) -> Prepared:
    gaps = np.concatenate([np.geomspace(1e-14, 1, 40), np.linspace(0, 1, 41), [1.5, 2.0]])
    out = np.empty_like(gaps)
    return Prepared(partial(drivers.angles, gaps, out), out, gaps.size)


def twin_angles(problem: Problem, slack: float) -> NDArray[Any]:
    """By the half angle: arccos itself loses the digits of small angles."""
    gaps = np.concatenate([np.geomspace(1e-14, 1, 40), np.linspace(0, 1, 41), [1.0, 1.0]])
    return np.degrees(2 * np.arcsin(np.sqrt(gaps / 2)))


def prepare_terms(problem: Problem) -> Prepared:
    """All terms and the number of visible views [T + 1, N, M] of the map as it is."""
    height, width = problem.disparity.shape
    terms, visible = np.empty((len(TERMS), height, width), np.float32), np.empty((height, width), np.uint16)
    out = np.empty((len(TERMS) + 1, height, width))

    def call() -> None:
        final_costs(0, height, problem.model, problem.refinement.state, BACK, terms, visible)
        out[:-1], out[-1] = terms, visible

    return Prepared(call, out, height * width)


def twin_terms(problem: Problem, slack: float) -> NDArray[Any]:
    plain = Plain(problem, slack)
    out = np.empty((len(TERMS) + 1, *problem.disparity.shape))
    for n, m in np.ndindex(problem.disparity.shape):
        d = float(problem.disparity[n, m])
        out[:-1, n, m] = plain.terms(n, m, d)
        seen = plain.visible(n, m, d)[0] & set(occlusion.deviations(plain.views, n, m, d))
        out[-1, n, m] = len(seen)
    return out


def prepare_curve(problem: Problem) -> Prepared:
    """All terms and J_PD of one pixel over disparities [T + 1, D]."""
    out = np.empty((len(TERMS) + 1, problem.count), np.float32)
    n, m = problem.where[-1]
    plain = problem.model.data._replace(occlusion_aware=False)
    given = problem.model, plain, problem.refinement.state, n, m, problem.d, BACK
    return Prepared(partial(cost_curve, *given, out), out, problem.count)


def twin_curve(problem: Problem, slack: float) -> NDArray[Any]:
    plain, (n, m) = Plain(problem, slack), problem.where[-1]
    rows = []
    for d in problem.d:
        deviations = list(occlusion.deviations(plain.views, n, m, float(d)).values())
        rows.append((*plain.terms(n, m, float(d)), occlusion.mean_deviation(deviations, problem.parameters.data)))
    return np.array(rows).T


DISTINCT = 0.3
"""px by which a rival differs from the map."""


def neighbours(problem: Problem) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Largest and smallest disparity within 1 and within 2 px of each pixel, [2, N, M] each."""
    highest, lowest = [], []
    for reach in (1, 2):
        steps = range(-reach, reach + 1)
        around = [np.roll(problem.disparity, (j, i), (0, 1)) for j in steps for i in steps]
        highest.append(np.maximum.reduce(around))
        lowest.append(np.minimum.reduce(around))
    return np.stack(highest), np.stack(lowest)


def prepare_rivals(problem: Problem) -> Prepared:
    own, out = np.empty_like(problem.disparity), np.empty((2, *problem.disparity.shape), np.float32)
    where = np.stack([index.ravel() for index in np.indices(own.shape)], axis=1)
    drivers.data_costs(problem.model, where, problem.disparity.ravel(), own.reshape(-1))
    given = 0, problem.lf.height, problem.model, problem.disparity, own, *neighbours(problem), np.float32(DISTINCT)
    return Prepared(partial(rival_margins, *given, out), out, out.size)


def prepare_costs_at(problem: Problem) -> Prepared:
    out = np.empty(len(problem.d), np.float32)
    rows, columns = (np.ascontiguousarray(axis) for axis in problem.where.T)
    given = 0, len(out), problem.model, rows, columns, problem.d
    return Prepared(partial(costs_at, *given, out), out, out.size)


def twin_rivals(problem: Problem, slack: float) -> NDArray[Any]:
    """(cost of the cheaper rival − own cost) / (own cost + 1 grey level), at most 3."""
    plain, term = Plain(problem, slack), problem.parameters.data

    def cost(n: int, m: int, d: float) -> float:
        return occlusion.data_cost(plain.views, n, m, d, *plain.visible(n, m, d), term)

    out = np.full((2, *problem.disparity.shape), 3.0)
    for k, n, m in np.ndindex(out.shape):
        own, around = float(problem.disparity[n, m]), [float(a[k, n, m]) for a in neighbours(problem)]
        rivals = [cost(n, m, d) for d in around if abs(d - own) > DISTINCT + slack]
        if rivals:
            out[k, n, m] = min((min(rivals) - cost(n, m, own)) / (cost(n, m, own) + 1), 3.0)
    return out


OCCLUSION = (
    "cost.occlusion: data_cost seen_cost in_the_open find_hidden hidden_by levels_in_reach level_of split_deviation "
    "lane_deviations; cost.views: views_around order_views place_views hide_none is_hidden; "
    "geometry.ppp: all_inside occluder_origin sample_lanes split"
)
WINDOW = (
    "cost.congruence: neighbour_weights neighbour_weight weight_of far_epsilon look_around neighbours_around; "
    "cost.total: look_around_pixel"
)
TEXT = {"parameters": preset("text")}
PLANES = {"sweep": 7, "size": (14, 17), "changes": {"planar.kernel_half_width": 1, "planar.half_width": 4}}
NEAR = "a result near 0 is a difference of disparities of about 1 px"
LAMBDA = "λ = 400 times the square of a difference: a disparity's last digit counts a thousandfold"
FLOAT_ANGLE = "degrees between float32 unit vectors, which are known to 6e-8 (3e-6°)"

COST = (
    Row("J_PD where all views see", "cost.occlusion: pixel_deviation; geometry.ppp: all_inside", prepare_deviations,
        twin_deviations),
    Row("Algorithm 1", OCCLUSION, over_hypotheses(drivers.hidden_views, (-1,), bool), twin_hidden, slack=1e-5),
    Row("Algorithm 1, fine levels", OCCLUSION, over_hypotheses(drivers.hidden_views, (-1,), bool), twin_hidden,
        {"changes": {"data.occluder_step": 0.005, "data.occluder_margin": 0.0}}, slack=1e-5),
    Row("Algorithm 1, map as it is", OCCLUSION, over_hypotheses(drivers.hidden_views, (-1,), bool), twin_hidden,
        {"changes": {"data.write_hypothesis": False}}, slack=1e-5),
    Row("Algorithm 1, hypothesis in the map", OCCLUSION, over_hypotheses(drivers.hidden_views, (-1,), bool),
        twin_hidden, {"changes": {"data.write_hypothesis": True}}, slack=1e-5),
    Row("Algorithm 1, 9×9 views", OCCLUSION, over_hypotheses(drivers.hidden_views, (-1,), bool), twin_hidden,
        {"grid": (9, 9), "size": (20, 22), "count": 8}, slack=1e-5),
    Row("visible views", "cost.occlusion: cost_and_visible", over_hypotheses(drivers.visible_counts), twin_visible,
        slack=1e-5),
    Row("J_oa", OCCLUSION, over_hypotheses(drivers.data_costs), twin_data, slack=1e-5),
    Row("J_oa given up", "cost.occlusion: data_cost pixel_deviation", prepare_given_up, twin_given_up, slack=1e-5),
    Row("J_PD given up", "cost.occlusion: data_cost pixel_deviation", prepare_given_up, twin_given_up,
        {"changes": {"data.occlusion_aware": False}, "grid": (9, 9), "size": (20, 22)}, slack=1e-5),
    Row("J_oa, the text's", OCCLUSION, over_hypotheses(drivers.data_costs), twin_data, TEXT, slack=1e-5,
        undecided=0.2),  # levels of 0.005 px: a sample lies at half a view of some level more often
    Row("J_oa, every second view", OCCLUSION, over_hypotheses(drivers.data_costs), twin_data,
        {"grid": (5, 5), "changes": {"data.view_step": 2}}, slack=1e-5, undecided=0.2),
    Row("J_oa, any disparity", OCCLUSION, over_hypotheses(drivers.data_costs), twin_data, {"exact": False}, rtol=1e-5,
        floor=10.0, slack=1e-5, why="float32 positions of some 10 px are known to 1e-6 px, colours change by 100 a px"),
    Row("J_PD", "cost.occlusion: data_cost", over_hypotheses(drivers.data_costs), twin_data,
        {"changes": {"data.occlusion_aware": False}}),
    Row("levels of tiles", "cost.occlusion: summarise_levels level_of", prepare_levels, twin_levels,
        {"exact": False}),
    Row("ceiling", "cost.occlusion: raise_ceiling", prepare_ceiling, twin_ceiling,
        {"changes": {"data.write_hypothesis": False}}, floor=1.0, why=NEAR),
    Row("ceiling, the pixel left out", "cost.occlusion: raise_ceiling", prepare_ceiling, twin_ceiling,
        {"changes": {"data.write_hypothesis": True}}, floor=1.0, why=NEAR),
    Row("χ", WINDOW, prepare_window, twin_window,
        {"sweep": 4}, slack=1e-5),
    Row("d_s and J_coc", "cost.congruence: smoothed congruence_cost; cost.total: smoothed_around look_around_pixel",
        over_hypotheses(drivers.smoothed_values, (2,), state=True), twin_smoothed, {"sweep": 4},
        floor=1.0, slack=1e-5, why=NEAR),
    Row("d_s and J_coc, the text's", "cost.congruence: smoothed",
        over_hypotheses(drivers.smoothed_values, (2,), state=True), twin_smoothed,
        TEXT | {"sweep": 4, "size": (14, 17)}, floor=1.0, slack=1e-5, why=NEAR),
    Row("ν_sm", "cost.planar: small_normal; geometry.normals: cross", prepare_small_normals, twin_small_normals,
        {"sweep": 7, "size": (13, 12)}, floor=1.0, why="components of unit vectors"),
    Row("J_pg", "cost.planar: planar_cost small_normal angle_degrees", prepare_planar, twin_planar,
        PLANES | {"exact": False}, rtol=1e-6, floor=10.0, slack=1e-5, why=FLOAT_ANGLE),
    Row("J_pg, the text's", "cost.planar: planar_cost", prepare_planar, twin_planar,
        PLANES | TEXT | {"exact": False}, rtol=1e-6, floor=10.0, slack=1e-5, why=FLOAT_ANGLE),
    Row("angle", "cost.planar: angle_degrees", prepare_angles, twin_angles),
    Row("rivals", "cost.rivals: rival_margins margin_of", prepare_rivals, twin_rivals,
        {"size": (9, 10), "grid": (3, 3)}, slack=1e-5, floor=1.0, why="a difference of costs"),
    Row("costs of a list", "cost.rivals: costs_at", prepare_costs_at, twin_data, slack=1e-5),
    Row("cost curve", "solver.curve: cost_curve", prepare_curve, twin_curve,
        {"sweep": 4, "size": (9, 10), "grid": (3, 3)}, slack=1e-5, rtol=5e-6, floor=10.0, why=LAMBDA),
    Row("all terms",
        "cost.total: cost_terms smoothness_terms smoothed_for_cost congruence_weight; solver.sweep: final_costs",
        prepare_terms, twin_terms, {"sweep": 4, "size": (9, 10), "grid": (3, 3)}, slack=1e-5, rtol=5e-6,
        floor=1.0, why=LAMBDA),
)  # fmt: skip
