"""All surfaces as one point cloud or mesh: each once, from the first anchor that saw it.

An anchor's surface may lie behind others in every view, mostly by mistake. The maps do not show it, so it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.camera import RayModel
from ioadr.geometry.discontinuity import surface_cells, triangles
from ioadr.geometry.points import normals_from_points
from ioadr.views.carry import compare_views, count_views
from ioadr.views.result import Views
from ioadr.views.surfaces import NOTHING, Mask, Surface, link_of, linked


@dataclass(frozen=True, eq=False)
class FusedPoints:
    """P points in the reference camera's frame: x right, y down, z away, in the unit of depth."""

    positions: NDArray[np.float32]
    """[P, 3]."""
    normals: NDArray[np.float32]
    """[P, 3], unit vectors that face the camera of the anchor."""
    colours: NDArray[Any]
    """[P, C], sample values of the anchor view."""
    confidence: NDArray[np.float32]
    """[P], 0 … 1."""
    views: NDArray[np.uint16]
    """[P]: number of views that see the point, according to their maps."""
    anchor: NDArray[np.uint8]
    """[P]: number of the anchor, 0 for the reference view. In a mesh, the outermost views come after the anchors."""

    @property
    def centre_saw(self) -> Mask:
        """[P]: whether the reference view sees the point; others are hidden from it or outside its image."""
        return np.asarray(self.anchor == 0)


@dataclass(frozen=True, eq=False)
class FusedMesh:
    """Triangles between points; none bridges the gap between two surfaces."""

    points: FusedPoints
    triangles: NDArray[np.int32]
    """[T, 3]: numbers of points, counter-clockwise as seen by the anchor."""


def fused_points(views: Views, min_confidence: float = 0.0) -> FusedPoints:
    """The points of all surfaces above a minimum confidence."""
    grids = _grids(views, min_confidence, views.surfaces)
    return _joined([grid.columns(grid.new, seeing(grid.surface, grid.new, views)) for grid in grids])


def fused(views: Views, min_confidence: float = 0.0) -> tuple[FusedPoints, FusedMesh]:
    """The points of all surfaces, as `fused_points`, and their triangles.

    Triangles are those of an anchor wherever no earlier anchor has any. A later anchor's triangles reach one pixel
    under earlier ones, so that no gap opens between them.

    Triangles connect the middles of pixels, so an anchor's surfaces end too early by up to a pixel. The maps of the
    outermost views, which show the same surfaces at other positions, close these strips.
    """
    points, parts, faces, count, link = [], [], [], 0, link_of(views.estimate)
    meshed: list[tuple[Surface, Mask]] = []
    for number, grid in enumerate(_grids(views, min_confidence, [*views.surfaces, *outer_surfaces(views)])):
        cells = surface_cells(grid.points - grid.camera)
        fine, new = grid.meshable, ~covered(grid.surface, meshed, link)
        corners = triangles(cells)
        corners = corners[fine.reshape(-1)[corners].all(axis=1) & new.reshape(-1)[corners].any(axis=1)]
        anchor = number < len(views.surfaces)
        wanted = _corner_mask(corners, fine.shape)
        seen_by = seeing(grid.surface, wanted | grid.new if anchor else wanted, views)
        corners = corners[(seen_by.reshape(-1)[corners] > 0).all(axis=1)]
        meshed.append((grid.surface, whole_cells(cells, fine & ((seen_by > 0) | ~wanted))))
        used = _corner_mask(corners, fine.shape)
        parts.append(grid.columns(used, seen_by))
        points += [grid.columns(grid.new, seen_by)] if anchor else []
        faces.append((np.cumsum(used) - 1)[corners].astype(np.int32) + np.int32(count))
        count += int(used.sum())
    return _joined(points), FusedMesh(_joined(parts), np.concatenate(faces))


def _corner_mask(corners: NDArray[np.integer[Any]], shape: tuple[int, ...]) -> Mask:
    """The pixels of an image that are `corners` of triangles."""
    mask = np.zeros(shape, bool)
    mask.reshape(-1)[corners] = True
    return mask


