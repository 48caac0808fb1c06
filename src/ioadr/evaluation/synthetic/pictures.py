"""Pictures that views of a scene record, several small views at a time.

The colour of a point is the same in all views. Calls for a few thousand points take as long as for many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.evaluation.synthetic.shading import Scene
from ioadr.evaluation.synthetic.textures import Baked, to_srgb
from ioadr.evaluation.synthetic.trace import FACES, Hits, View, colours, nearest_hits

Floats = NDArray[np.float64]
SampleType = Literal["uint8", "uint16", "float32"]
BAND = 1 << 16
"""Number of rays that are traced together."""
SUBSAMPLES = 4
"""Rays per pixel and axis where a pixel sees more than one surface."""


class Options(NamedTuple):
    """Settings for the recording of views."""

    samples: SampleType = "uint8"
    grey: bool = False
    noise: float = 0.0
    """Standard deviation of sensor noise, in 8-bit grey levels."""
    seed: int = 0


class _Shared(NamedTuple):
    """Surfaces [S] in pixels that see more than one of them."""

    pixel: NDArray[np.intp]
    middle: Floats
    """[S, 3]: mean of the points that the pixel sees of it."""
    body: NDArray[np.intp]
    share: Floats
    """Share of the pixel's area."""


def view_groups(count: int, shape: tuple[int, ...]) -> Iterator[slice]:
    """Views to record together: as many as `BAND` rays allow."""
    return bands(count, int(np.prod(shape)))


def record_views(
    scene: Scene, views: Sequence[View], baked: list[Baked], shape: tuple[int, int], options: Options, first: int = 0
) -> list[NDArray[Any]]:
    """Pictures [N, M, C] of views of one size, the first of which has this number.

    A pixel shows the light in its middle; where several surfaces share it, each counts by its share.
    """
    rows, columns = pixels(shape)
    light = np.empty((len(views), len(rows), 3), np.float32)
    key = np.empty((len(views), len(rows)), np.intp)
    for band in bands(len(rows)):
        followed = [follow(scene, view, rows[band], columns[band]) for view in views]
        key[:, band] = [hits.key for _, hits in followed]
        light[:, band] = _coloured(scene, views, baked, [(points, hits.key // FACES) for points, hits in followed])
    edges = [np.flatnonzero(_edges(found.reshape(shape))) for found in key]
    for band in bands(max(map(len, edges)), SUBSAMPLES**2):
        parts = [edge[band] for edge in edges]
        mixed = [_shared(scene, view, rows[part], columns[part]) for view, part in zip(views, parts, strict=True)]
        found = _coloured(scene, views, baked, [(surfaces.middle, surfaces.body) for surfaces in mixed])
        for picture, part, surfaces, colour in zip(light, parts, mixed, found, strict=True):
            picture[part] = _blended(colour, surfaces, len(part))
    return [_record(picture.reshape(*shape, 3), options, first + number) for number, picture in enumerate(light)]


def follow(scene: Scene, view: View, rows: Floats, columns: Floats) -> tuple[Floats, Hits]:
    """End points of the rays through pixel positions (the origin if they hit nothing), and the bodies hit."""
    direction = view.directions(rows, columns)
    hits = nearest_hits(scene.bodies, view.origin, direction)
    depth = np.where(np.isfinite(hits.depth), hits.depth, 0.0)
    return view.origin + depth[:, None] * direction, hits


def pixels(shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Rows and columns of all pixels, one after the other."""
    rows, columns = np.indices(shape)
    return rows.ravel().astype(np.float64), columns.ravel().astype(np.float64)


def bands(count: int, rays: int = 1) -> Iterator[slice]:
    """Slices of as many items of so many rays as fit into `BAND` rays."""
    step = max(1, BAND // rays)
    return (slice(start, start + step) for start in range(0, count, step))


def _coloured(
    scene: Scene, views: Sequence[View], baked: list[Baked], found: Sequence[tuple[Floats, NDArray[np.intp]]]
) -> list[NDArray[np.float32]]:
    """[P, 3] for the points and bodies that each view sees, all of them in one go."""
    points, bodies = (np.concatenate(parts) for parts in zip(*found, strict=True))
    together = colours(scene, baked, views[0].rays.pitch_x, points, bodies)
    return np.split(together, np.cumsum([len(own) for own, _ in found[:-1]]))


def _shared(scene: Scene, view: View, rows: Floats, columns: Floats) -> _Shared:
    """The surfaces of pixels, each where the pixel sees it."""
    step = (np.arange(SUBSAMPLES) + 0.5) / SUBSAMPLES - 0.5
    down, right = (grid.ravel() for grid in np.meshgrid(step, step, indexing="ij"))
    points, hits = follow(scene, view, (rows[:, None] + down).ravel(), (columns[:, None] + right).ravel())
    surfaces = FACES * len(scene.bodies) + 1
    pixel = np.repeat(np.arange(len(rows)), len(down))
    code, part, count = np.unique(pixel * surfaces + hits.key + 1, return_inverse=True, return_counts=True)
    middle = np.stack([np.bincount(part, axis) for axis in points.T], axis=-1) / count[:, None]
    return _Shared(code // surfaces, middle, (code % surfaces - 1) // FACES, count / len(down))


def _blended(colour: NDArray[np.float32], surfaces: _Shared, count: int) -> Floats:
    """[P, 3]: the mean of the surfaces in each of so many pixels."""
    weighted = colour * surfaces.share[:, None]
    return np.stack([np.bincount(surfaces.pixel, axis, count) for axis in weighted.T], axis=-1)


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
