"""Orientation of the lines in epipolar plane images by the structure tensor (§ VI-A), compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task


@kernel
def _along_row(row, taps, out):
    """Correlate float32 [M] with taps, edges replicated."""
    width, half = row.size, taps.size // 2
    for m in range(width):
        total = np.float32(0.0)
        for i in range(taps.size):
            total += taps[i] * row[min(max(m + i - half, 0), width - 1)]
        out[m] = total


@task
def epi_orientation(begin, end, epi, centre, smooth, difference, slope, reliability):
    """Slope (px per view) and coherence of the lines through view `centre`; both float32 [N, M].

    Rows begin … end − 1; epi float32 [K, N, M]: views along one line, shifting along m; smooth, difference float32
    [taps].
    """
    views, _, width = epi.shape
    half = smooth.size // 2
    for n in range(begin, end):
        smoothed, derived = np.empty((views, width), np.float32), np.empty((views, width), np.float32)
        product = np.zeros((3, width), np.float32)
        tensor = np.empty((3, width), np.float32)
        for k in range(views):
            _along_row(epi[k, n], smooth, smoothed[k])
            _along_row(epi[k, n], difference, derived[k])
        for k in range(max(centre - half, 0), min(centre + half + 1, views)):
            weight = smooth[k - centre + half]
            for m in range(width):
                along, across = np.float32(0.0), np.float32(0.0)
                for j in range(smooth.size):
                    view = min(max(k + j - half, 0), views - 1)
                    along += smooth[j] * derived[view, m]
                    across += difference[j] * smoothed[view, m]
                product[0, m] += weight * along * along
                product[1, m] += weight * along * across
                product[2, m] += weight * across * across
        for i in range(3):
            _along_row(product[i], smooth, tensor[i])
        for m in range(width):
            mixed, gap = np.float32(2.0) * tensor[1, m], tensor[0, m] - tensor[2, m]
            trace = tensor[0, m] + tensor[2, m]
            slope[n, m] = np.tan(np.float32(0.5) * np.arctan2(mixed, gap))
            reliability[n, m] = (gap * gap + mixed * mixed) / (trace * trace) if trace > 1e-6 else np.float32(0.0)
