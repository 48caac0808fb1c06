"""Replaces whole regions by a semi-global match where it fits better (beyond the paper, decision 11).

A false hole in a plain or polished surface survives the sweeps: its rim hides the views that would contradict it.
The match uses a cost in which hidden views pay (`cost.heard`). A region that differs from the map is accepted only if
all views together agree better *and* the jumps at its rim do not move from colour edges into plain areas.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr._lanes import WIDTH
from ioadr.cost.heard import cost_of_map, hear, surface_in_views
from ioadr.cost.view_filters import high_pass
from ioadr.geometry.ppp import LEVELS, Rays
from ioadr.lightfield import DisparityRange
from ioadr.result import SweepRecord
from ioadr.solver.components import label_regions
from ioadr.solver.few_views import few_rays, map_costs
from ioadr.solver.filtered_views import is_large
from ioadr.solver.gloss import blurred
from ioadr.solver.problem import padded_guide
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import SweepPlan
from ioadr.solver.semiglobal import gather_paths

FloatMap = NDArray[np.float32]
PLANES = 3.0
"""Per px of shift in the outermost view."""
MOST_PLANES = 192
"""Coarser beyond: they are what memory and time hang on."""
HIGH_PASS = 0.9
"""Share of low frequencies that the match does not see: gloss and shading are among them."""
HIDDEN = 0.8
"""px of shift by which something nearer hides."""
CHARGE = 1.2
"""What a hidden view pays, as a share of the best match around the pixel."""
SMOOTHING = 2.0
"""px, σ of "around"."""
PENALTIES = (1.0, 10.0, 0.3, 8.0)
"""Grey levels: for a plane up or down, for a jump, for a jump across any edge; colour difference that divides by e."""
DIFFERENT = 0.2
"""px of shift by which match and map differ."""
JUMP = 0.8
"""px of shift beyond `DIFFERENT` that count as a whole jump, and by which a region as a whole must move."""
INNER = 5
"""px that a region reaches around its innermost pixel."""
# Tried: 300 px fill small true gaps, MSE×100 of leaves 27.5 → 32.5 (decision 11).
SMALLEST, SIZE = 800, 512 * 512
"""px of a region, and of an image: in larger ones regions must be larger in proportion, since true gaps are; in smaller
ones not smaller, since evidence is counted in pixels."""
BETTER = CHARGE
"""Factor by which the map must cost more: what is right costs that much if all views are hidden, and no more."""
RIM_WEIGHT = 10.0
"""Grey levels that a jump across a plain rim costs."""
ROUGHEST = 0.18
"""Jumps per px of rim that a region may have afterwards."""
NEARER, FARTHER = 1.3, 1.0
"""Factors by which the data term of a region may rise. On gloss, plain colours favour a false hole a little; a mirror
image is farther than the surface, and nothing hides the views of what is nearer."""


@dataclass(frozen=True)
class Match:
    """A semi-global match, its cost and the map's."""

    disparity: FloatMap
    cost: FloatMap
    """Grey levels, every view heard."""
    cost_of_map: FloatMap


def repair_regions(refinement: Refinement, closing: SweepPlan, index: int) -> SweepRecord:
    """Replace false holes of the refinement's map by a semi-global match."""
    begin, before = time.perf_counter(), refinement.disparity
    rays = few_rays(refinement)
    if rays is not refinement.rays and is_large(refinement.rays):
        refinement.released_rays()
    match = semiglobal_match(before, rays, refinement.limits, refinement.workers)
    whole = refinement.lightfield.part
    smallest = SMALLEST * max(1.0, whole.height * whole.width / SIZE)
    accepted = judge(before, match, colours(rays), float(rays.reach.max()), smallest)
    if accepted.any():
        accepted = confirmed(refinement, closing, rays, match.disparity, accepted)
    refinement.disparity = np.where(accepted, match.disparity, before)
    changed = int(np.count_nonzero(accepted))
    return SweepRecord(index, "finish", changed, float("nan"), time.perf_counter() - begin)


