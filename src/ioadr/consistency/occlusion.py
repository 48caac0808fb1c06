"""Distinguishes near from far: which of two overlapping surfaces hides the other?

With both axes of the grid reversed, all views match equally well, with negated disparities, but far surfaces would
hide near ones. At a border, two points project to the same pixel of a view, and one of them must be hidden. Which one
does the view show?
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.coarse import Masks, sides
from ioadr.consistency.matching import Image, Pictures, bilinear, block_means
from ioadr.consistency.significance import NOTHING, Finding, by_weight
from ioadr.consistency.surfaces import Places, Surfaces, surfaces_in

LONGEST = 192
"""Longer side of the pictures, px."""
WIDEST = 10.0
"""Largest range of shifts, px; a larger range is examined in smaller pictures."""
GAP = 1.0
"""Smallest shift between two surfaces, px."""
CAP = 15.0
BLOCK = 3
"""Side of a block that votes, px."""
SPREAD = 1.1
"""Standard deviation by which scores are divided. Of 256 textured, smooth, noisy surfaces without any occlusion it is
1.06, and the largest score 3.9: neighbouring blocks are not independent. 4.3 is needed."""


def nearer_hides(pictures: Pictures, low: float, high: float) -> Finding:
    """Votes on whether larger disparities hide smaller ones; shifts of the farthest view are in low … high px."""
    margin = int(max(abs(low), abs(high))) + 2
    if min(pictures.images.shape[1:]) < 2 * margin + 4 * BLOCK or not sides(pictures):
        return NOTHING
    votes = block_means(_votes(pictures, surfaces_in(pictures, low, high)), BLOCK, margin)
    return by_weight(np.sign(votes) * np.sqrt(np.abs(votes)), SPREAD)


def _votes(pictures: Pictures, surfaces: Surfaces) -> Image:
    """[N, M]: where the point of a smaller shift and another of a larger one meet, does the view show the latter?"""
    excess, seen = _unexplained(pictures, surfaces.shift)
    votes = np.zeros(surfaces.shift.size, np.float32)
    for gap, direction in zip(excess, pictures.directions[1:], strict=True):
        pairs = list(collisions(surfaces.shift, direction))
        if not pairs:
            continue
        smaller, larger = (np.concatenate(places) for places in zip(*pairs, strict=True))
        both = seen[smaller] & seen[larger]
        both[both] = surfaces.part(smaller[both], larger[both], direction)
        np.add.at(votes, smaller[both], gap[smaller[both]] - gap[larger[both]])
    return votes.reshape(surfaces.shift.shape)


def _unexplained(pictures: Pictures, shift: Image) -> tuple[NDArray[np.float32], Masks]:
    """[V − 1, N·M]: how much worse a point matches in a view than in those that see it in either order of depth.

    And [N·M]: whether enough views do.
    """
    rows, columns = (grid.astype(np.float32) for grid in np.indices(shift.shape))
    gaps, free = [], []
    for image, (down, right) in zip(pictures.images[1:], pictures.directions[1:], strict=True):
        predicted = bilinear(image, rows - shift * np.float32(down), columns - shift * np.float32(right))
        gaps.append(np.minimum(np.abs(predicted - pictures.images[0]), np.float32(CAP)).ravel())
        by_larger, by_smaller = hidden(shift, float(down), float(right))
        free.append(~(by_larger | by_smaller).ravel())
    gap, sees = np.stack(gaps), np.stack(free)
    count = sees.sum(axis=0)
    usual = (gap * sees).sum(axis=0) / np.maximum(count, 1).astype(np.float32)
    return gap - usual, count >= max(2, len(gap) // 4)


def collisions(shift: Image, direction: NDArray[np.float64]) -> Iterator[tuple[Places, Places]]:
    """Pixels, and others of a larger shift, that land on the same place in a view in this direction."""
    far = float(np.abs(direction).max())
    height, width = shift.shape
    number = np.arange(shift.size).reshape(shift.shape)
    for t in range(1, int(np.ceil(float(np.ptp(shift)) * far)) + 1):
        down, right = (round(t * part / far) for part in direction.tolist())
        first = slice(max(0, -down), height - max(0, down)), slice(max(0, -right), width - max(0, right))
        second = slice(max(0, down), height - max(0, -down)), slice(max(0, right), width - max(0, -right))
        nearer = far * (shift[second] - shift[first])
        meet = (nearer >= max(t - 0.5, GAP * far)) & (nearer < t + 0.5)
        yield number[first][meet], number[second][meet]


def hidden(shift: Image, down: float, right: float) -> tuple[Masks, Masks]:
    """[N, M] each: pixels that a view in this direction cannot see if larger, or smaller, shifts are nearer.

    The occluder at distance t in the direction of the view lands on the pixel if their shifts differ by t.
    """
    far = max(abs(down), abs(right))
    by_larger, by_smaller = np.zeros(shift.shape, bool), np.zeros(shift.shape, bool)
    for t in range(1, int(np.ceil(float(np.ptp(shift)) * far)) + 1):
        step = round(t * down / far), round(t * right / far)
        least = max((t - 0.5) / far, GAP)
        by_larger |= np.roll(shift, (-step[0], -step[1]), (0, 1)) - shift >= least
        by_smaller |= shift - np.roll(shift, step, (0, 1)) >= least
    return by_larger, by_smaller
