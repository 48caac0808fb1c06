"""Plain twins of `ioadr.solver.map_filters`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def blurred(values: Array, taps: Array) -> Array:
    """Weighted mean over a square of the map, edges repeated."""
    half = len(taps) // 2
    padded = np.pad(values, half, mode="edge")
    return np.array(
        [
            [taps @ padded[n : n + len(taps), m : m + len(taps)] @ taps for m in range(values.shape[1])]
            for n in range(values.shape[0])
        ]
    )


def medians(padded: Array) -> Array:
    """Median of every 5×5 px."""
    height, width = padded.shape[0] - 4, padded.shape[1] - 4
    return np.array([[np.median(padded[n : n + 5, m : m + 5]) for m in range(width)] for n in range(height)])


def torn(padded: Array, gap: int, limit: float) -> Array:
    """Share of 24 neighbours, `gap` px apart, that miss the plane through the pixel in the middle."""
    height, width = padded.shape[0] - 4 * gap, padded.shape[1] - 4 * gap
    out = np.empty((height, width))
    for n, m in np.ndindex(height, width):
        window = padded[n : n + 4 * gap + 1 : gap, m : m + 4 * gap + 1 : gap]
        down, right = np.median(np.diff(window[:, 2])), np.median(np.diff(window[2]))
        steps = np.arange(-2, 3)
        plane = window[2, 2] + down * steps[:, None] + right * steps
        out[n, m] = np.count_nonzero(np.abs(window - plane) > limit) / 24
    return out
