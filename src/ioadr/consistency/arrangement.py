"""Finds by matching which of the eight arrangements of a grid the views are in.

Along a row of the grid points move along rows of the image, along a column along columns, by the same
disparity. Transposed grids move them along the wrong axis; with one axis reversed the two disparities have
opposite signs. Blocks of the image vote. Reversing both axes changes no match: `occlusion` tests that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.matching import Offsets, Pictures, block_means, difference
from ioadr.consistency.significance import NOTHING, Finding, by_counting

LEVELS = (192, 96, 48)
"""Longer side of the pictures that are compared, px: coarser pictures show larger shifts."""
REACH, STEP = 8.0, 0.5
"""Shifts of the farthest view that are tried, px."""
ENDS = 0.1
"""Share of blocks at the largest shift above which larger shifts are tried."""
DISTINCT = 0.06
"""Smallest relative gain of one arrangement over another for which a block votes."""

Arrangement = tuple[bool, bool]
"""Whether the grid is transposed, and whether one of its axes is reversed."""
ALL: tuple[Arrangement, ...] = ((False, False), (False, True), (True, False), (True, True))


@dataclass(frozen=True, eq=False)
class Matches:
    """Match of the views in each distinct arrangement."""

    costs: Mapping[Arrangement, NDArray[np.float32]]
    """[shift, block]"""
    shifts: NDArray[np.float64]
    """Shifts, px of the pictures."""
    longest: int

    @property
    def best(self) -> Arrangement:
        return min(self.costs, key=lambda arrangement: float(self.costs[arrangement].min(axis=0).mean()))

    def compared(self, first: Arrangement, second: Arrangement) -> Finding:
        """Whether blocks match better in the first arrangement."""
        if first not in self.costs or second not in self.costs:
            return NOTHING
        ours, theirs = (self.costs[arrangement].min(axis=0) for arrangement in (first, second))
        gain = (theirs - ours) / np.maximum(np.maximum(ours, theirs), 1e-3)
        return by_counting(int(np.count_nonzero(gain > DISTINCT)), int(np.count_nonzero(gain < -DISTINCT)))

    def limits(self) -> tuple[float, float]:
        """Smallest and largest shift of blocks with a clear match in the best arrangement, px."""
        costs = self.costs[self.best]
        sharp = costs.min(axis=0) < 0.7 * np.median(costs, axis=0)
        shifts = self.shifts[costs.argmin(axis=0)][sharp]
        if not len(shifts):
            return -1.0, 1.0
        low, high = np.percentile(shifts, (1, 99))
        return float(low) - STEP, float(high) + STEP

    @property
    def at_ends(self) -> float:
        """Share of the blocks whose best shift is the largest."""
        costs = self.costs[self.best]
        return float(np.mean(np.abs(self.shifts[costs.argmin(axis=0)]) > self.shifts[-1] - STEP))


def rearranged(offsets: Offsets, arrangement: Arrangement) -> Offsets:
    """Positions of the views in an arrangement; a reversed axis is assumed to be the rows."""
    transposed, mirrored = arrangement
    return (offsets[:, ::-1] if transposed else offsets) * np.array([-1.0 if mirrored else 1.0, 1.0])


def distinct_arrangements(offsets: Offsets) -> list[Arrangement]:
    """The arrangements that differ; for a line, only two."""
    distinct: list[Arrangement] = []
    for arrangement in ALL:
        own = rearranged(offsets, arrangement)
        others = [rearranged(offsets, other) for other in distinct]
        if not any(np.allclose(own, other) or np.allclose(own, -other) for other in others):
            distinct.append(arrangement)
    return distinct


def matched(pictures: Pictures) -> Matches:
    """Matches in the finest pictures with acceptable shifts."""
    for longest in LEVELS:
        matches = matched_at(pictures.reduced(longest), longest)
        if matches.at_ends < ENDS:
            break
    return matches


def matched_at(pictures: Pictures, longest: int) -> Matches:
    """Compare blocks of the pictures at every shift in every arrangement."""
    shifts = np.arange(-REACH, REACH + STEP / 2, STEP)
    side = min(pictures.images.shape[1:])
    size, margin = int(np.clip(side // 12, 5, 12)), int(min(REACH, side // 8))
    matched: dict[tuple[int, float, float], NDArray[np.float32]] = {}

    def cost(view: int, down: float, right: float) -> NDArray[np.float32]:
        key = (view, round(down, 3), round(right, 3))
        if key not in matched:
            gap = difference(pictures.images[0], pictures.images[view], down, right)
            matched[key] = block_means(gap, size, margin)
        return matched[key]

    def costs(arrangement: Arrangement) -> NDArray[np.float32]:
        towards = rearranged(pictures.directions, arrangement).tolist()  # numpy is slow with single numbers
        views = range(1, len(towards))
        rows = [sum(cost(v, -s * towards[v][0], -s * towards[v][1]) for v in views) for s in shifts.tolist()]
        return np.asarray(rows, np.float32) / np.float32(max(len(views), 1))

    return Matches({a: costs(a) for a in distinct_arrangements(pictures.directions)}, shifts, longest)
