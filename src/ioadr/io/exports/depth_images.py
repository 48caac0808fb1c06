"""Depth as 16-bit images, in thousandths of the unit of lengths: millimetres, if that is the metre."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FARTHEST = 65535
"""Largest depth that 16 bits can hold, mm."""


def millimetres(depth: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Depth in metres as 16-bit millimetres; 0 if it is unknown or does not fit."""
    samples = np.rint(np.nan_to_num(depth * 1000.0))
    return np.where(samples <= FARTHEST, samples, 0).astype(np.uint16)


def too_far(depth: NDArray[np.float64]) -> int:
    """Number of pixels whose depth does not fit."""
    return int((millimetres(depth[np.isfinite(depth)]) == 0).sum())
