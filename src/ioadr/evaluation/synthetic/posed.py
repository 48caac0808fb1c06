"""Synthetic scenes through posed cameras (tilted, off-plane, with lens distortion), and their ground truth.

The world of the poses is that of the scene: x right, y down, z away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera, RayModel
from ioadr.errors import InputError
from ioadr.evaluation.synthetic.pictures import Floats, Options, record_views, view_groups
from ioadr.evaluation.synthetic.shading import Scene
from ioadr.evaluation.synthetic.textures import Baked
from ioadr.evaluation.synthetic.trace import View, bake_textures, nearest_hits
from ioadr.evaluation.truth import BORDER, Truth
from ioadr.geometry.lens import Lens
from ioadr.io.poses.photographs import Photograph
from ioadr.layout import Index, Layout
from ioadr.lightfield import LightField

FIELD = 0.7
"""Width of the field at distance 1 for whose nearest surfaces textures are made."""


NONE = Lens()


@dataclass(frozen=True)
class Disorder:
    """Largest deviations of cameras from an ideal grid; drawn uniformly."""

    tilt: float = 0.0
    """Rotation about any axis, degrees."""
    forward: float = 0.0
    """Distance out of the plane, as a share of the cameras' extent."""
    lens: Lens = NONE
    margin: float = 1.0
    """Size of the photographs relative to the ideal image, so that rotated ones still cover it."""
    seed: int = 0


class PosedView(View):
    """A posed photograph in the renderer's terms: origin and directions of rays."""

    photograph: Photograph

    @classmethod
    def of(cls, photograph: Photograph, pitch: float) -> PosedView:
        view = cls(RayModel(1.0, 0.0, pitch, pitch, 0.0, 0.0), 0.0, 0.0)
        view.photograph = photograph
        return view

    @property
    def origin(self) -> Floats:
        return self.photograph.centre

    def directions(self, rows: Floats, columns: Floats) -> Floats:
        """[P, 3], z = 1, in the world."""
        rays = self.photograph.rays(np.stack([columns, rows], axis=1)) @ self.photograph.rotation
        return np.asarray(rays / rays[:, 2:])


def disordered(camera: Camera, grid: tuple[int, int], disorder: Disorder) -> list[Photograph]:
    """Photographs near the positions of a grid, turned towards the middle of the focus plane."""
    random = np.random.default_rng(disorder.seed)
    rays, layout = camera.pinhole(), Layout.of(grid)
    origins = np.array([View(rays, float(y), float(x)).origin for y, x in layout.offsets.reshape(-1, 2)])
    extent = float(np.ptp(origins, axis=0).max())
    size = (round(camera.width * disorder.margin), round(camera.height * disorder.margin))
    photographs = []
    for number, origin in enumerate(origins):
        centre = origin + np.array([0.0, 0.0, disorder.forward * extent * float(random.uniform(-1, 1))])
        axis = random.standard_normal(3)
        angle = np.radians(disorder.tilt) * float(random.uniform(-1, 1))
        turn = _turn(axis / np.linalg.norm(axis), angle) @ _towards(camera.focus_distance_m, centre)
        focal = 1.0 / rays.pitch_x
        middle = (0.5 * (size[0] - 1), 0.5 * (size[1] - 1))
        name = f"photo_{number:03d}.png"
        photographs.append(Photograph(name, None, size, (focal, focal), middle, disorder.lens, turn, -turn @ centre))
    return photographs


def photographed(scene: Scene, photographs: Sequence[Photograph], options: Options | None = None) -> list[NDArray[Any]]:
    """Rendered pictures [N, M, C] of all photographs."""
    pitch = 1.0 / photographs[0].focal[0]
    baked = _baked(scene, pitch)
    views = [PosedView.of(taken, pitch) for taken in photographs]
    pictures: list[NDArray[Any]] = []
    for (width, height), alike in groupby(photographs, lambda taken: taken.size):
        start = len(pictures)
        of_size = views[start : start + len(list(alike))]
        for group in view_groups(len(of_size), (height, width)):
            given = scene, of_size[group], baked, (height, width), options or Options()
            pictures += record_views(*given, start + group.start)
    return pictures


