"""Plain twins of `ioadr.cost.congruence` (Eqs. 24–28)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import DisparityRange
from ioadr.parameters import CongruenceTerm


def neighbour_weight(
    colour: float, disparity: float, cost: float, limits: DisparityRange, term: CongruenceTerm, slack: float = 0.0
) -> float:
    """χ from ‖colour difference‖ in grey levels and |disparity difference| in px (Eqs. 26–28)."""
    delta_c, delta_t = term.colour_scale * colour, term.disparity_scale * disparity
    if delta_c > term.colour_limit + slack:
        return 0.0
    if delta_t <= limits.extent + slack:
        return 1 / max(term.epsilon, math.sqrt(delta_t**2 + delta_c * delta_t))
    far = term.epsilon + (cost if term.epsilon_plus_cost else 0.0)
    return 1 / max(far, math.sqrt(delta_c**2 + delta_t**2))


def window_weights(
    image: NDArray[np.float64],
    disparity: NDArray[Any],
    n0: int,
    m0: int,
    d: float,
    cost: float,
    limits: DisparityRange,
    term: CongruenceTerm,
    slack: float = 0.0,
) -> NDArray[np.float64]:
    """χ over W^c, [2h+1, 2h+1], 0 outside the image; image [N, M, 3] in grey levels."""
    h = term.half_width
    weights = np.zeros((2 * h + 1, 2 * h + 1))
    for j in range(-h, h + 1):
        for i in range(-h, h + 1):
            n, m = n0 + j, m0 + i
            left_out = i == j == 0 and not term.include_centre
            if 0 <= n < disparity.shape[0] and 0 <= m < disparity.shape[1] and not left_out:
                colour = float(np.linalg.norm(image[n, m] - image[n0, m0]))
                weights[j + h, i + h] = neighbour_weight(
                    colour, abs(float(disparity[n, m]) - d), cost, limits, term, slack
                )
    return weights


def smoothed(disparity: NDArray[Any], n0: int, m0: int, d: float, weights: NDArray[Any], term: CongruenceTerm) -> float:
    """d_s (Eq. 25): mean of the disparities tan θ by those weights; d itself where nothing counts."""
    if not weights.any():
        return d
    h = term.half_width
    total = 0.0
    for j, i in np.argwhere(weights > 0) - h:
        total += weights[j + h, i + h] * float(disparity[n0 + j, m0 + i])
    return float(total / weights.sum())


def congruence_cost(d: float, d_smoothed: float) -> float:
    """J_coc (Eq. 24)."""
    return (d - d_smoothed) ** 2


def least_weight(image: NDArray[np.float64], n: int, m: int, term: CongruenceTerm) -> float:
    """λ that (n, m) has at least: the less, the more the reference view's colours differ within W^c."""
    half = term.half_width
    window = image[max(n - half, 0) : n + half + 1, max(m - half, 0) : m + half + 1]
    contrast = (window.max(axis=(0, 1)) - window.min(axis=(0, 1))).max()
    return float(term.plain_weight * min(max(1 - contrast / term.plain_contrast, 0), 1))