def semiglobal_match(disparity: FloatMap, rays: Rays, limits: DisparityRange, workers: Workers) -> Match:
    """Match over planes a third of a px of shift apart, with the occlusions of the map."""
    height, reach = len(disparity), float(rays.reach.max())
    count = int(np.clip(np.ceil(limits.extent * reach * PLANES), 3, MOST_PLANES - 1))
    planes = np.linspace(limits.minimum, limits.maximum, count + 1, dtype=np.float32)
    step, low = np.float32(limits.extent / count), np.float32(limits.minimum)
    passed = np.empty_like(rays.samples)
    workers.rows(high_pass, rays.dy.size, rays, np.float32(HIGH_PASS), passed)
    surface = seen_surface(disparity, rays, workers)
    deviation = np.empty((*disparity.shape, count + 1), np.uint16)
    share, least = np.empty(deviation.shape, np.uint8), np.empty_like(disparity)
    heard = rays._replace(samples=passed), disparity, surface, planes, np.float32(HIDDEN / reach)
    workers.rows(hear, height, *heard, deviation, share, least)
    del heard, passed, surface  # as large as what follows
    charge = np.float32(CHARGE) * blurred(least, SMOOTHING, int(np.ceil(3 * SMOOTHING)))
    volume = deviation, share, charge
    guide, penalties = padded_guide(rays, 0), tuple(np.float32(p) for p in PENALTIES)
    sums, index = np.empty_like(deviation), np.empty_like(disparity)
    for forward in (True, False):
        gather_paths(forward, guide, *volume, penalties, sums, index)
    matched = np.clip(low + index * step, low, np.float32(limits.maximum))
    costs = np.empty((2, *disparity.shape), np.float32)
    for values, cost in zip((matched, disparity), costs, strict=True):
        workers.rows(cost_of_map, height, *volume, values, low, step, cost)
    return Match(matched, costs[0], costs[1])


def seen_surface(disparity: FloatMap, rays: Rays, workers: Workers) -> FloatMap:
    """The map as each view sees it, flat, with the spare numbers that `hear` reads."""
    size = rays.dy.size * disparity.size
    flat = np.zeros(size + WIDTH, np.float32)
    surface = flat[:size].reshape(-1, *disparity.shape)
    workers.rows(surface_in_views, len(surface), disparity, rays.dy, rays.dx, surface)
    return flat


def judge(disparity: FloatMap, match: Match, image: FloatMap, reach: float, smallest: float) -> NDArray[np.bool_]:
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
    length, before, after = rim_scores(labels, count, disparity, match.disparity, image, reach)
    accepted = (area >= smallest) & thick & (own > BETTER * new) & (np.abs(moved) > JUMP * area)
    accepted &= (own - new + RIM_WEIGHT * (before - after) > 0) & (after < ROUGHEST * length)
    accepted[0] = False
    return grown(accepted[labels]) & different


def confirmed(
    refinement: Refinement, closing: SweepPlan, rays: Rays, matched: FloatMap, accepted: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Accepted regions whose data term does not rise much: plain colours, and the occlusions of each map itself."""
    before = refinement.disparity
    after = np.where(accepted, matched, before)
    labels = np.zeros(before.shape, np.int32)
    count = label_regions(accepted, labels) + 1
    inside = labels[accepted]
    costs = [map_costs(refinement, closing, rays, values, accepted) for values in (before, after)]
    old, new, moved = (np.bincount(inside, values[accepted], count) for values in (*costs, after - before))
    contradicted = new > np.where(moved > 0, NEARER, FARTHER) * old
    return accepted & ~contradicted[labels]


def rim_scores(
    labels: NDArray[np.int32], count: int, disparity: FloatMap, matched: FloatMap, image: FloatMap, reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Pairs of pixels across the rim of each region, and jumps there without and with the match inside."""
    length, before, after = (np.zeros(count) for _ in range(3))
    for axis in (0, 1):
        sides = [tuple(s if a == axis else slice(None) for a in (0, 1)) for s in (slice(0, -1), slice(1, None))]
        plain = np.exp(-np.abs(image[sides[0]] - image[sides[1]]).mean(axis=-1) / PENALTIES[3])
        rim = labels[sides[0]] != labels[sides[1]]
        for inner, outer in (sides, sides[::-1]):
            inside = labels[inner][rim]
            length += np.bincount(inside, minlength=count)
            for score, values in ((before, disparity), (after, matched)):
                step = np.abs(values[inner] - disparity[outer])[rim] * reach
                jump = plain[rim] * np.clip((step - DIFFERENT) / JUMP, 0, 1)
                score += np.bincount(inside, weights=jump, minlength=count)
    return length, before, after


def opened(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask without parts thinner than 3 px: eroded, then dilated, by the four neighbours."""
    return grown(core(mask.astype(np.int32), 1) > 0)


def grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask, dilated by the four neighbours."""
    padded = np.pad(mask, 1)
    wider: NDArray[np.bool_] = mask | padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
    return wider


def core(labels: NDArray[np.int32], steps: int) -> NDArray[np.int32]:
    """Labels of pixels that are `steps` px inside their region, 0 elsewhere."""
    for _ in range(steps):
        padded = np.pad(labels, 1)
        same = (padded[:-2, 1:-1] == labels) & (padded[2:, 1:-1] == labels)
        same &= (padded[1:-1, :-2] == labels) & (padded[1:-1, 2:] == labels)
        labels = np.where(same, labels, 0).astype(np.int32)
    return labels


def colours(rays: Rays) -> FloatMap:
    """The reference view [N, M, 3], grey levels."""
    guide = padded_guide(rays, 0)
    channels = [(guide >> np.uint32(10 * c)) & np.uint32(1023) for c in range(3)]
    return np.stack(channels, axis=-1).astype(np.float32) / np.float32(LEVELS)
