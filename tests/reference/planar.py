"""Plain twins of `ioadr.cost.planar` (Eqs. 29, 35)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import RayModel
from ioadr.parameters import PlanarTerm
from tests.reference.geometry import Vector, angle, point, unit


def small_normal(
    disparity: NDArray[Any], n: int, m: int, d: float, back: int, rays: RayModel, term: PlanarTerm
) -> Vector:
    """ν_sm with hypothesis d in the map: from the pixels beside, or from those two px towards the visited ones."""
    height, width = disparity.shape

    def at(row: int, column: int) -> Vector:
        value = disparity[min(max(row, 0), height - 1), min(max(column, 0), width - 1)]
        return point(row, column, d if (row, column) == (n, m) else float(value), rays)

    if term.small_kernel == "central":
        across, down = at(n, m + 1) - at(n, m - 1), at(n + 1, m) - at(n - 1, m)
    else:
        across, down = back * (at(n, m + 2 * back) - at(n, m)), back * (at(n + 2 * back, m) - at(n, m))
    return unit(np.cross(down, across))


def planar_cost(
    disparity: NDArray[Any],
    n: int,
    m: int,
    d: float,
    back: int,
    robust: Vector,
    d_plane: float,
    rays: RayModel,
    term: PlanarTerm,
    slack: float = 0.0,
) -> float:
    """J_pg in degrees, at most 90; 0 where the plane misses the map or the kernel would leave the image."""
    height, width = disparity.shape
    if abs(d_plane - float(disparity[n, m])) >= term.tolerance + slack:
        return 0.0
    if not (0 <= n + 2 * back < height and 0 <= m + 2 * back < width):
        return 0.0
    normal = small_normal(disparity, n, m, d, back, rays, term)
    return min(math.degrees(angle(normal, robust)), 90.0)
