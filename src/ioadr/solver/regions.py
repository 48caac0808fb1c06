"""Replaces whole regions with planes or a semi-global match where these fit better (beyond the paper, decision 11).

Torn texture-less surfaces become planes first (`solver.slanted`). A false hole in a texture-less or polished surface
survives the sweeps: its rim hides the views that would contradict it. The match uses a cost to which hidden views also
contribute (`cost.heard`). A region that differs from the map is accepted only if all views together agree better *and*
the jumps at its rim do not move from colour edges into texture-less areas.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ioadr.geometry.ppp import LEVELS, Rays
from ioadr.lightfield import DisparityRange
from ioadr.result import SweepRecord
from ioadr.solver.components import label_regions
from ioadr.solver.few_views import few_rays, map_costs
from ioadr.solver.filtered_views import is_large, softened_rays
from ioadr.solver.gloss import blurred
from ioadr.solver.heard_costs import CHARGE, SMOOTHING, costs_of_map, hear_planes, semiglobal_match
from ioadr.solver.jumps import DIFFERENT, JUMP, RIM_WEIGHT, ROUGHEST, likenesses, rim_scores
from ioadr.solver.noise import INTERPOLATED, MEAN, local_noise
from ioadr.solver.problem import contrast, padded_guide
from ioadr.solver.refine import Refinement
from ioadr.solver.region_shapes import INNER, core, grown, opened
from ioadr.solver.schedule import SweepPlan
from ioadr.solver.slanted import SOFTENING, Scene, Surface, torn_areas, verdicts

FloatMap = NDArray[np.float32]
Mask = NDArray[np.bool_]
# Tried: 300 px fill small true gaps, MSE×100 of leaves 27.5 → 32.5 (decision 11).
SMALLEST, SIZE = 800, 512 * 512
"""Smallest region, px, and the image size for it, px. In larger images, true gaps are larger, so regions must be larger
in proportion; in smaller images, the limit stays, because evidence is counted in pixels."""
BETTER = CHARGE
"""Factor by which the map must cost more: a right map costs at most this much, even if all views are hidden."""
NEARER, FARTHER = 1.3, 1.0
"""Factors by which the data term of a plane's region, without its noise, may rise if it moves nearer, and that of any
region if it moves farther. On gloss, unfiltered colours slightly favour a false hole; a mirror image is farther than
the surface, and nearer surfaces are not hidden."""
ROUNDED = 0.28
"""Mean difference that rounding causes between a sample and another that is interpolated, as a share of a step: both
errors together have a standard deviation of √(1/12·(1 + 4/9)), and normal ones have a mean of 0.8 times that."""

ROUNDS = 4
"""Largest number of searches for torn areas: a plane changes the rim of its neighbours."""


@dataclass(frozen=True)
class Match:
    """A semi-global match, its cost and the map's."""

    disparity: FloatMap
    cost: FloatMap
    """Costs, grey levels, with the contribution of hidden views."""
    cost_of_map: FloatMap


@dataclass(frozen=True)
class Change:
    """A change of some regions of the map."""

    accepted: Mask
    moved: FloatMap
    """Distance by which pixels move nearer, px."""
    before: FloatMap
    after: FloatMap
    noise: FloatMap
    """Data terms, and the one that noise causes, grey levels."""


def repair_regions(refinement: Refinement, closing: SweepPlan, index: int) -> SweepRecord:
    """Replace torn texture-less surfaces of the refinement's map by planes, and false holes by a semi-global match."""
    begin, before = time.perf_counter(), refinement.disparity
    rays, limits, workers = few_rays(refinement), refinement.limits, refinement.workers
    if rays is not refinement.rays and is_large(refinement.rays):
        refinement.released_rays()
    if refinement.parameters.finish.planes:
        repair_with_planes(refinement, closing, rays)
    present = refinement.disparity
    heard = hear_planes(present, rays, limits, workers)
    matched = semiglobal_match(heard, rays, limits)
    match = Match(matched, *(costs_of_map(heard, values, workers) for values in (matched, present)))
    accepted = judge(present, match, likenesses(colours(rays)), float(rays.reach.max()), smallest_region(refinement))
    if accepted.any():
        accepted = confirmed_match(refinement, closing, rays, match, accepted, 0.5 * float(heard.step))
    refinement.disparity = np.where(accepted, matched, present)
    changed = int(np.count_nonzero(refinement.disparity != before))
    return SweepRecord(index, "finish", changed, float("nan"), time.perf_counter() - begin)


