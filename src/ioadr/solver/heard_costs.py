"""Costs of whole planes to which every view contributes, and a semi-global match on them (decision 11)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr._lanes import WIDTH
from ioadr.cost.heard import Heard, cost_of_map, hear, surface_in_views
from ioadr.geometry.ppp import Rays
from ioadr.lightfield import DisparityRange
from ioadr.solver.filtered_views import high_pass_rays, softened_rays
from ioadr.solver.gloss import blurred
from ioadr.solver.problem import padded_guide
from ioadr.solver.semiglobal import gather_paths

FloatMap = NDArray[np.float32]
PLANES = 3.0
"""Number of planes per px of shift in the outermost view."""
MOST_PLANES = 192
"""Largest number of planes, which determine memory and time; wider ranges get coarser planes."""
HIGH_PASS = 0.9
"""Share of low frequencies that is removed before the match, because they include gloss and shading."""
HIDDEN = 0.8
"""Smallest difference, px of shift, by which a nearer surface hides a point."""
CHARGE = 1.2
"""Cost of a hidden view, as a multiple of the best match around the pixel."""
SMOOTHING = 2.0
"""Standard deviation of the window around the pixel, px."""
PENALTIES = (1.0, 10.0, 0.3, 8.0)
"""Grey levels: for a plane up or down, for a jump, for a jump across any edge; colour difference that divides by e."""


def hear_planes(
    disparity: FloatMap, rays: Rays, limits: DisparityRange, workers: Workers, softening: float = 0.0
) -> Heard:
    """Costs on planes a third of a px of shift apart, with the occlusions of the map; views may be smoothed."""
    height, reach = len(disparity), float(rays.reach.max())
    passed = high_pass_rays(softened_rays(rays, softening, workers) if softening else rays, HIGH_PASS, workers)
    count = int(np.clip(np.ceil(limits.extent * reach * PLANES), 3, MOST_PLANES - 1))
    planes = np.linspace(limits.minimum, limits.maximum, count + 1, dtype=np.float32)
    surface = seen_surface(disparity, rays, workers)
    deviation = np.empty((*disparity.shape, count + 1), np.uint16)
    share, least = np.empty(deviation.shape, np.uint8), np.empty_like(disparity)
    given = disparity, surface, planes, np.float32(HIDDEN / reach)
    workers.rows(hear, height, passed, *given, deviation, share, least)
    charge = np.float32(CHARGE) * blurred(least, SMOOTHING, int(np.ceil(3 * SMOOTHING)))
    return Heard(deviation, share, charge, np.float32(limits.minimum), np.float32(limits.extent / count))


def costs_of_map(heard: Heard, disparity: FloatMap, workers: Workers) -> FloatMap:
    """C of a map [N, M], grey levels."""
    costs = np.empty_like(disparity)
    workers.rows(cost_of_map, len(disparity), heard, disparity, costs)
    return costs


def semiglobal_match(heard: Heard, rays: Rays, limits: DisparityRange) -> FloatMap:
    """The map [N, M] whose costs along eight paths are lowest."""
    guide, penalties = padded_guide(rays, 0), tuple(np.float32(p) for p in PENALTIES)
    sums, index = np.empty_like(heard.deviation), np.empty_like(heard.charge)
    for forward in (True, False):
        gather_paths(forward, guide, heard.deviation, heard.share, heard.charge, penalties, sums, index)
    return np.clip(heard.minimum + index * heard.step, heard.minimum, np.float32(limits.maximum))


def seen_surface(disparity: FloatMap, rays: Rays, workers: Workers) -> FloatMap:
    """The map as each view sees it, flat, with the spare numbers that `hear` reads."""
    size = rays.dy.size * disparity.size
    flat = np.zeros(size + WIDTH, np.float32)
    surface = flat[:size].reshape(-1, *disparity.shape)
    workers.rows(surface_in_views, len(surface), disparity, rays.dy, rays.dx, surface)
    return flat
