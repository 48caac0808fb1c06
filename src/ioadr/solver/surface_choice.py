"""Semi-global choice between a map and a plane, compiled (beyond the paper, decision 19)."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.solver.plane_search import jump
from ioadr.solver.semiglobal import likeness


@kernel
def extend_choice(before, own, new, kept, left, entered, path):
    """Extend a path by a pixel: path float32 [2] has the cost of taking the map and that of taking the plane.

    own, new: cost of map and plane; kept, left, entered: price of a jump within the map, from the map onto the plane,
    and from the plane onto the map. The plane has no jumps.
    """
    lowest = min(before[0], before[1])
    path[0] = own + min(before[0] + kept, before[1] + entered) - lowest
    path[1] = new + min(before[0] + left, before[1]) - lowest


@task
def choose_surface(forward, guide, disparity, plane, own, new, penalties, scale, margin):
    """Half of eight paths: forward sets margin float32 [N, M], backward adds to it; negative: the plane is cheaper.

    guide uint32 [N, M]: packed reference view; disparity, plane, own, new float32 [N, M]: two surfaces and their costs;
    penalties: grey levels for a jump, colour difference that divides them by e; scale: see `jump`.
    """
    height, width = disparity.shape
    back = -1 if forward else 1
    above, row = np.zeros((width, 4, 2), np.float32), np.zeros((width, 4, 2), np.float32)
    for r in range(height):
        n = r if forward else height - 1 - r
        for c in range(width):
            m = c if forward else width - 1 - c
            total = np.float32(0.0)
            for p in range(4):
                i, j = n + (0 if p == 0 else back), m + (back if p < 2 else 0 if p == 2 else -back)
                if i < 0 or j < 0 or i >= height or j >= width:
                    row[m, p, 0], row[m, p, 1] = own[n, m], new[n, m]
                else:
                    price = penalties[0] * likeness(guide[n, m], guide[i, j], penalties[1])
                    kept = price * jump(disparity[n, m], disparity[i, j], scale)
                    left = price * jump(plane[n, m], disparity[i, j], scale)
                    entered = price * jump(disparity[n, m], plane[i, j], scale)
                    before = row[j, 0] if p == 0 else above[j, p]
                    extend_choice(before, own[n, m], new[n, m], kept, left, entered, row[m, p])
                total += row[m, p, 1] - row[m, p, 0]
            margin[n, m] = total if forward else margin[n, m] + total
        above, row = row, above
