"""Estimates made by hand, of scenes whose every measure is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import Camera, DisparityRange, Estimate, preset
from ioadr.geometry.points import disparity_from_depth
from ioadr.layout import Layout
from ioadr.part import Part
from ioadr.result import SweepRecord

WALL, CUBE, EDGE = 3.0, 2.0, 0.405
"""Metres: distance of the wall, distance of the cube's front, length of its edges (45 px at 161 px width)."""


def make_estimate(disparity: NDArray[Any], camera: Camera | None = None, **changes: Any) -> Estimate:
    """An estimate of the given map; colours, costs and confidence vary over it."""
    height, width = disparity.shape
    ramp = np.linspace(0, 1, height * width, dtype=np.float32).reshape(height, width)
    image = np.stack([ramp, ramp[::-1], 1 - ramp], axis=-1) * 255
    history = (SweepRecord(-1, "initialise", 0, float("nan"), 0.1), SweepRecord(0, "data", height, 2.5, 0.2))
    values: dict[str, Any] = {
        "disparity": disparity.astype(np.float32),
        "costs": {"data": ramp, "congruence": ramp * 0.5, "planar": ramp * 0.25},
        "visible_views": np.full((height, width), 9, np.uint16),
        "confidence": ramp,
        "image": image.astype(np.uint8),
        "white": 255.0,
        "camera": camera,
        "range": DisparityRange(-2.0, 2.0, "user"),
        "parameters": preset("paper"),
        "seed": 3,
        "history": history,
        "seconds": {"initialise": 0.1, "sweeps": 0.2},
        "layout": Layout.of((3, 3)),
        "part": Part.whole(height, width),
        "name": "by hand",
    }
    return Estimate(**(values | changes))


def cube_estimate(width: int = 161, height: int = 121) -> Estimate:
    """The front of a cube, its edges parallel to the image's, on the optical axis before a wall."""
    camera = Camera(50.0, 36.0, 20.0, 2.5, width, height)
    rays = camera.pinhole()
    x = (np.arange(width) - rays.m0) * rays.pitch_x * CUBE
    y = (np.arange(height) - rays.n0) * rays.pitch_y * CUBE
    front = (abs(x) <= EDGE / 2) & (abs(y) <= EDGE / 2)[:, None]
    return make_estimate(disparity_from_depth(np.where(front, CUBE, WALL), camera), camera)
