"""Positions of the pixels of an image in one that is slightly shifted, rotated and scaled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def displaced(
    shape: tuple[int, int], shift: NDArray[np.float64], degrees: float, scale: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Rows and columns [N, M]: shifted by (row, column) px, rotated clockwise and scaled about the image's middle."""
    rows, columns = np.mgrid[: shape[0], : shape[1]].astype(np.float64)
    n, m = 0.5 * (shape[0] - 1), 0.5 * (shape[1] - 1)
    sine, cosine = scale * np.sin(np.radians(degrees)), scale * np.cos(np.radians(degrees))
    down, right = rows - n, columns - m
    return (
        (n + cosine * down + sine * right + shift[0]).astype(np.float32),
        (m - sine * down + cosine * right + shift[1]).astype(np.float32),
    )