def scene_points(scene: Scene, photograph: Photograph, count: int = 400, seed: int = 0) -> Floats:
    """[P, 3] points of the scene that a photograph sees, as structure from motion would find them."""
    random = np.random.default_rng(seed)
    pixels = random.uniform(0, np.array(photograph.size) - 1.0, (count, 2))
    view = PosedView.of(photograph, 1.0)
    direction = view.directions(pixels[:, 1], pixels[:, 0])
    return np.asarray(view.origin + nearest_hits(scene.bodies, view.origin, direction).depth[:, None] * direction)


def true_disparity(scene: Scene, lightfield: LightField, border: int = BORDER, view: Index | None = None) -> Truth:
    """True disparity of a light field read from photographs of the scene, in its own pixels.

    Of the reference view, or of another `view` as seen from the plane of the reference view.
    """
    camera = lightfield.camera
    if camera is None or camera.world is None:
        raise InputError(f"{lightfield.name}: has no poses, so its position in the scene is unknown.")
    world, rays = np.array(camera.world), camera.pinhole(lightfield.part.window)
    rows, columns = (grid.ravel() for grid in np.indices((lightfield.height, lightfield.width)))
    y, x = lightfield.offsets[lightfield.reference if view is None else view] * np.array([rays.pitch_y, rays.pitch_x])
    down, right = (rows - rays.n0) * rays.pitch_y, (columns - rays.m0) * rays.pitch_x
    local = np.stack([right - x * rays.offset / rays.slope, down - y * rays.offset / rays.slope, np.ones(len(rows))], 1)
    direction, origin = local @ world[:, :3].T, world @ [x / rays.slope, y / rays.slope, 0.0, 1.0]
    length = direction[:, 2:]
    depth = nearest_hits(scene.bodies, origin, direction / length).depth / length[:, 0]
    disparity = ((1.0 / depth - rays.offset) / rays.slope).reshape(lightfield.height, lightfield.width)
    return Truth(disparity, camera, {}, scene.name, lightfield.range, border)


def idealised(lightfield: LightField, scene: Scene) -> LightField:
    """The light field as ideal cameras would have taken it: in one plane, without tilt, lens or resampling."""
    camera = lightfield.camera
    if camera is None or camera.world is None:
        raise InputError(f"{lightfield.name}: has no poses, so its position in the scene is unknown.")
    world, rays = np.array(camera.world), camera.pinhole(lightfield.part.window)
    turn = world[:, :3].T / np.linalg.norm(world[:, 0])
    focus = rays.offset / rays.slope
    places, taken = np.argwhere(lightfield.present), []
    for place in places:
        down, right = lightfield.offsets[tuple(place)]
        centre = world @ [right * rays.pitch_x / rays.slope, down * rays.pitch_y / rays.slope, 0.0, 1.0]
        middle = (rays.m0 + right * focus, rays.n0 + down * focus)
        size, focal = (lightfield.width, lightfield.height), (1.0 / rays.pitch_x, 1.0 / rays.pitch_y)
        taken.append(Photograph("", None, size, focal, middle, Lens(), turn, -turn @ centre))
    views = np.zeros((*lightfield.grid, lightfield.height, lightfield.width, 3), np.uint8)
    views[tuple(places.T)] = photographed(scene, taken)
    return lightfield.replace(views=views, white=255.0, layout=lightfield.layout.flat)


def _baked(scene: Scene, pitch: float) -> list[Baked]:
    """Textures for cameras of that pitch, shared by photographs of all sizes."""
    side = round(FIELD / pitch)
    return bake_textures(scene, RayModel(1.0, 0.0, pitch, pitch, 0.5 * (side - 1), 0.5 * (side - 1)), (side, side))


def _turn(axis: Floats, angle: float) -> Floats:
    """[3, 3] about a unit vector, radians."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross))


def _towards(distance: float, centre: Floats) -> Floats:
    """[3, 3], world → camera, of a camera that looks at the middle of the focus plane."""
    if not np.isfinite(distance):
        return np.eye(3)
    away = np.array([0.0, 0.0, distance]) - centre
    away /= np.linalg.norm(away)
    right = np.cross([0.0, 1.0, 0.0], away)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(away, right), away])
