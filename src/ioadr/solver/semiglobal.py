"""Semi-global matching over planes, compiled (Hirschmüller 2008): eight paths, jumps cheap where colours change."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.cost.heard import heard_cost
from ioadr.geometry.ppp import LEVELS, unpack

STORED = 512.0
"""Steps per grey level of stored sums."""


@kernel
def likeness(first, second, scale):
    """Similarity exp(−mean difference / scale) of two packed colours, with `scale` in grey levels."""
    r0, g0, b0 = unpack(first)
    r1, g1, b1 = unpack(second)
    return np.exp(-(abs(r0 - r1) + abs(g0 - g1) + abs(b0 - b1)) / (np.float32(3.0 * LEVELS) * scale))


@kernel
def extend_path(before, cost, small, large, path):
    """L(d) = C(d) + min(L'(d), L'(d ± 1) + small, min L' + large) − min L', float32 [D]; `before` is L'."""
    size = cost.size
    lowest = before[0]
    for k in range(1, size):
        lowest = min(lowest, before[k])
    jump = lowest + large
    path[0] = cost[0] + min(before[0], before[1] + small, jump) - lowest
    for k in range(1, size - 1):
        path[k] = cost[k] + min(min(before[k], jump), min(before[k - 1], before[k + 1]) + small) - lowest
    path[size - 1] = cost[size - 1] + min(before[size - 1], before[size - 2] + small, jump) - lowest


@kernel
def pixel_paths(guide, n, m, back, costs, above, beside, now, penalties):
    """Extend the four paths that reach (n, m) from visited rows and columns: now float32 [4, D].

    above float32 [M, 4, D]: paths of the last row; beside float32 [4, D]: paths of the last pixel; costs float32 [D];
    penalties: small, large, extra for a jump, colour scale.
    """
    height, width = guide.shape
    for p in range(4):
        i, j = n + (0 if p == 0 else back), m + (back if p < 2 else 0 if p == 2 else -back)
        if i < 0 or j < 0 or i >= height or j >= width:
            for k in range(costs.size):
                now[p, k] = costs[k]
        else:
            like = likeness(guide[n, m], guide[i, j], penalties[3])
            small, large = penalties[0] * like, penalties[1] * like + penalties[2]
            extend_path(beside[0] if p == 0 else above[j, p], costs, small, large, now[p])


@kernel
def lowest_plane(total):
    """Index of the minimum of float32 [D], refined by a parabola."""
    best = 0
    for k in range(1, total.size):
        if total[k] < total[best]:
            best = k
    offset = np.float32(0.0)
    if 0 < best < total.size - 1:
        curvature = total[best - 1] + total[best + 1] - np.float32(2.0) * total[best]
        if curvature > 0:
            offset = np.float32(0.5) * (total[best - 1] - total[best + 1]) / curvature
    return np.float32(best) + offset


@task
def gather_paths(forward, guide, deviation, share, charge, penalties, sums, index):
    """Follow half of the paths through the image: forward fills sums uint16 [N, M, D], backward index float32 [N, M].

    guide uint32 [N, M]: packed reference view; deviation, share [N, M, D], charge [N, M]: see `cost.heard`.
    """
    height, width, size = deviation.shape
    back = -1 if forward else 1
    above, row = np.zeros((width, 4, size), np.float32), np.zeros((width, 4, size), np.float32)
    costs, total = np.empty(size, np.float32), np.empty(size, np.float32)
    for r in range(height):
        n = r if forward else height - 1 - r
        for c in range(width):
            m = c if forward else width - 1 - c
            for k in range(size):
                costs[k] = heard_cost(deviation[n, m, k], share[n, m, k], charge[n, m])
            beside = row[min(max(m + back, 0), width - 1)]
            pixel_paths(guide, n, m, back, costs, above, beside, row[m], penalties)
            for k in range(size):
                total[k] = row[m, 0, k] + row[m, 1, k] + row[m, 2, k] + row[m, 3, k]
            if forward:
                for k in range(size):
                    sums[n, m, k] = np.uint16(min(total[k] * np.float32(STORED), np.float32(65535.0)))
            else:
                for k in range(size):
                    total[k] += np.float32(sums[n, m, k]) * np.float32(1.0 / STORED)
                index[n, m] = lowest_plane(total)
        above, row = row, above
