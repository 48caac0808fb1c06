"""Scenes of which everything is known in every view."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ioadr import Views, estimate_views
from ioadr.evaluation.synthetic import Rendered, random_light_field

SIZE = (96, 112)


@cache
def scene(seed: int = 4) -> Rendered:
    return random_light_field(seed, "spheres", size=SIZE, grid=(9, 9))


@cache
def every_view(preset: str = "fast") -> Views:
    return estimate_views(scene().lightfield, preset, threads=1)


@cache
def truth(view: tuple[int, int]) -> NDArray[np.float64]:
    return scene().disparity_of(view)


def unseen(view: tuple[int, int], fewest: int = 4) -> NDArray[np.bool_]:
    """[N, M]: points of a view that the reference view does not see but `fewest` views do, by the true maps."""
    reference = scene().lightfield.reference
    count = sum(seen(view, other).astype(int) for other in np.ndindex(9, 9))
    return np.asarray(~seen(view, reference) & (count >= fewest))


def seen(view: tuple[int, int], other: tuple[int, int]) -> NDArray[np.bool_]:
    """[N, M]: points of a view that another one also sees."""
    offsets = scene().lightfield.offsets
    here, there = truth(view), truth(other)
    row, column = offsets[view] - offsets[other]
    height, width = here.shape
    rows, columns = np.mgrid[:height, :width]
    y, x = np.rint(rows + here * row).astype(int), np.rint(columns + here * column).astype(int)
    inside = (y >= 0) & (x >= 0) & (y < height) & (x < width)
    return np.asarray(inside & (there[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)] < here + 0.25))