def whole_cells(cells: NDArray[np.uint8], fine: Mask) -> Mask:
    """[N−1, M−1]: cells with both of their triangles, between `fine` pixels."""
    return ((cells & 6) == 6) & fine[:-1, :-1] & fine[:-1, 1:] & fine[1:, :-1] & fine[1:, 1:]


def covered(surface: Surface, meshed: Sequence[tuple[Surface, Mask]], link: float) -> Mask:
    """[N, M]: pixels whose point lies on a whole cell of an earlier surface."""
    height, width = surface.disparity.shape
    rows, columns = np.mgrid[:height, :width]
    on_one = np.zeros((height, width), bool)
    for earlier, whole in meshed:
        y = rows + surface.disparity * (surface.offset[0] - earlier.offset[0])
        x = columns + surface.disparity * (surface.offset[1] - earlier.offset[1])
        inside = (y >= 0) & (y <= height - 1) & (x >= 0) & (x <= width - 1)
        n = np.where(inside, np.minimum(y, height - 2), 0).astype(np.int64)
        m = np.where(inside, np.minimum(x, width - 2), 0).astype(np.int64)
        apart = np.abs(earlier.disparity[n, m] - surface.disparity)
        on_one |= inside & whole[n, m] & (apart <= 2 * link)
    return on_one


Columns = tuple[NDArray[Any], ...]
"""Positions, normals, colours, confidence and number of views of some points."""


@dataclass(frozen=True, eq=False)
class _Grid:
    """One anchor's pixels in space."""

    surface: Surface
    camera: NDArray[np.float32]
    points: NDArray[np.float32]
    normals: NDArray[np.float32]
    new: Mask
    """Pixels with a position and a normal that are trusted enough and that no earlier anchor has."""
    meshable: Mask
    """Pixels of a surface that are trusted enough and contradict no earlier anchor."""

    def columns(self, mask: Mask, seen_by: NDArray[np.uint16]) -> Columns:
        """The points of a mask that a view sees; `seen_by` [N, M] are the numbers of views (`seeing`)."""
        shown = mask & (seen_by > 0)
        columns = self.points, self.normals, self.surface.image, self.surface.confidence, seen_by
        return tuple(column[shown] for column in columns)


def outer_surfaces(views: Views) -> list[Surface]:
    """The maps of the outermost views, in the anchors' colours; their confidence is NaN where they are guesses."""
    surfaces, places = [], views.layout.offsets[tuple(views.index.T)]
    for number in outermost(places):
        row, column = places[number]
        source, disparity = np.asarray(views.source[number]), np.asarray(views.disparity[number])
        known = source != NOTHING
        confidence = np.where(known, views.confidence[number], np.nan).astype(np.float32)
        image = anchor_colours(views.surfaces, disparity, source, (row, column))
        view, offset = (int(views.index[number, 0]), int(views.index[number, 1])), (float(row), float(column))
        surfaces.append(Surface(view, offset, disparity, confidence, np.ones_like(disparity), known, image))
    return surfaces


def outermost(places: NDArray[np.float64]) -> list[int]:
    """Numbers of the views at `places` [V, 2] that are farthest along the diagonals, each once."""
    return list(dict.fromkeys(int(np.argmax(places @ way)) for way in product((-1.0, 1.0), repeat=2)))


def anchor_colours(
    surfaces: Sequence[Surface], disparity: NDArray[Any], source: NDArray[Any], offset: tuple[float, float]
) -> NDArray[Any]:
    """[N, M, C]: the colours of a view at an offset, from the nearest pixels of the anchors that see its points."""
    image = np.zeros_like(surfaces[0].image)
    for number, surface in enumerate(surfaces):
        pixels = np.nonzero(source == number)
        there = [
            np.clip(np.rint(at + disparity[pixels] * (own - other)), 0, size - 1).astype(np.int64)
            for at, own, other, size in zip(pixels, offset, surface.offset, disparity.shape, strict=True)
        ]
        image[pixels] = surface.image[there[0], there[1]]
    return image


