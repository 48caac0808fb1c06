"""The four candidate heuristics (§ VI-B, the random one Eq. 36) in compiled form."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel

MOST = 6
"""Largest number of candidates of a pixel."""


class Heuristics(NamedTuple):
    """Candidates that a sweep tries."""

    smooth_depth: Any
    congruence: Any
    smooth_plane: Any
    random: Any
    plane_within: Any
    """Largest difference, px, between a plane that is tried and the pixel's disparity."""
    sigma: Any
    """Standard deviation of the random perturbation, px."""
    minimum: Any
    maximum: Any
    """Disparity range."""


@kernel
def reflect(d, minimum, maximum):
    """d, reflected at the ends of the range until it lies inside."""
    extent = maximum - minimum
    offset = abs(d - minimum) % (np.float32(2.0) * extent)
    return minimum + (offset if offset <= extent else np.float32(2.0) * extent - offset)


@kernel
def propose(heuristics, disparity, n, m, pad, back, d_smoothed, d_plane, noise, candidates):
    """Fill `candidates` for pixel (n, m) of the padded map and return their number."""
    height, width = disparity.shape[0] - 2 * pad, disparity.shape[1] - 2 * pad
    count = 0
    if heuristics.random:
        d = disparity[n + pad, m + pad] + heuristics.sigma * noise
        candidates[count] = reflect(d, heuristics.minimum, heuristics.maximum)
        count += 1
    if heuristics.congruence:
        candidates[count] = d_smoothed
        count += 1
    if heuristics.smooth_plane and abs(d_plane - disparity[n + pad, m + pad]) < heuristics.plane_within:
        candidates[count] = min(max(d_plane, heuristics.minimum), heuristics.maximum)
        count += 1
    if heuristics.smooth_depth:
        above, beside = 0 <= n + back < height, 0 <= m + back < width
        if above:
            candidates[count] = disparity[n + back + pad, m + pad]
            count += 1
        if beside:
            candidates[count] = disparity[n + pad, m + back + pad]
            count += 1
        if above and beside:
            candidates[count] = disparity[n + back + pad, m + back + pad]
            count += 1
    return count
