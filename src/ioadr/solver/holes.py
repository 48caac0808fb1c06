"""Opens holes that a foreground has closed: whole segments of similar colour, if their cost allows it (decision 12).

Through a small hole, few views see the same background, and no single pixel can open, because its neighbours hide it.
A segment that looks like farther pixels around it is therefore moved to their plane as a whole.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.cost.rivals import costs_at
from ioadr.geometry.windows import grow
from ioadr.result import SweepRecord
from ioadr.solver.finish import disparity_of
from ioadr.solver.noise import calm_colours, local_noise
from ioadr.solver.problem import snapshot_occluders
from ioadr.solver.refine import Refinement
from ioadr.solver.regions import colours
from ioadr.solver.schedule import SweepPlan
from ioadr.solver.segments import label

FloatMap = NDArray[np.float32]
Pixels = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Rows and columns of a segment's pixels."""
EVEN, COARSE, ALIKE = 4.0, 8.0, 8.0
"""Largest difference in colour, grey levels, between neighbours of a fine and of a coarse segment, and between it and
its surface."""
STRICT, FORGIVING = (1.0, 0.0), (1.1, 0.6)
"""Limit on the cost of open segments, without the noise: a factor on that before, plus grey levels. A hole's rim is
mixed, and its background is still uncertain, so the limit is higher between sweeps; the next sweeps close wrong
holes."""
SMALLEST, LARGEST = 10, 250
"""Smallest and largest size of a segment, px: smaller ones resemble anything, larger ones survive the sweeps."""
AROUND, FEWEST = 20, 40
"""Radius of the search for a segment's background, px, and the smallest number of its pixels."""
JUMP, FLAT = 1.0, 0.6
"""Shift, px of the outermost view, by which that surface is farther, and by which its pixels may miss their plane."""
ON_PLANE = 0.8
"""Share of its pixels that must lie on the plane."""
STEPS = 8
"""Number of steps of the robust fit of a plane."""
RIDGE = 1e-9
"""Share of the weight that keeps the plane of pixels in one line solvable."""


