"""Random scenes by number: several families, each with its own difficulty, for tests and tuning."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import unknown
from ioadr.evaluation.synthetic.pictures import Options
from ioadr.evaluation.synthetic.rendering import Rendered, camera_for, render
from ioadr.evaluation.synthetic.scenes import Stage
from ioadr.evaluation.synthetic.shading import Scene
from ioadr.evaluation.synthetic.shapes import Body, Box, Cylinder, Lattice, Quad, Sphere, Vector
from ioadr.evaluation.synthetic.textures import Colour, Kind, Texture

Family = Literal["planes", "spheres", "lattice", "low-texture", "noise", "mixed"]
FAMILIES: tuple[Family, ...] = get_args(Family)
KINDS: tuple[Kind, ...] = get_args(Kind)
NEAREST, FARTHEST = 2.0, 5.0
"""Nearest and farthest distance of bodies, metres."""
SENSOR_NOISE = 4.0
"""Noise of the family `noise`, grey levels."""


def random_scene(seed: int, family: Family | None = None, frame: int = 0) -> Scene:
    """A scene of the family (in turn, if none is named); over the frames its bodies drift."""
    family = family or FAMILIES[seed % len(FAMILIES)]
    if family not in FAMILIES:
        raise unknown("family", family, FAMILIES)
    random = np.random.default_rng([seed, FAMILIES.index(family)])
    stage = Stage(float(random.uniform(0.9, 1.3)), float(random.uniform(4, 14)))
    bodies: list[Body] = [
        stage.floor(_texture(random)),
        stage.wall(FARTHEST, _texture(random), float(random.uniform(-18, 18))),
        *_FAMILY_BODIES[family](random, stage),
    ]
    drift = random.uniform(-0.03, 0.03, (len(bodies), 3))
    bodies[2:] = [_moved(body, frame * step) for body, step in zip(bodies[2:], drift[2:], strict=True)]
    if family == "low-texture":
        bodies = [replace(body, texture=_pale(body.texture, random)) for body in bodies]  # type: ignore[type-var]
    side = float(random.uniform(-0.8, 0.8))
    return Scene(tuple(bodies), f"{family}-{seed}", light=(side, -0.8, -0.5))


def random_light_field(
    seed: int,
    family: Family | None = None,
    size: tuple[int, int] = (96, 96),
    grid: tuple[int, int] = (9, 9),
    disparity: tuple[float, float] = (-1.5, 1.5),
    *,
    positions: NDArray[np.float64] | None = None,
    reference: tuple[int, int] | None = None,
    options: Options | None = None,
    frame: int = 0,
) -> Rendered:
    """A random scene as a light field of (N, M) px whose depths fill the range of disparities."""
    scene = random_scene(seed, family, frame)
    if options is None:
        options = Options(noise=SENSOR_NOISE if scene.name.startswith("noise") else 0.0, seed=seed)
    camera = camera_for(size, NEAREST, FARTHEST * 1.15, disparity)
    return render(scene, camera, grid, positions=positions, reference=reference, options=options)


def _planes(random: np.random.Generator, stage: Stage) -> list[Body]:
    return [_card(random, stage) for _ in range(7)]


def _spheres(random: np.random.Generator, stage: Stage) -> list[Body]:
    return [_ball(random, stage) for _ in range(7)]


def _lattice(random: np.random.Generator, stage: Stage) -> list[Body]:
    right, down, _ = stage.turned(float(random.uniform(-25, 25)))
    period, width = float(random.uniform(0.1, 0.2)), float(random.uniform(0.02, 0.035))
    middle = stage.point(float(random.uniform(-0.3, 0.3)), stage.height - 0.4, float(random.uniform(2.3, 2.7)))
    crossed = bool(random.random() < 0.7)
    grid = Quad(middle, right, down, _texture(random), (0.6, 0.6), Lattice(period, width, crossed), thin=True)
    return [grid, *(_card(random, stage, 3.2) for _ in range(2)), *(_ball(random, stage, 3.2) for _ in range(3))]


def _mixed(random: np.random.Generator, stage: Stage) -> list[Body]:
    x, z = float(random.uniform(-0.7, 0.7)), float(random.uniform(3, 4.5))
    post = Cylinder(stage.point(x, 0, z), stage.point(x, 1.6, z), float(random.uniform(0.05, 0.25)), _texture(random))
    side = float(random.uniform(0.15, 0.35))
    point = stage.point(float(random.uniform(-0.8, 0.8)), side, float(random.uniform(3, 4.3)))
    box = Box(point, (side, side, side), _texture(random), stage.turned(float(random.uniform(0, 90))))
    return [post, box, *(_card(random, stage) for _ in range(2)), *(_ball(random, stage) for _ in range(3))]


_FAMILY_BODIES = {
    "planes": _planes,
    "spheres": _spheres,
    "lattice": _lattice,
    "low-texture": _mixed,
    "noise": _mixed,
    "mixed": _mixed,
}


def _card(random: np.random.Generator, stage: Stage, nearest: float = 2.4) -> Quad:
    """A flat rectangle of any orientation that shows its face."""
    turn, lean, spin = (math.radians(float(random.uniform(-50, 50))) for _ in range(3))
    z = float(random.uniform(nearest, 4.4))
    centre = stage.point(float(random.uniform(-0.3, 0.3)) * z, stage.height + float(random.uniform(-0.32, 0.2)) * z, z)
    right = np.array(stage.vector(math.cos(turn), 0.0, math.sin(turn)))
    ahead = np.array(stage.vector(-math.sin(turn), 0.0, math.cos(turn)))
    down = math.cos(lean) * np.array(stage.vector(0, -1, 0)) + math.sin(lean) * ahead
    first = math.cos(spin) * right + math.sin(spin) * down
    second = math.cos(spin) * down - math.sin(spin) * right
    half = (float(random.uniform(0.15, 0.45)), float(random.uniform(0.15, 0.45)))
    return Quad(centre, _vector(first), _vector(second), _texture(random), half)


def _ball(random: np.random.Generator, stage: Stage, nearest: float = 2.5) -> Sphere:
    z = float(random.uniform(nearest, 4.4))
    radius = float(random.uniform(0.1, 0.4))
    centre = stage.point(float(random.uniform(-0.3, 0.3)) * z, stage.height + float(random.uniform(-0.3, 0.2)) * z, z)
    up = random.standard_normal(3) * (1, 1, 0.4)
    return Sphere(centre, radius, _texture(random), _vector(up / np.linalg.norm(up)))


def _texture(random: np.random.Generator) -> Texture:
    kind = KINDS[int(random.integers(len(KINDS)))]
    first, second = (_colour(random) for _ in range(2))
    period, grain = float(random.uniform(0.08, 0.4)), float(random.uniform(0.1, 0.4))
    return Texture(kind, first, second, period, grain, int(random.integers(1 << 16)))


def _pale(texture: Texture, random: np.random.Generator) -> Texture:
    """Nearly one colour, and sometimes a dark one."""
    dark = 0.3 if random.random() < 0.4 else 1.0
    red, green, blue = (0.5 + 0.4 * value for value in texture.first)
    near = (0.93 * red * dark, 0.95 * green * dark, 0.94 * blue * dark)
    return replace(texture, first=(red * dark, green * dark, blue * dark), second=near, grain=0.03)


def _colour(random: np.random.Generator) -> Colour:
    """Muted: half way to a grey of the same scene."""
    red, green, blue = 0.5 * random.uniform(0.05, 0.95, 3) + 0.5 * random.uniform(0.15, 0.9)
    return float(red), float(green), float(blue)


def _moved(body: Body, step: NDArray[np.float64]) -> Body:
    if isinstance(body, Cylinder):
        return replace(body, foot=_vector(np.array(body.foot) + step), top=_vector(np.array(body.top) + step))
    assert isinstance(body, Quad | Sphere | Box)
    return replace(body, centre=_vector(np.array(body.centre) + step))


def _vector(values: NDArray[np.float64]) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])
