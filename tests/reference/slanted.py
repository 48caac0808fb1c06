"""Plain twins of `ioadr.solver.plane_search` and `ioadr.solver.surface_choice` (decision 19)."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from ioadr.solver.plane_search import HALVINGS, ROUNDS, Area
from tests.reference.geometry import inside

Array = NDArray[np.float64]
Scale = tuple[float, float, float]


def jump(first: float, second: float, scale: Scale) -> float:
    """0 … 1 for two disparities."""
    reach, different, whole = scale
    return min(max((abs(first - second) * reach - different) / whole, 0.0), 1.0)


def energy(costs: Array, planes: Array, area: Area, numbers: Array, most: float, scale: Scale, stride: int) -> float:
    """Σ min(C(plane) − C(map), most) over the area, and the price of jumps at its rim; 8 beyond the planes."""

    def disparity(n: float, m: float) -> float:
        return float(numbers[0] + numbers[1] * (n - area.centre[0]) + numbers[2] * (m - area.centre[1]))

    total = 0.0
    for (n, m), own in list(zip(area.pixels, area.own, strict=True))[::stride]:
        d = disparity(n, m)
        cost = float(np.interp(d, planes, costs[n, m])) if planes[0] <= d <= planes[-1] else 8.0
        total += min(cost - float(own), most)
    rim = sum(float(price) * jump(disparity(n, m), float(outer), scale) for n, m, outer, price in area.rim)
    return total * float(area.weight) + rim


def fit(
    costs: Array, planes: Array, area: Area, values: Array, slopes: Array, steps: Array, most: float, scale: Scale,
    slack: float,
) -> Array:  # fmt: skip
    """The best combination, then one number after the other up and down, by steps that are halved."""
    starts = [np.array(start) for start in itertools.product(values, slopes, slopes)]
    heights = [energy(costs, planes, area, start, most, scale, 3) + slack * i for i, start in enumerate(starts)]
    best = starts[int(np.argmin(heights))]
    lowest = energy(costs, planes, area, best, most, scale, 1)
    for halving in range(HALVINGS):
        for _ in range(ROUNDS):
            moved = False
            for axis, sign in itertools.product(range(3), (1.0, -1.0)):
                trial = best.copy()
                trial[axis] += sign * steps[axis] / 2**halving
                height = energy(costs, planes, area, trial, most, scale, 1)
                if height < lowest - slack:
                    best, lowest, moved = trial, height, True
            if not moved:
                break
    return best


def margins(
    image: Array, disparity: Array, plane: Array, own: Array, new: Array, penalties: tuple[float, float], scale: Scale
) -> Array:
    """Cost of the plane less that of the map, over eight paths."""
    total, order = np.zeros(own.shape), list(np.ndindex(own.shape))
    surfaces = disparity, plane
    for step in ((0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1)):
        path = np.stack([own, new], axis=-1).astype(np.float64)
        for pixel in order if step < (0, 0) else reversed(order):
            before = pixel[0] + step[0], pixel[1] + step[1]
            if inside(*before, own.shape):
                price = penalties[0] * math.exp(-float(np.abs(image[pixel] - image[before]).mean()) / penalties[1])
                reached = [
                    min(
                        path[before][j]
                        + (0.0 if i == j == 1 else price * jump(float(here[pixel]), float(there[before]), scale))
                        for j, there in enumerate(surfaces)
                    )
                    for i, here in enumerate(surfaces)
                ]
                path[pixel] += np.array(reached) - path[before].min()
        total += path[..., 1] - path[..., 0]
    return total
