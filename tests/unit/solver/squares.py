"""A textured square before a textured wall, both of whole disparities: every sample and every occlusion is exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr import DisparityRange, LightField

HEIGHT, WIDTH, GRID = 44, 48, 5
TOP, LEFT, SIDE = 16, 16, 14
BACK, FRONT = 0.0, 1.0
BLANK = np.s_[2:12, 30:44]
"""Where the wall has no texture."""


def square_lightfield(grid: int = GRID) -> LightField:
    """The square moves by a px from view to view, the wall does not; the wall has a blank part."""
    random = np.random.default_rng(5)
    wall, square = (random.integers(20, 235, (HEIGHT, WIDTH, 3), np.uint8) for _ in range(2))
    wall[BLANK] = 120
    views = np.broadcast_to(wall, (grid, grid, *wall.shape)).copy()
    for row, column in np.ndindex(grid, grid):
        n, m = TOP - (row - grid // 2), LEFT - (column - grid // 2)
        views[row, column, n : n + SIDE, m : m + SIDE] = square[:SIDE, :SIDE]
    return LightField(views, range=DisparityRange(-0.5, 1.5))


def square_map() -> NDArray[np.float32]:
    truth = np.full((HEIGHT, WIDTH), BACK, np.float32)
    truth[TOP : TOP + SIDE, LEFT : LEFT + SIDE] = FRONT
    return truth
