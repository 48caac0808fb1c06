"""Carry a map from one view to another, compiled: the nearest surface wins; surfaces end at discontinuities."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel
from ioadr.views.edges import share_at

STEPS = 3
"""Iterations that put a carried disparity exactly on its surface."""
SETTLED = 1e-4
"""Step of disparity, px, after which no further one is made."""
SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))
WIDEST = 4.0
"""Half the width of the widest footprint, px, for surfaces close to the camera."""
HALF, HIDDEN = 0.5, 0.1
"""Shares of a surface in a pixel at a discontinuity at which it ends: if it hides another one, and if it is hidden. A
hidden surface continues beneath the nearer one, and a pixel that shows a tenth of it has seen it."""
STEEPER = 2.0
"""Slope from the centre of a rim's pixel to the outline, relative to that at the centre. Round surfaces fall off as the
square root of the distance to their outline, so that they fall twice as far as a straight line."""
WHOLE = 0.999
"""Sum of bilinear weights from which on a surface is complete around a place."""
OVERLAP = 0.6
"""Share of the way to a neighbour on the same surface that a footprint covers. With 0.5, single pixels stay open
between four footprints that are askew, and show what lies behind."""


@kernel
def landing(n, m, d, ay, ax, pose):
    """Position in a pose's picture of pixel (n, m, d) of the view at offset (ay, ax); NaN behind the camera."""
    behind = 1.0 - pose.nearer * d - pose.closer
    s = pose.zoom / behind if behind > 1e-6 else np.nan
    y = pose.cy + s * (n + d * (ay - pose.dy) - pose.n0)
    x = pose.cx + s * (m + d * (ax - pose.dx) - pose.m0)
    return y, x


@kernel
def origin(i, j, d, ay, ax, pose):
    """Inverse of `landing`: position in the view at offset (ay, ax) of what a pose sees at (i, j) with disparity d."""
    s = (1.0 - pose.nearer * d - pose.closer) / pose.zoom
    n = pose.n0 + s * (i - pose.cy) + d * (pose.dy - ay)
    m = pose.m0 + s * (j - pose.cx) + d * (pose.dx - ax)
    return n, m


@kernel
def fall(slopes, n, m, y, x, steeper, link):
    """Step of disparity, px, from pixel (n, m) to (y, x) on its surface, at most `link`; 0 except on rims."""
    step = steeper * (slopes[0, n, m] * (y - n) + slopes[1, n, m] * (x - m))
    return min(max(step, -link), link)


@kernel
def origin_beside(disparity, slopes, n, m, i, j, link, ay, ax, pose):
    """Position in the view at offset (ay, ax) of what a pose sees at (i, j) on the surface of its pixel (n, m)."""
    d = np.float64(disparity[n, m])
    y, x = origin(i, j, d, ay, ax, pose)
    if slopes[0, n, m] != 0.0 or slopes[1, n, m] != 0.0:
        for _ in range(STEPS):
            y, x = origin(i, j, d + fall(slopes, n, m, y, x, STEEPER, link), ay, ax, pose)
    return y, x


@kernel
def side_extent(disparity, n, m, side, link, ay, ax, pose, y, x):
    """Extent, px, towards a neighbour of the footprint that lands at (y, x), and the share at which its surface ends.

    The share is 0 if the surface continues; see `HALF` and `HIDDEN`.

    On the same surface it extends beyond the middle to the neighbour's position, so that surfaces do not crack.
    """
    height, width = disparity.shape
    down, right = SIDES[side]
    a, b = n + down, m + right
    d = disparity[n, m]
    scale = pose.zoom / (1.0 - pose.nearer * d - pose.closer)
    if not (0 <= a < height and 0 <= b < width):
        return 0.5 * scale, 0.0
    other = disparity[a, b]
    if not abs(other - d) <= link:
        return scale, HIDDEN if other > d else HALF
    there_y, there_x = landing(a, b, other, ay, ax, pose)
    apart = abs(there_y - y) if right == 0 else abs(there_x - x)
    return OVERLAP * max(apart, scale), 0.0


@kernel
def splat(disparity, slopes, coverage, kept, link, ay, ax, pose, out):
    """Set each pixel of `out` to the nearest of the `kept` pixels that land on it, px; NaN if none does.

    A pixel extends to its neighbours; at a depth discontinuity, it ends at a share of its surface (`share_at`), with
    the disparity that the surface has there: `slopes` [2, N, M], px per px, on rims, 0 elsewhere.
    """
    height, width = disparity.shape
    out[:] = np.nan
    for n in range(height):
        for m in range(width):
            d = disparity[n, m]
            if not kept[n, m]:
                continue
            y, x = landing(n, m, d, ay, ax, pose)
            if not (-WIDEST <= y <= out.shape[0] + WIDEST and -WIDEST <= x <= out.shape[1] + WIDEST):
                continue
            up, ends_0 = side_extent(disparity, n, m, 0, link, ay, ax, pose, y, x)
            down, ends_1 = side_extent(disparity, n, m, 1, link, ay, ax, pose, y, x)
            left, ends_2 = side_extent(disparity, n, m, 2, link, ay, ax, pose, y, x)
            right, ends_3 = side_extent(disparity, n, m, 3, link, ay, ax, pose, y, x)
            least = max(ends_0, ends_1, ends_2, ends_3)
            top, bottom = np.ceil(y - min(up, WIDEST)), np.floor(y + min(down, WIDEST))
            begin, end = np.ceil(x - min(left, WIDEST)), np.floor(x + min(right, WIDEST))
            for i in range(max(0, int(top)), min(out.shape[0], int(bottom) + 1)):
                for j in range(max(0, int(begin)), min(out.shape[1], int(end) + 1)):
                    if out[i, j] >= d:
                        continue
                    if least > 0.0:
                        there_y, there_x = origin_beside(disparity, slopes, n, m, i, j, link, ay, ax, pose)
                        if share_at(disparity, coverage, there_y, there_x, d, link) < least:
                            continue
                    out[i, j] = d


