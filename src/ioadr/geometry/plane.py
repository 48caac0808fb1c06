"""The plane that a pixel's surroundings agree on (§ V-C): robust normal ν_rob and disparity d_μ (Eqs. 31–34).

Angles between normals are measured by the chord of the unit sphere: it orders like the angle, needs no
arc cosine and differs from it by less than 1 % below 28°.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.geometry.normals import inverse_depth, plane_disparity, point


@kernel
def _row(vectors, i, low, high):
    """Components of row i, columns low … high − 1, of [3, N, M]."""
    return vectors[0, i, low:high], vectors[1, i, low:high], vectors[2, i, low:high]


# The three loops below run along a row for one offset of the window at a time: `a…` are slices of the
# neighbours, `b…` of the pixels themselves, all float32 of one length, so that they are vectorised.


@kernel
def _add_chords(ax, ay, az, bx, by, bz, total, count):
    for m in range(total.size):
        dx, dy, dz = ax[m] - bx[m], ay[m] - by[m], az[m] - bz[m]
        total[m] += np.sqrt(dx * dx + dy * dy + dz * dz)
        count[m] += np.float32(1.0)


@kernel
def _add_inliers(ax, ay, az, bx, by, bz, limit, tx, ty, tz):
    for m in range(tx.size):
        dx, dy, dz = ax[m] - bx[m], ay[m] - by[m], az[m] - bz[m]
        keep = np.float32(1.0) if dx * dx + dy * dy + dz * dz < limit[m] else np.float32(0.0)
        tx[m] += keep * ax[m]
        ty[m] += keep * ay[m]
        tz[m] += keep * az[m]


@kernel
def _add_offsets(ax, ay, az, bx, by, bz, limit, px, py, pz, rx, ry, rz, own, low, high, total, count):
    for m in range(total.size):
        dx, dy, dz = ax[m] - bx[m], ay[m] - by[m], az[m] - bz[m]
        offset = px[m] * rx[m] + py[m] * ry[m] + pz[m] * rz[m]
        outside = max(low[m] - offset, offset - high[m])
        near = dx * dx + dy * dy + dz * dz < limit[m]
        keep = np.float32(1.0) if near and outside < 0 else np.float32(0.0)
        total[m] += keep * (offset - own[m])
        count[m] += keep


@kernel
def _mean_angle(normals, n, window, border, mean, count):
    """μ (Eq. 32): mean chord between each normal of row n and those of its window; mean, count float32 [M]."""
    height, width = normals.shape[1:]
    mean[:] = 0
    count[:] = 0
    for w in range(window.shape[0]):
        i, j = n + window[w, 0], window[w, 1]
        if border <= i < height - border:
            low, high = max(0, border - j), min(width, width - border - j)
            ax, ay, az = _row(normals, i, low + j, high + j)
            bx, by, bz = _row(normals, n, low, high)
            _add_chords(ax, ay, az, bx, by, bz, mean[low:high], count[low:high])
    for m in range(width):
        mean[m] = mean[m] / max(count[m], np.float32(1.0))


@kernel
def _inlier_sum(normals, n, window, border, limit, total):
    """Sum of the normals whose squared chord to each pixel's own is below `limit` (Eq. 31); total float32 [3, M]."""
    height, width = normals.shape[1:]
    total[:] = 0
    for w in range(window.shape[0]):
        i, j = n + window[w, 0], window[w, 1]
        if border <= i < height - border:
            low, high = max(0, border - j), min(width, width - border - j)
            ax, ay, az = _row(normals, i, low + j, high + j)
            bx, by, bz = _row(normals, n, low, high)
            tx, ty, tz = total[0, low:high], total[1, low:high], total[2, low:high]
            _add_inliers(ax, ay, az, bx, by, bz, limit[low:high], tx, ty, tz)


@kernel
def _mean_offset(points, normals, robust, n, window, border, limit, own, lowest, highest, offset, count):
    """Mean over inliers of ⟨x, ν_rob⟩ − own where ⟨x, ν_rob⟩ is in (lowest, highest), and their number; float32 [M]."""
    height, width = normals.shape[1:]
    offset[:] = 0
    count[:] = 0
    for w in range(window.shape[0]):
        i, j = n + window[w, 0], window[w, 1]
        if border <= i < height - border:
            low, high = max(0, border - j), min(width, width - border - j)
            ax, ay, az = _row(normals, i, low + j, high + j)
            bx, by, bz = _row(normals, n, low, high)
            px, py, pz = _row(points, i, low + j, high + j)
            rx, ry, rz = _row(robust, n, low, high)
            _add_offsets(
                ax, ay, az, bx, by, bz, limit[low:high], px, py, pz, rx, ry, rz,
                own[low:high], lowest[low:high], highest[low:high], offset[low:high], count[low:high],
            )  # fmt: skip
    for m in range(width):
        offset[m] = offset[m] / max(count[m], np.float32(1.0))


@kernel
def surface_points(begin, end, disparity, rays, points):
    """3D points float32 [3, N, M] of rows begin … end − 1."""
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            points[0, n, m], points[1, n, m], points[2, n, m] = point(n, m, np.float64(disparity[n, m]), rays)


@task
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
        total, count = np.empty((3, width), np.float32), np.empty(width, np.float32)
        _mean_angle(normals, n, window, border, limit, count)
        for m in range(width):
            limit[m] = (share * limit[m]) ** 2
        _inlier_sum(normals, n, window, border, limit, total)
        for m in range(width):
            length = np.sqrt(total[0, m] ** 2 + total[1, m] ** 2 + total[2, m] ** 2)
            at_edge = n < border or m < border or n >= height - border or m >= width - border
            for c in range(3):
                robust[c, n, m] = normals[c, n, m] if length == 0 or at_edge else total[c, m] / length
            x, y, z = point(n, m, np.float64(disparity[n, m]), rays)
            own[m] = x * robust[0, n, m] + y * robust[1, n, m] + z * robust[2, n, m]
            here = inverse_depth(np.float64(disparity[n, m]), rays)
            slack = rays.slope * tolerance
            near, far = own[m] * here / (here + slack), own[m] * here / max(here - slack, 1e-12)
            low[m], high[m] = min(near, far), max(near, far)
        _mean_offset(points, normals, robust, n, window, border, limit, own, low, high, offset, count)
        for m in range(width):
            d = np.float64(disparity[n, m])
            if count[m] > 0:
                total_offset = np.float64(own[m]) + offset[m]
                d = plane_disparity(n, m, robust[0, n, m], robust[1, n, m], robust[2, n, m], total_offset, rays)
            plane[n, m] = d


@task
def mark_inliers(normals, n, m, window, border, share, inlier):
    """Which offsets of the window count in ν_rob of (n, m): inlier bool [W]; returns the largest chord that counts."""
    width = normals.shape[2]
    limit, count = np.empty(width, np.float32), np.empty(width, np.float32)
    total = np.empty((3, width), np.float32)
    _mean_angle(normals, n, window, border, limit, count)
    chord = share * limit[m]
    limit[m] = chord**2
    for w in range(window.shape[0]):
        _inlier_sum(normals, n, window[w : w + 1], border, limit, total)
        inlier[w] = total[0, m] != 0 or total[1, m] != 0 or total[2, m] != 0
    return chord
