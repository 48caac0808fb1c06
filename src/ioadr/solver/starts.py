"""Chooses, at each pixel, the best of several first maps (beyond the paper, decision 11)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ioadr.geometry.ppp import Rays
from ioadr.solver.few_views import few_rays, map_costs
from ioadr.solver.noise import local_noise
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import SweepPlan
from ioadr.way import Origin

FloatMap = NDArray[np.float32]
CHANCE = 0.7555
"""√(π/2 − 1): standard deviation of absolute values of normal noise, as a share of their mean."""
LUCK = 2.0
"""Standard deviations by which the lowest of some thirty values of noise lies below their mean."""


def rays_of_starts(refinement: Refinement) -> Rays:
    """A few views if several starts are ranked and refined, all views for a single start."""
    several = refinement.parameters.initialise.method == "cheapest"
    return few_rays(refinement) if several else refinement.rays


def begin(refinement: Refinement, maps: Sequence[FloatMap], origins: Sequence[Origin], closing: SweepPlan) -> None:
    """Set the refinement's first map: the cheapest at each pixel, each map with its own occlusions.

    The first wins ties; a single map is used unchanged.
    """
    refinement.disparity = chosen = maps[0]
    if len(maps) == 1:
        return
    lowest, few, everywhere = np.full_like(chosen, np.inf), few_rays(refinement), np.ones(chosen.shape, bool)
    noise = local_noise(refinement, closing, few)
    noise = np.minimum(noise, np.median(noise))  # more of it around a pixel is mismatch: a first map is wrong in places
    # Tried: only where maps differ; three quarters of the pixels still do, so 4 % of the time are saved (decision 7).
    for values, origin in zip(maps, origins, strict=True):
        costs = map_costs(refinement, closing, few, values, everywhere)
        if origin == Origin.PIXELS:
            costs = handicapped(costs, noise, few.dy.size)
        chosen, lowest = np.where(costs < lowest, values, chosen), np.minimum(costs, lowest)
    refinement.disparity = chosen


def handicapped(costs: FloatMap, noise: FloatMap, views: int) -> FloatMap:
    """Costs of a plane sweep of single pixels, as compared with those of other maps.

    It takes the plane on which the noise of one pixel happens to agree best. So it must cost less than others by the
    standard deviation of a mean of that many absolute values of noise; in measured noise, by two more.
    """
    return np.asarray(costs + np.float32(chance(views) - 1.0) * (costs + np.float32(LUCK) * noise), np.float32)


def chance(views: int) -> float:
    """Factor of one standard deviation on the mean of that many absolute values of noise."""
    return 1.0 + CHANCE / float(np.sqrt(views))
