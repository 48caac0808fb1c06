"""Noise of the views, measured where they agree best, and colours with less of it (beyond the paper, decision 21)."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ioadr.geometry.ppp import Rays
from ioadr.solver.few_views import map_costs
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import SweepPlan
from ioadr.solver.segments import average_colours

FloatMap = NDArray[np.float32]
SPACING, AROUND = 8, 4
"""Distance between the pixels whose costs are measured, px, and their number on each side of a window."""
SHARE, MEAN, INTERPOLATED = 4, 1.2, 1.3
"""A quarter of the pixels of a window are assumed to match; multiples of the lower quartile that the mean cost of noise
alone is, with whole disparities and where samples are interpolated."""
ORDINARY = 1.7
"""Difference between views without noise, grey levels, caused by interpolation and texture, as in the finish."""
VIEWS = 9
"""Views that are averaged: the nearest ones, since the farther a view, the more often another surface hides a point."""
STRAY = 4.0
"""Multiple of the noise by which a sample of the same surface may differ."""


def local_noise(refinement: Refinement, closing: SweepPlan, rays: Rays | None = None) -> FloatMap:
    """Mean data term that noise causes around each pixel, [N, M], grey levels; 0 if it is no more than ordinary.

    It is measured in all views, or in those of `rays`.
    """
    disparity = refinement.disparity
    wanted = np.zeros(disparity.shape, bool)
    wanted[::SPACING, ::SPACING] = True
    costs = map_costs(refinement, closing, rays or refinement.rays, disparity, wanted)[::SPACING, ::SPACING]
    side = 2 * AROUND + 1
    around = sliding_window_view(np.pad(costs, AROUND, mode="symmetric"), (side, side)).reshape(*costs.shape, -1)
    quartile = side * side // SHARE
    matched = np.float32(MEAN) * np.partition(around, quartile, axis=-1)[..., quartile]
    noise = np.sqrt(np.maximum(matched**2 - np.float32(ORDINARY**2), np.float32(0.0)))
    return noise.repeat(SPACING, axis=0).repeat(SPACING, axis=1)[: disparity.shape[0], : disparity.shape[1]]


def calm_colours(refinement: Refinement, noise: FloatMap, tolerance: float) -> FloatMap:
    """The reference view [N, M, 3] in grey levels, averaged with its nearest views along the map.

    Samples that differ from it by more than a tolerance and the noise belong to another surface and do not count.
    """
    rays, disparity = refinement.rays, refinement.disparity
    apart = np.round(rays.dy.astype(np.float64) ** 2 + rays.dx.astype(np.float64) ** 2, 6)
    nearest = np.argsort(apart, kind="stable")[:VIEWS]
    limit = np.float32(tolerance) + np.float32(STRAY) * noise
    colours = np.empty((*disparity.shape, 3), np.float32)
    refinement.workers.rows(average_colours, len(disparity), rays, disparity, nearest, limit, colours)
    return colours
