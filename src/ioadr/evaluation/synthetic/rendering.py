"""Light fields of synthetic scenes, with their ground truth."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.evaluation.synthetic.regions import masks
from ioadr.evaluation.synthetic.shading import Scene
from ioadr.evaluation.synthetic.textures import Baked, to_srgb
from ioadr.evaluation.synthetic.trace import FACES, Hits, View, bake_textures, colours, facing, nearest_hits
from ioadr.evaluation.truth import BORDER, Truth
from ioadr.layout import Layout
from ioadr.lightfield import DisparityRange, LightField, Source
from ioadr.machine import cores

Floats = NDArray[np.float64]
SampleType = Literal["uint8", "uint16", "float32"]
BAND = 1 << 16
"""Rays that are traced together."""
SUBSAMPLES = 4
"""Rays per pixel and axis where a pixel sees more than one surface."""
RANGE_STEP = 0.1


@dataclass(frozen=True, eq=False)
class Rendered:
    """A light field and its truth, in the pixels of the reference view."""

    lightfield: LightField
    truth: Truth
    scene: Scene
    camera: Camera
    hits: Hits

    @property
    def objects(self) -> NDArray[np.int16]:
        """[N, M]: number of the body in the scene."""
        return (self.hits.key // FACES).astype(np.int16).reshape(self.truth.disparity.shape)

    @cached_property
    def normals(self) -> NDArray[np.float32]:
        """[N, M, 3], unit length, towards the camera; x right, y down, z away."""
        return _normals(self.scene, self.camera, self.hits, self.objects.shape)

    @cached_property
    def visible(self) -> NDArray[np.bool_]:
        """[L, K, N, M]: whether the view sees the pixel's point."""
        shape = self.objects.shape
        with ThreadPoolExecutor(cores()) as pool:
            views = _views(self.camera, self.lightfield.layout)
            sight = np.stack(list(pool.map(lambda view: _sees(self.scene, view, self.hits, shape), views)))
        return sight.reshape(*self.lightfield.grid, *shape)

    def disparity_of(self, view: tuple[int, int]) -> Floats:
        """[N, M]: the true map of another view of the grid."""
        rays, shape = self.camera.pinhole(), self.objects.shape
        row, column = self.lightfield.offsets[view]
        depth = _hits(self.scene, View(rays, float(row), float(column)), shape).depth
        return ((1.0 / depth - rays.offset) / rays.slope).reshape(shape)

    @property
    def visible_views(self) -> NDArray[np.uint16]:
        """[N, M]: number of views that see the pixel's point."""
        return self.visible.sum(axis=(0, 1)).astype(np.uint16)


class Options(NamedTuple):
    """How views are recorded."""

    samples: SampleType = "uint8"
    grey: bool = False
    noise: float = 0.0
    """Standard deviation of sensor noise, in 8-bit grey levels."""
    seed: int = 0


def camera_for(size: tuple[int, int], nearest: float, farthest: float, disparity: tuple[float, float]) -> Camera:
    """A camera of (N, M) px that sees depths (metres) `nearest` … `farthest` at disparities `disparity`."""
    height, width = size
    focal, sensor = 50.0, 35.0
    slope = (1.0 / nearest - 1.0 / farthest) / (disparity[1] - disparity[0])
    focus = 1.0 / nearest - slope * disparity[1]
    if focus < 0:
        raise InputError(
            f"camera: parallel cameras cannot show depths of {nearest} … {farthest} m at disparities of {disparity}. "
            "Lower the smaller disparity."
        )
    baseline = 1000.0 * sensor / (slope * focal * max(width, height))
    return Camera(focal, sensor, baseline, 1.0 / focus if focus > 0 else float("inf"), width, height)


