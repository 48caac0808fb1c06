"""Segments of similar colour on one surface, and the mean colours that they are found in, compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import fetch, kernel, task
from ioadr.cost.sight import is_inside
from ioadr.geometry.ppp import LEVELS, project, sample, unpack


@kernel
def root(parents, i):
    """The root of pixel i in the union-find forest."""
    while parents[i] != i:
        parents[i] = parents[parents[i]]  # path halving
        i = parents[i]
    return i


@kernel
def is_even(first, second, step):
    """Whether two colours differ by at most `step` in every channel."""
    even = True
    for c in range(3):
        even = even and abs(first[c] - second[c]) <= step
    return even


@task
def label(image, disparity, step, jump, labels):
    """labels int64 [N, M]: the number n·M + m of the first pixel of each pixel's segment.

    Direct neighbours are connected if their colours in image float32 [N, M, 3] differ by no more than a step and their
    disparities, float32 [N, M], by no more than a jump.
    """
    width = labels.shape[1]
    parents = labels.reshape(-1)
    for p in range(parents.size):
        parents[p] = p
        n, m = p // width, p % width
        for q, i, j in ((p - width, n - 1, m), (p - 1, n, m - 1)):
            if i < 0 or j < 0 or abs(disparity[n, m] - disparity[i, j]) > jump:
                continue
            if is_even(image[n, m], image[i, j], step):
                first, second = root(parents, p), root(parents, q)
                parents[max(first, second)] = min(first, second)
    for p in range(parents.size):
        parents[p] = root(parents, np.int64(p))


@kernel
def mean_colour(rays, n, m, d, views, limit):
    """Mean colour of (n, m) over the views that lie within `limit` of the reference view in every channel.

    All of them in quarters of a grey level; at least the reference view counts.
    """
    own = np.int32(rays.reference * rays.view_stride + n * rays.row_stride + m)
    red0, green0, blue0 = unpack(fetch(rays.samples, own))
    red, green, blue, count = red0, green0, blue0, np.float32(1.0)
    for v in views:
        y, x = project(n, m, d, rays.dy[v], rays.dx[v])
        if v == rays.reference or not is_inside(rays, y, x):
            continue
        r, g, b = sample(rays, np.int32(v), y, x)
        if max(abs(r - red0), abs(g - green0), abs(b - blue0)) <= limit:
            red, green, blue, count = red + r, green + g, blue + b, count + np.float32(1.0)
    return red / count, green / count, blue / count


@task
def average_colours(begin, end, rays, disparity, views, limit, colours):
    """Fill rows begin … end − 1 of float32 [N, M, 3], grey levels: the mean over views int64 [K] along the map.

    limit float32 [N, M]: grey levels by which a sample may differ from the reference view.
    """
    scale = np.float32(1.0 / LEVELS)
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            red, green, blue = mean_colour(rays, n, m, disparity[n, m], views, np.float32(LEVELS) * limit[n, m])
            colours[n, m, 0], colours[n, m, 1], colours[n, m, 2] = red * scale, green * scale, blue * scale
