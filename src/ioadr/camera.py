"""Cameras: conversion of disparity to depth, and of pixels to rays (§ IV-A).

Conventions differ only in numbers: the pinhole geometry that users get and the benchmark's uncentred, half-scale
points are two `RayModel`s for the same formulas.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.part import Window

Matrix = tuple[tuple[float, float, float, float], ...]
"""3×4 matrix of rotation, scale and translation."""


def matrix(rows: NDArray[np.float64]) -> Matrix:
    """An array [3, 4] as a hashable matrix."""
    return tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in rows)


class RayModel(NamedTuple):
    """Numbers of 1/Z = slope·d + offset and (x, y) = ((m − m0)·pitch_x, (n − n0)·pitch_y)·Z."""

    slope: float
    offset: float
    pitch_x: float
    pitch_y: float
    m0: float
    n0: float

    def moved(self, rows: int, columns: int) -> RayModel:
        """The same rays, with pixels counted from another corner."""
        return self._replace(m0=self.m0 - columns, n0=self.n0 - rows)

    def placed(self, axis_offset: tuple[float, float], window: Window | None) -> RayModel:
        """The same rays with another optical axis, in the pixels of a window."""
        row, column = axis_offset
        rays = self._replace(m0=self.m0 + column, n0=self.n0 + row)
        return rays if window is None else rays.moved(window.top, window.left)


def is_posed(camera: Camera | None) -> bool:
    """Whether the camera is known from poses of photographs."""
    return camera is not None and camera.world is not None


def depth_unit(camera: Camera | None) -> str:
    """ "m", "pose unit" (poses of unknown unit), or "relative" (no camera)."""
    return "relative" if camera is None else "m" if camera.metric else "pose unit"


CORRECT = "Correct it, or leave the camera out for relative depth."
LEAST, MOST = 1e-12, 1e12
"""Smallest and largest length, mm or m; products beyond overflow."""
RELIEF = 0.4
"""Change of relative inverse depth over the disparity range."""
VIEW_WIDTH = 0.35
"""Width of the relative camera's image at distance 1."""


@dataclass(frozen=True)
class Camera:
    """Parallel cameras on a grid, as the HCI benchmark describes them.

    Depth in metres is Z = 1 / (1000·S·d / (b·f·max(W, H)) + 1/F).

    Parameters
    ----------
    focal_length_mm : float
        Focal length f of the lens.
    sensor_size_mm : float
        Sensor size S along the larger image side.
    baseline_mm : float
        Distance b between neighbouring views; the unit of view positions.
    focus_distance_m : float
        Distance F at which the disparity is zero; infinity for unshifted parallel cameras.
    width, height : int
        Size W×H of the whole image, px, even if only a part of it was read.
    axis_offset : tuple of float
        Offset (row, column) from the middle of the image to the optical axis, px.
    world : tuple of tuple of float, optional
        For views with poses: a 3×4 matrix from the camera's axes (x right, y down, z away) and the unit of depth to the
        axes and the unit of the poses.
    metric : bool
        Whether lengths are metres; otherwise they are in the unit of the poses.

    Raises
    ------
    InputError
        A length is not positive, not finite or implausible.

    Examples
    --------
    A 50 mm lens on a 36 mm sensor, views 20 mm apart, focused at 2.5 m:

    >>> camera = ioadr.Camera(50, 36, 20, 2.5, width=640, height=480)
    >>> round(1 / (camera.inverse_depth_slope * 1.0 + 1 / camera.focus_distance_m), 3)  # depth at a disparity of 1 px
    2.192
    """

    focal_length_mm: float
    sensor_size_mm: float
    baseline_mm: float
    focus_distance_m: float
    width: int
    height: int
    axis_offset: tuple[float, float] = (0.0, 0.0)
    world: Matrix | None = None
    metric: bool = True

    def __post_init__(self) -> None:
        for name in ("focal_length_mm", "sensor_size_mm", "baseline_mm", "focus_distance_m"):
            value = getattr(self, name)
            finite = name == "focus_distance_m" or value < math.inf
            if not (value > 0 and finite):
                raise InputError(f"camera: expected a positive {name}, found {value}. {CORRECT}")
            if not LEAST <= value <= (math.inf if name == "focus_distance_m" else MOST):
                raise InputError(f"camera: no camera has a {name} of {value:g}. {CORRECT}")

    @property
    def numbers(self) -> dict[str, Any]:
        """The camera's numbers for files, with poses if there are any."""
        left_out = {"world", "metric"} if self.world is None and self.metric else set()
        return {name: value for name, value in asdict(self).items() if name not in left_out}

    @property
    def inverse_depth_slope(self) -> float:
        """Change of 1/Z (1/m) per pixel of disparity."""
        return 1000.0 * self.sensor_size_mm / (self.baseline_mm * self.focal_length_mm * max(self.width, self.height))

    def pinhole(self, window: Window | None = None) -> RayModel:
        """Pinhole geometry, in the pixels of the image or of a `window` of it."""
        return _pinhole(self, self._inverse_depth, self._view_width).placed(self.axis_offset, window)

    def benchmark(self, window: Window | None = None) -> RayModel:
        """The benchmark toolkit's points for scoring normals (origin in the corner, half scale), inside a `window`."""
        return _benchmark(self, self._inverse_depth, self._view_width).placed(self.axis_offset, window)

    @property
    def _inverse_depth(self) -> tuple[float, float]:
        return self.inverse_depth_slope, 1.0 / self.focus_distance_m

    @property
    def _view_width(self) -> float:
        return self.sensor_size_mm / self.focal_length_mm


@dataclass(frozen=True)
class RelativeCamera:
    """Stand-in where the camera is unknown: depth without a unit, 1 in the middle of the disparity range.

    1/Z falls linearly from 1.2 at the largest disparity of the range to 0.8 at the smallest, so that every disparity
    of the range has a finite depth and a scene is about as deep as it is wide. The field of view is that of a 100 mm
    lens on a 35 mm sensor.
    """

    minimum: float
    """Ends of the disparity range, px."""
    maximum: float
    width: int
    """Size of the whole image, px."""
    height: int

    def pinhole(self, window: Window | None = None) -> RayModel:
        """As for `Camera`."""
        return _pinhole(self, self._inverse_depth, VIEW_WIDTH).placed((0.0, 0.0), window)

    def benchmark(self, window: Window | None = None) -> RayModel:
        """As for `Camera`."""
        return _benchmark(self, self._inverse_depth, VIEW_WIDTH).placed((0.0, 0.0), window)

    @property
    def _inverse_depth(self) -> tuple[float, float]:
        slope = RELIEF / ((self.maximum - self.minimum) or 1.0)
        return slope, 1.0 - slope * 0.5 * (self.minimum + self.maximum)


def _pinhole(camera: Camera | RelativeCamera, inverse_depth: tuple[float, float], view_width: float) -> RayModel:
    pitch = view_width / max(camera.width - 1, camera.height - 1, 1)
    return RayModel(*inverse_depth, pitch, pitch, 0.5 * (camera.width - 1), 0.5 * (camera.height - 1))


def _benchmark(camera: Camera | RelativeCamera, inverse_depth: tuple[float, float], view_width: float) -> RayModel:
    scale = 0.5 * view_width
    return RayModel(*inverse_depth, scale / max(camera.height - 1, 1), scale / max(camera.width - 1, 1), 0.0, 0.0)
