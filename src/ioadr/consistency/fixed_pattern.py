"""Finds patterns that are fixed to the pixels of every view: edges of JPEG blocks, and the mosaic of raw sensor data.

They do not move with the scene, so they look like texture of disparity 0, or like a near surface that hides far ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 8
"""Side of JPEG's blocks, px."""
BLOCKS = 2.0
"""Smallest ratio of the second differences at edges of blocks to those elsewhere. It is at most 1.10 in uncompressed
views, and at least 2.9 where near and far were decided wrongly (quality 10 to 20)."""
MOSAIC = 1.25
"""Smallest ratio of the differences between neighbours to those between pixels two apart. It is 1.0 for noise, 0.6 to
0.97 for pictures and at least 1.5 for mosaics."""
SMALLEST = 4 * BLOCK


def has_blocks(view: NDArray[Any]) -> bool:
    """Whether edges of JPEG blocks stand out in a view [N, M, C]."""
    if min(view.shape[:2]) < SMALLEST:
        return False
    grey = _grey(view)
    # The order of views is judged before infinite samples are refused.
    return bool(np.isfinite(grey).all()) and min(_blocks(grey), _blocks(grey.T)) > BLOCKS


def is_mosaic(view: NDArray[Any]) -> bool:
    """Whether a view [N, M, C] seems to be raw sensor data, with another colour in every second pixel."""
    if min(view.shape[:2]) < SMALLEST:
        return False
    grey = _grey(view)
    return min(_mosaic(grey), _mosaic(grey.T)) > MOSAIC


def _grey(view: NDArray[Any]) -> NDArray[np.float32]:
    """Mean of the channels; numpy's takes five times as long over so short an axis."""
    total = view[..., 0].astype(np.float32)
    for channel in range(1, view.shape[-1]):
        total += view[..., channel]
    return total / np.float32(view.shape[-1])


def _blocks(grey: NDArray[np.float32]) -> float:
    """Bends at the most striking of eight phases of columns, over the others."""
    steps = np.diff(grey, axis=1)
    bends = np.abs(steps[:, 1:-1] - 0.5 * (steps[:, :-2] + steps[:, 2:])).mean(axis=0)
    phases = bends[: len(bends) // BLOCK * BLOCK].reshape(-1, BLOCK).mean(axis=0)
    highest = float(phases.max())
    return highest / max((float(phases.sum()) - highest) / (BLOCK - 1), 1e-9)


def _mosaic(grey: NDArray[np.float32]) -> float:
    one, two = (float(np.abs(grey[:, step:] - grey[:, :-step]).mean()) for step in (1, 2))
    return one / max(two, 1e-9)
