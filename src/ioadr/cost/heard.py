"""A data term in which every view is heard, over whole planes, compiled (beyond the paper, decision 11).

J_oa is a mean over the views that see a point. The near rim of a false hole in a plain surface hides most views, and
the few that remain agree with anything. Here a hidden view costs as much as a good match around the pixel.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr._lanes import WIDTH, load, smallest, splat, store, where_positive
from ioadr.cost.row_samples import SPARE, deviations, mix_rows, only_first, seen_part, unpack_row
from ioadr.geometry.ppp import LEVELS, project

FINE = 1024.0
"""Steps per grey level of stored costs."""
CAP = np.float32(8.0)
"""Grey levels of high-pass difference from which a view disagrees in full."""


@kernel
def raise_to(surface, i, j, d):
    """Raise surface[i, j] to at least d."""
    surface[i, j] = max(surface[i, j], d)


@task
def surface_in_views(begin, end, disparity, dy, dx, surface):
    """Views begin … end − 1 of surface float32 [V, N, M]: the map [N, M] as each view sees it, −inf where nothing is.

    A point covers the 2×2 px around where it is seen; the nearest one counts.
    """
    height, width = disparity.shape
    for v in range(begin, end):
        seen = surface[v]
        seen[:] = -np.inf
        for n in range(height):
            for m in range(width):
                d = disparity[n, m]
                y, x = project(n, m, d, dy[v], dx[v])
                top, left = int(np.floor(y)), int(np.floor(x))
                if 0 <= top < height - 1 and 0 <= left < width - 1:
                    raise_to(seen, top, left, d)
                    raise_to(seen, top, left + 1, d)
                    raise_to(seen, top + 1, left, d)
                    raise_to(seen, top + 1, left + 1, d)
                else:
                    for i in range(max(top, 0), min(top + 2, height)):
                        for j in range(max(left, 0), min(left + 2, width)):
                            raise_to(seen, i, j, d)


@kernel
def listen(mixed, own, m, first, count, right, nearest, limits, sums):
    """Add a view's deviations at the sixteen pixels first + m … to sums float32 [3 · length], `count` of them at most.

    sums: deviations where the view sees the pixel, 1 where it does, 1 where the pixel lies in its image. nearest: its
    surface there; limits float32 [length]: how near that may be.
    """
    length, one, zero = limits.size, splat(np.float32(1.0)), splat(np.float32(0.0))
    deviation = deviations(mixed, own, m, first, right) * np.float32(1.0 / (3.0 * LEVELS))
    inside = only_first(count, one)
    seen = where_positive(nearest - load(limits, first + m), zero, inside)
    at = first + m
    store(sums, at, load(sums, at) + seen * smallest(deviation, splat(CAP)))
    store(sums, length + at, load(sums, length + at) + seen)
    store(sums, 2 * length + at, load(sums, 2 * length + at) + inside)


@kernel
def hear_plane(rays, n, d, surface, limits, own, mixed, sums):
    """Deviations of all views but the reference view for row n at disparity d: see `listen`.

    A view does not see a pixel where its surface is nearer by more than a margin than d *and* than the map itself,
    which `limits` tells: what is farther than the map would otherwise be hidden by the pixel's own neighbours.
    """
    sums[:] = 0
    for v in range(rays.dy.size):
        y, shift, first, last = seen_part(rays, v, n, d)
        if v == rays.reference or first >= last:
            continue
        column = int(np.floor(shift))
        mix_rows(rays, v, y, first + column, last - first + 1, mixed)
        row = v * rays.height + int(y + np.float32(0.5))
        start = row * rays.width + first + int(np.floor(shift + np.float32(0.5)))
        for m in range(0, last - first, WIDTH):
            nearest = load(surface, start + m)
            listen(mixed, own, m, first, last - first - m, shift - np.float32(column), nearest, limits, sums)


@task
def hear(begin, end, rays, disparity, surface, planes, margin, deviation, share, least):
    """Rows begin … end − 1 of every plane: deviation of the visible views, and their share of all views.

    surface float32 [V·N·M + 16]: the map as each view sees it. deviation uint16 [N, M, D]: sum over the visible views /
    number of views in whose image the sample lies, in 1/FINE grey levels; share uint8 [N, M, D]: of 255; least float32
    [N, M]: smallest mean over the visible views where they are two fifths of all, grey levels.
    """
    length = rays.width + SPARE
    own, mixed = np.zeros(3 * length, np.float32), np.zeros(3 * length, np.float32)
    sums = np.zeros(3 * length, np.float32)
    limits = np.zeros(length, np.float32)
    total, visible, inside = sums[:length], sums[length : 2 * length], sums[2 * length :]
    for n in range(begin, end):
        least[n] = CAP
        start = rays.reference * np.int64(rays.view_stride) + n * np.int64(rays.row_stride)
        unpack_row(rays.samples, start, rays.width, own)
        for k in range(planes.size):
            for m in range(rays.width):
                limits[m] = max(planes[k], disparity[n, m]) + margin
            hear_plane(rays, n, planes[k], surface, limits, own, mixed, sums)
            for m in range(rays.width):
                some = max(inside[m], np.float32(1.0))
                seen = visible[m] / some if inside[m] > 0 else np.float32(1.0)
                mean = total[m] / some if inside[m] > 0 else CAP
                deviation[n, m, k] = np.uint16(mean * np.float32(FINE) + np.float32(0.5))
                share[n, m, k] = np.uint8(seen * np.float32(255.0) + np.float32(0.5))
                if 5 * visible[m] >= 2 * inside[m]:
                    least[n, m] = min(least[n, m], mean / seen)


@kernel
def heard_cost(deviation, share, charge):
    """C = F + (1 − P)·charge in grey levels, of stored deviation F and share P."""
    hidden = np.float32(1.0) - np.float32(share) * np.float32(1.0 / 255.0)
    return np.float32(deviation) * np.float32(1.0 / FINE) + hidden * charge


@task
def cost_of_map(begin, end, deviation, share, charge, disparity, minimum, step, cost):
    """Rows begin … end − 1 of cost float32 [N, M]: C of a map, linear between planes `step` px apart."""
    last = deviation.shape[2] - 1
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            at = min(max((disparity[n, m] - minimum) / step, np.float32(0.0)), np.float32(last))
            k = min(int(at), last - 1)
            low = heard_cost(deviation[n, m, k], share[n, m, k], charge[n, m])
            high = heard_cost(deviation[n, m, k + 1], share[n, m, k + 1], charge[n, m])
            cost[n, m] = low + (at - np.float32(k)) * (high - low)
