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
    components = np.moveaxis(points, -1, 0)
    padded = np.pad(components.astype(np.float64, order="C"), ((0, 0), (1, 1), (1, 1)), mode="edge")
    down, across = (np.stack([scharr(component, axis) for component in padded]) for axis in (0, 1))
    normal = cross(down, across)
    size = length(normal)
    normal = np.divide(normal, size, out=np.full_like(normal, np.nan), where=size > 0)
    if facing:
        normal = np.where(dot(normal, components) > 0, -normal, normal)
    return np.stack(list(normal.astype(points.dtype)), axis=-1)


def cross(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Cross product over the first axis, as below: numpy is slow over axes of three."""
    (x, y, z), (u, v, w) = a, b
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u])


def dot(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Inner product over the first axis, of three components."""
    product: NDArray[Any] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product


def length(a: NDArray[Any]) -> NDArray[Any]:
    """Length over the first axis."""
    return np.sqrt(dot(a, a))


def _reciprocal(values: NDArray[Any]) -> NDArray[Any]:
    return np.divide(1.0, values, out=np.full_like(values, np.nan), where=values > 0)
