"""Replaces unfiltered colours by high-pass data where there is gloss (beyond the paper, decision 13).

Two conditions must hold: the unfiltered residuals exceed what noise explains, given those of the high-pass data, and
the two kinds of data favour disparities that differ by more than the error of high-pass data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.solver.map_filters import blur

FloatMap = NDArray[np.float32]
NOISE = 0.5
"""Smallest residual of high-pass data that is assumed, grey levels."""
GROWTH = 4
"""Growth of occluders for high-pass data, px: their samples near an edge mix colours from farther away."""
FURTHER = 2.5
"""Factor by which high-pass data may move a target farther than unfiltered data: gloss has already biased the map."""
FREELY = 4.0
"""Factor by which unfiltered data without texture may move a target farther. Tried: 8, the same; also where gloss is
suspected: turntable has 13.6 instead of 13.2 % beyond 0.07 px (decision 25)."""
OWN_ERROR = 0.032
"""Error of high-pass data, px of shift in the outermost view."""
WHITE = 1.6
"""Ratio of the residuals' mean squares, plain to high-pass, that white noise gives."""
DIGITS = 0.05
"""Mean square of residuals caused by rounding to 8 bits, grey levels²; below it, their ratio carries no information."""
# Tried: suspicion from 1.25 on; of cotton 4.6 % are beyond 0.03 px (decision 13).
SUSPICION, CERTAINTY = 1.1, 1.4
"""Multiples of the ratio of white noise at which gloss is first suspected, and at which it is certain."""
REGION = 3.0
"""Standard deviation, px, of the windows over which residuals and targets are compared."""
REACH = int(3 * REGION)
"""Half width of these windows, px."""


class Wish(NamedTuple):
    """Targets of one kind of data at every pixel."""

    target: FloatMap
    """Targets, px."""
    precision: FloatMap
    """1/px²."""
    residual: FloatMap
    """Mean square of the differences between the views, grey levels²."""


def blended(plain: Wish, high: Wish, trust: FloatMap) -> tuple[FloatMap, FloatMap]:
    """Targets and precisions: unfiltered data weighted by the trust in them, high-pass data by the rest."""
    first, second = trust * plain.precision, (1 - trust) * high.precision
    total = first + second
    mean = (first * plain.target + second * high.target) / np.maximum(total, np.float32(1e-12))
    return np.where(total > 0, mean, plain.target), total


def within(wish: Wish, disparity: FloatMap, furthest: FloatMap | np.float32) -> Wish:
    """The same targets, at most `furthest` px from a map."""
    return wish._replace(target=np.clip(wish.target, disparity - furthest, disparity + furthest))


def within_deviation(wish: Wish, disparity: FloatMap, furthest: float, excess: FloatMap) -> Wish:
    """The same targets, at most `furthest` px from a map, or up to their own standard deviation if nothing suggests
    gloss. So a texture-less surface that is off as a whole can still move.
    """
    matt = np.clip((SUSPICION - excess) / (SUSPICION - 1.0), 0, 1)
    deviation = 1.0 / np.sqrt(np.maximum(wish.precision, np.float32(1e-9)))
    wider = matt * (np.clip(deviation, furthest, FREELY * furthest) - furthest)
    return within(wish, disparity, (furthest + wider).astype(np.float32))


def excess_of_plain(plain: Wish, high: Wish) -> FloatMap:
    """Residuals of unfiltered data against those of high-pass data, in a region, as a multiple of white noise's."""
    return (smooth(plain.residual) + DIGITS) / (WHITE * smooth(high.residual) + DIGITS)


def trust_in_plain(plain: Wish, high: Wish, excess: FloatMap, own_error: float) -> FloatMap:
    """Trust in unfiltered data: 1 without gloss, smaller the more they deviate relative to the high-pass error.

    τ = e²/(e² + c·δ²): δ is the mean difference of the targets in a region, e the error of high-pass data, px; c is
    the evidence of gloss in the residuals, 0 … 1.
    """
    certain = np.clip((excess - SUSPICION) / (CERTAINTY - SUSPICION), 0, 1)
    both = plain.precision * high.precision / np.maximum(plain.precision + high.precision, np.float32(1e-9))
    difference = smooth(both * (plain.target - high.target)) / np.maximum(smooth(both), np.float32(1e-9))
    error = np.float32(own_error**2)
    return (error / (error + certain * difference**2)).astype(np.float32)


def smooth(values: FloatMap) -> FloatMap:
    """Gaussian mean over a region; edges repeated."""
    return blurred(values, REGION, REACH)


def blurred(values: FloatMap, sigma: float, reach: int) -> FloatMap:
    """Gaussian mean over ± reach px; edges repeated."""
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    smooth = np.empty_like(values, np.float32)
    blur(np.ascontiguousarray(values, np.float32), (taps / taps.sum()).astype(np.float32), smooth)
    return smooth
