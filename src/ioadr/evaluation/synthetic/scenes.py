"""Scenes to look at, to test on and to tune with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from ioadr.evaluation.synthetic.pictures import Options
from ioadr.evaluation.synthetic.rendering import Rendered, camera_for, render
from ioadr.evaluation.synthetic.shading import Scene
from ioadr.evaluation.synthetic.shapes import Body, Box, Cylinder, Lattice, Quad, Sphere, Vector
from ioadr.evaluation.synthetic.textures import Texture

DEMO_SIZE = (256, 256)
DEMO_DISPARITY = (-1.7, 1.8)


@dataclass(frozen=True)
class Stage:
    """A floor seen by a camera at `height` metres that looks down by `tilt` degrees.

    Places are (x to the right, y up from the floor, z ahead), results in the camera's coordinates.
    """

    height: float
    tilt: float

    def point(self, x: float, y: float, z: float) -> Vector:
        return self.vector(x, y - self.height, z)

    def vector(self, x: float, y: float, z: float) -> Vector:
        sine, cosine = math.sin(math.radians(self.tilt)), math.cos(math.radians(self.tilt))
        return x, -cosine * y - sine * z, cosine * z - sine * y

    def turned(self, degrees: float) -> tuple[Vector, Vector, Vector]:
        """Axes right, down, ahead, turned about the vertical."""
        sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
        return self.vector(cosine, 0, sine), self.vector(0, -1, 0), self.vector(-sine, 0, cosine)

    def floor(self, texture: Texture) -> Quad:
        return Quad(self.point(0.0, 0.0, 3.0), self.vector(1, 0, 0), self.vector(0, 0, -1), texture)

    def wall(self, z: float, texture: Texture, degrees: float = 0.0) -> Quad:
        right, down, _ = self.turned(degrees)
        return Quad(self.point(0.0, 0.0, z), right, down, texture)


def demo_scene(frame: int = 0) -> Scene:
    """A still life behind a trellis; over the frames its balls roll and the box turns."""
    stage = Stage(height=1.25, tilt=11.0)
    roll = 0.03 * frame
    bricks = Texture("bricks", (0.74, 0.42, 0.31), (0.80, 0.77, 0.70), 0.34, 0.28, seed=1)
    planks = Texture("wood", (0.78, 0.58, 0.36), (0.36, 0.22, 0.13), 0.24, 0.22, seed=2)
    marble = Texture("marble", (0.93, 0.92, 0.88), (0.20, 0.30, 0.36), 0.5, 0.12, seed=3)
    checker = Texture("checker", (0.86, 0.80, 0.62), (0.12, 0.30, 0.45), 0.16, 0.22, seed=4)
    stripes = Texture("stripes", (0.93, 0.86, 0.72), (0.72, 0.22, 0.18), 0.16, 0.2, seed=5)
    ball = Texture("stripes", (0.96, 0.80, 0.25), (0.15, 0.45, 0.40), 0.13, 0.2, seed=6)
    poster = Texture("noise", (0.15, 0.25, 0.55), (0.95, 0.75, 0.55), 0.4, 0.35, seed=7)
    bodies: list[Body] = [
        stage.floor(planks),
        stage.wall(5.3, bricks, degrees=4.0),
        Sphere(stage.point(0.34 + roll, 0.46, 3.75), 0.46, marble, stage.vector(0.25, 1, 0.2)),
        Box(stage.point(-0.72, 0.33, 4.25), (0.33, 0.33, 0.33), checker, stage.turned(33.0 + 2 * frame)),
        Cylinder(stage.point(1.2, 0.0, 4.2), stage.point(1.2, 1.45, 4.2), 0.22, stripes),
        Sphere(stage.point(-0.12 - roll, 0.17, 2.95), 0.17, ball, stage.vector(0.5, 1, -0.3)),
        _leaning(stage, poster),
        *_trellis(stage),
    ]
    return Scene(tuple(bodies), "demo")


def demo(
    frame: int = 0,
    size: tuple[int, int] = DEMO_SIZE,
    grid: tuple[int, int] = (9, 9),
    disparity: tuple[float, float] = DEMO_DISPARITY,
    options: Options | None = None,
) -> Rendered:
    """The demo's light field and truth."""
    return render(demo_scene(frame), camera_for(size, 2.05, 5.5, disparity), grid, options=options)


def _leaning(stage: Stage, texture: Texture) -> Quad:
    """A picture that leans against the wall."""
    lean = math.radians(14)
    down = stage.vector(0, -math.cos(lean), -math.sin(lean))
    return Quad(stage.point(0.52, 0.86, 4.95), stage.vector(1, 0, 0), down, texture, half=(0.36, 0.85))


def _trellis(stage: Stage) -> list[Body]:
    """Uprights and crossbars a little behind each other, held by two posts."""
    right, down, _ = stage.turned(-9.0)
    lacquer = Texture("speckle", (0.30, 0.42, 0.30), (0.68, 0.78, 0.58), 0.1, 0.3, seed=8)
    post = Texture("wood", (0.55, 0.44, 0.30), (0.25, 0.17, 0.10), 0.1, 0.3, seed=9)
    middle = np.array(stage.point(-0.47, 0.80, 2.42))
    back = 0.03 * np.array(stage.turned(-9.0)[2])
    bars = partial(Lattice, width=0.026, crossed=False)
    upright = Quad(_tuple(middle), right, down, lacquer, (0.27, 0.62), bars(0.135), thin=True)
    cross = Quad(_tuple(middle + back), down, right, lacquer, (0.62, 0.27), bars(0.155), thin=True)
    posts = [
        Box(_tuple(middle + side * 0.29 * np.array(right) + back), (0.022, 0.80, 0.022), post, stage.turned(-9.0))
        for side in (-1, 1)
    ]
    return [upright, cross, *posts]


def _tuple(values: np.ndarray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])
