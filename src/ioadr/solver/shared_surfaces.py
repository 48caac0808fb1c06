"""What the surfaces of the pixels around say about a pixel, compiled (beyond the paper, decision 16).

Each pixel chooses its patch alone, and neighbours choose differently by chance. Where their surfaces, continued to
the pixel, agree with its own, all are guesses of one thing; their mean is better than any, and smooth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import kernel, task
from ioadr.solver.local_fit import UNIT

GAP = 2
"""px between the pixels that are asked."""


def pixels_around(radius: int) -> NDArray[np.int64]:
    """Steps (row, column) [K, 2] to every second pixel of a disc, its middle among them."""
    reach = radius // GAP * GAP
    steps = range(-reach, reach + 1, GAP)
    return np.array([(y, x) for y in steps for x in steps if y * y + x * x <= radius * radius], np.int64)


@kernel
def add_said(surfaces, n, m, down, across, own, gate, weight, moved):
    """Add what the surfaces of pixels (down, across) px away say about row n: weights, and weighted distances from own.

    Pixels from column m on; a surface that is 1/√gate px off does not count.
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
    """Rows begin … end − 1 of shared float32 [N, M]: the mean of what the surfaces of the pixels around say.

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
