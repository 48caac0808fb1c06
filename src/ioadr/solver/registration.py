"""Registers a view to its prediction from the reference view and a map: shift, rotation, scale, gain (Gauss–Newton)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]
STRIDE = 2
"""Of the pixels that are asked, in both directions."""
ROUNDS = 4
"""Of reweighting."""
FULL = 0.98
"""Share of white from which a sample may be cut off."""
FEWEST = 200
"""Pixels from which a motion is believed."""


class Motion(NamedTuple):
    """A view's place is (n, m) + shift + angle·(m − m_c, −(n − n_c)) + growth·(n − n_c, m − m_c), its samples are gain
    times the predicted."""

    shift: tuple[float, float]
    """(row, column), px."""
    angle: float
    """Radians."""
    gains: tuple[float, ...]
    """By channel."""
    growth: float
    """Relative, about the middle of the image."""


def motion(view: Picture, predicted: Picture, white: float) -> Motion:
    """The motion [N, M, C] → [N, M, C] of the smallest sum of absolute differences; NaN of `predicted` is left out."""
    slopes = np.gradient(view, axis=(0, 1))
    asked = np.s_[1:-1:STRIDE, 1:-1:STRIDE]
    taken, wanted, down, right = (part[asked] for part in (view, predicted, *slopes))
    usable = np.isfinite(wanted).all(axis=-1) & (np.maximum(taken, np.nan_to_num(wanted)).max(axis=-1) < FULL * white)
    channels = view.shape[2]
    if np.count_nonzero(usable) < FEWEST:
        return Motion((0.0, 0.0), 0.0, (1.0,) * channels, 0.0)
    rows, columns = (np.mgrid[: view.shape[0], : view.shape[1]].astype(np.float32)[:, *asked])[:, usable]
    rows, columns = rows - 0.5 * (view.shape[0] - 1), columns - 0.5 * (view.shape[1] - 1)
    taken, wanted, down, right = (part[usable].astype(np.float64) for part in (taken, wanted, down, right))
    # Unusables: shift down, shift right, angle and growth in units of a pixel at the border, gain of each channel.
    far = 0.5 * max(view.shape[:2])
    design = np.zeros((*taken.shape, 4 + channels))
    design[..., 0], design[..., 1] = down, right
    design[..., 2] = (down * columns[:, None] - right * rows[:, None]) / far
    design[..., 3] = (down * rows[:, None] + right * columns[:, None]) / far
    for channel in range(channels):
        design[:, channel, 4 + channel] = -wanted[:, channel]
    solution = _solved(design.reshape(-1, 4 + channels), (wanted - taken).ravel())
    gains = tuple(1.0 + gain for gain in solution[4:])
    return Motion((solution[0], solution[1]), solution[2] / far, gains, solution[3] / far)


def _solved(design: NDArray[np.float64], target: NDArray[np.float64]) -> list[float]:
    """Unknowns of the smallest sum of absolute differences, by reweighted least squares; 0 if undetermined."""
    solution = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        left = np.abs(target - design @ solution)
        weight = 1.0 / np.maximum(left, np.median(left) + 1e-9)
        weighted = design * weight[:, None]
        normal = design.T @ weighted
        normal += np.eye(len(solution)) * 1e-9 * np.trace(normal)
        solution = np.linalg.solve(normal, weighted.T @ target)
    return [float(value) for value in solution]
