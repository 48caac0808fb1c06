"""A quick map with sharp borders, and the cost of every other shift.

Half of the views around the reference view see a point even next to a nearer surface, so the best half counts. Costs
are in variances of the noise. They are summed along rows and columns in both directions, with a penalty on changes
of the shift that is lower across edges of the picture (semi-global matching).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.coarse import Numbers, median, tried_shifts
from ioadr.consistency.matching import LARGEST, Image, Pictures, Volume, box, moved

WORST = 20.0
"""Largest mismatch that counts, in variances of the noise."""
STEP_PRICE, JUMP_PRICE = 2.5, 8.0
"""Cost of a change by one step, and of any larger change, in variances of the noise."""
EDGE, LEAST_PRICE = 8.0, 0.05
"""Strength of an edge, in standard deviations of the noise, that halves the penalties, and their smallest share."""
SHARP, SHARP_MARGIN = 3, 0.3
BESIDE, BESIDE_MARGIN = 2, 0.5
"""Distance from a border, px, and the margin, in variances, by which both of its sides must prefer their own shift."""
LEVEL, LEVEL_REACH = 0.3, 3
"""Largest change of the shift next to a jump, as a share of the jump, and the distance over which it counts, px."""

Places = NDArray[np.intp]
"""Flat indices of pixels."""


@dataclass(frozen=True, eq=False)
class Surfaces:
    """The map and its costs."""

    shifts: NDArray[np.float64]
    """Shifts of the farthest view, px, ascending."""
    number: Numbers
    """[N, M] among the shifts."""
    costs: Volume
    """[shift, N, M] in variances of the noise."""

    @cached_property
    def shift(self) -> Image:
        """[N, M] px."""
        return self.shifts[self.number].astype(np.float32)

    @cached_property
    def _sharp(self) -> Volume:
        return box(self.costs, SHARP).reshape(len(self.shifts), -1)

    @cached_property
    def _beside(self) -> Volume:
        return box(self.costs, BESIDE).reshape(len(self.shifts), -1)

    def part(self, first: Places, second: Places, direction: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether there is a border between each pixel and the next in this direction, rather than a slope or a guess.

        Either both prefer their own shift, or the pixels next to them do, and the map is level there.
        """
        own, other = self.number.ravel()[first], self.number.ravel()[second]
        sharp = np.minimum(
            self._sharp[other, first] - self._sharp[own, first], self._sharp[own, second] - self._sharp[other, second]
        )
        before, after = self._along(first, -direction), self._along(second, direction)
        beside = np.minimum(
            self._beside[other, before] - self._beside[own, before],
            self._beside[own, after] - self._beside[other, after],
        )
        level = self._level(first, second, direction)
        part: NDArray[np.bool_] = (sharp > SHARP_MARGIN) | ((beside > BESIDE_MARGIN) & level)
        return part

    def _level(self, first: Places, second: Places, direction: NDArray[np.float64]) -> NDArray[np.bool_]:
        shift = self.shift.ravel()
        allowed = LEVEL * np.abs(shift[second] - shift[first])
        before = np.abs(shift[self._along(first, -direction, LEVEL_REACH)] - shift[first])
        after = np.abs(shift[self._along(second, direction, LEVEL_REACH)] - shift[second])
        level: NDArray[np.bool_] = (before < allowed) & (after < allowed)
        return level

    def _along(self, places: Places, direction: NDArray[np.float64], distance: int = 1) -> Places:
        """Values at a distance from each pixel; the edge is repeated outside."""
        height, width = self.number.shape
        down, right = np.rint(distance * direction / np.abs(direction).max()).astype(np.intp)
        rows, columns = np.divmod(places, width)
        rows, columns = np.minimum(np.maximum(rows + down, 0), height - 1), np.minimum(columns + right, width - 1)
        return rows * width + np.maximum(columns, 0)


