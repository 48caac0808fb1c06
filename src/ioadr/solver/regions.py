"""Replaces whole regions by planes or by a semi-global match where these fit better (beyond the paper, decision 11).

Torn texture-less surfaces become planes first (`solver.slanted`). A false hole in a texture-less or polished surface
survives the sweeps: its rim hides the views that would contradict it. The match uses a cost to which hidden views also
contribute (`cost.heard`). A region that differs from the map is accepted only if all views together agree better *and*
the jumps at its rim do not move from colour edges into texture-less areas.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ioadr.geometry.ppp import LEVELS, Rays
from ioadr.result import SweepRecord
from ioadr.solver.components import label_regions
from ioadr.solver.few_views import few_rays, map_costs
from ioadr.solver.filtered_views import is_large, softened_rays
from ioadr.solver.heard_costs import CHARGE, costs_of_map, hear_planes, semiglobal_match
from ioadr.solver.jumps import DIFFERENT, JUMP, RIM_WEIGHT, ROUGHEST, likenesses, rim_scores
from ioadr.solver.noise import local_noise
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
"""Factors by which the data term of a region, without its noise, may rise if it moves nearer or farther. On gloss,
unfiltered colours slightly favour a false hole; a mirror image is farther than the surface, and nearer surfaces are not
hidden."""

ROUNDS = 4
"""Largest number of searches for torn areas: a plane changes the rim of its neighbours."""


@dataclass(frozen=True)
class Match:
    """A semi-global match, its cost and the map's."""

    disparity: FloatMap
    cost: FloatMap
    """Costs, grey levels, with the contribution of hidden views."""
    cost_of_map: FloatMap


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
        accepted = confirmed(refinement, closing, rays, matched, accepted)
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
    """Mask [N, M] of accepted regions, with the corners that opening removed."""
    labels = np.zeros(disparity.shape, np.int32)
    nearer = (match.disparity - disparity) * reach
    different = np.abs(nearer) > DIFFERENT
    count = label_regions(opened(different), labels) + 1
    area = np.bincount(labels.ravel(), minlength=count)
    thick = np.bincount(core(labels, INNER).ravel(), minlength=count) > 0
    own, new, moved = (
        np.bincount(labels.ravel(), weights=values.ravel(), minlength=count)
        for values in (match.cost_of_map, match.cost, nearer)
    )
    length, before, after = rim_scores(labels, count, disparity, match.disparity, like, reach)
    accepted = (area >= smallest) & thick & (own > BETTER * new) & (np.abs(moved) > JUMP * area)
    accepted &= (own - new + RIM_WEIGHT * (before - after) > 0) & (after < ROUGHEST * length)
    accepted[0] = False
    return grown(accepted[labels]) & different


def confirmed(
    refinement: Refinement, closing: SweepPlan, rays: Rays, matched: FloatMap, accepted: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Accepted regions whose data term does not rise much, with unfiltered colours and each map's own occlusions.

    The limit is a share of the data term that noise does not explain: gloss favours false holes, noise does not.
    """
    before = refinement.disparity
    after = np.where(accepted, matched, before)
    labels = np.zeros(before.shape, np.int32)
    count = label_regions(accepted, labels) + 1
    inside = labels[accepted]
    costs = [map_costs(refinement, closing, rays, values, accepted) for values in (before, after)]
    noise = local_noise(refinement, closing, rays)
    old, new, moved, random = (
        np.bincount(inside, values[accepted], count) for values in (*costs, after - before, noise)
    )
    limit = old + (np.where(moved > 0, NEARER, FARTHER) - 1.0) * np.maximum(old - random, 0.0)
    return accepted & ~(new > limit)[labels]


def colours(rays: Rays) -> FloatMap:
    """The reference view [N, M, 3], grey levels."""
    guide = padded_guide(rays, 0)
    channels = [(guide >> np.uint32(10 * c)) & np.uint32(1023) for c in range(3)]
    return np.stack(channels, axis=-1).astype(np.float32) / np.float32(LEVELS)
