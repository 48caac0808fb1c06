"""Near from far: where surfaces overlap, which of them hides the other?

With both axes of the grid reversed all views match as well as before, with every disparity negated. Then far
surfaces would hide near ones. A point is hidden in a view by another one that lands on the same place there; for
either order of depth it is known which points these would be, and they do or do not match.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.matching import Image, Pictures, bilinear, block_means, box, volume
from ioadr.consistency.significance import NOTHING, Finding, by_weight

LONGEST = 256
"""px of the pictures."""
WIDEST = 10.0
"""px that the shifts may differ; a larger range is looked at in smaller pictures."""
MOST_SHIFTS = 25
MATCHED, SMOOTHED = 1, 2
"""px around a pixel that are matched, and over which the median of the shifts is taken: stray ones are no surface."""
GAP = 1.0
"""px of shift between two surfaces."""
CAP = 15.0
BLOCK = 4
"""px."""
SPREAD = 1.3
"""Standard deviation by which scores are divided. Of 160 scenes without any occlusion it is 1.11, and the largest score
4.3: neighbouring blocks are not independent, and the tails are heavier than a normal distribution's."""

Masks = NDArray[np.bool_]


def nearer_hides(pictures: Pictures, low: float, high: float) -> Finding:
    """Votes for larger disparities hiding smaller ones; shifts of the farthest view lie in low … high px."""
    margin = int(max(abs(low), abs(high))) + 2
    if min(pictures.images.shape[1:]) < 2 * margin + 3 * BLOCK or not sides(pictures):
        return NOTHING
    votes = block_means(_votes(pictures, coarse_map(pictures, low, high)), BLOCK, margin)
    return by_weight(np.sign(votes) * np.sqrt(np.abs(votes)), SPREAD)


def coarse_map(pictures: Pictures, low: float, high: float) -> Image:
    """[N, M]: shift of the farthest view, px, at which the views in the row and the column of the reference match."""
    steps = int(np.clip(np.ceil((high - low) / 0.5) + 1, 3, MOST_SHIFTS))
    shifts = np.linspace(low, high, steps)
    raw = {key: volume(pictures, views, shifts) for key, views in sides(pictures).items()}
    return shifts[_median(_cheapest(raw), steps)].astype(np.float32)


def sides(pictures: Pictures) -> dict[tuple[int, int], Masks]:
    """Views before and after the reference view along rows and columns: each point is seen from one side at least."""
    along = pictures.directions
    found: dict[tuple[int, int], Masks] = {}
    for axis in (0, 1):
        pair = {sign: pictures.axial & (sign * along[:, axis] > 0.05) for sign in (-1, 1)}
        if pair[-1].any() and pair[1].any():
            found |= {(axis, sign): views for sign, views in pair.items()}
    return found


def _cheapest(raw: dict[tuple[int, int], NDArray[np.float32]]) -> NDArray[np.intp]:
    """[N, M]: number of the shift at which one side of each axis matches best."""
    smooth = {key: box(values, MATCHED) for key, values in raw.items()}
    axes = {axis for axis, _ in smooth}
    total = sum(np.minimum(smooth[axis, -1], smooth[axis, 1]) for axis in axes)
    found: NDArray[np.intp] = np.argmin(total, axis=0)
    return found


def _median(numbers: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Of the numbers 0 … count − 1 around each pixel: how many of them less than half of the numbers reach."""
    reached = numbers <= np.arange(count - 1)[:, None, None]
    found: NDArray[np.intp] = (box(reached.astype(np.float32), SMOOTHED) < 0.5).sum(axis=0)
    return found


def _votes(pictures: Pictures, shift: Image) -> Image:
    """[N, M]: do points that a nearer one would hide match badly, and those that a farther one would hide do not?"""
    rows, columns = (grid.astype(np.float32) for grid in np.indices(shift.shape))
    gaps, balance = [], []
    for image, (down, right) in zip(pictures.images[1:], pictures.directions[1:], strict=True):
        seen = bilinear(image, rows - shift * np.float32(down), columns - shift * np.float32(right))
        gaps.append(np.minimum(np.abs(seen - pictures.images[0]), np.float32(CAP)))
        near, far = hidden(shift, float(down), float(right))
        balance.append((near.astype(np.int8) - far, ~(near | far)))
    gap, side, free = np.stack(gaps), np.stack([b[0] for b in balance]), np.stack([b[1] for b in balance])
    seen_by = free.sum(axis=0)
    usual = (gap * free).sum(axis=0) / np.maximum(seen_by, 1)
    votes: Image = (side * (gap - usual)).sum(axis=0) * (seen_by >= max(2, len(gap) // 4))
    return votes


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
