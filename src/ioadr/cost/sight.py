"""Colours of a pixel at a depth discontinuity and of the background behind it, in all views, compiled (decision 12).

Colours are in linear light, 0 … 255, because only light mixes linearly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel
from ioadr.geometry.ppp import bilinear_weights, project

NEAR_REACH = 4
"""Radius of the search for F, px."""
NEAR_RIDGE = 0.15
"""Ridge, px², that keeps the gradient of F small if F is seen on one side only."""
DARKEST = 0.02
"""Share of white below which the noise of a sample in linear light is constant."""


class Matting(NamedTuple):
    """Inputs of the coverage of a pixel, except the map itself."""

    rays: Any
    light: Any
    """float32 [1024], linear light of a packed level."""
    gamma: Any
    views: Any
    """int32 [K], the views that are used, ascending."""
    others: Any
    """int32 [K, K − 1], for each of these views the others, nearest first."""
    slopes: Any
    """float32 [2, N, M], slopes of near surfaces at their rims, px per px down and right; 0 where not known."""
    ceilings: Any
    """float32 [2, N, M], maximum of the map within 2 and within 1 px: no nearer surface affects a sample there."""
    jump: Any
    """Smallest difference between two surfaces, px of disparity."""
    furthest: Any
    """Largest motion of the background behind the pixel, px."""
    fewest: Any
    """Views that must show the pixel and the background behind it."""
    misplaced: Any
    """Standard deviation of the near surface's disparity, px."""


class Sight(NamedTuple):
    """One pixel in all views; scratch memory of one worker."""

    seen: Any
    """float32 [V, 3], I_v."""
    behind: Any
    """float32 [V, 3], B_v."""
    place: Any
    """float32 [V, 2], the views' positions."""
    along: Any
    """float64 [2, 3, 2], Σ I_v·o_v and Σ B_v·o_v about their means, by channel."""
    colours: Any
    """float64 [5, 3]: F, the means of I and B, and both in the reference view."""


@kernel
def is_inside(rays, y, x):
    """Whether (y, x) lies in the views' images."""
    return y >= 0 and x >= 0 and y <= rays.height - 1 and x <= rays.width - 1


