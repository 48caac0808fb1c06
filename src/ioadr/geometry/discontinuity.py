"""Where a surface ends: pixels next to an occluder, and triangles that must not bridge a gap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.geometry.points import cross, dot, length

STEEPEST = 85.0
"""Largest angle, degrees, between line of sight and normal; more oblique surfaces are treated as gaps."""


def occlusion_boundary(disparity: NDArray[Any], reach: tuple[float, float]) -> NDArray[np.bool_]:
    """Mask [N, M]: True where a direct neighbour is near enough to hide the pixel in some view.

    `reach` is the farthest view's distance (vertical, horizontal) in px of shift per px of disparity:
    a neighbour 1 px away hides the pixel there once it is 1 / reach px of disparity nearer.
    """
    boundary = np.zeros(disparity.shape, bool)
    for axis, distance in enumerate(reach):
        step = np.diff(disparity, axis=axis) * distance
        before = [slice(None), slice(None)]
        after = [slice(None), slice(None)]
        before[axis], after[axis] = slice(None, -1), slice(1, None)
        boundary[tuple(before)] |= step >= 1
        boundary[tuple(after)] |= step <= -1
    return boundary


def surface_cells(points: NDArray[Any], steepest: float = STEEPEST) -> NDArray[np.uint8]:
    """[N−1, M−1]: the two triangles of [N, M, 3] `points` that cover the cell between four pixels.

    Bit 0: its diagonal runs from top left to bottom right (the one with the smaller step in depth is taken).
    Bits 1 and 2: the left and the right triangle belong to a surface.
    """
    top_left, top_right, bottom_left, bottom_right = _corners(np.moveaxis(points, -1, 0).astype(np.float32, order="C"))
    falling = _depth_step(top_left, bottom_right) <= _depth_step(top_right, bottom_left)
    limit = math.cos(math.radians(steepest))
    left = _faces_camera(top_left, bottom_left, np.where(falling, bottom_right, top_right), limit)
    right = _faces_camera(np.where(falling, top_left, bottom_left), bottom_right, top_right, limit)
    return np.asarray(falling | left << 1 | right << 2, np.uint8)


def triangles(cells: NDArray[np.uint8]) -> NDArray[np.int32]:
    """[T, 3] pixel numbers (n·M + m), counter-clockwise as the camera sees them, of the cells' surfaces."""
    height, width = cells.shape[0] + 1, cells.shape[1] + 1
    index = np.arange(height * width, dtype=np.int32).reshape(height, width)
    top_left, top_right, bottom_left, bottom_right = _corners(index)
    falling = (cells & 1) > 0
    left = np.stack([top_left, bottom_left, np.where(falling, bottom_right, top_right)], axis=-1)
    right = np.stack([np.where(falling, top_left, bottom_left), bottom_right, top_right], axis=-1)
    return np.concatenate([left[(cells & 2) > 0], right[(cells & 4) > 0]])


def _corners(grid: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    return grid[..., :-1, :-1], grid[..., :-1, 1:], grid[..., 1:, :-1], grid[..., 1:, 1:]


def _depth_step(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Infinite where a point is missing, so that the other diagonal is taken."""
    step = np.abs(a[2] - b[2])
    step[np.isnan(step)] = np.inf
    return step


def _faces_camera(a: NDArray[Any], b: NDArray[Any], c: NDArray[Any], limit: float) -> NDArray[np.uint8]:
    """1 where the triangle is less oblique than the limit; 0 elsewhere and where a corner is missing."""
    normal = cross(b - a, c - a)
    return np.asarray(np.abs(dot(normal, a)) > limit * (length(normal) * length(a)), np.uint8)
