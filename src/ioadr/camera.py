"""Cameras: how disparity becomes depth, and a pixel a ray (§ IV-A).

Conventions differ only in numbers: the true pinhole geometry that users receive and the benchmark's
uncentred half-scale points are two `RayModel`s for the same formulas.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from ioadr.errors import InputError
from ioadr.part import Window


class RayModel(NamedTuple):
    """Numbers of 1/Z = slope·d + offset and (x, y) = ((m − m0)·pitch_x, (n − n0)·pitch_y)·Z."""

    slope: float
    offset: float
    pitch_x: float
    pitch_y: float
    m0: float
    n0: float

    def moved(self, rows: int, columns: int) -> RayModel:
        """The same rays in pixels that are counted from another corner."""
        return self._replace(m0=self.m0 - columns, n0=self.n0 - rows)


@dataclass(frozen=True)
class Camera:
    """Parallel cameras on a grid, as the HCI benchmark describes them.

    Depth in metres is Z = 1 / (1000·S·d / (b·f·max(W, H)) + 1/F).
    """

    focal_length_mm: float
    sensor_size_mm: float
    """Of the larger image side."""
    baseline_mm: float
    """Between neighbouring views, the unit of view positions."""
    focus_distance_m: float
    """Where the disparity is zero; infinity for unshifted parallel cameras."""
    width: int
    """Of the whole image, in px, also where only a part of it was read."""
    height: int
    axis_offset: tuple[float, float] = (0.0, 0.0)
    """px (row, column) from the middle of the image to where the optical axis meets it."""

    def __post_init__(self) -> None:
        for name in ("focal_length_mm", "sensor_size_mm", "baseline_mm", "focus_distance_m"):
            finite = name == "focus_distance_m" or getattr(self, name) < math.inf
            if not (getattr(self, name) > 0 and finite):
                raise InputError(
                    f"camera: expected a positive {name}, found {getattr(self, name)}. "
                    "Correct it, or leave the camera out for relative depth."
                )

    @property
    def inverse_depth_slope(self) -> float:
        """Change of 1/Z (1/m) per pixel of disparity."""
        return 1000.0 * self.sensor_size_mm / (self.baseline_mm * self.focal_length_mm * max(self.width, self.height))

    def pinhole(self, window: Window | None = None) -> RayModel:
        """True pinhole geometry, in the pixels of the image or of a window of it."""
        pitch = self.sensor_size_mm / self.focal_length_mm / max(self.width - 1, self.height - 1, 1)
        return self._rays(pitch, pitch, 0.5 * (self.width - 1), 0.5 * (self.height - 1), window)

    def benchmark(self, window: Window | None = None) -> RayModel:
        """The benchmark toolkit's points for scoring normals: origin in the corner, half scale."""
        scale = 0.5 * self.sensor_size_mm / self.focal_length_mm
        return self._rays(scale / max(self.height - 1, 1), scale / max(self.width - 1, 1), 0.0, 0.0, window)

    def _rays(self, pitch_x: float, pitch_y: float, m0: float, n0: float, window: Window | None) -> RayModel:
        row, column = self.axis_offset
        rays = RayModel(self.inverse_depth_slope, 1.0 / self.focus_distance_m, pitch_x, pitch_y, m0 + column, n0 + row)
        return rays if window is None else rays.moved(window.top, window.left)


def relative_camera(width: int, height: int) -> Camera:
    """Stand-in where the camera is unknown: depth is 1 at zero disparity, in units of its own.

    The field of view is that of a 100 mm lens on a 35 mm sensor; a pixel of disparity changes 1/Z by 0.1.
    """
    focal, sensor = 100.0, 35.0
    baseline = 1000.0 * sensor / (0.1 * focal * max(width, height))
    return Camera(focal, sensor, baseline, 1.0, width, height)