def render(
    scene: Scene,
    camera: Camera,
    grid: tuple[int, int] = (9, 9),
    *,
    positions: Floats | None = None,
    reference: tuple[int, int] | None = None,
    eta: tuple[float, float] = (1.0, 1.0),
    options: Options | None = None,
    border: int = BORDER,
) -> Rendered:
    """Render all views, and the ground truth of the reference view."""
    options = options or Options()
    shape = (camera.height, camera.width)
    hits = _hits(scene, View(camera.pinhole(), 0.0, 0.0), shape)
    if not np.isfinite(hits.depth).all():
        raise InputError(f"{scene.name}: some rays meet no surface. Add a wall behind the scene.")
    truth = _truth(scene, camera, hits, shape, border)
    layout = Layout.of(grid, reference, eta, positions)
    pictures: NDArray[Any] = np.empty((grid[0] * grid[1], *shape, 1 if options.grey else 3), options.samples)
    for number, picture in enumerate(render_views(scene, camera, layout, options)):
        pictures[number] = picture
    field = LightField(
        pictures.reshape(*grid, *pictures.shape[1:]),
        camera,
        range=truth.range,
        name=scene.name,
        source=Source(format="synthetic"),
        layout=layout,
    )
    return Rendered(field, truth, scene, camera, hits)