@kernel
def light_at(matting, v, y, x, out):
    """Add the light of view v at (y, x), interpolated bilinearly, to out [3]; (y, x) must lie inside the image."""
    rays, light = matting.rays, matting.light
    iy, ix = np.int32(y), np.int32(x)
    weights = bilinear_weights(y - np.float32(iy), x - np.float32(ix))
    base = v * rays.view_stride + iy * rays.row_stride + ix
    for i in range(4):
        word = rays.samples[base + (i // 2) * rays.row_stride + i % 2]
        out[0] += weights[i] * light[word & np.uint32(1023)]
        out[1] += weights[i] * light[(word >> np.uint32(10)) & np.uint32(1023)]
        out[2] += weights[i] * light[(word >> np.uint32(20)) & np.uint32(1023)]


@kernel
def sides(disparity, slopes, n, m, jump):
    """(near, far, middle) disparities at (n, m); near = far if its 3×3 pixels do not differ by a jump.

    One side is the pixel's own disparity; the other is the mean of the nearest pixels beyond the middle, along their
    slopes if they are the near side.
    """
    height, width = disparity.shape
    own, lowest, highest = disparity[n, m], disparity[n, m], disparity[n, m]
    top, bottom, left, right = max(n - 1, 0), min(n + 2, height), max(m - 1, 0), min(m + 2, width)
    for i in range(top, bottom):
        for j in range(left, right):
            lowest, highest = min(lowest, disparity[i, j]), max(highest, disparity[i, j])
    middle = np.float32(0.5) * (lowest + highest)
    if highest - lowest < jump:
        return own, own, middle
    total, count, distance = np.float32(0.0), 0, 3
    for i in range(top, bottom):
        for j in range(left, right):
            apart = (i - n) * (i - n) + (j - m) * (j - m)
            if (disparity[i, j] >= middle) == (own >= middle) or apart > distance:
                continue
            if apart < distance:
                total, count, distance = np.float32(0.0), 0, apart
            total += disparity[i, j]
            if own < middle:
                total += slopes[0, i, j] * np.float32(n - i) + slopes[1, i, j] * np.float32(m - j)
            count += 1
    other = total / np.float32(count)
    if own < middle:
        other = max(other, middle)
    return max(own, other), min(own, other), middle


@kernel
def is_free(ceiling, y, x, middle):
    """Whether there is no near surface at (y, x) of the reference view; outside the image, the edge is repeated."""
    i = min(max(np.int64(np.floor(y + 0.5)), 0), ceiling.shape[0] - 1)
    j = min(max(np.int64(np.floor(x + 0.5)), 0), ceiling.shape[1] - 1)
    return ceiling[i, j] < middle


@kernel
def background(matting, ceiling, n, m, k, near, far, middle, pair):
    """Light [2, 3] behind the near surface at (n, m) in view v, from two unobstructed views; returns how many exist.

    View v is the k-th of the views considered. Its background is at p − δ·o_v of the reference view, with
    δ = near − far. View w shows it at p − δ·o_v − far·o_w, unobstructed if p + δ·(o_w − o_v) has no near surface (C2).
    """
    rays, step, v, count = matting.rays, near - far, matting.views[k], 0
    y0, x0 = project(n, m, step, rays.dy[v], rays.dx[v])
    pair[:] = 0
    for i in range(matting.others.shape[1]):
        w = matting.others[k, i]
        if is_free(ceiling, y0 + step * rays.dy[w], x0 + step * rays.dx[w], middle):
            y, x = y0 - far * rays.dy[w], x0 - far * rays.dx[w]
            if is_inside(rays, y, x):
                light_at(matting, w, y, x, pair[count])
                count += 1
                if count == 2:
                    break
    return count


@kernel
def look(matting, ceiling, n, m, near, far, middle, pair, sight):
    """Fill I_v, B_v and o_v of a sight from the views that show both the pixel and its background (C1, C2).

    Returns the number of views, the index of the reference view among them (−1: absent), and v_B, the variance of B_v
    according to the difference of the two views that are averaged (C3).
    """
    rays, step = matting.rays, near - far
    count, reference, spread = 0, -1, 0.0
    for k in range(matting.views.size):
        v = matting.views[k]
        y, x = project(n, m, near, rays.dy[v], rays.dx[v])
        moved = step * step * (rays.dy[v] * rays.dy[v] + rays.dx[v] * rays.dx[v])
        if moved > matting.furthest * matting.furthest or not is_inside(rays, y, x):
            continue
        if background(matting, ceiling, n, m, k, near, far, middle, pair) < 2:
            continue
        if v == rays.reference:
            reference = count
        sight.place[count, 0], sight.place[count, 1] = rays.dy[v], rays.dx[v]
        sight.seen[count] = 0
        light_at(matting, v, y, x, sight.seen[count])
        for c in range(3):
            sight.behind[count, c] = np.float32(0.5) * (pair[0, c] + pair[1, c])
            spread += (pair[0, c] - pair[1, c]) ** 2
        count += 1
    return count, reference, spread / max(12.0 * count, 1.0)


@kernel
def is_surface(disparity, i, j, near, middle, jump):
    """Whether (i, j) and its four neighbours are on the near surface, so that nothing else is mixed in."""
    height, width = disparity.shape
    whole = abs(disparity[i, j] - near) < jump
    for k in range(4):
        y, x = i + (k == 0) - (k == 1), j + (k == 2) - (k == 3)
        whole = whole and (y < 0 or x < 0 or y >= height or x >= width or disparity[y, x] >= middle)
    return whole and disparity[i, j] >= middle


@kernel
def reference_light(matting, i, j, c):
    """Channel c of the reference view at pixel (i, j)."""
    rays = matting.rays
    word = rays.samples[rays.reference * rays.view_stride + i * rays.row_stride + j]
    return matting.light[(word >> np.uint32(10 * c)) & np.uint32(1023)]


@kernel
def inverse(yy, yx, xx, ridge):
    """Three elements of the inverse of the symmetric matrix ((yy, yx), (yx, xx)) + ridge."""
    yy, xx = yy + ridge, xx + ridge
    scale = 1.0 / max(yy * xx - yx * yx, 1e-12)
    return xx * scale, -yx * scale, yy * scale


@kernel
def near_colour(matting, disparity, n, m, near, middle, sums, colour):
    """Set colour [3] to F at (n, m) and return its variance (C4), infinite if no pixel shows the near surface alone.

    A plane is fitted to the reference view's colours of the near surface, weighted by distance⁻⁴; sums is scratch
    memory [3, 4].
    """
    height, width = disparity.shape
    total, y1, x1, yy, yx, xx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    sums[:] = 0
    for i in range(max(n - NEAR_REACH, 0), min(n + NEAR_REACH + 1, height)):
        for j in range(max(m - NEAR_REACH, 0), min(m + NEAR_REACH + 1, width)):
            y, x = float(i - n), float(j - m)
            if (i == n and j == m) or not is_surface(disparity, i, j, near, middle, matting.jump):
                continue
            w = 1.0 / ((y * y + x * x) * (y * y + x * x))
            total, y1, x1 = total + w, y1 + w * y, x1 + w * x
            yy, yx, xx = yy + w * y * y, yx + w * y * x, xx + w * x * x
            for c in range(3):
                value = float(reference_light(matting, i, j, c))
                sums[c, 0] += w * value
                sums[c, 1] += w * value * y
                sums[c, 2] += w * value * x
                sums[c, 3] += w * value * value
    if total == 0.0:
        return np.inf
    y1, x1 = y1 / total, x1 / total
    yy, yx, xx = yy / total - y1 * y1, yx / total - y1 * x1, xx / total - x1 * x1
    iyy, iyx, ixx = inverse(yy, yx, xx, NEAR_RIDGE)
    variance = 0.0
    for c in range(3):
        mean = sums[c, 0] / total
        cy, cx = sums[c, 1] / total - mean * y1, sums[c, 2] / total - mean * x1
        gy, gx = iyy * cy + iyx * cx, iyx * cy + ixx * cx
        colour[c] = mean - gy * y1 - gx * x1
        left = sums[c, 3] / total - mean * mean - 2.0 * (gy * cy + gx * cx)
        variance += left + gy * gy * yy + 2.0 * gy * gx * yx + gx * gx * xx
    return max(variance, 0.0) / 3.0


@kernel
def level_scale(matting, n, m):
    """Slope of light over sample values, both in grey levels, at the brightest of the 3×3 pixels around (n, m) (C5)."""
    rays, top = matting.rays, np.float32(0.0)
    for i in range(max(n - 1, 0), min(n + 2, rays.height)):
        for j in range(max(m - 1, 0), min(m + 2, rays.width)):
            for c in range(3):
                top = max(top, reference_light(matting, i, j, c))
    encoded = (top / 255.0) ** (1.0 / matting.gamma)
    return matting.gamma * (encoded + DARKEST) ** (matting.gamma - 1.0)
