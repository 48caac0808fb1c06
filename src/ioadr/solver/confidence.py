"""How far to trust each pixel, from the cost alone (docs/confidence.md).

A value is doubtful where a disparity that occurs nearby explains the pixel nearly as well, where the map jumps,
where the data still pull, where nothing has texture, and where few views see the point.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ioadr.cost.linearised import linearise
from ioadr.cost.rivals import rival_margins
from ioadr.cost.total import Model
from ioadr.geometry.windows import grow
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import SweepPlan

FloatMap = NDArray[np.float32]
REACHES = (4, 8)
"""px within which rivals are looked for, near and far."""
DISTINCT = 0.1
"""px of disparity from which a value is a rival."""
JUMP = 0.1
"""px of disparity within ±2 px that halve the trust."""
PULL = 0.03
"""px by which the data may still pull."""
NOISE = 1.0
"""Grey levels that a residual has at least."""
VAGUE = 0.25
"""px, standard deviation of a pixel's own data that halves the trust."""


def confidence(refinement: Refinement, closing: SweepPlan, data: FloatMap, visible: NDArray[np.uint16]) -> FloatMap:
    """0 … 1 for every pixel of the refinement's map, given its data term and how many views see it."""
    disparity = refinement.disparity
    model = refinement.model(replace(closing, planar_weight=0.0, plane_fits=0))
    settled, textured = _data_trust(refinement, model, disparity)
    near, far = _margin_trust(refinement, model, disparity, data)
    calm = 1.0 / (1.0 + (grow(disparity, 2) + grow(-disparity, 2)) / JUMP)
    seen = visible / max(refinement.rays.dy.size, 1)
    trust = far * np.sqrt(near) * calm**2 * settled * textured * np.sqrt(seen)
    return np.clip(trust, 0.0, 1.0).astype(np.float32)


def _margin_trust(refinement: Refinement, model: Model, disparity: FloatMap, own: FloatMap) -> FloatMap:
    """Logistic of how much costlier the nearest and the farthest disparity around would be, [near and far, N, M]."""
    highest = np.stack([grow(disparity, reach) for reach in REACHES])
    lowest = np.stack([-grow(-disparity, reach) for reach in REACHES])
    margins = np.empty_like(highest)
    refinement.workers.rows(
        rival_margins, len(disparity), model, disparity, own, highest, lowest, np.float32(DISTINCT), margins
    )
    return 1.0 / (1.0 + np.exp((0.1 - margins) / 0.2, dtype=np.float32))


def _data_trust(refinement: Refinement, model: Model, disparity: FloatMap) -> tuple[FloatMap, FloatMap]:
    """1 where the data no longer pull, and 1 where they are sharp."""
    term = refinement.parameters.finish
    target, texture, residual = (np.empty_like(disparity) for _ in range(3))
    numbers = np.float32(term.colour_scale), np.float32(0.1)
    refinement.workers.rows(linearise, len(disparity), model, disparity, *numbers, target, texture, residual)
    precision: FloatMap = texture / (residual + np.float32(NOISE**2))
    settled = 1.0 / (1.0 + ((target - disparity) / PULL) ** 2)
    textured = precision / (precision + np.float32(VAGUE**-2))
    return settled, textured