def render_views(scene: Scene, camera: Camera, layout: Layout, options: Options) -> Iterator[NDArray[Any]]:
    """The views [N, M, C] one after the other, row by row, so that not all must be in memory."""
    shape = (camera.height, camera.width)
    baked = bake_textures(scene, camera.pinhole(), shape)
    workers = cores()
    pending: deque[Future[NDArray[Any]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for number, view in enumerate(_views(camera, layout)):
            pending.append(pool.submit(render_view, scene, view, baked, shape, options, number))
            if len(pending) > 2 * workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def render_view(
    scene: Scene, view: View, baked: list[Baked], shape: tuple[int, int], options: Options, number: int = 0
) -> NDArray[Any]:
    """[N, M, C]: the light in the middle of each pixel; where several surfaces share it, each by its share."""
    rows, columns = _pixels(shape)
    light = np.empty((len(rows), 3), np.float32)
    key = np.empty(len(rows), np.intp)
    for band in _bands(len(rows)):
        points, hits = _follow(scene, view, rows[band], columns[band])
        light[band] = colours(scene, baked, view.rays.pitch_x, points, hits.key // FACES)
        key[band] = hits.key
    edges = np.flatnonzero(_edges(key.reshape(shape)))
    for band in _bands(len(edges), SUBSAMPLES**2):
        edge = edges[band]
        light[edge] = _mixed(scene, view, baked, rows[edge], columns[edge])
    return _record(light.reshape(*shape, 3), options, number)


def _mixed(scene: Scene, view: View, baked: list[Baked], rows: Floats, columns: Floats) -> NDArray[np.float32]:
    """[P, 3]: pixels as the mean of their surfaces, each taken where the pixel sees it and weighted by its area."""
    step = (np.arange(SUBSAMPLES) + 0.5) / SUBSAMPLES - 0.5
    down, right = (grid.ravel() for grid in np.meshgrid(step, step, indexing="ij"))
    points, hits = _follow(scene, view, (rows[:, None] + down).ravel(), (columns[:, None] + right).ravel())
    surfaces = FACES * len(scene.bodies) + 1
    pixel = np.repeat(np.arange(len(rows)), len(down))
    code, part, count = np.unique(pixel * surfaces + hits.key + 1, return_inverse=True, return_counts=True)
    middle = np.stack([np.bincount(part, axis) for axis in points.T], axis=-1) / count[:, None]
    colour = colours(scene, baked, view.rays.pitch_x, middle, (code % surfaces - 1) // FACES)
    weighted = colour * (count / len(down))[:, None]
    return np.stack([np.bincount(code // surfaces, axis, len(rows)) for axis in weighted.T], axis=-1)


def _follow(scene: Scene, view: View, rows: Floats, columns: Floats) -> tuple[Floats, Hits]:
    """End points of the rays through pixel positions (the origin if they hit nothing), and the bodies hit."""
    direction = view.directions(rows, columns)
    hits = nearest_hits(scene.bodies, view.origin, direction)
    depth = np.where(np.isfinite(hits.depth), hits.depth, 0.0)
    return view.origin + depth[:, None] * direction, hits


def _pixels(shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    rows, columns = np.indices(shape)
    return rows.ravel().astype(np.float64), columns.ravel().astype(np.float64)


def _bands(count: int, rays: int = 1) -> Iterator[slice]:
    """Slices of as many pixels as fit into `BAND` rays."""
    step = max(1, BAND // rays)
    return (slice(start, start + step) for start in range(0, count, step))


def _views(camera: Camera, layout: Layout) -> list[View]:
    rays = camera.pinhole()
    return [View(rays, float(row), float(column)) for row, column in layout.offsets.reshape(-1, 2)]


def _edges(key: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Pixels with another surface among their eight neighbours."""
    padded = np.pad(key, 1, mode="edge")
    height, width = key.shape
    edge = np.zeros(key.shape, bool)
    for row in range(3):
        for column in range(3):
            edge |= padded[row : row + height, column : column + width] != key
    return edge


def _record(light: NDArray[np.float32], options: Options, number: int) -> NDArray[Any]:
    values = to_srgb(light)
    if options.grey:
        values = values @ np.array([[0.299], [0.587], [0.114]], np.float32)
    if options.noise > 0:
        random = np.random.default_rng([options.seed, number])
        values = values + random.standard_normal(values.shape, np.float32) * np.float32(options.noise / 255.0)
    if options.samples == "float32":
        return values
    white = np.iinfo(options.samples).max
    return np.clip(np.rint(values * white), 0, white).astype(options.samples)


def _hits(scene: Scene, view: View, shape: tuple[int, ...]) -> Hits:
    rows, columns = _pixels(shape)
    parts = [_follow(scene, view, rows[band], columns[band])[1] for band in _bands(len(rows))]
    return Hits(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _sees(scene: Scene, view: View, hits: Hits, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Whether the reference view's points lie inside the view's picture, with nothing in front of them."""
    rows, columns = _pixels(shape)
    points = View(view.rays, 0.0, 0.0).directions(rows, columns) * hits.depth[:, None]
    disparity = (1.0 / hits.depth - view.rays.offset) / view.rays.slope
    rows, columns = rows - disparity * view.row, columns - disparity * view.column
    inside = (rows >= 0) & (rows <= shape[0] - 1) & (columns >= 0) & (columns <= shape[1] - 1)
    chosen = np.flatnonzero(inside)
    for band in _bands(len(chosen)):
        part = chosen[band]
        direction = (points[part] - view.origin) / hits.depth[part, None]
        inside[part] = nearest_hits(scene.bodies, view.origin, direction).depth > hits.depth[part] * (1 - 1e-6)
    return inside


def _truth(scene: Scene, camera: Camera, hits: Hits, shape: tuple[int, int], border: int) -> Truth:
    rays = camera.pinhole()
    disparity = ((1.0 / hits.depth - rays.offset) / rays.slope).reshape(shape)
    low, high = (float(np.floor(value / RANGE_STEP)) for value in (disparity.min(), disparity.max()))
    limits = DisparityRange(round(low * RANGE_STEP, 6), round((high + 1) * RANGE_STEP, 6), "file")
    regions = masks(scene, hits.key.reshape(shape), disparity)
    return Truth(disparity, camera, regions, scene.name, limits, border)


def _normals(scene: Scene, camera: Camera, hits: Hits, shape: tuple[int, int]) -> NDArray[np.float32]:
    points = View(camera.pinhole(), 0.0, 0.0).directions(*_pixels(shape)) * hits.depth[:, None]
    normals = np.empty((len(points), 3), np.float32)
    for index, body in enumerate(scene.bodies):
        chosen = np.flatnonzero(hits.key // FACES == index)
        normals[chosen] = facing(body.surface(points[chosen]).normal, points[chosen])
    return normals.reshape(*shape, 3)
