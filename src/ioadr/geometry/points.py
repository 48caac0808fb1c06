"""Disparity ⇄ depth ⇄ 3D points ⇄ normals on whole maps (§ IV-A, § IV-D)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera, RayModel, RelativeCamera
from ioadr.geometry.windows import scharr


def depth_from_disparity(disparity: NDArray[Any], camera: Camera | RelativeCamera) -> NDArray[Any]:
    """Z = 1 / (slope·d + offset), in metres or relative; NaN where that is not in front of the camera."""
    rays = camera.pinhole()
    inverse = rays.slope * disparity.astype(np.float64) + rays.offset
    return _reciprocal(inverse).astype(disparity.dtype)


def disparity_from_depth(depth: NDArray[Any], camera: Camera | RelativeCamera) -> NDArray[Any]:
    """Inverse of `depth_from_disparity`."""
    rays = camera.pinhole()
    return ((_reciprocal(depth.astype(np.float64)) - rays.offset) / rays.slope).astype(depth.dtype)


def points_from_disparity(disparity: NDArray[Any], rays: RayModel) -> NDArray[Any]:
    """[N, M, 3]: x right, y down, z away from the camera."""
    height, width = disparity.shape
    z = _reciprocal(rays.slope * disparity.astype(np.float64) + rays.offset)
    x = (np.arange(width) - rays.m0) * rays.pitch_x * z
    y = (np.arange(height)[:, None] - rays.n0) * rays.pitch_y * z
    return np.stack([x, y, z], axis=-1).astype(disparity.dtype)


def normals_from_points(points: NDArray[Any], facing: bool = True) -> NDArray[Any]:
    """Cross product of Scharr tangents (Eqs. 17, 19), unit length, edges replicated.

    `facing` flips normals that point away from the camera in the origin. Visible surfaces never point away, even with
    a positive z; differences across a jump may.
    """
    padded = np.pad(points.astype(np.float64), ((1, 1), (1, 1), (0, 0)), mode="edge")
    across = scharr(padded, axis=1)
    down = scharr(padded, axis=0)
    normal = cross(down, across)
    size = length(normal)[..., None]
    normal = np.divide(normal, size, out=np.full_like(normal, np.nan), where=size > 0)
    if facing:
        away = dot(normal, points) > 0
        normal = np.where(away[..., None], -normal, normal)
    return normal.astype(points.dtype)


def cross(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Cross product over the last axis; numpy's takes three times as long."""
    (x, y, z), (u, v, w) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def dot(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Inner product over the last axis, of three components; numpy's sums over so short an axis take thrice as long."""
    product: NDArray[Any] = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    return product


def length(a: NDArray[Any]) -> NDArray[Any]:
    """Length over the last axis."""
    return np.sqrt(dot(a, a))


def _reciprocal(values: NDArray[Any]) -> NDArray[Any]:
    return np.divide(1.0, values, out=np.full_like(values, np.nan), where=values > 0)
