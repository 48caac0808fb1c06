"""Light fields of synthetic scenes, with their ground truth."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.evaluation.synthetic.pictures import Options, bands, follow, pixels, record_views, view_groups
from ioadr.evaluation.synthetic.regions import masks
from ioadr.evaluation.synthetic.shading import Scene
from ioadr.evaluation.synthetic.trace import FACES, Hits, View, bake_textures, facing, nearest_hits
from ioadr.evaluation.truth import BORDER, Truth
from ioadr.layout import Layout
from ioadr.lightfield import DisparityRange, LightField, Source
from ioadr.machine import cores

Floats = NDArray[np.float64]
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
        shape, everywhere = self.objects.shape, np.arange(self.hits.depth.size)
        own, views = View(self.camera.pinhole(), 0.0, 0.0), _views(self.camera, self.lightfield.layout)

        def seen_by(view: View) -> NDArray[np.bool_]:
            return _sees(self.scene, own, view, self.hits, everywhere, shape)

        with ThreadPoolExecutor(cores()) as pool:
            sight = np.stack(list(pool.map(seen_by, views)))
        return sight.reshape(*self.lightfield.grid, *shape)

    def disparity_of(self, view: tuple[int, int]) -> Floats:
        """[N, M]: the true map of another view of the grid."""
        rays, shape = self.camera.pinhole(), self.objects.shape
        row, column = self.lightfield.offsets[view]
        depth = _hits(self.scene, View(rays, float(row), float(column)), shape).depth
        return ((1.0 / depth - rays.offset) / rays.slope).reshape(shape)

    def hidden_from_reference(self, view: tuple[int, int], fewest: int) -> NDArray[np.bool_]:
        """[N, M]: points of a view of the grid that the reference view does not see, but at least `fewest` views do."""
        rays, shape, layout = self.camera.pinhole(), self.objects.shape, self.lightfield.layout
        own, reference = (View(rays, *map(float, layout.offsets[index])) for index in (view, layout.reference))
        hits = _hits(self.scene, own, shape)
        everywhere = np.arange(hits.depth.size)
        hidden = np.flatnonzero(~_sees(self.scene, own, reference, hits, everywhere, shape))
        others = [View(rays, *map(float, offset)) for offset in layout.offsets[layout.present]]
        count = np.sum([_sees(self.scene, own, other, hits, hidden, shape) for other in others], axis=0)
        found = np.zeros(shape, np.bool_)
        found.flat[hidden] = count >= fewest
        return found

    @property
    def visible_views(self) -> NDArray[np.uint16]:
        """[N, M]: number of views that see the pixel's point."""
        return self.visible.sum(axis=(0, 1)).astype(np.uint16)


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
    views, workers = _views(camera, layout), cores()
    pending: deque[Future[list[NDArray[Any]]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for group in view_groups(len(views), shape):
            pending.append(pool.submit(record_views, scene, views[group], baked, shape, options, group.start))
            if len(pending) > 2 * workers:
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()


def _views(camera: Camera, layout: Layout) -> list[View]:
    rays = camera.pinhole()
    return [View(rays, float(row), float(column)) for row, column in layout.offsets.reshape(-1, 2)]


def _hits(scene: Scene, view: View, shape: tuple[int, ...]) -> Hits:
    rows, columns = pixels(shape)
    parts = [follow(scene, view, rows[band], columns[band])[1] for band in bands(len(rows))]
    return Hits(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _sees(
    scene: Scene, own: View, view: View, hits: Hits, asked: NDArray[np.intp], shape: tuple[int, int]
) -> NDArray[np.bool_]:
    """Whether the `asked` of a view's own points lie inside another view's picture, with nothing in front of them."""
    rows, columns = (places[asked] for places in pixels(shape))
    depth = hits.depth[asked]
    points = own.origin + own.directions(rows, columns) * depth[:, None]
    disparity = (1.0 / depth - view.rays.offset) / view.rays.slope
    rows, columns = rows - disparity * (view.row - own.row), columns - disparity * (view.column - own.column)
    inside = (rows >= 0) & (rows <= shape[0] - 1) & (columns >= 0) & (columns <= shape[1] - 1)
    chosen = np.flatnonzero(inside)
    for band in bands(len(chosen)):
        part = chosen[band]
        direction = (points[part] - view.origin) / depth[part, None]
        inside[part] = nearest_hits(scene.bodies, view.origin, direction).depth > depth[part] * (1 - 1e-6)
    return inside


def _truth(scene: Scene, camera: Camera, hits: Hits, shape: tuple[int, int], border: int) -> Truth:
    rays = camera.pinhole()
    disparity = ((1.0 / hits.depth - rays.offset) / rays.slope).reshape(shape)
    low, high = (float(np.floor(value / RANGE_STEP)) for value in (disparity.min(), disparity.max()))
    limits = DisparityRange(round(low * RANGE_STEP, 6), round((high + 1) * RANGE_STEP, 6), "file")
    regions = masks(scene, hits.key.reshape(shape), disparity)
    return Truth(disparity, camera, regions, scene.name, limits, border)


def _normals(scene: Scene, camera: Camera, hits: Hits, shape: tuple[int, int]) -> NDArray[np.float32]:
    points = View(camera.pinhole(), 0.0, 0.0).directions(*pixels(shape)) * hits.depth[:, None]
    normals = np.empty((len(points), 3), np.float32)
    for index, body in enumerate(scene.bodies):
        chosen = np.flatnonzero(hits.key // FACES == index)
        normals[chosen] = facing(body.surface(points[chosen]).normal, points[chosen])
    return normals.reshape(*shape, 3)
