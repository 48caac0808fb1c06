"""Projection from one view's pixels to another's, in compiled form (§ IV-A)."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel

FOOTPRINT = 0.75
"""Radius, px, that a pixel covers around its projection, so that stretched oblique surfaces have no holes."""
SAME_SURFACE = 0.5
"""Largest difference in disparity between neighbouring pixels of one surface, px."""
STEPS = 3


@kernel
def project_map(disparity, dy, dx, out):
    """Disparity map [N, M] of the view at offset (dy, dx), px: the nearest surface, NaN where no pixel projects."""
    height, width = disparity.shape
    out[:] = np.nan
    for n in range(height):
        for m in range(width):
            d = disparity[n, m]
            y, x = n - d * dy, m - d * dx
            if not (-1 < y < height and -1 < x < width):
                continue
            for i in range(max(0, int(np.ceil(y - FOOTPRINT))), min(height, int(np.floor(y + FOOTPRINT)) + 1)):
                for j in range(max(0, int(np.ceil(x - FOOTPRINT))), min(width, int(np.floor(x + FOOTPRINT)) + 1)):
                    if not out[i, j] >= d:
                        out[i, j] = d
    refine_map(disparity, dy, dx, out)


@kernel
def refine_map(disparity, dy, dx, out):
    """Refine each projected disparity to that of the surface at the pixel: d = map(pixel + d·offset), iterated."""
    height, width = out.shape
    for i in range(height):
        for j in range(width):
            d = out[i, j]
            for _ in range(STEPS):
                y, x = i + d * dy, j + d * dx
                if 0 <= y <= height - 1 and 0 <= x <= width - 1:
                    d = surface_at(disparity, y, x, d)
            out[i, j] = d


@kernel
def surface_at(disparity, y, x, d):
    """Bilinear disparity at (y, x) of the pixels on the surface of d; d itself if there are none."""
    height, width = disparity.shape
    n, m = min(int(y), height - 2), min(int(x), width - 2)
    total, weights = 0.0, 0.0
    for a in range(2):
        for b in range(2):
            tap = disparity[n + a, m + b]
            weight = (1.0 - abs(y - n - a)) * (1.0 - abs(x - m - b))
            if abs(tap - d) <= SAME_SURFACE:
                total += weight * tap
                weights += weight
    return np.float32(total / weights) if weights > 0.0 else d


@kernel
def sample_along(image, disparity, dy, dx, out):
    """Set out [N, M, C] to image at pixel + disparity·(dy, dx), bilinear; NaN outside it and where disparity is NaN."""
    height, width, channels = image.shape
    for i in range(disparity.shape[0]):
        for j in range(disparity.shape[1]):
            y, x = i + disparity[i, j] * dy, j + disparity[i, j] * dx
            if not (0 <= y <= height - 1 and 0 <= x <= width - 1):
                out[i, j] = np.nan
                continue
            n, m = min(int(y), height - 2), min(int(x), width - 2)
            fy, fx = y - n, x - m
            for c in range(channels):
                above = image[n, m, c] * (1.0 - fx) + image[n, m + 1, c] * fx
                below = image[n + 1, m, c] * (1.0 - fx) + image[n + 1, m + 1, c] * fx
                out[i, j, c] = above * (1.0 - fy) + below * fy
