"""Depth as 16-bit images, in thousandths of the unit of lengths: millimetres, if that is the metre."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FARTHEST = 65535
"""mm that 16 bits hold."""


def millimetres(depth: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Metres as 16-bit millimetres; 0 where there is none, or one that does not fit."""
    samples = np.rint(np.nan_to_num(depth * 1000.0))
    return np.where(samples <= FARTHEST, samples, 0).astype(np.uint16)


def too_far(depth: NDArray[np.float64]) -> int:
    """Pixels whose depth does not fit."""
    return int((millimetres(depth[np.isfinite(depth)]) == 0).sum())
