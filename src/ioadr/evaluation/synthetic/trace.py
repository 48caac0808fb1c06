"""Rays through pixels, the bodies they hit, and their colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import RayModel
from ioadr.evaluation.synthetic.shading import Scene, shade
from ioadr.evaluation.synthetic.shapes import Body, dot
from ioadr.evaluation.synthetic.textures import Baked, bake, sample

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
SKY = np.array([0.55, 0.68, 0.85], np.float32)
LENS_BLUR = 1.6
"""Width of the blur, px: a pixel integrates light over its area, and a lens over slightly more."""
FACES = 8
"""Room for the faces of one body in a pixel's key."""


class Hits(NamedTuple):
    """Results of tracing rays; depth is infinite and the key −1 where nothing is hit."""

    depth: Floats
    key: Integers
    """body · FACES + face."""


class View(NamedTuple):
    """A camera of the grid: origin and pixels of its rays."""

    rays: RayModel
    row: float
    column: float
    """Offset from the reference view in baseline units (times η)."""

    @property
    def origin(self) -> Floats:
        """Position from which a point of disparity d appears `d · offset` px away from its position in the reference
        view; the sensor is shifted to keep the focus plane still."""
        slope = self.rays.slope
        return np.array([self.rays.pitch_x * self.column / slope, self.rays.pitch_y * self.row / slope, 0.0])

    def directions(self, rows: Floats, columns: Floats) -> Floats:
        """[P, 3], z = 1, through pixel positions."""
        shift = self.rays.offset / self.rays.slope
        x = self.rays.pitch_x * (columns - self.rays.m0 - self.column * shift)
        y = self.rays.pitch_y * (rows - self.rays.n0 - self.row * shift)
        return np.stack([x, y, np.ones_like(x)], axis=-1)


def nearest_hits(bodies: Sequence[Body], origin: Floats, direction: Floats) -> Hits:
    """The nearest body along each ray."""
    depth = np.full(len(direction), np.inf)
    key = np.full(len(direction), -1, np.intp)
    for index, body in enumerate(bodies):
        near = _candidates(body, origin, direction)
        z = body.depth(origin, direction[near])
        closer = z < depth[near]
        chosen = near[closer]
        depth[chosen] = z[closer]
        key[chosen] = index * FACES
    _add_faces(bodies, origin, direction, depth, key)
    return Hits(depth, key)


def colours(
    scene: Scene, baked: Sequence[Baked], pitch: float, points: Floats, numbers: Integers
) -> NDArray[np.float32]:
    """[P, 3] linear light of points on the bodies of these numbers (−1 is the sky)."""
    result = np.broadcast_to(SKY, points.shape).copy()
    for index in np.unique(numbers[numbers >= 0]):
        chosen = np.flatnonzero(numbers == index)
        hit = points[chosen]
        surface = scene.bodies[index].surface(hit)
        normal = facing(surface.normal, hit)
        # Seen from the reference camera, so that the same smoothing holds in every view.
        cosine = -dot(normal, hit) / np.sqrt(dot(hit, hit))
        footprint = LENS_BLUR * pitch * hit[:, 2] / np.sqrt(np.maximum(cosine, 0.05))
        albedo = sample(baked[index], surface.u, surface.v, footprint)
        result[chosen] = albedo * shade(scene, int(index), hit, normal)[:, None]
    return result


def bake_textures(scene: Scene, rays: RayModel, size: tuple[int, int]) -> list[Baked]:
    """Each body's texture at the detail that the reference view can show."""
    rows, columns = (grid.ravel() for grid in np.mgrid[: size[0] - 1 : 48j, : size[1] - 1 : 48j])
    view = View(rays, 0.0, 0.0)
    hits = nearest_hits(scene.bodies, view.origin, view.directions(rows, columns))
    texels = min(1024, 1 << math.ceil(math.log2(max(128, 1.5 * max(size)))))
    farthest = float(hits.depth[np.isfinite(hits.depth)].max(initial=1.0))
    baked = []
    for index, body in enumerate(scene.bodies):
        nearest = float(hits.depth[hits.key // FACES == index].min(initial=farthest))
        baked.append(bake(body.texture, float(f"{rays.pitch_x * nearest:.2g}"), texels))
    return baked


def facing(normal: Floats, points: Floats) -> Floats:
    """Normals turned towards the reference camera."""
    return np.where((dot(normal, points) > 0)[:, None], -normal, normal)


def _candidates(body: Body, origin: Floats, direction: Floats) -> Integers:
    """Rays inside the rectangle around the body's projection."""
    corners = body.corners
    if corners is None or (corners[:, 2] - origin[2]).min() <= 1e-3:
        return np.arange(len(direction))
    seen = (corners[:, :2] - origin[:2]) / (corners[:, 2:] - origin[2])
    low, high = seen.min(axis=0), seen.max(axis=0)
    x, y = direction[:, 0], direction[:, 1]
    return np.flatnonzero((x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1]))


def _add_faces(bodies: Sequence[Body], origin: Floats, direction: Floats, depth: Floats, key: Integers) -> None:
    for index, body in enumerate(bodies):
        if hasattr(body, "axes"):
            chosen = np.flatnonzero(key == index * FACES)
            key[chosen] += body.surface(origin + depth[chosen, None] * direction[chosen]).face
