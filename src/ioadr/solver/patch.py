"""The patch that `solver.local_fit` chooses at one pixel, in plain Python: its size, inliers and value."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ioadr.parameters import Finish
from ioadr.solver.explanation import SurfaceFit
from ioadr.solver.finish import Spread, limited_precision, patches
from ioadr.solver.local_fit import RIDGE, UNIT

Floats = NDArray[np.float64]
FloatMap = NDArray[np.float32]


def fit_at(
    row: int,
    column: int,
    before: FloatMap,
    target: FloatMap,
    precision: FloatMap,
    term: Finish,
    spread: Spread | None = None,
    shared: float = math.nan,
) -> SurfaceFit:
    """The widest patch around a pixel that agrees with all narrower ones, as in `solver.finish.fit`.

    `shared` is the mean of the surfaces around the pixel, which became its value.
    """
    limited = limited_precision(precision, term, spread).astype(np.float64)
    polynomial = np.array([float(before[row, column]), 0, 0, 0, 0, 0])
    low, high, radius = -np.inf, np.inf, 0
    taken, members, weights = polynomial, np.zeros((0, 2), np.int64), np.zeros(0)
    for offsets in discs(term.widest):
        pixels = offsets + np.array([row, column])
        inside = ((pixels >= 0) & (pixels < before.shape)).all(axis=1)
        places, at = offsets[inside], tuple(pixels[inside].T)
        values, trust = target[at].astype(np.float64), limited[at]
        belongs = inliers(powers(places), values, trust, polynomial, term)
        fitted = fit_polynomial(powers(places), values, trust * belongs, polynomial, term.caution)
        if fitted is None:
            continue
        polynomial, variance = fitted
        reach = term.caution * np.sqrt(variance)
        low, high = max(low, polynomial[0] - reach), min(high, polynomial[0] + reach)
        if low > high:
            break
        taken, members, weights = polynomial, places, belongs * (precision[at] > 0)
        radius = int(np.abs(places).max()) if weights.any() else 0
    return SurfaceFit(
        before=float(before[row, column]),
        target=float(target[row, column]),
        deviation=float(limited[row, column] ** -0.5) if precision[row, column] > 0 else None,
        radius=radius,
        curved=bool(taken[3:].any()),
        members=members.astype(np.int32),
        weights=weights.astype(np.float32),
        disparity=float(taken[0]),
        shared=shared,
    )


def discs(widest: int) -> list[NDArray[np.int64]]:
    """Places (row, column) [K, 2] of each patch's samples around the pixel, narrowest first."""
    scales, rows = patches(widest)
    return [
        np.array([(down, m) for down, half, gap in rows[begin:end] for m in range(-half, half + 1, gap)], np.int64)
        for begin, end in pairwise(scales)
    ]


def powers(places: NDArray[np.int64]) -> Floats:
    """1, x, y, x², x·y, y² of each place [K, 6]."""
    y, x = places.T / UNIT
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)


def inliers(terms: Floats, values: Floats, trust: Floats, polynomial: Floats, term: Finish) -> Floats:
    """Weight 0 … 1 [K] of each target, by its distance from the last polynomial."""
    missed = values - terms @ polynomial
    return np.maximum(1 - missed**2 * np.maximum(trust / term.gate**2, term.widest_gate**-2), 0) ** 2


def fit_polynomial(
    terms: Floats, values: Floats, weights: Floats, last: Floats, caution: float
) -> tuple[Floats, float] | None:
    """A plane, or a quadric where that differs significantly, and the variance of its value at the pixel."""
    total = weights.sum()
    if total <= 0:
        return None
    results = []
    for size in (3, 6):
        part = terms[:, :size]
        matrix = part.T @ (weights[:, None] * part) + float(RIDGE) * total * np.eye(size)
        solution = np.linalg.solve(matrix, np.stack([part.T @ (weights * (values - last[0])), np.eye(size)[0]], axis=1))
        results.append((np.pad(solution[:, 0], (0, 6 - size)), float(solution[0, 1])))
    (plane, variance), (quadric, more) = results
    curved = more > variance and (quadric[0] - plane[0]) ** 2 > caution**2 * (more - variance)
    polynomial, spread = (quadric, more) if curved else (plane, variance)
    polynomial[0] += last[0]
    return polynomial, spread
