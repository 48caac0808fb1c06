"""Measured scatter of targets, relative to their precision (beyond the paper, decisions 15 and 16).

Precisions follow from residuals and texture. They miss the effects of aliasing and noise, and residuals far below the
floor. Both show in the scatter of neighbouring targets around a fitted map, region by region.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr.solver.gloss import blurred

FloatMap = NDArray[np.float32]
AROUND = 2.0
"""Standard deviation, px, of the window whose mean is subtracted: slow errors are the map's, not the targets'."""
REGION, REACH = 16.0, 40
"""Standard deviation and half width, px, of the window over which scatter is measured."""
FEWEST = 1000
"""Smallest number of pixels for a measurement."""
WHOLE = 0.1
"""Weight of the whole image's scatter against that of a region in which all pixels count."""
STRAY = 3.0
"""Distance, in deviations, above which a target is an outlier and its distance no longer counts."""
NORMAL = 1.2533
"""Standard deviations per mean of absolute values."""


def local_scatter(
    moved: FloatMap, precision: FloatMap, away: NDArray[np.bool_], finest: float, furthest: float
) -> FloatMap | None:
    """Scatter of how far targets lie from a fitted map, as a share of their deviation √(1/p + finest²), [N, M].

    Measured away from depth discontinuities, where the deviation is below `furthest`, the limit of a step. None if
    there are too few such pixels.
    """
    sure = away & (precision * furthest**2 > 1)
    if np.count_nonzero(sure) < FEWEST:
        return None
    variance = 1.0 / np.maximum(precision, np.float32(1e-9)) + np.float32(finest**2)
    weights = np.where(away & (precision > 0), 1.0 / variance, np.float32(0.0)).astype(np.float32)
    reach = int(3 * AROUND)
    mean = blurred(weights * moved, AROUND, reach) / np.maximum(blurred(weights, AROUND, reach), np.float32(1e-9))
    off = np.where(sure, np.minimum(np.abs(moved - mean) / np.sqrt(variance), np.float32(STRAY)), np.float32(0.0))
    whole = np.float32(WHOLE * off[sure].mean())
    count = blurred(sure.astype(np.float32), REGION, REACH) + np.float32(WHOLE)
    scatter: FloatMap = np.float32(NORMAL) * (blurred(off, REGION, REACH) + whole) / count
    return scatter
