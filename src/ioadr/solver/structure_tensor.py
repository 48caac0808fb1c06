"""Orientation of the lines in epipolar plane images by the structure tensor (§ VI-A), compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task


@kernel
def along_row(row, taps, padded, out):
    """Correlate float32 [M] with taps, with replicated edges; padded is scratch memory [M + taps − 1]."""
    width, half = row.size, taps.size // 2
    padded[:half], padded[half + width :] = row[0], row[width - 1]
    for m in range(width):
        padded[half + m] = row[m]
    out[:] = 0
    for i in range(taps.size):
        tap, shifted = taps[i], padded[i : i + width]
        for m in range(width):
            out[m] += tap * shifted[m]


@kernel
def add_products(smoothed, derived, k, weight, smooth, difference, along, across, product):
    """Add view k to the tensor, times a weight: product float32 [3, M]; along and across are scratch memory [M]."""
    views, width = smoothed.shape
    half = smooth.size // 2
    along[:], across[:] = 0, 0
    for j in range(smooth.size):
        view = min(max(k + j - half, 0), views - 1)
        s, d, inner, outer = smooth[j], difference[j], derived[view], smoothed[view]
        for m in range(width):
            along[m] += s * inner[m]
            across[m] += d * outer[m]
    first, mixed, second = product[0], product[1], product[2]
    for m in range(width):
        first[m] += weight * along[m] * along[m]
        mixed[m] += weight * along[m] * across[m]
        second[m] += weight * across[m] * across[m]


@kernel
def half_tangent(mixed, gap):
    """tan(½·atan2(mixed, gap)), infinite where the angle is π."""
    length = np.sqrt(gap * gap + mixed * mixed)
    if gap < 0:
        return (length - gap) / mixed
    return mixed / (length + gap) if length > 0 else np.float32(0.0)


@task
def epi_orientation(begin, end, epi, centre, smooth, difference, slope, reliability):
    """Slope (px per view) and coherence of the lines through view `centre` in rows begin … end − 1, float32 [N, M].

    epi float32 [K, N, M]: views along one line, shifting along m; smooth, difference float32 [taps].
    """
    views, _, width = epi.shape
    half = smooth.size // 2
    smoothed, derived = np.empty((views, width), np.float32), np.empty((views, width), np.float32)
    product, tensor = np.empty((3, width), np.float32), np.empty((3, width), np.float32)
    padded = np.empty(width + smooth.size - 1, np.float32)
    for n in range(begin, end):
        product[:] = 0
        for k in range(views):
            along_row(epi[k, n], smooth, padded, smoothed[k])
            along_row(epi[k, n], difference, padded, derived[k])
        for k in range(max(centre - half, 0), min(centre + half + 1, views)):
            weight = smooth[k - centre + half]
            add_products(smoothed, derived, k, weight, smooth, difference, tensor[0], tensor[1], product)
        for i in range(3):
            along_row(product[i], smooth, padded, tensor[i])
        for m in range(width):
            mixed, gap = np.float32(2.0) * tensor[1, m], tensor[0, m] - tensor[2, m]
            trace = tensor[0, m] + tensor[2, m]
            slope[n, m] = half_tangent(mixed, gap)
            reliability[n, m] = (gap * gap + mixed * mixed) / (trace * trace) if trace > 1e-6 else np.float32(0.0)
