"""Exclude data next to depth discontinuities from the finish, compiled (beyond the paper, decision 10)."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task

BEHIND = 3
"""Number of px behind a pixel that must belong to its surface; they give its slope."""

GAP = 6
"""Largest width, px, of gaps between two nearer surfaces, whose only data are those at their borders."""


@kernel
def room_behind(i, step, size):
    """Pixels, at most 3, behind index i of a row or column as seen towards i + step; 0 if i + step is outside."""
    if i + step < 0 or i + step >= size:
        return 0
    return BEHIND if step == 0 else min(BEHIND, i if step > 0 else size - 1 - i)


@kernel
def beside_rise(disparity, n, m, ahead, rise):
    """Whether a neighbour is nearer by more than `rise` px plus the slope of the surface behind the pixel.

    False in a gap, which has a nearer surface behind the pixel as well.
    """
    d, beside = disparity[n, m], False
    for k in range(len(ahead)):
        y, x = ahead[k, 0], ahead[k, 1]
        room = min(room_behind(n, y, disparity.shape[0]), room_behind(m, x, disparity.shape[1]))
        if room > 0:
            slope = abs(d - disparity[n - room * y, m - room * x]) / np.float32(room)
            risen = disparity[n + y, m + x] - d > rise + slope
            beside = beside or (risen and not is_gap(disparity, n, m, y, x, rise, slope))
    return beside


@kernel
def is_gap(disparity, n, m, y, x, rise, slope):
    """Whether there is a nearer surface on the side of (n, m) opposite to (y, x)."""
    height, width = disparity.shape
    gap = False
    for k in range(1, GAP + 1):
        i, j = n - k * y, m - k * x
        if i >= 0 and j >= 0 and i < height and j < width:
            gap = gap or disparity[i, j] - disparity[n, m] > rise + np.float32(k) * slope
    return gap


@task
def discount(begin, end, disparity, ahead, rise, precision):
    """Set precision float32 [N, M] to 0 next to a rise, in rows begin … end − 1.

    The contrast there belongs to the nearer surface. If the surface behind has little texture, the target of such a
    pixel would outweigh all others and bend the surface forward.
    """
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            # Tried: pixels within 2 or 3 px, or both sides of the border; dino and sideboard are worse (decision 10).
            if beside_rise(disparity, n, m, ahead, rise):
                precision[n, m] = 0
