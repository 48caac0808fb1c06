"""Reasons to doubt a pixel, measured without ground truth, for `solver.confidence` (docs/confidence.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.cost.linearised import linearise
from ioadr.cost.rivals import rival_margins
from ioadr.cost.total import Model
from ioadr.geometry.ppp import Rays
from ioadr.geometry.windows import grow
from ioadr.solver.cost_curves import lattice, lattice_curves, spread
from ioadr.solver.few_views import costs_of, few_rays, seen_by
from ioadr.solver.finish import everywhere
from ioadr.solver.gloss import blurred, smooth
from ioadr.solver.map_filters import count_torn, rank_middle
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import SweepPlan
from ioadr.tones import mean_of_channels

FloatMap = NDArray[np.float32]
REACHES = (4, 8)
"""Radii, px, within which rivals are searched, near and far."""
DISTINCT = 0.1
"""Smallest difference in disparity of a rival, px."""
NOISE = 1.0
"""Smallest residual that is assumed, grey levels."""
STRAY, MOST_STRAY, STRAY_REGION = 0.8, 1.5, 0.06
"""Share of the expected contribution of noise by which it may exceed it by chance: at a pixel, at the most textured of
its neighbours, and around it on average."""
FURTHEST = 0.1
"""Largest pull of the data that counts, px."""
TORN = 0.1
"""Distance from the local plane, px of disparity, above which a neighbour does not belong to the surface."""
FAINT = 5
"""Standard deviation, px, of the window in which texture weaker than noise is looked for."""
FINE = 10
"""Positions between two pixels at which the contribution of noise is computed."""
END = 0.03
"""Distance from an end of the range, px of disparity, that counts as the end."""


def reasons_to_doubt(
    refinement: Refinement, closing: SweepPlan, data: FloatMap, visible: NDArray[np.uint16]
) -> tuple[dict[str, FloatMap], NDArray[np.bool_]]:
    """Reasons by name, each larger where the pixel is more doubtful, [N, M]; and where there are two minima."""
    disparity = refinement.disparity
    model = refinement.model(replace(closing, planar_weight=0.0, plane_fits=0))
    few = seen_by(few_rays(refinement), model, refinement)
    highest, lowest = (sign * np.stack([grow(sign * disparity, reach) for reach in REACHES]) for sign in (1, -1))
    own = data
    if few.rays is not model.rays:
        wanted = (highest[-1] - disparity > DISTINCT) | (disparity - lowest[-1] > DISTINCT)
        wanted[np.ix_(*(lattice(size) for size in disparity.shape))] = True
        own = costs_of(few, disparity, wanted, refinement.workers)
    near, far = _margins(refinement, few, disparity, own, highest, lowest)
    curves = lattice_curves(refinement, few, disparity, own)
    limits, shape = refinement.limits, disparity.shape
    ends = (disparity < limits.minimum + END) | (disparity > limits.maximum - END)
    reasons = _data_reasons(refinement, few, disparity, visible)
    beside = torn(disparity, 1)
    reasons |= {"torn": beside, "torn around": torn(disparity, 3), "torn region": smooth(beside)}
    reasons |= {"rival near": -near, "rival far": -far}
    reasons |= {
        "rival": -spread(curves.rival, shape),
        "rival of region": -spread(curves.region_rival, shape),
        "flat": -spread(curves.sides, shape),
        "beyond": -spread(curves.beyond, shape),
        "unexplained": spread(curves.unexplained, shape),
    }
    reasons |= {
        "unseen": (1 - visible / max(refinement.positions.dy.size, 1)).astype(np.float32),
        "end": smooth(ends.astype(np.float32)),
        "bent": bent(disparity),
        "clipped": clipped(refinement.lightfield.reference_view, refinement.lightfield.white),
    }
    return reasons, spread(curves.two_minima.astype(np.float32), shape) > 0.5


def bent(disparity: FloatMap) -> FloatMap:
    """Bend of the surface over ±2 px, median over 5×5 px: large at the outlines of curved objects, 0 on planes."""
    padded = extended(disparity, 2)
    down = padded[4:, 2:-2] + padded[:-4, 2:-2] - 2 * disparity
    right = padded[2:-2, 4:] + padded[2:-2, :-4] - 2 * disparity
    ranked = np.empty_like(disparity)
    rank_middle(np.pad(np.hypot(down, right), 2, mode="edge"), ranked)
    return ranked


def extended(disparity: FloatMap, reach: int) -> FloatMap:
    """The map, extrapolated by `reach` px on every side."""
    if min(disparity.shape) > reach:
        return np.pad(disparity, reach, mode="reflect", reflect_type="odd")
    return np.pad(disparity, reach, mode="edge")


def clipped(view: NDArray[Any], white: float) -> FloatMap:
    """Share of clipped samples (black or full white) around a pixel."""
    at_end = (view <= 0) | (view >= white)
    return smooth(mean_of_channels(at_end, np.float64).astype(np.float32))


def torn(disparity: FloatMap, gap: int) -> FloatMap:
    """Share of 5×5 neighbours, `gap` px apart, that lie off the plane through the pixel.

    Slopes are medians over the neighbourhood: they follow the surface and ignore single pixels.
    """
    share = np.empty_like(disparity)
    count_torn(extended(disparity, 2 * gap), gap, np.float32(TORN * (1.5 if gap > 1 else 1.0)), share)
    return share


def _margins(
    refinement: Refinement, model: Model, disparity: FloatMap, own: FloatMap, highest: FloatMap, lowest: FloatMap
) -> FloatMap:
    """Extra cost of the nearest and the farthest disparity of the neighbourhood, [near and far, N, M]."""
    margins = np.empty_like(highest)
    refinement.workers.rows(
        rival_margins, len(disparity), model, disparity, own, highest, lowest, np.float32(DISTINCT), margins
    )
    return margins


def _data_reasons(
    refinement: Refinement, model: Model, disparity: FloatMap, visible: NDArray[np.uint16]
) -> dict[str, FloatMap]:
    """Uncertainty and pull of the data, at the pixel and in its region, and the unexplained residual.

    The derivatives of noise look like texture, so their expected contribution is subtracted. Where noise hides the
    texture of single pixels, that of their region may still stand out.
    """
    views = max(refinement.positions.dy.size, 1)
    target, texture, residual = (np.empty_like(disparity) for _ in range(3))
    numbers = np.float32(refinement.parameters.finish.colour_scale), np.float32(FURTHEST)
    given = model, disparity, *numbers, everywhere(disparity)
    refinement.workers.rows(linearise, len(disparity), *given, target, texture, residual)
    noise = residual / (1 + residual / numbers[0] ** 2) * noise_texture(model.rays, disparity)
    noise *= visible.astype(np.float32) / np.float32(views)
    unit = (residual + np.float32(NOISE**2)) * np.float32(model.rays.dy.size / views)
    precision: FloatMap = np.maximum(texture - np.float32(1 + STRAY) * noise, np.float32(0.0)) / unit
    regional, pull = smooth(precision), target - disparity
    pull_of_region = np.abs(smooth(precision * pull)) / np.maximum(regional, np.float32(1e-6))
    with_noise, clear = _deviation(texture / unit), _deviation((texture - np.float32(1 + MOST_STRAY) * noise) / unit)
    excess = texture_beyond(texture, noise) - np.float32(STRAY_REGION)
    faint = _deviation(excess * noise / unit)
    return {
        "vague": _deviation(precision),
        "vague region": _deviation(regional),
        "uninformed": -grow(-with_noise, 1),
        "hidden by noise": np.minimum(-grow(-clear, 1), faint),
        "pull": np.log(np.abs(pull) + np.float32(0.003)),
        "pull of region": np.log(pull_of_region + np.float32(0.003)),
        "residual": 0.5 * np.log(smooth(residual) + np.float32(0.1)),
    }


def _deviation(precision: FloatMap) -> FloatMap:
    """Logarithm of the standard deviation, px."""
    return np.float32(-0.5) * np.log(np.maximum(precision, np.float32(1e-6)))


def texture_beyond(texture: FloatMap, noise: FloatMap) -> FloatMap:
    """By how much texture exceeds that of noise around a pixel, as a share of it, between −½ and ½, [N, M]."""
    ratio = texture / np.maximum(noise, np.float32(1e-6))
    return blurred(np.clip(ratio, np.float32(0.5), np.float32(1.5)), FAINT, 3 * FAINT) - np.float32(1.0)


def noise_texture(rays: Rays, disparity: FloatMap) -> FloatMap:
    """Σ g² over all views that noise causes, if it causes a mean square residual of 1, [N, M].

    The noise of an interpolated sample, and of its derivative, depends on its position between pixels, and thus on the
    disparity.
    """
    step = 1 / (FINE * max(float(rays.reach.max()), 1.0))
    tried = step * np.arange(np.floor(disparity.min() / step), np.ceil(disparity.max() / step) + 2)
    (value_y, slope_y), (value_x, slope_x) = (noise_gains(-np.outer(tried, along)) for along in (rays.dy, rays.dx))
    slope = rays.dy**2 * slope_y * value_x + rays.dx**2 * value_y * slope_x
    gain = slope.sum(1) / (value_y * value_x).mean(1)
    return np.interp(disparity, tried, gain).astype(np.float32)


def noise_gains(position: NDArray[np.floating]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Variance of unit noise, and of its derivative, after cubic interpolation at a position."""
    t = position - np.floor(position)
    value = np.stack([t * (2 * t - 1 - t * t), 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, t**3 - t**2]) / 2
    slope = np.stack([4 * t - 3 * t**2 - 1, 9 * t**2 - 10 * t, 8 * t - 9 * t**2 + 1, 3 * t**2 - 2 * t]) / 2
    return (value**2).sum(0), (slope**2).sum(0)
