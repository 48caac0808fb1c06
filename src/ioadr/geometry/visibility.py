"""Pixels of the reference view that another view sees, according to the map (§ IV-C)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.geometry.warp import project_map

HIDDEN = 2.0
"""Smallest distance of a point and its occluder in the reference view, px: direct neighbours do not hide it."""


def seen_from(disparity: NDArray[Any], offset: tuple[float, float]) -> NDArray[np.bool_]:
    """[N, M]: whether the pixel's point lies inside the view at `offset`, with nothing in front of it."""
    height, width = disparity.shape
    nearest = np.empty(disparity.shape, np.float32)
    project_map(disparity.astype(np.float32), np.float32(offset[0]), np.float32(offset[1]), nearest)
    row = np.rint(np.arange(height)[:, None] - disparity * offset[0])
    column = np.rint(np.arange(width) - disparity * offset[1])
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    there = np.where(inside, row, 0).astype(np.intp), np.where(inside, column, 0).astype(np.intp)
    hidden = (nearest[there] - disparity) * max(map(abs, offset)) > HIDDEN
    return np.asarray(inside & ~hidden)
