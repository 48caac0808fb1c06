"""Confidence: the probability that a pixel's disparity is within 0.07 px of the truth (docs/confidence.md).

Reasons to doubt (`solver.evidence`) lower the odds; `solver.trust_model` has their weights, calibrated on synthetic
scenes only.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ioadr.solver.evidence import reasons_to_doubt
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import SweepPlan
from ioadr.solver.trust_model import KNOTS, START, WEIGHTS

FloatMap = NDArray[np.float32]
VAGUE = 0.25
"""Standard deviation of the sharpest data around a pixel, px, at which half of the trust remains."""
GUESSED = np.float32(0.4)
"""Share of the trust that remains where texture does not stand out from noise: smooth surfaces are often continued
rightly. Synthetic scenes have few such pixels."""
BETTER = 0.6
"""Margin by which a rival must be cheaper to refute the pixel: too rare for the fit."""
PULLED = 0.08
"""Distance, px, between a region and the disparities that its data favour, above which the region is refuted."""
BENT, MOST_BENT = 0.01, 0.05
"""Bend of a surface, px, that halves the odds, and bend above which they fall no further (jumps have other reasons).

Fitted surfaces are least reliable at the outlines of curved objects; synthetic scenes have too few to learn from.
"""
CLIPPED = 0.5
"""Share of clipped samples (black or white) above which edges may be displaced."""


def confidence_map(
    refinement: Refinement, closing: SweepPlan, data: FloatMap, visible: NDArray[np.uint16]
) -> tuple[FloatMap, NDArray[np.bool_]]:
    """Confidence 0 … 1 of every pixel of the refinement's map, given its data term and number of visible views.

    Also a mask of cost curves with a second minimum of nearly equal cost.
    """
    reasons, two_minima = reasons_to_doubt(refinement, closing, data, visible)
    return probability(reasons), two_minima


def probability(reasons: Mapping[str, FloatMap]) -> FloatMap:
    """Share of pixels with these reasons that are within 0.07 px: a logistic model, which no reason can raise.

    Without texture there is no information, and what the data refute is wrong: both give 0.
    """
    odds = np.full_like(reasons["vague region"], START, np.float32)
    for name, weights in WEIGHTS.items():
        for (below, above), weight in zip(pairwise(KNOTS[name]), weights, strict=True):
            if weight:
                odds -= _ramp(reasons[name], below, above, weight)
    odds -= np.log1p(np.minimum(reasons["bent"], np.float32(MOST_BENT)) / np.float32(BENT))
    informed = _informed(reasons["uninformed"]) * (GUESSED + (1 - GUESSED) * _informed(reasons["hidden by noise"]))
    rival = np.maximum(reasons["rival near"], reasons["rival far"])
    refuted = _beyond(rival, BETTER, 0.05) + _beyond(reasons["pull of region"], float(np.log(PULLED)), 0.1)
    refuted += _beyond(reasons["clipped"], CLIPPED, 0.05)
    return np.clip(informed * (1 - np.minimum(refuted, 1)) / (1 + np.exp(-odds)), 0, 1).astype(np.float32)


def _informed(deviation: FloatMap) -> FloatMap:
    """1 where the sharpest data around a pixel have a small standard deviation (given its logarithm), 0 where none."""
    return 1 / (1 + np.exp(2 * (deviation - np.float32(np.log(VAGUE)))))


def _ramp(values: FloatMap, low: float, high: float, top: float) -> FloatMap:
    """0 below `low`, `top` above `high`, linear in between; numpy's `interp` takes three times as long."""
    share: FloatMap = (values - np.float32(low)) * np.float32(top / (high - low))
    return np.minimum(np.maximum(share, np.float32(0.0), out=share), np.float32(top), out=share)


def _beyond(values: FloatMap, limit: float, width: float) -> FloatMap:
    """0 below a limit, 1 above it."""
    return 1 / (1 + np.exp(np.float32(1 / width) * (np.float32(limit) - values)))
