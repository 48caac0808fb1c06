"""Jumps (depth discontinuities) of a map where the reference view has no edge: most are false (decisions 11, 19).

A jump is weighted by its size, up to 1 for a px of shift in the outermost view, and by the similarity of both colours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.solver.heard_costs import PENALTIES

FloatMap = NDArray[np.float32]
Labels = NDArray[np.int32]
DIFFERENT = 0.2
"""Smallest shift between two surfaces, px."""
JUMP = 0.8
"""Shift beyond `DIFFERENT` that counts as a whole jump, px; also the smallest mean motion of a region."""

RIM_WEIGHT = 10.0
"""Cost of a jump where the image has no texture, grey levels."""
ROUGHEST = 0.18
"""Largest number of jumps per px of rim that a region may have afterwards."""


def sides(axis: int) -> list[tuple[slice, ...]]:
    """All pixels of a map with a neighbour below (axis 0) or right of them (1), and those neighbours."""
    return [tuple(s if a == axis else slice(None) for a in (0, 1)) for s in (slice(0, -1), slice(1, None))]


def likenesses(image: FloatMap) -> list[FloatMap]:
    """exp(−mean|ΔI|/8) of neighbours in a view [N, M, 3], along both axes."""
    pairs = [sides(axis) for axis in (0, 1)]
    return [np.exp(-np.abs(image[a] - image[b]).mean(axis=-1) / PENALTIES[3]) for a, b in pairs]


def jump_sizes(first: FloatMap, second: FloatMap, reach: float) -> FloatMap:
    """Size of the jump between two disparities, 0 … 1."""
    sizes: FloatMap = np.clip((np.abs(first - second) * reach - DIFFERENT) / JUMP, 0, 1)
    return sizes


def jumps_at(disparity: FloatMap, like: list[FloatMap], reach: float) -> FloatMap:
    """Jumps between each pixel and its four neighbours, [N, M]."""
    total = np.zeros_like(disparity)
    for axis in (0, 1):
        a, b = sides(axis)
        found = like[axis] * jump_sizes(disparity[a], disparity[b], reach)
        total[a] += found
        total[b] += found
    return total


def jumps_within(
    labels: Labels, count: int, disparity: FloatMap, like: list[FloatMap], reach: float
) -> NDArray[np.float64]:
    """Jumps of each region between its own pixels."""
    total = np.zeros(count)
    for axis in (0, 1):
        a, b = sides(axis)
        inside = labels[a] == labels[b]
        found = like[axis] * jump_sizes(disparity[a], disparity[b], reach)
        total += np.bincount(labels[a][inside], found[inside], count)
    return total


def rim_scores(
    labels: Labels, count: int, disparity: FloatMap, proposed: FloatMap, like: list[FloatMap], reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Pairs of pixels across the rim of each region, and jumps there without and with the proposal inside."""
    length, before, after = (np.zeros(count) for _ in range(3))
    for axis in (0, 1):
        pair = sides(axis)
        rim = labels[pair[0]] != labels[pair[1]]
        for inner, outer in (pair, pair[::-1]):
            inside = labels[inner][rim]
            length += np.bincount(inside, minlength=count)
            for score, values in ((before, disparity), (after, proposed)):
                found = like[axis][rim] * jump_sizes(values[inner][rim], disparity[outer][rim], reach)
                score += np.bincount(inside, weights=found, minlength=count)
    return length, before, after


def rim_pairs(region: NDArray[np.bool_], disparity: FloatMap, like: list[FloatMap], price: float) -> NDArray[Any]:
    """Pairs across the rim of a region: row and column inside, disparity outside, price of a jump; float32 [R, 4]."""
    rows, columns = np.mgrid[: region.shape[0], : region.shape[1]]
    found = []
    for axis in (0, 1):
        pair = sides(axis)
        for inner, outer in (pair, pair[::-1]):
            rim = region[inner] & ~region[outer]
            values = rows[inner][rim], columns[inner][rim], disparity[outer][rim], price * like[axis][rim]
            found.append(np.stack(values, axis=1))
    return np.concatenate(found).astype(np.float32)
