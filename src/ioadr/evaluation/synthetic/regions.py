"""The benchmark's regions of a synthetic scene: planes, smooth surfaces, discontinuities, thin structures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr.evaluation.synthetic.shading import Scene
from ioadr.evaluation.synthetic.trace import FACES
from ioadr.geometry.windows import grow

JUMP = 0.1
"""Smallest difference between neighbours that is a discontinuity, px of disparity."""
CLEARANCE = 3
"""Distance of planes and smooth surfaces from their edges, px; width of the other regions."""

Mask = NDArray[np.bool_]


def masks(scene: Scene, key: NDArray[np.intp], disparity: NDArray[np.float64]) -> dict[str, Mask]:
    """By the benchmark's names; `key` as in `Hits`, both [N, M]."""
    seam = _differs(key, 0.5)
    jump = _differs(disparity, JUMP)
    inner = ~grow(seam | jump, CLEARANCE)
    number = key // FACES
    planar = np.isin(number, [i for i, body in enumerate(scene.bodies) if body.planar and not body.thin])
    curved = np.isin(number, [i for i, body in enumerate(scene.bodies) if not body.planar and not body.thin])
    fine = np.isin(number, [i for i, body in enumerate(scene.bodies) if body.thin])
    return {
        "planes": planar & inner,
        "smooth_surfaces": curved & inner,
        "discontinuities": grow(jump, 1),
        "fine": fine,
        "fine_surrounding": grow(fine, CLEARANCE) & ~fine,
    }


def _differs(values: NDArray[np.float64] | NDArray[np.intp], step: float) -> Mask:
    """Pixels that differ by more than `step` from a neighbour on the left, right, above or below."""
    result = np.zeros(values.shape, bool)
    for axis in (0, 1):
        jump = np.abs(np.diff(values, axis=axis)) > step
        first = [slice(None), slice(None)]
        second = [slice(None), slice(None)]
        first[axis], second[axis] = slice(None, -1), slice(1, None)
        result[tuple(first)] |= jump
        result[tuple(second)] |= jump
    return result
