"""Shapes of regions: without thin parts, with a rim, or without it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

INNER = 5
"""Smallest distance, px, of a region's innermost pixel from its rim."""


def opened(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask without parts thinner than 3 px: eroded, then dilated, by the four neighbours."""
    return grown(core(mask.astype(np.int32), 1) > 0)


def grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask, dilated by the four neighbours."""
    padded = np.pad(mask, 1)
    wider: NDArray[np.bool_] = mask | padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
    return wider


def core(labels: NDArray[np.int32], steps: int) -> NDArray[np.int32]:
    """Labels of pixels that are `steps` px inside their region, 0 elsewhere."""
    for _ in range(steps):
        padded = np.pad(labels, 1)
        same = (padded[:-2, 1:-1] == labels) & (padded[2:, 1:-1] == labels)
        same &= (padded[1:-1, :-2] == labels) & (padded[1:-1, 2:] == labels)
        labels = np.where(same, labels, 0).astype(np.int32)
    return labels
