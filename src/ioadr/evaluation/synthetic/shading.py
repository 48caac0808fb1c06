"""Light on a surface: one soft lamp, the sky, and shadows.

It depends on the position only, not on the viewer, because all materials are matt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ioadr.evaluation.synthetic.shapes import Body, Sphere, Vector, dot

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scene:
    """Bodies in the reference camera's coordinates, lit by one soft lamp and the sky."""

    bodies: tuple[Body, ...]
    name: str = "synthetic"
    light: Vector = (-0.5, -0.7, -0.5)
    """Towards the lamp."""
    ambient: float = 0.4
    """Share of the light that comes from all sides."""
    softness: float = 0.06
    """Width of a shadow's edge per distance from the object that casts it."""


def shade(scene: Scene, index: int, points: Floats, normal: Floats) -> NDArray[np.float32]:
    """[P] light on points of the body `index`."""
    axes = _light_axes(scene.light)
    direct = np.maximum(normal @ axes[2], 0.0)
    sky = 0.75 - 0.25 * normal[:, 1]
    local = points @ axes.T
    for number, body in enumerate(scene.bodies):
        if number != index:
            reached = np.flatnonzero((direct > 0) & _in_shadow_box(body, axes, scene.softness, local))
            direct[reached] *= body.light(points[reached], axes[2], scene.softness)
            if isinstance(body, Sphere):
                sky = sky * _open_sky(body, points, normal)
    return (scene.ambient * sky + (1.15 - scene.ambient) * direct).astype(np.float32)


@lru_cache(maxsize=8)
def _light_axes(light: Vector) -> Floats:
    """Two axes across the light and one towards it."""
    towards = np.array(light) / np.linalg.norm(light)
    side = np.cross(towards, [0.0, 0.0, 1.0] if abs(towards[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    return np.stack([side, np.cross(towards, side), towards])


def _in_shadow_box(body: Body, axes: Floats, softness: float, local: Floats) -> NDArray[np.bool_]:
    """Places, in the light's axes, that may lie behind the body as seen from the lamp."""
    corners = body.corners
    if corners is None:
        return np.zeros(len(local), bool)
    corners = corners @ axes.T
    low, high = corners.min(axis=0), corners.max(axis=0)
    reach = 0.5 * softness * max(float(high[2] - local[:, 2].min(initial=high[2])), 0.1)
    x, y, height = local.T
    return (
        (height < high[2]) & (x > low[0] - reach) & (x < high[0] + reach) & (y > low[1] - reach) & (y < high[1] + reach)
    )


def _open_sky(sphere: Sphere, points: Floats, normal: Floats) -> Floats:
    """Share of the sky that a sphere leaves free: what grounds it on the floor."""
    relative = np.array(sphere.centre) - points
    square = dot(relative, relative)
    cosine = np.maximum(dot(relative, normal), 0.0) / np.sqrt(square)
    return 1.0 - np.clip(cosine * sphere.radius**2 / square, 0.0, 1.0)
