"""The plane that a pixel's surroundings agree on (§ V-C): robust normal ν_rob and disparity d_μ (Eqs. 29–33).

Angles between normals are measured by the chord of the unit sphere: it orders like the angle, needs no
arc cosine and differs from it by less than 1 % below 28°.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel
from ioadr.geometry.normals import inverse_depth, plane_disparity, point


@kernel
def _mean_angle(normals, n, window, border, mean):
    """μ (Eq. 30): mean chord between each normal of row n and those of its window; mean float32 [M]."""
    height, width = normals.shape[1:]
    count = np.zeros(width, np.float32)
    mean[:] = 0
    for w in range(window.shape[0]):
        i, j = n + window[w, 0], window[w, 1]
        if border <= i < height - border:
            for m in range(max(0, border - j), min(width, width - border - j)):
                dx = normals[0, i, m + j] - normals[0, n, m]
                dy = normals[1, i, m + j] - normals[1, n, m]
                dz = normals[2, i, m + j] - normals[2, n, m]
                mean[m] += np.sqrt(dx * dx + dy * dy + dz * dz)
                count[m] += np.float32(1.0)
    for m in range(width):
        mean[m] = mean[m] / count[m] if count[m] > 0 else np.float32(0.0)


@kernel
def _inlier_sum(normals, n, window, border, limit, total):
    """Sum of the normals within `limit` (float32 [M]) of each pixel's own (Eq. 29); total float32 [3, M]."""
    height, width = normals.shape[1:]
    total[:] = 0
    for w in range(window.shape[0]):
        i, j = n + window[w, 0], window[w, 1]
        if border <= i < height - border:
            for m in range(max(0, border - j), min(width, width - border - j)):
                x, y, z = normals[0, i, m + j], normals[1, i, m + j], normals[2, i, m + j]
                dx, dy, dz = x - normals[0, n, m], y - normals[1, n, m], z - normals[2, n, m]
                keep = np.float32(1.0) if dx * dx + dy * dy + dz * dz < limit[m] * limit[m] else np.float32(0.0)
                total[0, m] += keep * x
                total[1, m] += keep * y
                total[2, m] += keep * z


@kernel
def _mean_offset(points, normals, robust, n, window, border, limit, own, low, high, offset):
    """Mean over inliers of ⟨x, ν_rob⟩ − own where own + it lies in (low, high); NaN without inlier. All float32 [M]."""
    height, width = normals.shape[1:]
    count = np.zeros(width, np.float32)
    offset[:] = 0
    for w in range(window.shape[0]):
        i, j = n + window[w, 0], window[w, 1]
        if border <= i < height - border:
            for m in range(max(0, border - j), min(width, width - border - j)):
                dx = normals[0, i, m + j] - normals[0, n, m]
                dy = normals[1, i, m + j] - normals[1, n, m]
                dz = normals[2, i, m + j] - normals[2, n, m]
                value = (
                    points[0, i, m + j] * robust[0, n, m]
                    + points[1, i, m + j] * robust[1, n, m]
                    + points[2, i, m + j] * robust[2, n, m]
                )
                near = dx * dx + dy * dy + dz * dz < limit[m] * limit[m]
                keep = np.float32(1.0) if near and value > low[m] and value < high[m] else np.float32(0.0)
                offset[m] += keep * (value - own[m])
                count[m] += keep
    for m in range(width):
        offset[m] = offset[m] / count[m] if count[m] > 0 else np.float32(np.nan)


@kernel
def surface_points(begin, end, disparity, rays, points):
    """3D points float32 [3, N, M] of rows begin … end − 1."""
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            points[0, n, m], points[1, n, m], points[2, n, m] = point(n, m, np.float64(disparity[n, m]), rays)


@kernel
def robust_planes(begin, end, disparity, rays, points, normals, window, border, share, tolerance, robust, plane):
    """ν_rob float32 [3, N, M] and d_μ float32 [N, M] of rows begin … end − 1, from the map's points and ν_lg.

    window int32 [W, 2]: offsets of W^avg; normals within `border` px of the image's edge are not used,
    and pixels there keep their own normal. Plane offsets count where they predict the pixel's own
    disparity to within `tolerance`; without any, the plane passes through the pixel.
    """
    height, width = disparity.shape
    for n in range(begin, end):
        limit, offset = np.empty(width, np.float32), np.empty(width, np.float32)
        own, low, high = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.float32)
        total = np.empty((3, width), np.float32)
        _mean_angle(normals, n, window, border, limit)
        for m in range(width):
            limit[m] *= share
        _inlier_sum(normals, n, window, border, limit, total)
        for m in range(width):
            length = np.sqrt(total[0, m] ** 2 + total[1, m] ** 2 + total[2, m] ** 2)
            at_edge = n < border or m < border or n >= height - border or m >= width - border
            for c in range(3):
                robust[c, n, m] = normals[c, n, m] if length == 0 or at_edge else total[c, m] / length
            own[m] = 0
            for c in range(3):
                own[m] += points[c, n, m] * robust[c, n, m]
            here = inverse_depth(np.float64(disparity[n, m]), rays)
            slack = rays.slope * tolerance
            near, far = own[m] * here / (here + slack), own[m] * here / max(here - slack, 1e-12)
            low[m], high[m] = min(near, far), max(near, far)
        _mean_offset(points, normals, robust, n, window, border, limit, own, low, high, offset)
        for m in range(width):
            d = np.float64(disparity[n, m])
            if not np.isnan(offset[m]):
                total_offset = np.float64(own[m]) + offset[m]
                d = plane_disparity(n, m, robust[0, n, m], robust[1, n, m], robust[2, n, m], total_offset, rays)
            plane[n, m] = d
