"""Sparsification: errors of the remaining pixels when the least confident are dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.evaluation.truth import Truth

SHARES = tuple(share / 100 for share in range(0, 100, 5))


def sparsification_curve(
    disparity: NDArray[Any],
    confidence: NDArray[Any],
    truth: Truth,
    threshold: float = 0.07,
    shares: Sequence[float] = SHARES,
) -> NDArray[np.float64]:
    """Bad pixels, in %, among those kept after dropping the given shares of the scored pixels, least confident first.

    Pixels of equal confidence are dropped in equal parts, so that a constant confidence gains nothing.
    """
    area = truth.area
    wrong = ~(np.abs(disparity[area] - truth.disparity[area]) <= threshold)
    values, group = np.unique(confidence[area], return_inverse=True)
    total = np.bincount(group, minlength=len(values))
    bad = np.bincount(group, wrong, minlength=len(values))
    dropped = np.concatenate([[0], np.cumsum(total)])
    dropped_bad = np.concatenate([[0], np.cumsum(bad)])
    at = np.asarray(shares) * dropped[-1]
    left = dropped[-1] - at
    return np.asarray(100 * (dropped_bad[-1] - np.interp(at, dropped, dropped_bad)) / left)


def best_sparsification(
    disparity: NDArray[Any], truth: Truth, threshold: float = 0.07, shares: Sequence[float] = SHARES
) -> NDArray[np.float64]:
    """The same for an ideal confidence, ordered by the error: no curve can be lower."""
    return sparsification_curve(disparity, -np.abs(disparity - truth.disparity), truth, threshold, shares)
