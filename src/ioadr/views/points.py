"""All surfaces as one point cloud: each once, from the first anchor that saw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import RayModel
from ioadr.geometry.points import normals_from_points
from ioadr.views.carry import compare_views
from ioadr.views.result import Views
from ioadr.views.surfaces import Mask, Surface, link_of


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
    """[P]: number of the anchor; 0 is what the reference view sees."""

    @property
    def centre_saw(self) -> Mask:
        """[P]: whether the reference view sees the point; others are behind what it sees, or outside its image."""
        return np.asarray(self.anchor == 0)


def fused_points(views: Views, min_confidence: float = 0.0) -> FusedPoints:
    """The points of all surfaces above a minimum confidence."""
    rays, link = views.estimate.rays, link_of(views.layout)
    parts = []
    for number, surface in enumerate(views.surfaces):
        grid = surface_points(surface, rays)
        normals = normals_from_points(grid - anchor_place(surface, rays))
        fine = np.isfinite(grid).all(axis=-1) & np.isfinite(normals).all(axis=-1)
        kept = fine & once(surface, views.surfaces[:number], link) & (surface.confidence >= min_confidence)
        count = seeing(surface, views, link)
        parts.append((grid[kept], normals[kept], surface.image[kept], surface.confidence[kept], count[kept]))
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


def once(surface: Surface, earlier: Sequence[Surface], link: float) -> Mask:
    """Mask [N, M] of its pixels without the seam, which earlier anchors also have."""
    seen, agreed = np.zeros((2, *surface.disparity.shape), bool)
    for other in earlier:
        _compare(surface, other.disparity, other.offset, link, seen, agreed)
    return surface.kept & ~seen


def seeing(surface: Surface, views: Views, link: float) -> NDArray[np.uint16]:
    """[N, M]: number of views whose maps show the pixel's point."""
    count = np.zeros(surface.disparity.shape, np.uint16)
    for number, view in enumerate(views.index):
        row, column = views.layout.offsets[tuple(view)]
        seen, agreed = np.zeros((2, *count.shape), bool)
        _compare(surface, np.asarray(views.disparity[number]), (float(row), float(column)), link, seen, agreed)
        count += agreed
    return count


def _compare(
    surface: Surface, other: NDArray[Any], offset: tuple[float, float], link: float, seen: Mask, agreed: Mask
) -> None:
    dy, dx = (float(there - here) for there, here in zip(offset, surface.offset, strict=True))
    compare_views(surface.disparity, other, link, dy, dx, seen, agreed)