def repair_with_planes(refinement: Refinement, closing: SweepPlan, rays: Rays) -> None:
    """Replace torn texture-less surfaces by planes that unfiltered colours confirm."""
    term, workers = refinement.parameters.congruence, refinement.workers
    view = softened_rays(reference_alone(rays), SOFTENING, workers)
    plain, like = contrast(view, term.half_width) < term.plain_contrast, likenesses(colours(view))
    reach, smallest = float(rays.reach.max()), smallest_region(refinement)
    areas = torn_areas(refinement.disparity, plain, like, reach, smallest)
    if not areas:
        return
    heard = hear_planes(refinement.disparity, rays, refinement.limits, workers, SOFTENING)
    scene = Scene(heard, padded_guide(view, 0), like, plain, reach, smallest / 2, rays.dy.size, workers)
    surface = Surface(refinement.disparity, costs_of_map(heard, refinement.disparity, workers))
    for _ in range(ROUNDS):
        if not areas or not take_planes(refinement, closing, rays, scene, surface, areas):
            return
        areas = torn_areas(surface.disparity, plain, like, reach, smallest)


def take_planes(
    refinement: Refinement, closing: SweepPlan, rays: Rays, scene: Scene, surface: Surface, areas: list[Mask]
) -> bool:
    """Replace torn areas by planes that unfiltered colours confirm; return whether there were any."""
    taken = False
    for verdict in verdicts(scene, surface, areas, refinement.parameters.finish.planes):
        accepted = confirmed(refinement, closing, rays, verdict.surface.disparity, verdict.accepted)
        surface.take(verdict.surface, accepted)
        refinement.disparity = surface.disparity
        taken |= bool(accepted.any())
    return taken


def smallest_region(refinement: Refinement) -> float:
    """Size of the smallest region, px."""
    whole = refinement.lightfield.part
    return SMALLEST * max(1.0, whole.height * whole.width / SIZE)


def reference_alone(rays: Rays) -> Rays:
    """The reference view without the others."""
    start, one = rays.reference * rays.view_stride, np.zeros(1, np.float32)
    samples = rays.samples[start : start + rays.view_stride]
    return rays._replace(samples=samples, dy=one, dx=one, reach=one, reference=0)


def judge(disparity: FloatMap, match: Match, like: list[FloatMap], reach: float, smallest: float) -> NDArray[np.bool_]:
    """Mask [N, M] of accepted regions, with the corners that opening removed.

    Next to a depth discontinuity, a right map is also expensive, because samples mix colours there. So the interior of
    a region, away from its rim, must not contradict the match.
    """
    labels = np.zeros(disparity.shape, np.int32)
    nearer = (match.disparity - disparity) * reach
    different = np.abs(nearer) > DIFFERENT
    count = label_regions(opened(different), labels) + 1
    area = np.bincount(labels.ravel(), minlength=count)
    interior = core(labels, INNER)
    thick = np.bincount(interior.ravel(), minlength=count) > 0
    own, new, moved = (_sums(labels, values, count) for values in (match.cost_of_map, match.cost, nearer))
    inside = _sums(interior, match.cost_of_map - match.cost, count) >= 0
    length, before, after = rim_scores(labels, count, disparity, match.disparity, like, reach)
    accepted = (area >= smallest) & thick & inside & (own > BETTER * new) & (np.abs(moved) > JUMP * area)
    accepted &= (own - new + RIM_WEIGHT * (before - after) > 0) & (after < ROUGHEST * length)
    accepted[0] = False
    return grown(accepted[labels]) & different


def _sums(labels: NDArray[np.int32], values: FloatMap, count: int) -> NDArray[np.float64]:
    """Sum of the values of each label, [count]."""
    return np.asarray(np.bincount(labels.ravel(), weights=values.ravel(), minlength=count), np.float64)


