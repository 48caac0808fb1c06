"""Cost curves on a lattice of pixels: does another disparity, inside or beyond the range, explain the views as well?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.cost.rivals import LARGEST, costs_at
from ioadr.cost.total import Model
from ioadr.solver.refine import Refinement

FloatMap = NDArray[np.float32]
PITCH = 6
"""Distance between the pixels whose curves are computed, px: a curve at each would cost more than a sweep."""
STEP = 0.75
"""Distance between two samples of a curve, px of shift in the outermost view: a minimum is about two wide."""
MOST = 64
"""Largest number of samples of a curve; in wide ranges they are farther apart."""
BEYOND = 4.0
"""Extent of curves beyond the range, px of shift in the outermost view, because the range may exclude the truth."""
APART = 2
"""Smallest distance between two minima, in samples."""
EQUAL, RIDGE = 0.15, 0.2
"""A second minimum is nearly equal up to the first margin, and another minimum from the second one between them."""


class Curves(NamedTuple):
    """Relative margins over the own cost, as in `cost.rivals`, at the pixels of the lattice [P, Q]."""

    sides: FloatMap
    """Margin of the cheaper of both neighbouring samples, mean over the region."""
    rival: FloatMap
    """Margin of the cheapest other disparity in the range."""
    region_rival: FloatMap
    """The same, of the region's mean curve."""
    beyond: FloatMap
    """Margin of the cheapest disparity beyond the range, in the region's mean curve."""
    unexplained: FloatMap
    """Share of the region's mean cost over all disparities that remains at its own disparity."""
    two_minima: NDArray[np.bool_]
    """Whether the region's mean curve has a second minimum of nearly equal cost."""


def lattice_curves(refinement: Refinement, model: Model, disparity: FloatMap, own: FloatMap) -> Curves:
    """Curves of every sixth pixel in both directions, sampled around the disparity of each."""
    rows, columns = (lattice(size) for size in disparity.shape)
    at = np.ix_(rows, columns)
    centre, mine = disparity[at], own[at]
    offsets, costs = _sampled(refinement, model, rows, columns, centre)
    inside = _inside(refinement, centre, offsets)
    costed = np.isfinite(costs)
    share = _pooled(costed.astype(np.float32))
    pooled = _pooled(np.where(costed, costs - mine, 0)) / np.maximum(share, 1e-6)
    pooled = np.where(share > 0.5, pooled, np.inf)
    region = _pooled(mine[None])[0]
    single, mean = (costs - mine) / (mine + 1), pooled / (region + 1)
    middle = len(offsets) // 2
    far = np.abs(np.arange(len(offsets)) - middle)[:, None, None] >= APART
    level = np.where(np.isfinite(pooled), pooled, 0).sum(0) / np.maximum(np.isfinite(pooled).sum(0), 1)
    return Curves(
        sides=_least(mean[[middle - 1, middle + 1]]),
        rival=_least(np.where(far & inside, single, np.inf)),
        region_rival=_least(np.where(far & inside, mean, np.inf)),
        beyond=_least(np.where(far & ~inside, mean, np.inf)),
        unexplained=(region / np.maximum(region + level, 1e-3)).clip(0, 1).astype(np.float32),
        two_minima=_two_minima(mean, middle),
    )


def lattice(size: int) -> NDArray[np.intp]:
    """Rows or columns of the lattice, from the middle of the first cell on."""
    return np.arange(min(PITCH // 2, (size - 1) // 2), size, PITCH)


def spread(values: FloatMap, shape: tuple[int, ...]) -> FloatMap:
    """Values on the lattice, linear in between, for every pixel."""
    for axis, size in enumerate(shape):
        nodes = lattice(size)
        position = np.clip((np.arange(size) - nodes[0]) / PITCH, 0, len(nodes) - 1)
        first = np.minimum(position.astype(np.intp), max(len(nodes) - 2, 0))
        second = np.minimum(first + 1, len(nodes) - 1)
        share = (position - first).astype(np.float32)
        share = share[:, None] if axis == 0 else share
        values = values.take(first, axis) * (1 - share) + values.take(second, axis) * share
    return np.ascontiguousarray(values, np.float32)


def _sampled(
    refinement: Refinement, model: Model, rows: NDArray[np.intp], columns: NDArray[np.intp], centre: FloatMap
) -> tuple[FloatMap, FloatMap]:
    """Offsets [K], symmetric about 0, and costs [K, P, Q]; infinite where a curve ends."""
    limits, reach = refinement.limits, max(float(refinement.positions.reach.max()), 1e-6)
    low, high = limits.minimum - BEYOND / reach, limits.maximum + BEYOND / reach
    step = max(STEP / reach, (high - low) / MOST)
    count = int((high - low) / step)
    offsets = np.arange(-count, count + 1, dtype=np.float32) * np.float32(step)
    tried = offsets + centre[..., None]
    wanted = (tried >= low) & (tried <= high)
    p, q, _ = np.nonzero(wanted)
    answer = np.empty(len(p), np.float32)
    refinement.workers.rows(costs_at, len(p), model, rows[p], columns[q], tried[wanted], answer)
    costs = np.full(tried.shape, np.inf, np.float32)
    costs[wanted] = answer
    return offsets, np.moveaxis(costs, -1, 0)


def _inside(refinement: Refinement, centre: FloatMap, offsets: FloatMap) -> NDArray[np.bool_]:
    tried, limits = offsets[:, None, None] + centre, refinement.limits
    inside: NDArray[np.bool_] = (tried >= limits.minimum) & (tried <= limits.maximum)
    return inside


def _pooled(values: FloatMap) -> FloatMap:
    """Mean over 3×3 pixels of the lattice [K, P, Q]; edges repeated."""
    padded = np.pad(values, ((0, 0), (1, 1), (1, 1)), mode="edge")
    across = padded[:, :, :-2] + padded[:, :, 1:-1] + padded[:, :, 2:]
    return (across[:, :-2] + across[:, 1:-1] + across[:, 2:]) / np.float32(9)


def _least(margins: FloatMap) -> FloatMap:
    return np.minimum(margins.min(axis=0, initial=np.inf), LARGEST).astype(np.float32)


def _two_minima(mean: FloatMap, middle: int) -> NDArray[np.bool_]:
    """Whether a curve [K, P, Q] falls again to nearly its value in the middle, beyond a ridge, on either side."""
    curve = np.where(np.isfinite(mean), mean, LARGEST)
    two = np.zeros(curve.shape[1:], bool)
    for side in (curve[middle + 1 :], curve[middle - 1 :: -1]):
        ridge = np.maximum.accumulate(side, axis=0)
        two |= ((side < EQUAL) & (ridge - np.maximum(side, 0) > RIDGE))[APART - 1 :].any(axis=0)
    return two
