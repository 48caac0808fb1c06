"""Average the surfaces of neighbouring pixels at a pixel, compiled (beyond the paper, decision 16).

Each pixel chooses its patch independently, and neighbours choose differently by chance. If their surfaces, extended to
the pixel, agree with its own, all are estimates of the same value; their mean is smooth and better than any of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import kernel, task
from ioadr.solver.local_fit import UNIT

GAP = 2
"""Distance between the pixels whose surfaces are averaged, px."""


def pixels_around(radius: int) -> NDArray[np.int64]:
    """Offsets (row, column) [K, 2] of every second pixel of a disc, including its centre."""
    reach = radius // GAP * GAP
    steps = range(-reach, reach + 1, GAP)
    return np.array([(y, x) for y in steps for x in steps if y * y + x * x <= radius * radius], np.int64)


@kernel
def add_said(surfaces, n, m, down, across, own, gate, weight, moved):
    """Add the surfaces of the pixels (down, across) px away, extended to row n: weights and weighted differences.

    Starts at column m. A surface that is 1/√gate px off or more does not count.
    """
    row, size = n + down, own.size - abs(across)
    x, y = np.float32(-across / UNIT), np.float32(-down / UNIT)
    i = m + across
    c0, c1, c2 = surfaces[0, row, i : i + size], surfaces[1, row, i : i + size], surfaces[2, row, i : i + size]
    c3, c4, c5 = surfaces[3, row, i : i + size], surfaces[4, row, i : i + size], surfaces[5, row, i : i + size]
    precision, here = surfaces[6, row, i : i + size], own[m : m + size]
    total, sums = weight[m : m + size], moved[m : m + size]
    for k in range(size):
        said = c0[k] + x * (c1[k] + x * c3[k] + y * c4[k]) + y * (c2[k] + y * c5[k]) - here[k]
        agrees = max(np.float32(1.0) - said * said * gate, np.float32(0.0))
        w = precision[k] * agrees * agrees
        total[k] += w
        sums[k] += w * said


@task
def share_surfaces(begin, end, surfaces, steps, gate, shared):
    """Fill rows begin … end − 1 of shared float32 [N, M] with the mean of the surfaces of the pixels around.

    surfaces float32 [7, N, M]: coefficients of 1, x, y, x², xy, y² about each pixel, and the precision of the first.
    """
    height, width = shared.shape
    weight, moved = np.empty(width, np.float32), np.empty(width, np.float32)
    for n in range(begin, end):
        weight[:], moved[:] = 0, 0
        own = surfaces[0, n]
        for k in range(len(steps)):
            down, across = steps[k]
            if 0 <= n + down < height and abs(across) < width:
                add_said(surfaces, n, max(-across, 0), down, across, own, gate, weight, moved)
        for m in range(width):
            shared[n, m] = own[m] + (moved[m] / weight[m] if weight[m] > 0 else np.float32(0.0))
