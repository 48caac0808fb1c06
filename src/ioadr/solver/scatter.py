"""Measured scatter of targets, relative to their precision (beyond the paper, decision 15).

Precisions follow from residuals and texture. They miss the effects of aliasing and noise, which show in the scatter
of neighbouring targets around a fitted map.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr.solver.gloss import blurred

FloatMap = NDArray[np.float32]
AROUND = 2.0
"""px, standard deviation of the window whose mean is taken off: slow errors are the map's, not the targets'."""
FEWEST = 1000
"""Pixels that must tell."""
NORMAL = 1.4826
"""Standard deviations per median of absolute values."""


def local_scatter(
    moved: FloatMap, precision: FloatMap, away: NDArray[np.bool_], finest: float, furthest: float
) -> float:
    """Scatter of how far targets lie from a fitted map [N, M], as a share of their deviation √(1/p + finest²).

    Of pixels away from jumps whose deviation is below `furthest`, the limit of their step; 0 where there are few.
    """
    variance = 1.0 / np.maximum(precision, np.float32(1e-9)) + np.float32(finest**2)
    weights = np.where(away & (precision > 0), 1.0 / variance, np.float32(0.0)).astype(np.float32)
    reach = int(3 * AROUND)
    mean = blurred(weights * moved, AROUND, reach) / np.maximum(blurred(weights, AROUND, reach), np.float32(1e-9))
    sure = away & (precision * furthest**2 > 1)
    if np.count_nonzero(sure) < FEWEST:
        return 0.0
    return float(NORMAL * np.median((np.abs(moved - mean) / np.sqrt(variance))[sure]))
