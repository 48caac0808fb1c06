"""Filters of whole maps, row by row, compiled: blur, medians, tears."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task

WINDOW = 5
"""Side, px, of the squares in which bends are ranked and tears are counted."""
STRIP = 256
"""Number of pixels of a row whose windows fit into the fastest cache."""
_ORDERED = (
    b"abdececdghfhfgjkikijmnlnlmpqoqopstrtrsvwuwuvxycfdgagadehbhbeloioilmpjpjmnqkqknuxrxruvysysvtwirjsasaj"
    b"ktbtbklucuclmvdvdmnwewenoxfxfopygygphqhtnvpxhnhpbjdlfrlrjrekgmhoegehmokoghkmgkgrmrhrhkmshmksmukukm"
)
EXCHANGES = np.frombuffer(_ORDERED, np.uint8).reshape(-1, 2) - np.uint8(ord("a"))
"""Pairs of 25 values to be put in order, one after the other: then the median is in the middle (Devillard 1998)."""


@kernel
def middle_of_four(a, b, c, d):
    """Median of four numbers: the mean of the second and the third in ascending order."""
    low, high = max(min(a, b), min(c, d)), min(max(a, b), max(c, d))
    return (low + high) * np.float32(0.5)


@task
def blur(values, taps, blurred):
    """Correlate float32 [N, M] with taps [2·half + 1] in both directions, edges repeated."""
    height, width = values.shape
    half = taps.size // 2
    column = np.empty(width + 2 * half, np.float32)
    for n in range(height):
        column[:] = 0
        inner, out = column[half : half + width], blurred[n]
        for i in range(taps.size):
            tap, row = taps[i], values[min(max(n + i - half, 0), height - 1)]
            for m in range(width):
                inner[m] += tap * row[m]
        column[:half], column[half + width :] = inner[0], inner[width - 1]
        out[:] = 0
        for j in range(taps.size):
            tap, shifted = taps[j], column[j : j + width]
            for m in range(width):
                out[m] += tap * shifted[m]


@task
def rank_middle(values, ranked):
    """Median over 5×5 px: ranked float32 [N, M] from values float32 [N + 4, M + 4], `STRIP` pixels at a time."""
    height, width = ranked.shape
    window = np.empty((WINDOW * WINDOW, STRIP), np.float32)
    for n in range(height):
        for left in range(0, width, STRIP):
            count = min(STRIP, width - left)
            for k in range(WINDOW * WINDOW):
                row, sample = values[n + k // WINDOW, left + k % WINDOW :], window[k]
                for m in range(count):
                    sample[m] = row[m]
            for e in range(len(EXCHANGES)):
                first, second = window[EXCHANGES[e, 0]], window[EXCHANGES[e, 1]]
                for m in range(count):
                    low, high = min(first[m], second[m]), max(first[m], second[m])
                    first[m], second[m] = low, high
            for m in range(count):
                ranked[n, left + m] = window[WINDOW * WINDOW // 2, m]


@task
def count_torn(padded, gap, limit, torn):
    """Share of 5×5 neighbours, `gap` px apart, that lie off the plane through a pixel: torn float32 [N, M].

    padded float32 [N + 4·gap, M + 4·gap]: the map; limit: px of disparity. The plane's slopes are medians of four
    differences: they follow the surface and ignore single pixels.
    """
    height, width = torn.shape
    reach = 2 * gap
    down, right = np.empty(width, np.float32), np.empty(width, np.float32)
    for n in range(height):
        own = padded[n + reach, reach : reach + width]
        a, b = padded[n, reach : reach + width], padded[n + gap, reach : reach + width]
        d, e = padded[n + 3 * gap, reach : reach + width], padded[n + 4 * gap, reach : reach + width]
        row, out = padded[n + reach], torn[n]
        for m in range(width):
            down[m] = middle_of_four(b[m] - a[m], own[m] - b[m], d[m] - own[m], e[m] - d[m])
            left, right_of = row[m + gap], row[m + 3 * gap]
            right[m] = middle_of_four(left - row[m], own[m] - left, right_of - own[m], row[m + 4 * gap] - right_of)
        out[:] = 0
        for k in range(WINDOW * WINDOW):
            i, j = np.float32(k // WINDOW - 2), np.float32(k % WINDOW - 2)
            beside = padded[n + (k // WINDOW) * gap, (k % WINDOW) * gap : (k % WINDOW) * gap + width]
            for m in range(width):
                off = abs(beside[m] - own[m] - i * down[m] - j * right[m])
                out[m] += np.float32(1.0) if off > limit else np.float32(0.0)
        for m in range(width):
            out[m] *= np.float32(1.0 / (WINDOW * WINDOW - 1))