def surfaces_in(pictures: Pictures, low: float, high: float) -> Surfaces:
    """Shifts of the farthest view between low and high, px."""
    shifts = tried_shifts(low, high)
    costs = np.stack([_mismatch(pictures, shift) for shift in shifts])
    noise = float(np.median(costs.min(axis=0))) + 1e-3
    costs = np.minimum(costs / np.float32(noise), np.float32(WORST))
    total = semiglobal(costs, pictures.images[0] / np.float32(EDGE * np.sqrt(noise)))
    return Surfaces(shifts, median(np.argmin(total, axis=0), len(shifts), 1), costs)


def _mismatch(pictures: Pictures, shift: float) -> Image:
    """[N, M]: variance over the half of the views that agrees best, if all points move by this shift."""
    octants = np.rint(np.arctan2(*pictures.directions.T) / (np.pi / 4)).astype(np.intp) % 8
    sums, squares = np.zeros((2, 8, *pictures.images.shape[1:]), np.float32)
    counts, most = np.bincount(octants[1:], minlength=8), np.float32(LARGEST)
    for image, (down, right), octant in zip(pictures.images[1:], pictures.directions[1:], octants[1:], strict=True):
        gap = moved(image, -shift * down, -shift * right) - pictures.images[0]
        np.minimum(gap, most, out=gap)  # half the time of numpy's clip
        np.maximum(gap, -most, out=gap)
        sums[octant] += gap
        gap *= gap
        squares[octant] += gap
    count, best = _three(counts), np.full(sums.shape[1:], np.inf, np.float32)
    for middle in np.flatnonzero(count >= max(1, count.max() // 2)):
        total, square = _three(sums, middle), _three(squares, middle)
        total *= total
        total *= np.float32(1.0 / (count[middle] + 1))
        square -= total
        square *= np.float32(1.0 / count[middle])
        np.minimum(best, square, out=best)
    return best


def _three(octants: NDArray[Any], middle: Any = slice(None)) -> NDArray[Any]:
    """Sums over an octant and its two neighbours: half of the views."""
    around = np.arange(8)
    return octants[around[middle]] + octants[around[middle] - 1] + octants[around[middle] - 7]


def semiglobal(costs: Volume, guide: Image) -> Volume:
    """[shift, N, M]: costs with those of all pixels before and after in the row and the column."""
    edges = np.diff(guide, axis=0), np.diff(guide, axis=1).T
    by_row, by_column = costs.transpose(1, 0, 2), costs.transpose(2, 0, 1)
    rows, columns = (_both_ways(lines, edge) for lines, edge in zip((by_row, by_column), edges, strict=True))
    rows += columns.transpose(2, 1, 0)
    return rows.transpose(1, 0, 2)


def _both_ways(lines: Volume, edges: Image) -> Volume:
    """[line, shift, pixel], from line to line and back, together: numpy's calls take longer than their work."""
    price = np.maximum(1.0 / (1.0 + edges * edges), np.float32(LEAST_PRICE))
    lines, price = np.stack([lines, lines[::-1]], axis=1), np.stack([price, price[::-1]], axis=1)[:, :, None]
    ways = _paths(lines, np.float32(JUMP_PRICE) * price, np.float32(STEP_PRICE) * price)
    return ways[:, 0] + ways[::-1, 1]


def _paths(lines: Volume, jumps: Volume, steps: Volume) -> Volume:
    """[line, way, shift, pixel]: lowest cost of a path to each line, over all shifts before."""
    ways = lines.copy()
    for before, best, jump, step in zip(ways[:-1], ways[1:], jumps, steps, strict=True):
        least = before.min(axis=1, keepdims=True)
        cheapest = np.minimum(before, least + jump)
        stepped = before + step
        np.minimum(cheapest[:, 1:], stepped[:, :-1], out=cheapest[:, 1:])
        np.minimum(cheapest[:, :-1], stepped[:, 1:], out=cheapest[:, :-1])
        cheapest -= least
        best += cheapest
    return ways
