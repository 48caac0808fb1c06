"""Lanczos interpolation of a picture over 6×6 px, in compiled form."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task

LOBES = 3
"""Half width of the kernel in px."""


@kernel
def lanczos(distance):
    """sinc(x)·sinc(x/LOBES) for |x| < LOBES px, else 0."""
    if abs(distance) < 1e-6:
        return 1.0
    if abs(distance) >= LOBES:
        return 0.0
    angle = np.pi * distance
    return LOBES * np.sin(angle) * np.sin(angle / LOBES) / (angle * angle)


@kernel
def fill_taps(position, weights):
    """Set the weights [2·LOBES] of the samples around `position`, with sum 1; returns the index of the first sample."""
    first = int(np.floor(position)) - LOBES + 1
    total = 0.0
    for k in range(2 * LOBES):
        weights[k] = lanczos(position - (first + k))
        total += weights[k]
    for k in range(2 * LOBES):
        weights[k] /= total
    return first


@task
def resample_rows(begin, end, image, rows, columns, out):
    """Fill rows begin … end − 1 of out float32 [N, M, C] with image [H, W, C] at (rows, columns) [N, M] px.

    Positions more than half a px outside the picture give NaN; the samples at its edge are repeated outside.
    """
    height, width, channels = image.shape
    vertical, horizontal = np.empty(2 * LOBES), np.empty(2 * LOBES)
    for n in range(begin, end):
        for m in range(rows.shape[1]):
            y, x = rows[n, m], columns[n, m]
            if not (-0.5 <= y <= height - 0.5 and -0.5 <= x <= width - 0.5):
                out[n, m] = np.nan
                continue
            top, left = fill_taps(y, vertical), fill_taps(x, horizontal)
            for c in range(channels):
                total = 0.0
                for i in range(2 * LOBES):
                    line = 0.0
                    row = min(max(top + i, 0), height - 1)
                    for j in range(2 * LOBES):
                        line += horizontal[j] * image[row, min(max(left + j, 0), width - 1), c]
                    total += vertical[i] * line
                out[n, m, c] = total
