"""Pixels beside a jump, compiled (beyond the paper, decision 9).

A pixel half covered by a near surface keeps its mixed colour in all views at that surface's disparity, so that
photo-consistency makes near surfaces a pixel too wide. Colours tell: a pixel belongs to the far surface if it looks
more like what the views see there than like the near surface beside it.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.cost.occlusion import data_cost
from ioadr.geometry.ppp import LEVELS, unpack

BEHIND = 3
"""px behind a pixel over which a surface must reach, and over which its slope is measured."""

GAP = 6
"""px: what lies between two nearer surfaces that are no further apart has no other data than those at its borders."""


@kernel
def room_behind(i, step, size):
    """Pixels of a row or column, at most 3, behind index i as seen towards i + step; 0 if that is outside."""
    if i + step < 0 or i + step >= size:
        return 0
    return BEHIND if step == 0 else min(BEHIND, i if step > 0 else size - 1 - i)


@kernel
def beside_rise(disparity, n, m, ahead, rise):
    """Whether a neighbour is nearer by more than `rise` px and what the surface behind the pixel rises by itself.

    Not in a gap, where a nearer surface follows behind as well.
    """
    d, found = disparity[n, m], False
    for k in range(len(ahead)):
        y, x = ahead[k, 0], ahead[k, 1]
        room = min(room_behind(n, y, disparity.shape[0]), room_behind(m, x, disparity.shape[1]))
        if room > 0:
            slope = abs(d - disparity[n - room * y, m - room * x]) / np.float32(room)
            risen = disparity[n + y, m + x] - d > rise + slope
            found = found or (risen and not is_gap(disparity, n, m, y, x, rise, slope))
    return found


@kernel
def is_gap(disparity, n, m, y, x, rise, slope):
    """Whether there is something nearer behind (n, m) as seen towards (y, x)."""
    height, width = disparity.shape
    found = False
    for k in range(1, GAP + 1):
        i, j = n - k * y, m - k * x
        if i >= 0 and j >= 0 and i < height and j < width:
            found = found or disparity[i, j] - disparity[n, m] > rise + np.float32(k) * slope
    return found


@task
def discount(begin, end, disparity, ahead, rise, precision):
    """Rows begin … end − 1 of precision float32 [N, M]: 0 beside a rise, whose contrast belongs to the nearer surface.

    Where the surface behind has little texture, such a pixel's target would outweigh all others and bend it forward.
    """
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            if beside_rise(disparity, n, m, ahead, rise):
                precision[n, m] = 0


@kernel
def unlikeness(first, second):
    """Mean difference of two packed colours, grey levels."""
    r0, g0, b0 = unpack(first)
    r1, g1, b1 = unpack(second)
    return (abs(r0 - r1) + abs(g0 - g1) + abs(b0 - b1)) / np.float32(3.0 * LEVELS)


@kernel
def share_of_near(colour, near, far):
    """Where a packed colour lies between that of a far surface (0) and that of a near one (1)."""
    r, g, b = unpack(colour)
    r0, g0, b0 = unpack(far)
    r1, g1, b1 = unpack(near)
    length = (r1 - r0) * (r1 - r0) + (g1 - g0) * (g1 - g0) + (b1 - b0) * (b1 - b0)
    along = (r - r0) * (r1 - r0) + (g - g0) * (g1 - g0) + (b - b0) * (b1 - b0)
    return along / max(length, np.float32(1e-6))


@kernel
def is_border(disparity, n, m, y, x, jump):
    """Whether the map falls by a jump towards (y, x), with surface on both sides: thin things are left alone."""
    d, far = disparity[n, m], disparity[n + y, m + x]
    falls = d - far > jump
    surfaces = abs(far - disparity[n + 2 * y, m + 2 * x]) < jump
    for i in range(1, BEHIND + 1):
        surfaces = surfaces and abs(d - disparity[n - i * y, m - i * x]) < jump
    return falls and surfaces


@kernel
def unlike_near(model, disparity, n, m, behind, jump):
    """Least difference in colour to the pixels behind that are of the same surface, grey levels."""
    pad, least = model.pad, np.float32(np.inf)
    colour = model.guide[n + pad, m + pad]
    for k in range(len(behind)):
        i, j = n + behind[k, 0], m + behind[k, 1]
        if abs(disparity[i, j] - disparity[n, m]) < jump:
            least = min(least, unlikeness(colour, model.guide[i + pad, j + pad]))
    return least


@task
def settle(begin, end, model, disparity, ahead, behind, jump, contrast, settled):
    """Rows begin … end − 1 of settled float32 [N, M]: the far surface's disparity where the pixel looks like that."""
    hidden = np.empty((model.rays.dy.size + 63) // 64, np.uint64)
    found = np.empty(model.occluders.levels.shape[2], np.uint64)
    height, width = disparity.shape
    pad, guide = model.pad, model.guide
    for n in range(begin, end):
        for m in range(width):
            settled[n, m], best = disparity[n, m], np.float32(np.inf)
            if n < BEHIND or m < BEHIND or n >= height - BEHIND or m >= width - BEHIND:
                continue
            for k in range(len(ahead)):
                y, x = ahead[k, 0], ahead[k, 1]
                if not is_border(disparity, n, m, y, x, jump):
                    continue
                near, far = guide[n - y + pad, m - x + pad], guide[n + 2 * y + pad, m + 2 * x + pad]
                unlike = unlike_near(model, disparity, n, m, behind[k], jump)
                if unlike <= contrast or share_of_near(guide[n + pad, m + pad], near, far) >= 0.5:
                    continue
                d = disparity[n + y, m + x]
                cost = data_cost(model.rays, model.occluders, model.data, n, m, d, hidden, found)
                if cost < unlike and cost < best:
                    settled[n, m], best = d, cost
