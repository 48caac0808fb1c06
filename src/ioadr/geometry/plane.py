"""The plane of a pixel's surroundings (§ V-C): robust normal ν_rob and disparity d_μ (Eqs. 31–34).

Angles between normals are measured as chords of the unit sphere: a chord grows with the angle, needs no arc cosine,
and differs from the angle by less than 1 % below 28°.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel, task
from ioadr._lanes import WIDTH, among, below, largest, load, root, splat, store
from ioadr.geometry.normals import inverse_depth, plane_disparity, point


class Around(NamedTuple):
    """Normals and points of some rows, padded so that sixteen neighbours in any pixel's window can be read together.

    Sixteen pixels of a row are fitted together: `b` are the pixels, and `a` their neighbours at one offset of the
    window. Sums stay in registers.
    """

    normals: Any
    """float32 [3 · rows · stride]; NaN where normals are not used and beyond the image."""
    points: Any
    """float32 [3 · rows · stride]; 0 beyond the image."""
    top: Any
    """Index of the first row."""
    rows: Any
    stride: Any
    margin: Any
    """Padding before the first column and after the last, in numbers."""


@kernel
def _place(around, i, m):
    """Flat index of pixel (i, m)."""
    return (i - around.top) * around.stride + around.margin + m


@kernel
def _three(values, index, size):
    """Three components of sixteen vectors."""
    return load(values, index), load(values, index + size), load(values, index + 2 * size)


@kernel
def _fill(around, points, normals, border):
    """Copy rows; normals within `border` px of the image's edge are left out."""
    height, width = normals.shape[1:]
    size = around.rows * around.stride
    around.normals[:] = np.nan
    around.points[:] = 0
    for c in range(3):
        for i in range(max(around.top, 0), min(around.top + around.rows, height)):
            index = c * size + _place(around, i, 0)
            for m in range(width):
                around.points[index + m] = points[c, i, m]
            if border <= i < height - border:
                for m in range(border, width - border):
                    around.normals[index + m] = normals[c, i, m]


@kernel
def _square(a, b):
    """|a − b|² of sixteen pairs of vectors."""
    dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return dx * dx + dy * dy + dz * dz


@kernel
def _mean_angle(around, n, m, window, b):
    """μ (Eq. 32): mean chord between the normals b of (n, m) … (n, m + 15) and those of their windows."""
    zero, one, below_zero = splat(np.float32(0.0)), splat(np.float32(1.0)), splat(np.float32(-1.0))
    size = around.rows * around.stride
    sums = counts = zero
    for w in range(window.shape[0]):
        chord = root(_square(_three(around.normals, _place(around, n + window[w, 0], m + window[w, 1]), size), b))
        finite = below(below_zero, chord)
        sums, counts = sums + among(finite, chord, zero), counts + among(finite, one, zero)
    return sums / largest(counts, one)


@kernel
def _inlier_sum(around, n, m, window, b, limit):
    """Sum of the normals whose squared chord to the pixels' own is below `limit` (Eq. 31)."""
    zero = splat(np.float32(0.0))
    size = around.rows * around.stride
    x = y = z = zero
    for w in range(window.shape[0]):
        a = _three(around.normals, _place(around, n + window[w, 0], m + window[w, 1]), size)
        inlier = below(_square(a, b), limit)
        x, y, z = x + among(inlier, a[0], zero), y + among(inlier, a[1], zero), z + among(inlier, a[2], zero)
    return x, y, z


@kernel
def _mean_offset(around, n, m, window, b, r, limit, offset, low, high):
    """Mean of ⟨x, ν_rob⟩ − offset over inliers with ⟨x, ν_rob⟩ in (low, high) (Eq. 33), and their number."""
    zero, one = splat(np.float32(0.0)), splat(np.float32(1.0))
    size = around.rows * around.stride
    sums = counts = zero
    for w in range(window.shape[0]):
        index = _place(around, n + window[w, 0], m + window[w, 1])
        p = _three(around.points, index, size)
        summed = p[0] * r[0] + p[1] * r[1] + p[2] * r[2]
        inlier = below(_square(_three(around.normals, index, size), b), limit)
        inlier = inlier & below(largest(low - summed, summed - high), zero)
        sums, counts = sums + among(inlier, summed - offset, zero), counts + among(inlier, one, zero)
    return sums / largest(counts, one), counts


@kernel
def surface_points(begin, end, disparity, rays, points):
    """Fill rows begin … end − 1 with 3D points float32 [3, N, M]."""
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            points[0, n, m], points[1, n, m], points[2, n, m] = point(n, m, np.float64(disparity[n, m]), rays)


