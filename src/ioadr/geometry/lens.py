"""Lenses that bend straight lines: radial and tangential distortion as COLMAP, Nerfstudio and OpenCV write it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ROUNDS = 20
"""Of the fixed-point iteration that undoes distortion; it gains a digit in each with usual lenses."""


class Lens(NamedTuple):
    """Distortion of (x, y) = (X, Y)/Z, in the order of OpenCV: all 0 is a pinhole."""

    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0
    k4: float = 0.0
    k5: float = 0.0
    k6: float = 0.0

    def distorted(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Image positions of rays (x, y) through the lens."""
        square = x * x + y * y
        radial = self._radial(square)
        cross = 2.0 * x * y
        return (
            x * radial + self.p1 * cross + self.p2 * (square + 2.0 * x * x),
            y * radial + self.p1 * (square + 2.0 * y * y) + self.p2 * cross,
        )

    def undistorted(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Rays whose image through the lens is (x, y)."""
        straight_x, straight_y = x, y
        for _ in range(ROUNDS):
            bent_x, bent_y = self.distorted(straight_x, straight_y)
            straight_x, straight_y = straight_x + (x - bent_x), straight_y + (y - bent_y)
        return straight_x, straight_y

    @property
    def farthest(self) -> float:
        """Largest radius |(x, y)| up to which the distortion is monotonic; beyond it, the polynomial turns back."""
        radius = np.linspace(0.0, 4.0, 4001)
        falling = np.flatnonzero(np.diff(radius * self._radial(radius**2)) <= 0)
        return float(radius[falling[0]]) if len(falling) else float("inf")

    def _radial(self, square: Floats) -> Floats:
        above = 1.0 + square * (self.k1 + square * (self.k2 + square * self.k3))
        return np.asarray(above / (1.0 + square * (self.k4 + square * (self.k5 + square * self.k6))))
