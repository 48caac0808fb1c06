"""Registers a view to its prediction from the reference view and a map: affine motion and gain (Gauss–Newton)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]
Floats = NDArray[np.floating[Any]]
MOVES = 6
"""Number of unknowns without the gains."""
ENOUGH = 100_000
"""Approximate number of pixels used: of larger images, every second or third in both directions."""
ROUNDS = 4
"""Number of rounds of reweighting."""
FULL = 0.98
"""Share of white above which a sample may be clipped."""
FEWEST = 200
"""Smallest number of pixels for a reliable motion."""


class Motion(NamedTuple):
    """A view's place is (n, m) + shift + M·(n − n_c, m − m_c), with M = [[growth + stretch, shear + angle], [shear −
    angle, growth − stretch]]; its samples are gain times the predicted."""

    shift: tuple[float, float]
    """(row, column), px."""
    angle: float
    """Radians."""
    gains: tuple[float, ...]
    """By channel."""
    growth: float
    """Relative, about the middle of the image."""
    stretch: float
    """Relative stretch: taller and narrower. Cameras do not cause it; maps with a false tilt do."""
    shear: float
    """Stretch along the diagonal, relative."""


def motion(view: Picture, predicted: Picture, white: float) -> Motion:
    """The motion [N, M, C] → [N, M, C] of the smallest sum of absolute differences; NaN of `predicted` is left out."""
    slopes = np.gradient(view, axis=(0, 1))
    stride = max(1, round((view.shape[0] * view.shape[1] / ENOUGH) ** 0.5))
    asked = np.s_[1:-1:stride, 1:-1:stride]
    taken, wanted, down, right = (part[asked] for part in (view, predicted, *slopes))
    usable = np.isfinite(wanted).all(axis=-1) & (np.maximum(taken, np.nan_to_num(wanted)).max(axis=-1) < FULL * white)
    channels = view.shape[2]
    if np.count_nonzero(usable) < FEWEST:
        return Motion((0.0, 0.0), 0.0, (1.0,) * channels, 0.0, 0.0, 0.0)
    rows, columns = (np.mgrid[: view.shape[0], : view.shape[1]].astype(np.float32)[:, *asked])[:, usable]
    # In units of the longer side's half: unknowns are then px at the border.
    far = 0.5 * max(view.shape[:2])
    rows, columns = (rows - 0.5 * (view.shape[0] - 1)) / far, (columns - 0.5 * (view.shape[1] - 1)) / far
    taken, wanted, down, right = (part[usable].astype(np.float64) for part in (taken, wanted, down, right))
    design = _design(down, right, rows[:, None], columns[:, None], wanted)
    row, column, *bent = _solved(design.reshape(-1, MOVES + channels), (wanted - taken).ravel())
    angle, growth, stretch, shear = (value / far for value in bent[:4])
    return Motion((row, column), angle, tuple(1.0 + gain for gain in bent[4:]), growth, stretch, shear)


def _design(down: Floats, right: Floats, rows: Floats, columns: Floats, wanted: Floats) -> NDArray[np.float64]:
    """[P, C, unknowns]: shift down and right, angle, growth, stretch and shear, gain of each channel."""
    channels = wanted.shape[1]
    design = np.zeros((*wanted.shape, MOVES + channels))
    design[..., 0], design[..., 1] = down, right
    design[..., 2] = down * columns - right * rows
    design[..., 3] = down * rows + right * columns
    design[..., 4] = down * rows - right * columns
    design[..., 5] = down * columns + right * rows
    for channel in range(channels):
        design[:, channel, MOVES + channel] = -wanted[:, channel]
    return design


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
