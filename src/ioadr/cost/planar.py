"""Planar geometry J_pg (Eq. 35): angle between the normal of a hypothesis and the plane of its surroundings."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel
from ioadr.geometry.normals import cross, point


class Planes(NamedTuple):
    """The plane around each pixel."""

    normals: Any
    """float32 [3, N, M], ν_lg, whose robust mean is ν_rob; read by explanations, not by costs."""
    robust: Any
    """float32 [3, N, M], ν_rob."""
    plane: Any
    """float32 [N, M], d_μ."""
    tolerance: Any
    central: Any
    """Small kernel: ±1 px differences instead of 2 px towards visited pixels."""
    rays: Any
    """RayModel."""


@kernel
def angle_degrees(cosine_gap):
    """Angle up to 90° whose cosine is 1 − cosine_gap, by a polynomial for arccos(x)/√(1−x); error below 2·10⁻⁸ rad."""
    gap = min(max(cosine_gap, 0.0), 1.0)
    x = 1.0 - gap
    series = 0.0066700901 + x * -0.0012624911
    series = -0.0170881256 + x * series
    series = 0.0308918810 + x * series
    series = -0.0501743046 + x * series
    series = 0.0889789874 + x * series
    series = -0.2145988016 + x * series
    series = 1.5707963050 + x * series
    return np.sqrt(gap) * series * (180.0 / np.pi)


@kernel
def small_normal(disparity, n, m, d, pad, back, planes):
    """Normal ν_sm of (n, m) with hypothesis d (Eq. 29), not normalised; back = −1 or 1 points to the visited pixels.

    disparity is the padded map [N + 2·pad, M + 2·pad].
    """
    if planes.central:
        ax, ay, az = point(n, m + 1, np.float64(disparity[n + pad, m + 1 + pad]), planes.rays)
        bx, by, bz = point(n, m - 1, np.float64(disparity[n + pad, m - 1 + pad]), planes.rays)
        hx, hy, hz = ax - bx, ay - by, az - bz
        ax, ay, az = point(n + 1, m, np.float64(disparity[n + 1 + pad, m + pad]), planes.rays)
        bx, by, bz = point(n - 1, m, np.float64(disparity[n - 1 + pad, m + pad]), planes.rays)
        return cross(ax - bx, ay - by, az - bz, hx, hy, hz)
    x, y, z = point(n, m, np.float64(d), planes.rays)
    ax, ay, az = point(n, m + 2 * back, np.float64(disparity[n + pad, m + 2 * back + pad]), planes.rays)
    bx, by, bz = point(n + 2 * back, m, np.float64(disparity[n + 2 * back + pad, m + pad]), planes.rays)
    return cross(bx - x, by - y, bz - z, ax - x, ay - y, az - z)


@kernel
def planar_cost(disparity, n, m, d, pad, back, planes):
    """J_pg of hypothesis d at (n, m) in degrees, 0 where the surroundings are not planar or at the image's edge."""
    height, width = planes.plane.shape
    if abs(planes.plane[n, m] - disparity[n + pad, m + pad]) >= planes.tolerance:
        return np.float32(0.0)
    if n + 2 * back < 0 or m + 2 * back < 0 or n + 2 * back >= height or m + 2 * back >= width:
        return np.float32(0.0)
    x, y, z = small_normal(disparity, n, m, d, pad, back, planes)
    length = np.sqrt(x * x + y * y + z * z)
    if length == 0:
        return np.float32(90.0)
    dx = x / length - planes.robust[0, n, m]
    dy = y / length - planes.robust[1, n, m]
    dz = z / length - planes.robust[2, n, m]
    return np.float32(angle_degrees(0.5 * (dx * dx + dy * dy + dz * dz)))