def _grids(views: Views, min_confidence: float, surfaces: Sequence[Surface]) -> Iterator[_Grid]:
    """The pixels of the surfaces, the reference view's first."""
    rays, link = views.estimate.rays, link_of(views.estimate)
    for number, surface in enumerate(surfaces):
        points, camera = surface_points(surface, rays), anchor_place(surface, rays)
        normals = normals_from_points(points - camera)
        fine = np.isfinite(points).all(axis=-1) & np.isfinite(normals).all(axis=-1)
        fine &= surface.confidence >= min_confidence
        seen, agreed = compared(surface, views.surfaces[:number], link)
        new, meshable = fine & surface.kept & ~seen, fine & (agreed | ~seen) & linked(surface.disparity, link)
        yield _Grid(surface, camera, points, normals, new, meshable)


def _joined(parts: Sequence[Columns]) -> FusedPoints:
    """The points of all anchors."""
    anchor = np.repeat(np.arange(len(parts), dtype=np.uint8), [len(part[0]) for part in parts])
    positions, normals, colours, confidence, count = (np.concatenate(column) for column in zip(*parts, strict=True))
    return FusedPoints(positions, normals, colours, confidence, count, anchor)


def surface_points(surface: Surface, rays: RayModel) -> NDArray[np.float32]:
    """Points [N, M, 3] of the anchor's pixels in the reference camera's frame."""
    d = surface.disparity.astype(np.float64)
    inverse = rays.slope * d + rays.offset
    z = np.divide(1.0, inverse, out=np.full_like(inverse, np.nan), where=inverse > 0)
    rows, columns = np.mgrid[: d.shape[0], : d.shape[1]]
    x = (columns + d * surface.offset[1] - rays.m0) * rays.pitch_x * z
    y = (rows + d * surface.offset[0] - rays.n0) * rays.pitch_y * z
    return np.stack([x, y, z], axis=-1).astype(np.float32)


def anchor_place(surface: Surface, rays: RayModel) -> NDArray[np.float32]:
    """[3]: the anchor's camera."""
    row, column = surface.offset
    return np.array([rays.pitch_x * column / rays.slope, rays.pitch_y * row / rays.slope, 0.0], np.float32)


def compared(surface: Surface, earlier: Sequence[Surface], link: float) -> tuple[Mask, Mask]:
    """Masks [N, M] of its pixels that earlier anchors see, and of those on which one of them agrees."""
    seen, agreed = np.zeros((2, *surface.disparity.shape), bool)
    for other in earlier:
        _compare(surface, other.disparity, other.offset, link, seen, agreed)
    return seen, agreed


def seeing(surface: Surface, mask: Mask, views: Views) -> NDArray[np.uint16]:
    """[N, M]: number of views whose maps show the pixel's point; 0 outside the mask."""
    pixels, link = np.argwhere(mask), link_of(views.estimate)
    found, count = np.zeros(len(pixels), np.uint16), np.zeros(mask.shape, np.uint16)

    def share(begin: int, end: int, *there: Any) -> None:
        count_views(pixels[begin:end], surface.disparity, *there, found[begin:end])

    with Workers() as workers:
        for number, view in enumerate(views.index):
            dy, dx = (float(value) for value in views.layout.offsets[tuple(view)] - surface.offset)
            workers.rows(share, len(pixels), np.asarray(views.disparity[number]), link, dy, dx)
    count[mask] = found
    return count


def _compare(
    surface: Surface, other: NDArray[Any], offset: tuple[float, float], link: float, seen: Mask, agreed: Mask
) -> None:
    dy, dx = (float(there - here) for there, here in zip(offset, surface.offset, strict=True))
    compare_views(surface.disparity, other, link, dy, dx, seen, agreed)
