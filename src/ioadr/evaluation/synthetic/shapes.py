"""Bodies that a ray can meet: quads with cut-outs, spheres, cylinders, boxes.

Coordinates are those of the reference camera in metres: x right, y down, z away from it. A ray is
`origin + z · direction` with direction z = 1, so that its parameter is the depth. Arrays of points are [P, 3].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ioadr.evaluation.synthetic.textures import Texture

Floats = NDArray[np.float64]
Vector = tuple[float, float, float]
NEAR = 1e-6


class Surface(NamedTuple):
    """Local geometry of points on a body."""

    u: Floats
    v: Floats
    normal: Floats
    """[P, 3], unit length."""
    face: NDArray[np.intp]
    """Number of the smooth piece, so that edges within a body are known."""


class Body(Protocol):
    """What rendering needs of a shape."""

    @property
    def texture(self) -> Texture: ...
    @property
    def planar(self) -> bool: ...
    @property
    def thin(self) -> bool: ...
    def depth(self, origin: Floats, direction: Floats) -> Floats: ...
    def surface(self, points: Floats) -> Surface: ...
    def light(self, points: Floats, towards: Floats, softness: float) -> Floats: ...
    @property
    def corners(self) -> Floats | None: ...


@dataclass(frozen=True)
class Lattice:
    """Cut-out of a quad: bars of `width` every `period` metres along v, and along u too if `crossed`."""

    period: float
    width: float
    crossed: bool = True

    def inside(self, u: Floats, v: Floats) -> Floats:
        """Metres inside the material, negative in the holes."""
        depth = self._bar(u)
        return np.maximum(depth, self._bar(v)) if self.crossed else depth

    def _bar(self, x: Floats) -> Floats:
        return 0.5 * self.width - np.abs((x / self.period) % 1.0 - 0.5) * self.period


@dataclass(frozen=True)
class Quad:
    """A flat rectangle around `centre`, spanned by unit vectors `right` and `down`; infinite without `half`."""

    centre: Vector
    right: Vector
    down: Vector
    texture: Texture
    half: tuple[float, float] | None = None
    cut: Lattice | None = None
    thin: bool = False
    planar: bool = True

    @cached_property
    def normal(self) -> Floats:
        return np.cross(self.right, self.down)

    def depth(self, origin: Floats, direction: Floats) -> Floats:
        normal = self.normal
        slope = direction @ normal
        z = _divide(float(normal @ (np.array(self.centre) - origin)), slope)
        if self.half is None:
            return np.where(z > NEAR, z, np.inf)
        hit = np.where(np.isfinite(z), z, 0.0)[:, None] * direction + origin
        return np.where((z > NEAR) & (self._inside(self.half, *self._local(hit)) > 0), z, np.inf)

    def surface(self, points: Floats) -> Surface:
        u, v = self._local(points)
        count = len(points)
        return Surface(u, v, np.broadcast_to(self.normal, (count, 3)), np.zeros(count, np.intp))

    def light(self, points: Floats, towards: Floats, softness: float) -> Floats:
        if self.half is None:
            return np.ones(len(points))
        normal = self.normal
        t = ((np.array(self.centre) - points) @ normal) / (towards @ normal)
        inside = self._inside(self.half, *self._local(points + t[:, None] * towards))
        # Starting on the quad itself, the point must not shade itself.
        return 1.0 - _soft(inside, softness * np.abs(t)) * np.clip(t / 0.02 - 0.5, 0.0, 1.0)

    @cached_property
    def corners(self) -> Floats | None:
        if self.half is None:
            return None
        steps = [(a * self.half[0], b * self.half[1]) for a in (-1, 1) for b in (-1, 1)]
        return np.array([np.array(self.centre) + a * np.array(self.right) + b * np.array(self.down) for a, b in steps])

    def _local(self, points: Floats) -> tuple[Floats, Floats]:
        relative = points - np.array(self.centre)
        return relative @ np.array(self.right), relative @ np.array(self.down)

    def _inside(self, half: tuple[float, float], u: Floats, v: Floats) -> Floats:
        inside = np.minimum(half[0] - np.abs(u), half[1] - np.abs(v))
        return inside if self.cut is None else np.minimum(inside, self.cut.inside(u, v))


@dataclass(frozen=True)
class Sphere:
    """`up` is the axis around which the texture is wound; it begins at the back."""

    centre: Vector
    radius: float
    texture: Texture
    up: Vector = (0.0, -1.0, 0.0)
    planar: bool = False
    thin: bool = False

    def depth(self, origin: Floats, direction: Floats) -> Floats:
        relative = origin - np.array(self.centre)
        a = dot(direction, direction)
        b = direction @ relative
        return _nearer_root(a, b, float(relative @ relative) - self.radius**2)

    def surface(self, points: Floats) -> Surface:
        normal = (points - np.array(self.centre)) / self.radius
        u, height = _wind(normal, np.array(self.up))
        v = np.arcsin(np.clip(height, -1.0, 1.0))
        return Surface(u * self.radius, v * self.radius, normal, np.zeros(len(points), np.intp))

    def light(self, points: Floats, towards: Floats, softness: float) -> Floats:
        relative = np.array(self.centre) - points
        along = relative @ towards
        gap = self.radius - np.sqrt(np.maximum(dot(relative, relative) - along**2, 0.0))
        return np.where(along > 0, 1.0 - _soft(gap, softness * np.abs(along)), 1.0)

    @cached_property
    def corners(self) -> Floats:
        return np.array(self.centre) + self.radius * _CUBE


@dataclass(frozen=True)
class Cylinder:
    """An open tube around the segment from `foot` to `top`."""

    foot: Vector
    top: Vector
    radius: float
    texture: Texture
    thin: bool = False
    planar: bool = False

    @cached_property
    def axis(self) -> Floats:
        axis = np.array(self.top) - np.array(self.foot)
        return axis / np.linalg.norm(axis)

    @cached_property
    def length(self) -> float:
        return float(np.linalg.norm(np.array(self.top) - np.array(self.foot)))

    def depth(self, origin: Floats, direction: Floats) -> Floats:
        axis = self.axis
        relative = origin - np.array(self.foot)
        across = direction - (direction @ axis)[:, None] * axis
        start = relative - (relative @ axis) * axis
        a = dot(across, across)
        z = _nearer_root(a, across @ start, float(start @ start) - self.radius**2)
        height = relative @ axis + np.where(np.isfinite(z), z, 0.0) * (direction @ axis)
        return np.where((height >= 0) & (height <= self.length), z, np.inf)

    def surface(self, points: Floats) -> Surface:
        relative = points - np.array(self.foot)
        height = relative @ self.axis
        normal = (relative - height[:, None] * self.axis) / self.radius
        u, _ = _wind(normal, self.axis)
        return Surface(u * self.radius, height, normal, np.zeros(len(points), np.intp))

    def light(self, points: Floats, towards: Floats, softness: float) -> Floats:
        """From the smallest distance between the ray of light and the axis."""
        axis = self.axis
        relative = points - np.array(self.foot)
        across = towards - (towards @ axis) * axis
        start = relative - (relative @ axis)[:, None] * axis
        along = -(start @ across) / (across @ across)
        gap = self.radius - np.linalg.norm(start + along[:, None] * across, axis=1)
        height = (relative + along[:, None] * towards) @ axis
        gap = np.minimum(gap, np.minimum(height, self.length - height))
        return np.where(along > 0, 1.0 - _soft(gap, softness * np.abs(along)), 1.0)

    @cached_property
    def corners(self) -> Floats:
        ends = np.array([self.foot, self.top])
        return np.concatenate([end + self.radius * _CUBE for end in ends])


@dataclass(frozen=True)
class Box:
    """`axes` are three orthonormal rows, `half` the half sizes along them."""

    centre: Vector
    half: Vector
    texture: Texture
    axes: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    thin: bool = False
    planar: bool = True

    def depth(self, origin: Floats, direction: Floats) -> Floats:
        enter, leave = self._slabs(origin, direction)
        return np.where((enter < leave) & (enter > NEAR), enter, np.inf)

    def surface(self, points: Floats) -> Surface:
        local = (points - np.array(self.centre)) @ np.array(self.axes).T
        share = np.abs(local) / np.array(self.half)
        face = np.argmax(share, axis=1)
        rows = np.arange(len(points))
        sign = np.sign(local[rows, face])
        u = local[rows, _U_AXIS[face]] + 0.37 * face
        v = local[rows, _V_AXIS[face]] + 0.61 * face
        return Surface(u, v, sign[:, None] * np.array(self.axes)[face], 2 * face + (sign > 0))

    def light(self, points: Floats, towards: Floats, softness: float) -> Floats:
        """From the length of the ray inside the box; a face does not shade itself."""
        direction = np.broadcast_to(towards, points.shape)
        enter, leave = self._slabs(points, direction)
        inside = np.minimum(leave, leave - enter) * 0.5
        distance = np.clip(enter, 0.0, None)
        return np.where(leave > 1e-3, 1.0 - _soft(inside - 0.01, softness * (distance + 0.05)), 1.0)

    @cached_property
    def corners(self) -> Floats:
        return np.array(self.centre) + (_CUBE * np.array(self.half)) @ np.array(self.axes)

    def _slabs(self, origin: Floats, direction: Floats) -> tuple[Floats, Floats]:
        start = (origin - np.array(self.centre)) @ np.array(self.axes).T
        step = direction @ np.array(self.axes).T
        step = np.where(np.abs(step) < 1e-12, 1e-12, step)
        first, second = (-np.array(self.half) - start) / step, (np.array(self.half) - start) / step
        low, high = np.minimum(first, second).T, np.maximum(first, second).T
        return np.maximum(np.maximum(low[0], low[1]), low[2]), np.minimum(np.minimum(high[0], high[1]), high[2])


_CUBE = np.array([(a, b, c) for a in (-1.0, 1.0) for b in (-1.0, 1.0) for c in (-1.0, 1.0)])
_U_AXIS = np.array([2, 0, 0])
_V_AXIS = np.array([1, 2, 1])


def dot(a: Floats, b: Floats) -> Floats:
    """[P] scalar products of [P, 3]."""
    return np.einsum("pi,pi->p", a, b)


def _divide(a: float, b: Floats) -> Floats:
    return np.divide(a, b, out=np.full(b.shape, np.inf), where=np.abs(b) > 1e-12)


def _nearer_root(a: Floats, b: Floats, c: float) -> Floats:
    """Smaller positive z of a·z² + 2·b·z + c = 0, infinite where there is none."""
    square = b * b - a * c
    z = (-b - np.sqrt(np.maximum(square, 0.0))) / a
    return np.where((square > 0) & (z > NEAR), z, np.inf)


def _wind(normal: Floats, up: Floats) -> tuple[Floats, Floats]:
    """Angle around `up` (0 towards the camera) and the share of `normal` along it."""
    front = np.array([0.0, 0.0, -1.0])
    front = front - (front @ up) * up
    front = front / np.linalg.norm(front)
    height = normal @ up
    return np.arctan2(normal @ np.cross(up, front), normal @ front), height


def _soft(inside: Floats, width: Floats) -> Floats:
    """0 … 1 across an edge that is `width` metres soft."""
    x = np.clip(inside / np.maximum(width, 1e-6) + 0.5, 0.0, 1.0)
    return x * x * (3 - 2 * x)