def confirmed(refinement: Refinement, closing: SweepPlan, rays: Rays, plane: FloatMap, accepted: Mask) -> Mask:
    """Accepted regions of a plane whose data term rises by at most 30 %, with unfiltered colours."""
    before = refinement.disparity
    cost = partial(map_costs, refinement, closing, rays, wanted=accepted)
    after = np.where(accepted, plane, before)
    change = Change(accepted, after - before, cost(before), cost(after), local_noise(refinement, closing, rays))
    return supported(change, NEARER - 1.0)


def confirmed_match(
    refinement: Refinement, closing: SweepPlan, rays: Rays, match: Match, accepted: Mask, rounding: float
) -> Mask:
    """Accepted regions of a match that unfiltered colours do not contradict more than filtered ones support it.

    A match is rounded to planes, by up to `rounding` px, and the finish will correct that; the data term without this
    error counts.
    """
    before = refinement.disparity
    cost = partial(map_costs, refinement, closing, rays, wanted=accepted)
    after = np.where(accepted, match.disparity, before)
    new = without_rounding(cost, after, accepted, rounding, refinement.limits)
    noise = np.maximum(local_noise(refinement, closing, rays), rounded_samples(refinement))
    own, other = (by_region(accepted, values) for values in (match.cost_of_map, match.cost))
    return supported(Change(accepted, after - before, cost(before), new, noise), own / np.maximum(other, 1e-6) - 1.0)


def rounded_samples(refinement: Refinement) -> np.float32:
    """Mean data term that the rounding of samples causes, grey levels; 0 for floats, whose digits are unknown."""
    whole = refinement.lightfield.views.dtype.kind == "u"
    return np.float32(ROUNDED * refinement.tones.gain if whole else 0.0)


def supported(change: Change, rise: float | NDArray[np.float64]) -> Mask:
    """Regions of a change whose data term rises by at most a share, one for all or one each; 0 if they move away.

    The share is one of the data term that noise certainly does not explain: gloss favours false holes, noise does not.
    """
    old, new, moved, noise = (
        by_region(change.accepted, values) for values in (change.before, change.after, change.moved, change.noise)
    )
    excess = np.maximum(old - INTERPOLATED / MEAN * noise, 0.0)
    limit = old + np.where(moved > 0, rise, FARTHER - 1.0) * excess
    labels = np.zeros(change.accepted.shape, np.int32)
    label_regions(change.accepted, labels)
    return change.accepted & ~(new > limit)[labels]


def by_region(accepted: Mask, values: FloatMap) -> NDArray[np.float64]:
    """Sums over the connected regions of a mask, by label."""
    labels = np.zeros(accepted.shape, np.int32)
    count = label_regions(accepted, labels) + 1
    return np.asarray(np.bincount(labels[accepted], values[accepted], count), np.float64)


def without_rounding(
    cost: Callable[[FloatMap], FloatMap], disparity: FloatMap, moved: Mask, rounding: float, limits: DisparityRange
) -> FloatMap:
    """Costs of a map whose moved pixels may be up to `rounding` px off: where their surroundings cost least."""
    if not rounding:
        return cost(disparity)
    shifted = np.clip(
        [disparity + shift * moved for shift in (-rounding, 0.0, rounding)], limits.minimum, limits.maximum
    )
    costs = np.stack([cost(values) for values in shifted.astype(np.float32)])
    around = [blurred(np.where(moved, values, 0.0), SMOOTHING, int(np.ceil(3 * SMOOTHING))) for values in costs]
    return np.take_along_axis(costs, np.argmin(around, axis=0)[np.newaxis], axis=0)[0]


def colours(rays: Rays) -> FloatMap:
    """The reference view [N, M, 3], grey levels."""
    guide = padded_guide(rays, 0)
    channels = [(guide >> np.uint32(10 * c)) & np.uint32(1023) for c in range(3)]
    return np.stack(channels, axis=-1).astype(np.float32) / np.float32(LEVELS)
