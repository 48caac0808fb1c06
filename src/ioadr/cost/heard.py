"""A data term to which hidden views also contribute, over whole planes, compiled (beyond the paper, decision 11).

J_oa is a mean over the views that see a point. The near rim of a false hole in a texture-less surface hides most
views, and the few that remain agree with anything. Here a hidden view costs as much as a good match around the pixel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel, task
from ioadr._lanes import WIDTH, load, smallest, splat, store, where_positive
from ioadr.cost.row_samples import SPARE, deviations, mix_rows, only_first, seen_part, unpack_row
from ioadr.geometry.ppp import LEVELS, project

FINE = 1024.0
"""Steps per grey level of stored costs."""
CAP = np.float32(8.0)
"""High-pass difference in grey levels at which a view's deviation is capped."""


class Heard(NamedTuple):
    """The data term of every pixel on planes of equal spacing, for kernels."""

    deviation: Any
    share: Any
    """uint16 and uint8 [N, M, D]: see `hear`."""
    charge: Any
    """float32 [N, M], grey levels: cost of a hidden view."""
    minimum: Any
    step: Any
    """float32, px: the first plane, and the distance between planes."""


@kernel
def raise_to(surface, i, j, d):
    """Raise surface[i, j] to at least d."""
    surface[i, j] = max(surface[i, j], d)


@task
def surface_in_views(begin, end, disparity, dy, dx, surface):
    """Fill views begin … end − 1 of surface float32 [V, N, M] with the map [N, M] as each view sees it.

    A point covers the 2×2 px around its projection; the nearest point wins. Pixels without any are −inf.
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
    """Add a view's deviations at sixteen pixels, starting at first + m, to sums float32 [3 · length]; at most `count`.

    The three parts of `sums` hold the deviations where the view sees the pixel, the number of views that see it, and
    the number whose image contains it. `nearest` is the surface that the view sees there; the pixel is hidden where
    that is nearer than limits float32 [length].
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
    """Sum the deviations of all views except the reference view for row n at disparity d: see `listen`.

    A pixel is hidden in a view whose surface is nearer, by more than a margin, than d *and* than the map (`limits`).
    Without the second condition, the pixel's own neighbours would hide every disparity behind the map.
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
    """Fill rows begin … end − 1 of every plane with the deviation of the visible views, and their share of all views.

    surface float32 [V·N·M + 16]: the map as each view sees it. deviation uint16 [N, M, D]: sum over the visible views,
    divided by the number of views whose image contains the sample, in 1/FINE grey levels. share uint8 [N, M, D]: 255
    for all views. least float32 [N, M]: smallest mean over the visible views, if at least two fifths of all views see
    the pixel, in grey levels.
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
    """C = F + (1 − P)·charge in grey levels, from the stored deviation F and share P."""
    hidden = np.float32(1.0) - np.float32(share) * np.float32(1.0 / 255.0)
    return np.float32(deviation) * np.float32(1.0 / FINE) + hidden * charge


@kernel
def cost_between(heard, n, m, d):
    """C of pixel (n, m) at disparity d, linear between planes; constant beyond the first and the last one."""
    last = heard.deviation.shape[2] - 1
    at = min(max((d - heard.minimum) / heard.step, np.float32(0.0)), np.float32(last))
    k = min(int(at), last - 1)
    low = heard_cost(heard.deviation[n, m, k], heard.share[n, m, k], heard.charge[n, m])
    high = heard_cost(heard.deviation[n, m, k + 1], heard.share[n, m, k + 1], heard.charge[n, m])
    return low + (at - np.float32(k)) * (high - low)


@task
def cost_of_map(begin, end, heard, disparity, cost):
    """Rows begin … end − 1 of cost float32 [N, M]: C of a map."""
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            cost[n, m] = cost_between(heard, n, m, disparity[n, m])