@kernel
def surface_at(disparity, slopes, y, x, d, link):
    """Bilinear disparity at (y, x) of the pixels on the surface of d; d itself if there are none.

    Unless all four are on the surface, it slopes from them.
    """
    height, width = disparity.shape
    n, m = min(max(int(np.floor(y)), 0), height - 2), min(max(int(np.floor(x)), 0), width - 2)
    total, weights = 0.0, 0.0
    for a in range(2):
        for b in range(2):
            tap = disparity[n + a, m + b]
            weight = max(1.0 - abs(y - n - a), 0.0) * max(1.0 - abs(x - m - b), 0.0)
            if abs(tap - d) <= link:
                total += weight * tap
                weights += weight
    if 1e-6 < weights < WHOLE:
        for a in range(2):
            for b in range(2):
                weight = max(1.0 - abs(y - n - a), 0.0) * max(1.0 - abs(x - m - b), 0.0)
                if abs(disparity[n + a, m + b] - d) <= link:
                    total += weight * fall(slopes, n + a, m + b, y, x, 1.0, link)
    return total / weights if weights > 1e-6 else d


@kernel
def put_on_surface(disparity, slopes, link, ay, ax, pose, out):
    """Refine each splatted disparity to that of the surface at the pixel: d = map(origin of the pixel), iterated."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            d = np.float64(out[i, j])
            if not np.isfinite(d):
                continue
            for _ in range(STEPS):
                y, x = origin(i, j, d, ay, ax, pose)
                before, d = d, surface_at(disparity, slopes, y, x, d, link)
                if abs(d - before) < SETTLED:
                    break
            out[i, j] = d


@kernel
def place_behind(carried, confidence, number, link, ay, ax, pose, best, trust, source):
    """Merge a carried map into those of earlier surfaces: where they are empty, or more than `link` behind it.

    `best` [H, W] is the map so far, `trust` its confidence (that of the source's nearest pixel), `source` the number
    of the surface that is seen.
    """
    height, width = confidence.shape
    for i in range(best.shape[0]):
        for j in range(best.shape[1]):
            d = carried[i, j]
            if not np.isfinite(d) or d <= best[i, j] + link:
                continue
            y, x = origin(i, j, np.float64(d), ay, ax, pose)
            n, m = min(max(int(np.rint(y)), 0), height - 1), min(max(int(np.rint(x)), 0), width - 1)
            best[i, j], trust[i, j], source[i, j] = d, confidence[n, m], number


@kernel
def touched(other, y, x, d, link):
    """Whether the map `other` shows a point at (y, x), of disparity d, and whether on its surface (`compare_views`)."""
    height, width = other.shape
    seen, agreed = False, False
    if -0.5 <= y <= height - 0.5 and -0.5 <= x <= width - 0.5:
        i, j = min(max(int(np.floor(y)), 0), height - 2), min(max(int(np.floor(x)), 0), width - 2)
        for a in range(2):
            for b in range(2):
                step = other[i + a, j + b] - d
                if step <= link and abs(y - i - a) < 1.0 and abs(x - j - b) < 1.0:
                    seen = True
                    agreed = agreed or step >= -link
    return seen, agreed


@kernel
def compare_views(disparity, other, link, dy, dx, seen, agreed):
    """Mark the points of a map that the view at offset (dy, dx) from it sees, according to that view's map `other`.

    Sets `seen` [N, M] unless the point lies outside the image or all pixels that it touches are nearer by `link`. Also
    sets `agreed` if one of these pixels lies on the point's surface.
    """
    height, width = disparity.shape
    for n in range(height):
        for m in range(width):
            d = np.float64(disparity[n, m])
            here, on_it = touched(other, n - d * dy, m - d * dx, d, link)
            seen[n, m], agreed[n, m] = seen[n, m] or here, agreed[n, m] or on_it


@kernel
def count_views(pixels, disparity, other, link, dy, dx, count):
    """Add 1 to count [P] where the view at offset (dy, dx) agrees on the point of a pixel, of pixels int [P, 2]."""
    for p in range(len(pixels)):
        n, m = pixels[p, 0], pixels[p, 1]
        d = np.float64(disparity[n, m])
        if touched(other, n - d * dy, m - d * dx, d, link)[1]:
            count[p] += 1


@kernel
def fill_from_behind(values, filled):
    """Fill the NaN of `values` in `filled`: along the shorter of row and column, with the farther of both ends."""
    height, width = values.shape
    for n in range(height):
        for m in range(width):
            filled[n, m] = values[n, m]
            if not np.isnan(values[n, m]):
                continue
            best, shortest = np.float32(np.nan), np.inf
            for axis in range(2):
                span, far = 0.0, np.float32(np.nan)
                for way in range(2):
                    step = 2 * way - 1
                    a, b, length = n, m, 0
                    while 0 <= a < height and 0 <= b < width and np.isnan(values[a, b]):
                        a, b = (a + step, b) if axis == 0 else (a, b + step)
                        length += 1
                    if 0 <= a < height and 0 <= b < width:
                        far = values[a, b] if np.isnan(far) else min(far, values[a, b])
                        span += length
                    else:
                        span += 2 * length
                if not np.isnan(far) and span < shortest:
                    best, shortest = far, span
            filled[n, m] = best