class Proposal(NamedTuple):
    """A segment on another plane."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    disparity: FloatMap


def sweep_with_holes(refinement: Refinement, step: SweepPlan, closing: SweepPlan, seed: int) -> SweepRecord:
    """A sweep. If planned, holes are opened first, so that pixels next to them can follow."""
    if not step.open_holes:
        return refinement.sweep(step, seed)
    begin = time.perf_counter()
    refinement.opened = open_all_holes(refinement, closing, FORGIVING)
    record = refinement.sweep(step, seed)
    return replace(record, seconds=time.perf_counter() - begin)


def open_all_holes(refinement: Refinement, closing: SweepPlan, judge: tuple[float, float]) -> FloatMap:
    """The refinement's map, with holes of uniform and of coarser colour opened.

    Coarser segments are found in calmer colours, where noise neither joins nor divides them.
    """
    noise = local_noise(refinement, closing)
    for even in (EVEN, COARSE):
        image = colours(refinement.rays) if even == EVEN else calm_colours(refinement, noise, ALIKE)
        opened = open_holes(refinement, closing, image, even, noise, judge)
        if not np.array_equal(
            opened, refinement.disparity
        ):  # a new map forgets what sweeps know of the old one's costs
            refinement.disparity = opened
    return refinement.disparity


def open_holes(
    refinement: Refinement,
    closing: SweepPlan,
    image: FloatMap,
    even: float,
    noise: FloatMap,
    judge: tuple[float, float],
) -> FloatMap:
    """The refinement's map with accepted segments moved to the plane behind them.

    All segments are tried together, because views look through several holes. Those that cost more are closed
    again until all remaining ones lower the cost.
    """
    before = refinement.disparity
    proposals = propose(before, image, refinement, even)
    old = segment_costs(refinement, closing, before, proposals)
    limits = [
        highest_cost(cost, float(noise[proposal.rows, proposal.columns].mean()), judge)
        for cost, proposal in zip(old, proposals, strict=True)
    ]
    while proposals:
        opened = applied(before, proposals)
        new = segment_costs(refinement, closing, opened, proposals)
        pays = [cost <= limit for cost, limit in zip(new, limits, strict=True)]
        if all(pays):
            return opened
        proposals = [proposal for proposal, kept in zip(proposals, pays, strict=True) if kept]
        limits = [limit for limit, kept in zip(limits, pays, strict=True) if kept]
    return before


def highest_cost(before: float, noise: float, judge: tuple[float, float]) -> float:
    """Highest cost of an open segment, grey levels.

    Noise and mismatch add up as squares: the same mismatch raises a cost less, the noisier the views are. So the limit
    holds for what remains without the noise.
    """
    factor, more = judge
    noise = min(noise, before)
    return math.hypot(noise, factor * math.sqrt(before**2 - noise**2) + more)


def propose(disparity: FloatMap, image: FloatMap, refinement: Refinement, even: float) -> list[Proposal]:
    """Segments that look like farther pixels around them, on the plane of those."""
    jump = disparity_of(JUMP, refinement.rays)
    labels = np.empty(disparity.shape, np.int64)
    label(image, disparity, np.float32(even), np.float32(jump / 2), labels)
    farthest = -grow(-disparity, AROUND)
    proposals = []
    for rows, columns in segments(labels, disparity, farthest, jump):
        own = middle_of(disparity[rows, columns])
        if farthest[rows, columns].min() >= own - jump:
            continue
        if not has_rim(rows, columns, labels, disparity, own - jump / 2, image):
            continue
        y, x = farther_pixels(disparity, rows, columns, own - jump)
        alike = (np.abs(image[y, x] - image[rows, columns].mean(axis=0)) <= ALIKE).all(axis=1)
        if np.count_nonzero(alike) < FEWEST:
            continue
        proposals += on_plane(refinement, disparity, (rows, columns), (y[alike], x[alike]))
    return proposals


def farther_pixels(disparity: FloatMap, rows: NDArray[np.intp], columns: NDArray[np.intp], limit: float) -> Pixels:
    """Rows and columns of the pixels around a segment that are farther than a limit."""
    part = window(rows, columns, disparity.shape)
    farther = disparity[part] < limit
    farther[rows - part[0].start, columns - part[1].start] = False
    y, x = np.nonzero(farther)
    return y + part[0].start, x + part[1].start


def on_plane(refinement: Refinement, disparity: FloatMap, segment: Pixels, surface: Pixels) -> list[Proposal]:
    """A segment on the plane of a farther surface; none if that is not plane, or not farther everywhere."""
    jump, flat = (disparity_of(shift, refinement.rays) for shift in (JUMP, FLAT))
    plane, missed = fit_plane(*surface, disparity[surface])
    values = (plane[0] + plane[1] * segment[0] + plane[2] * segment[1]).astype(np.float32)
    if np.mean(missed < flat) < ON_PLANE or not (values < disparity[segment] - jump / 2).all():
        return []
    low, high = np.float32(refinement.limits.minimum), np.float32(refinement.limits.maximum)
    return [Proposal(*segment, np.clip(values, low, high))]


def segments(labels: NDArray[np.int64], disparity: FloatMap, farthest: FloatMap, jump: float) -> Iterator[Pixels]:
    """Rows and columns of every segment that is neither too small nor too large and has something farther around it."""
    order = np.argsort(labels, axis=None, kind="stable")
    sizes = np.bincount(labels.reshape(-1))
    sizes = sizes[sizes > 0]
    ends = np.cumsum(sizes)
    begins = ends - sizes
    around = np.minimum.reduceat(farthest.reshape(-1)[order], begins)
    nearest = np.maximum.reduceat(disparity.reshape(-1)[order], begins)
    kept = (sizes >= SMALLEST) & (sizes <= LARGEST) & (around < nearest - jump)
    for begin, end in zip(begins[kept], ends[kept], strict=True):
        rows, columns = np.divmod(order[begin:end], labels.shape[1])
        yield rows, columns


def has_rim(
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    labels: NDArray[np.int64],
    disparity: FloatMap,
    near: float,
    image: FloatMap,
) -> bool:
    """Whether the pixels next to a segment that are at least as near as `near` have another colour, like a hole's rim.

    A part of a texture-less surface looks like the rest of it, and its cost carries no information.
    """
    height, width = labels.shape
    i = np.clip(np.concatenate([rows - 1, rows + 1, rows, rows]), 0, height - 1)
    j = np.clip(np.concatenate([columns, columns, columns - 1, columns + 1]), 0, width - 1)
    rim = (labels[i, j] != labels[rows[0], columns[0]]) & (disparity[i, j] >= near)
    if not rim.any():
        return False
    difference = image[i[rim], j[rim]].mean(axis=0) - image[rows, columns].mean(axis=0)
    return bool((np.abs(difference) > ALIKE).any())


def window(rows: NDArray[np.intp], columns: NDArray[np.intp], shape: tuple[int, ...]) -> tuple[slice, slice]:
    """The part of the image around a segment."""
    sides = [
        slice(max(int(places.min()) - AROUND, 0), min(int(places.max()) + AROUND + 1, size))
        for places, size in zip((rows, columns), shape, strict=True)
    ]
    return sides[0], sides[1]


def fit_plane(
    rows: NDArray[np.intp], columns: NDArray[np.intp], values: FloatMap
) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
    """Coefficients of 1, row and column, and by how much each pixel misses the plane; outliers count little."""
    middle = float(rows.mean()), float(columns.mean())  # moments about it are of like size
    terms = np.stack([np.ones(len(rows)), rows - middle[0], columns - middle[1]])
    weights, wanted = np.ones(len(rows)), values.astype(np.float64)
    for _ in range(STEPS):
        weighted = terms * weights**2
        moments = weighted @ terms.T
        moments.flat[::4] += RIDGE * moments[0, 0]
        plane = np.linalg.solve(moments, weighted @ wanted)
        missed = np.abs(plane @ terms - wanted)
        weights = 1.0 / (1.0 + (missed / (2.0 * max(middle_of(missed), 0.01))) ** 2)
    plane[0] -= plane[1] * middle[0] + plane[2] * middle[1]
    return plane, missed


def middle_of(values: NDArray[np.floating[Any]]) -> float:
    """The median; faster than numpy's for few numbers."""
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    low, high = np.partition(values, (half - 1, half))[half - 1 : half + 1]
    return float((low + high) / 2)


def applied(disparity: FloatMap, proposals: Sequence[Proposal]) -> FloatMap:
    """The map with all proposals applied."""
    changed = disparity.copy()
    for rows, columns, values in proposals:
        changed[rows, columns] = values
    return changed


def segment_costs(
    refinement: Refinement, closing: SweepPlan, disparity: FloatMap, proposals: Sequence[Proposal]
) -> list[float]:
    """Mean data term of every proposal's pixels in a map, with that map's occlusions."""
    if not proposals:
        return []
    term, rays = refinement.parameters.data, refinement.rays
    occluders = snapshot_occluders(disparity, rays, refinement.limits, term, refinement.workers)
    model = refinement.model(replace(closing, planar_weight=0.0, plane_fits=0), occluders=occluders)
    rows, columns = (np.concatenate([proposal[axis] for proposal in proposals]) for axis in (0, 1))
    costs = np.empty(len(rows), np.float32)
    refinement.workers.rows(costs_at, len(rows), model, rows, columns, disparity[rows, columns], costs)
    ends = np.cumsum([len(proposal.rows) for proposal in proposals])
    return [float(part.mean()) for part in np.split(costs, ends[:-1])]