@task
def _around(begin, end, points, normals, window, border):
    """The surroundings of rows begin … end − 1."""
    reach = np.int64(0)
    for w in range(window.shape[0]):  # with numpy's maximum, loading the compiled loop would load a tenth of numba
        reach = max(reach, abs(window[w, 0]), abs(window[w, 1]))
    margin = reach + WIDTH
    rows, stride = end - begin + 2 * reach, normals.shape[2] + 2 * margin
    size = 3 * rows * stride
    around = Around(np.empty(size, np.float32), np.empty(size, np.float32), begin - reach, rows, stride, margin)
    _fill(around, points, normals, border)
    return around


@kernel
def _expect(n, disparity, rays, tolerance, robust, size, expected):
    """Offset of the plane through each pixel of row n, and the range of offsets that predict its disparity."""
    for m in range(disparity.shape[1]):
        x, y, z = point(n, m, np.float64(disparity[n, m]), rays)
        own = np.float32(x * robust[m] + y * robust[size + m] + z * robust[2 * size + m])
        here = inverse_depth(np.float64(disparity[n, m]), rays)
        slack = rays.slope * tolerance
        near, far = own * here / (here + slack), own * here / max(here - slack, 1e-12)
        expected[0, m], expected[1, m], expected[2, m] = own, min(near, far), max(near, far)


@kernel
def _normalise(n, m, total, own, border, height, width, size, robust):
    """ν_rob of pixel (n, m) from the sum of its inliers; its own normal if there are none, or at the image's edge."""
    x, y, z = total[m], total[size + m], total[2 * size + m]
    length = np.sqrt(x * x + y * y + z * z)
    at_edge = n < border or m < border or n >= height - border or m >= width - border
    for c in range(3):
        k = c * size + m
        robust[k] = own[k] if length == 0 or at_edge else total[k] / length


@task
def robust_planes(begin, end, disparity, rays, points, normals, window, border, share, tolerance, robust, plane):
    """Fill rows begin … end − 1 of ν_rob float32 [3, N, M] and d_μ float32 [N, M], from the map's points and ν_lg.

    window int32 [W, 2]: offsets of W^avg. Normals within `border` px of the image's edge are not used, and pixels
    there keep their own normal. A plane offset counts if it predicts the pixel's own disparity to within
    `tolerance`; if none does, the plane passes through the pixel.
    """
    height, width = disparity.shape
    size = width + WIDTH
    around = _around(begin, end, points, normals, window, border)
    own, fitted = np.zeros(3 * size, np.float32), np.zeros(3 * size, np.float32)
    limit, total = np.zeros(size, np.float32), np.zeros(3 * size, np.float32)
    expected, result = np.zeros((3, size), np.float32), np.zeros((2, size), np.float32)
    for n in range(begin, end):
        for c in range(3):
            for m in range(width):
                own[c * size + m] = normals[c, n, m]
        for m in range(0, width, WIDTH):
            b = _three(own, m, size)
            chord = share * _mean_angle(around, n, m, window, b)
            store(limit, m, chord * chord)
            x, y, z = _inlier_sum(around, n, m, window, b, chord * chord)
            store(total, m, x)
            store(total, size + m, y)
            store(total, 2 * size + m, z)
        for m in range(width):
            _normalise(n, m, total, own, border, height, width, size, fitted)
        _expect(n, disparity, rays, tolerance, fitted, size, expected)
        for m in range(0, width, WIDTH):
            offset, low, high = load(expected[0], m), load(expected[1], m), load(expected[2], m)
            b, r = _three(own, m, size), _three(fitted, m, size)
            mean, count = _mean_offset(around, n, m, window, b, r, load(limit, m), offset, low, high)
            store(result[0], m, mean)
            store(result[1], m, count)
        for m in range(width):
            x, y, z = fitted[m], fitted[size + m], fitted[2 * size + m]
            robust[0, n, m], robust[1, n, m], robust[2, n, m] = x, y, z
            offset = np.float64(expected[0, m]) + result[0, m]
            through = plane_disparity(n, m, x, y, z, offset, rays)
            plane[n, m] = through if result[1, m] > 0 else np.float64(disparity[n, m])


@task
def mark_inliers(normals, n, m, window, border, share, inlier):
    """Mark the offsets of the window that count in ν_rob of (n, m), bool [W]; returns the largest chord that counts."""
    around = _around(n, n + 1, normals, normals, window, border)
    own = np.zeros(3 * WIDTH, np.float32)
    for c in range(3):
        own[c * WIDTH] = normals[c, n, m]
    chords = np.empty(WIDTH, np.float32)
    store(chords, 0, share * _mean_angle(around, n, m, window, _three(own, 0, WIDTH)))
    for w in range(window.shape[0]):
        a = _three(around.normals, _place(around, n + window[w, 0], m + window[w, 1]), around.rows * around.stride)
        square = _square(a, _three(own, 0, WIDTH))
        inlier[w] = below(square, splat(chords[0] * chords[0])) & np.int32(1)
    return chords[0]
