"""Lenses that bend straight lines: distortion and fisheye lenses as COLMAP, Nerfstudio and OpenCV write them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ROUNDS = 20
"""Rounds of the fixed-point iteration that removes distortion; with usual lenses, each gains a digit."""
WIDEST = np.radians(60.0)
"""Largest angle from the axis of rays of a fisheye lens that are used: an image plane stretches others too much."""


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


class Fisheye(NamedTuple):
    """A lens that puts a ray at angle θ from the axis at θ·(1 + k1·θ² + k2·θ⁴ + k3·θ⁶ + k4·θ⁸) from the middle."""

    k1: float = 0.0
    k2: float = 0.0
    k3: float = 0.0
    k4: float = 0.0

    def distorted(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Where the lens puts rays (x, y)."""
        radius = np.maximum(np.hypot(x, y), 1e-12)
        factor = self._bent(np.arctan(radius)) / radius
        return x * factor, y * factor

    def undistorted(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """The rays that the lens puts at (x, y), those farther out than the widest drawn in to it."""
        angles = np.linspace(0.0, np.arctan(self.farthest), 1025)
        bent, radius = self._bent(angles), np.maximum(np.hypot(x, y), 1e-12)
        angle = np.interp(radius, bent, angles)
        for _ in range(3):
            slope = (self._bent(angle + 1e-6) - self._bent(angle - 1e-6)) / 2e-6
            angle = np.clip(angle - (self._bent(angle) - radius) / np.maximum(slope, 1e-3), 0.0, angles[-1])
        return x * np.tan(angle) / radius, y * np.tan(angle) / radius

    @property
    def farthest(self) -> float:
        """Largest radius |(x, y)| of a ray that is used; beyond it the polynomial may turn back."""
        angles = np.linspace(0.0, WIDEST, 1025)
        falling = np.flatnonzero(np.diff(self._bent(angles)) <= 0)
        return float(np.tan(angles[falling[0]] if len(falling) else WIDEST))

    def _bent(self, angle: Floats) -> Floats:
        square = angle * angle
        return np.asarray(
            angle * (1.0 + square * (self.k1 + square * (self.k2 + square * (self.k3 + square * self.k4))))
        )
