"""Light fields of any size for measuring growth: cheap to make, with the same number of occlusions per pixel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr.lightfield import DisparityRange, LightField

CELL = 32
"""Distance between occluders, px."""
NEAR, FAR = 1.2, -0.6
"""Disparities of the occluders and of the background, px."""


def tiles(size: int, grid: int, seed: int = 0) -> LightField:
    """Textured squares in rows and columns before a textured wall, seen by grid×grid views of size×size px."""
    random = np.random.default_rng(seed)
    wall, squares = _texture(random, size), _texture(random, size)
    views = np.empty((grid, grid, size, size, 3), np.uint8)
    for row in range(grid):
        for column in range(grid):
            step = row - grid // 2, column - grid // 2
            cover = _covered(size, (NEAR * step[0], NEAR * step[1]))[..., None]
            front, back = (_shifted(t, d * step[0], d * step[1]) for t, d in ((squares, NEAR), (wall, FAR)))
            views[row, column] = np.where(cover, front, back) + 0.5
    return LightField(views, range=DisparityRange(-1.0, 1.6, "user"), name=f"tiles {size} px, {grid}×{grid} views")


def _texture(random: np.random.Generator, size: int) -> NDArray[np.float32]:
    """Noise with detail of a few px, which repeats beyond its edges."""
    noise = random.random((size, size, 3), np.float32)
    for axis in (0, 1, 0, 1):
        noise = ((noise + np.roll(noise, 1, axis) + np.roll(noise, -1, axis)) / 3).astype(np.float32)
    low, high = noise.min(), noise.max()
    return ((noise - low) / (high - low) * 255).astype(np.float32)


def _shifted(texture: NDArray[np.float32], y: float, x: float) -> NDArray[np.float32]:
    """texture(n + y, m + x), bilinear, repeating."""
    for axis, shift in ((0, y), (1, x)):
        whole = int(np.floor(shift))
        fraction = np.float32(shift - whole)
        near, far = np.roll(texture, -whole, axis), np.roll(texture, -whole - 1, axis)
        texture = (near + fraction * (far - near)).astype(np.float32)
    return texture


def _covered(size: int, shift: tuple[float, float]) -> NDArray[np.bool_]:
    """Mask of a square of half a cell, moved by −shift."""
    inside = [((np.arange(size) + s) % CELL) < CELL / 2 for s in shift]
    return inside[0][:, None] & inside[1]
