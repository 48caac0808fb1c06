"""Shares of pixels at outlines of the reference view, from contours instead of single pixels (`views.tracing`)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.cost.sight import Matting
from ioadr.lightfield import LightField
from ioadr.result import Estimate
from ioadr.solver.contours import FEWEST, SHOWN, WIDTHS, trace
from ioadr.solver.coverage import pack_matting
from ioadr.solver.problem import pack_rays
from ioadr.views.surfaces import link_of
from ioadr.views.tracing import cover_from_outlines, find_sides, trace_outlines

FloatMap = NDArray[np.float32]
SHARPEST, BLUR = 1.3, 0.41
"""Width of the contour that a pixel's own area blurs, px, and square of the width, px², that contours gain because
disparities at rims are wrong. With the width as measured, outlines are narrower by 0.04 px where it is 1.45 px."""
CLOSE = 0.75
"""Largest distance from the outline, px, at which a pixel is traced."""


def with_traced_outlines(first: Estimate, lightfield: LightField, workers: Workers) -> Estimate:
    """The reference view's estimate with coverage from contours, for presets that use contours."""
    term = first.parameters.coverage
    if not (term.settle and term.contours) or first.coverage is None:
        return first
    data, link = first.parameters.data, link_of(first)
    rays = pack_rays(lightfield, data.view_step, lightfield.tones(data.least_span))
    matting = pack_matting(first.disparity, rays, term)
    coverage = np.maximum(first.coverage, np.float32(0.5))
    surfaces, edges = (np.empty((3, *coverage.shape), np.float32) for _ in range(2))
    rows = len(coverage)
    workers.rows(find_sides, rows, matting, first.disparity, coverage, link, surfaces, edges)
    pixels = np.argwhere(np.abs(edges[0]) < CLOSE)
    width = outline_width(matting, surfaces, pixels, workers)
    if width is None:
        return first
    found, traced = np.empty(len(pixels), np.float32), np.full(coverage.shape, np.nan, np.float32)
    workers.rows(trace_outlines, len(pixels), matting, pixels, surfaces, edges, np.float32(width), found)
    traced[pixels[:, 0], pixels[:, 1]] = found
    workers.rows(cover_from_outlines, rows, first.disparity, surfaces, edges, traced, link, coverage)
    return replace(first, coverage=coverage)


def outline_width(matting: Matting, surfaces: FloatMap, pixels: NDArray[np.intp], workers: Workers) -> float | None:
    """The width of contours that leaves least at some of the pixels [P, 2], less `BLUR`; None if they are too few."""
    shown = pixels[:: max(1, -(-len(pixels) // SHOWN))]
    left = trace(matting, surfaces, shown, WIDTHS, workers)[:, :, 1]
    left = left[np.isfinite(left).all(axis=1)]
    if len(left) < FEWEST:
        return None
    return max(SHARPEST, math.sqrt(WIDTHS[int(left.mean(axis=0).argmin())] ** 2 - BLUR))
