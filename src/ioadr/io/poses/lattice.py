"""Arranges views by position: on a grid, if they form one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SAME = 0.6
"""Distance, in steps, above which a new row begins."""
FULLEST = 0.5
"""Share of the positions of a grid that must have a view."""


def arranged_views(places: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Numbers of the views on a grid [L, K], −1 where there is none, and their positions [L, K, 3].

    `places` [V, 3] are (row, column, towards the scene) in steps. Views that form no grid become one row.
    """
    rows, columns = _levels(places[:, 0]), _levels(places[:, 1])
    grid = (int(rows.max()) + 1, int(columns.max()) + 1)
    taken = len(np.unique(rows * grid[1] + columns)) == len(places)
    if not taken or len(places) < FULLEST * grid[0] * grid[1]:
        order = np.argsort(places[:, 1], kind="stable")
        rows, columns, grid = np.zeros(len(places), np.intp), np.argsort(order), (1, len(places))
    index = np.full(grid, -1, np.intp)
    index[rows, columns] = np.arange(len(places))
    placed = np.zeros((*grid, 3))
    placed[rows, columns] = places
    return index, placed


def _levels(values: Floats) -> NDArray[np.intp]:
    """The number of each value's level; levels are more than SAME apart."""
    order = np.argsort(values, kind="stable")
    levels = np.empty(len(values), np.intp)
    levels[order] = np.concatenate([[0], np.cumsum(np.diff(values[order]) > SAME)])
    return levels
