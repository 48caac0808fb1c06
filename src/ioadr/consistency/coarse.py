"""A coarse shift map from the views in the row and the column of the reference view."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.matching import Image, Pictures, box, volume

MOST_SHIFTS = 25
MATCHED, SMOOTHED = 1, 2
"""Radius, px, of the matched window, and of the median that removes outliers among the shifts."""

Masks = NDArray[np.bool_]
Numbers = NDArray[np.intp]


def tried_shifts(low: float, high: float) -> NDArray[np.float64]:
    """Shifts to try, about half a pixel apart."""
    return np.linspace(low, high, int(np.clip(np.ceil((high - low) / 0.5) + 1, 3, MOST_SHIFTS)))


def coarse_map(pictures: Pictures, low: float, high: float) -> Image:
    """[N, M]: shift of the farthest view, px, at which the views in the row and the column of the reference match."""
    shifts = tried_shifts(low, high)
    raw = {key: volume(pictures, views, shifts) for key, views in sides(pictures).items()}
    return shifts[median(_cheapest(raw), len(shifts), SMOOTHED)].astype(np.float32)


def sides(pictures: Pictures) -> dict[tuple[int, int], Masks]:
    """Views before and after the reference view along rows and columns: each point is visible from at least one."""
    along = pictures.directions
    views_by_side: dict[tuple[int, int], Masks] = {}
    for axis in (0, 1):
        pair = {sign: pictures.axial & (sign * along[:, axis] > 0.05) for sign in (-1, 1)}
        if pair[-1].any() and pair[1].any():
            views_by_side |= {(axis, sign): views for sign, views in pair.items()}
    return views_by_side


def _cheapest(raw: dict[tuple[int, int], NDArray[np.float32]]) -> Numbers:
    """[N, M]: number of the shift at which one side of each axis matches best."""
    smooth = {key: box(values, MATCHED) for key, values in raw.items()}
    axes = {axis for axis, _ in smooth}
    total = sum(np.minimum(smooth[axis, -1], smooth[axis, 1]) for axis in axes)
    cheapest: Numbers = np.argmin(total, axis=0)
    return cheapest


def median(numbers: Numbers, count: int, radius: int) -> Numbers:
    """Median of the numbers 0 … count − 1 around each pixel."""
    reached = numbers <= np.arange(count - 1)[:, None, None]
    middle: Numbers = (box(reached.astype(np.float32), radius) < 0.5).sum(axis=0)
    return middle
