"""Random light fields of every kind that the verdict on the order of views must stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.evaluation.synthetic import FAMILIES, Options, random_light_field

Views = NDArray[Any]
SIZES = (64, 96, 128, 160, 192, 256)
GRIDS = ((1, 5), (3, 3), (4, 4), (5, 5), (3, 5), (7, 7), (9, 9), (6, 1), (1, 9), (5, 5))
ARRANGEMENTS = [
    (transposed, rows, columns) for transposed in (False, True) for rows in (False, True) for columns in (False, True)
]


@dataclass(frozen=True)
class Case:
    """A random scene, and how it was taken."""

    seed: int
    size: tuple[int, int]
    grid: tuple[int, int]
    noise: float
    disparity: tuple[float, float]

    @property
    def family(self) -> str:
        return FAMILIES[self.seed % len(FAMILIES)]

    def views(self) -> Views:
        """[L, K, N, M, C]."""
        options = Options(noise=self.noise, seed=self.seed)
        return random_light_field(
            self.seed, None, self.size, self.grid, self.disparity, options=options
        ).lightfield.views


def random_case(seed: int) -> Case:
    """Weak and strong occlusion come from narrow and wide ranges of disparity around any focus plane."""
    random = np.random.default_rng([17, seed])
    long = int(random.choice(SIZES))
    short = int(long * random.uniform(0.75, 1.0))
    size = (long, short) if random.random() < 0.3 else (short, long)
    grid = GRIDS[int(random.integers(len(GRIDS)))]
    reach = max(max(grid) - 1, 2) / 2
    extent = float(random.uniform(0.03, 0.15)) * long / reach
    middle = float(random.uniform(-0.5, 0.5)) * extent
    noise = float(random.choice((0.0, 1.0, 2.0, 4.0, 7.0, 10.0)))
    return Case(seed, size, grid, noise, (middle - extent / 2, middle + extent / 2))


def moderate_case(seed: int) -> Case:
    """128 px, 5×5 views, noise of 2 … 5 grey levels, disparities as the benchmark's."""
    random = np.random.default_rng([18, seed])
    return Case(seed, (128, 128), (5, 5), float(random.uniform(2, 5)), (-1.5, 1.5))


def arranged(views: Views, arrangement: tuple[bool, bool, bool]) -> Views:
    """The views, stored with a transposed grid and reversed rows or columns."""
    transposed, rows, columns = arrangement
    views = views.swapaxes(0, 1) if transposed else views
    views = views[::-1] if rows else views
    return views[:, ::-1] if columns else views
