"""Search for the plane that suits an area best, compiled (beyond the paper, decision 19).

Single pixels of a texture-less surface do not determine their disparity; thousands together determine their plane.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel, task
from ioadr.cost.heard import CAP, cost_between

HALVINGS, ROUNDS = 5, 4
"""Number of times that the steps of the descent are halved, and largest number of rounds with the same steps."""


class Area(NamedTuple):
    """Pixels of an area and pairs of pixels across its rim, for kernels."""

    pixels: Any
    """int64 [P, 2]."""
    own: Any
    """float32 [P], grey levels: cost of the map."""
    weight: Any
    """float32: pixels of the area that each one stands for."""
    rim: Any
    """float32 [R, 4]: row and column of the inner pixel, disparity of the outer one, grey levels for a jump."""
    centre: Any
    """float32 [2], row and column at which a plane has its first number; the other two are its slopes."""


@kernel
def plane_at(plane, centre, n, m):
    """Disparity of a plane float32 [3] at (n, m)."""
    return plane[0] + plane[1] * (np.float32(n) - centre[0]) + plane[2] * (np.float32(m) - centre[1])


@kernel
def jump(first, second, scale):
    """0 … 1: how much of a jump two disparities make; scale: px of shift per px, the threshold and the whole jump."""
    step = abs(first - second) * scale[0]
    return min(max((step - scale[1]) / scale[2], np.float32(0.0)), np.float32(1.0))


@kernel
def plane_energy(heard, area, plane, most, scale, stride):
    """Σ min(C(plane) − C(map), most) over every `stride`-th pixel, and the jumps at the rim, grey levels."""
    last = heard.minimum + heard.step * np.float32(heard.deviation.shape[2] - 1)
    total = np.float32(0.0)
    for i in range(0, area.own.size, stride):
        n, m = area.pixels[i, 0], area.pixels[i, 1]
        d = plane_at(plane, area.centre, n, m)
        cost = cost_between(heard, n, m, d) if d >= heard.minimum and d <= last else CAP
        total += min(cost - area.own[i], most)
    total *= area.weight
    for i in range(len(area.rim)):
        d = plane_at(plane, area.centre, area.rim[i, 0], area.rim[i, 1])
        total += area.rim[i, 3] * jump(d, area.rim[i, 2], scale)
    return total


@task
def fit_plane(heard, area, values, slopes, steps, most, scale, plane, trial):
    """Improve plane float32 [3]; with values and slopes [float32], begin with the best of their combinations.

    steps float32 [3]: first steps of a descent along one number after the other; trial float32 [3]: scratch.
    """
    lowest = np.float32(np.inf)
    for value in values:
        for down in slopes:
            for right in slopes:
                trial[0], trial[1], trial[2] = value, down, right
                energy = plane_energy(heard, area, trial, most, scale, 3)
                if energy < lowest:
                    lowest = energy
                    plane[:] = trial
    lowest = plane_energy(heard, area, plane, most, scale, 1)
    size = np.float32(1.0)
    for _ in range(HALVINGS):
        for _ in range(ROUNDS):
            moved = False
            for i in range(6):
                trial[:] = plane
                trial[i // 2] += size * steps[i // 2] * np.float32(1 - 2 * (i % 2))
                energy = plane_energy(heard, area, trial, most, scale, 1)
                if energy < lowest:
                    lowest = energy
                    plane[:] = trial
                    moved = True
            if not moved:
                break
        size *= np.float32(0.5)
