"""An estimate as posed pinhole cameras with points: the common basis of exports.

All views have the same orientation. They differ in position and in principal point, because zero disparity is at the
focus distance. Off-plane views show the focus plane in the same size, so their focal length differs as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Matrix
from ioadr.colours import Rgb, rgb8
from ioadr.geometry.off_plane import place_of
from ioadr.io.results.cloud import AXES, Cloud, point_cloud
from ioadr.io.valid_area import ValidArea
from ioadr.layout import Layout
from ioadr.lightfield import LightField
from ioadr.result import Estimate
from ioadr.views.pose import out_of_plane
from ioadr.views.result import Views
from ioadr.views.surfaces import NOTHING, Sight, link_of, look


@dataclass(frozen=True)
class View:
    """One view as a pinhole camera that looks along z, with x right and y down."""

    index: tuple[int, int]
    """Row and column of the grid."""
    offset: tuple[float, float]
    """Offset of the view, as in `Layout.offsets`."""
    centre: tuple[float, float, float]
    """Position (x, y, z) relative to the reference camera, in the unit of lengths."""
    focal: tuple[float, float]
    """Focal length (x, y), px."""
    principal: tuple[float, float]
    """Principal point (column, row), px; the centre of the first pixel is 0."""

    @property
    def name(self) -> str:
        """File name of the view's image."""
        return f"view_{self.index[0]:02d}_{self.index[1]:02d}.png"


@dataclass(frozen=True, eq=False)
class Seeds:
    """Seed points of an export."""

    pixels: NDArray[np.intp]
    """Pixel numbers n·M + m in the reference view, ascending."""
    cloud: Cloud


@dataclass(frozen=True, eq=False)
class Scene:
    """The scene to export. Local axes are those of the reference camera: x right, y down, z away."""

    estimate: Estimate
    lightfield: LightField | None
    min_confidence: float
    most_points: int
    """Largest number of seed points."""
    metres: float | None = None
    """Distance, in metres, of relative depth 1; None does not scale."""
    pose: Matrix | None = None
    """Pose of the reference camera in the frame of the original poses, see `Camera.world`; lengths are in its unit."""
    every_view: Views | None = None
    """Maps of all views, for views in between."""
    device: str = "portrait"
    """Display for which a quilt is made."""
    focus: float | None = None
    """Disparity in the plane of the screen, px; None means the middle of the scene."""

    @property
    def scale(self) -> float:
        """Scale of all lengths."""
        if self.pose is not None:
            return float(np.linalg.norm(np.array(self.pose)[:, 0]))
        return 1.0 if self.metres is None else self.metres

    @property
    def unit(self) -> str:
        if self.pose is not None:
            return "that of the poses"
        return self.estimate.depth_unit if self.metres is None else "m"

    def world(self, axes: tuple[float, float, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Rotation [3, 3] and position [3] of the reference camera; the identity without poses."""
        if self.pose is None:
            return np.diag(axes), np.zeros(3)
        matrix = np.array(self.pose)
        return matrix[:, :3] / self.scale, matrix[:, 3]

    def placed(self, points: Cloud, axes: tuple[float, float, float]) -> Cloud:
        """Local points in world coordinates."""
        turn, origin = (part.astype(np.float32) for part in self.world(axes))
        return replace(points, positions=points.positions @ turn.T + origin, normals=points.normals @ turn.T)

    def frame(self, axes: str) -> str:
        """Description of the frame, for the header of a cloud."""
        return f"axes: {axes}; origin: reference camera" if self.pose is None else "axes and origin: those of the poses"

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in px."""
        height, width = self.estimate.disparity.shape
        return width, height

    @property
    def focal(self) -> tuple[float, float]:
        """Focal length (x, y), px."""
        return 1.0 / self.estimate.rays.pitch_x, 1.0 / self.estimate.rays.pitch_y

    @property
    def reference(self) -> View:
        return self._view(self.estimate.layout.reference)

    @cached_property
    def layout(self) -> Layout:
        """Layout of all views, including those that the estimation did not use."""
        layout, taken = self.estimate.layout, self.lightfield
        return layout if taken is None else taken.replace(reference=layout.reference).layout

    @cached_property
    def views(self) -> list[View]:
        """The present views, row by row."""
        present = np.argwhere(self.layout.present)
        return [self._view((int(row), int(column))) for row, column in present]

    def _view(self, index: tuple[int, int]) -> View:
        """Pinhole cameras of the views, from n = n0 − d·o and 1/Z = slope·d + offset.

        A pinhole at c sees the point at n0 + (p − p0) − c/(pitch·Z). Both agree for every Z if c = o·pitch/slope and
        p = p0 + o·offset/slope.
        """
        rays, (down, right) = self.estimate.rays, map(float, self.layout.offsets[index])
        step, shift = self.scale / rays.slope, rays.offset / rays.slope
        nearer = float(self.layout.forward[index]) * rays.pitch_x
        focal = 1.0 - nearer * shift
        return View(
            index,
            (down, right),
            (right * rays.pitch_x * step, down * rays.pitch_y * step, nearer * step),
            (self.focal[0] * focal, self.focal[1] * focal),
            (rays.m0 + right * shift, rays.n0 + down * shift),
        )

    def project(self, points: NDArray[np.float32], view: View) -> NDArray[np.float64]:
        """Column and row [P, 2] of points [P, 3] in a view."""
        away = points.astype(np.float64) - view.centre
        return np.asarray(np.array(view.focal) * away[:, :2] / away[:, 2:] + view.principal)

    def image(self, view: View) -> Rgb:
        """Colours of the reference view, as displayed."""
        estimate, taken = self.estimate, self.lightfield
        return rgb8(estimate.image, estimate.white) if taken is None else rgb8(taken.views[view.index], taken.white)

    @cached_property
    def depth(self) -> NDArray[np.float64]:
        """Depth [N, M] along the optical axis; NaN where it is unknown or its confidence too low."""
        depth = self.estimate.depth.astype(np.float64) * self.scale
        return np.where(self.trusted, depth, np.nan)

    @property
    def mapped(self) -> list[View]:
        """Views that have a depth map: all of them, or only the reference view."""
        return [self.reference] if self.every_view is None else list(self.views)

    def depth_of(self, view: View) -> NDArray[np.float64]:
        """Depth [N, M] along the optical axis of one of the `mapped` views, as in `depth`."""
        if self.every_view is None:
            return self.depth
        rays, seen = self.estimate.rays, self._seen_by(view.index, self.every_view)
        inverse = rays.slope * seen.disparity.astype(np.float64) + rays.offset
        sure = seen.confidence >= self.min_confidence
        # What no view saw was continued from around: good for a picture, but nobody knows its depth.
        known = (inverse > 0) & sure & (seen.source != NOTHING)
        depth = self.scale / np.where(known, inverse, np.nan) - view.centre[2]
        return np.where(depth > 0, depth, np.nan)

    def _seen_by(self, view: tuple[int, int], every: Views) -> Sight:
        """What a captured view sees; maps of views that were moved into a plane show it from there."""
        if not self.layout.forward[view]:
            number = every.number(view)
            return Sight(every.disparity[number], every.confidence[number], every.source[number])
        pose, link = out_of_plane(place_of(view, self.layout, self.estimate.rays)), link_of(every.estimate)
        return look(every.surfaces, pose, every.size, link).completed(link)

    @cached_property
    def valid_area(self) -> ValidArea | None:
        """Masks of the views; None where all of them show the scene throughout."""
        area = None if self.lightfield is None else ValidArea(self.lightfield)
        return None if area is None or area.complete else area

    @property
    def trusted(self) -> NDArray[np.bool_]:
        """Mask [N, M] of trusted pixels; one without confidence counts only if no minimum is set."""
        if not self.min_confidence:
            return np.ones(self.estimate.disparity.shape, bool)
        return np.asarray(self.estimate.confidence >= self.min_confidence)

    @cached_property
    def cloud(self) -> Cloud:
        """All trusted points, in local axes."""
        points = point_cloud(self.estimate, self.min_confidence)
        return replace(
            points, positions=points.positions * AXES * np.float32(self.scale), normals=points.normals * AXES
        )

    @cached_property
    def seeds(self) -> Seeds:
        """At most `most_points` of the cloud, drawn with the estimate's seed."""
        everything, pixels = self.cloud, np.flatnonzero(self.cloud.index >= 0)
        random = np.random.default_rng(self.estimate.seed)
        kept = np.sort(random.permutation(len(pixels))[: self.most_points])
        return Seeds(pixels[kept], _some(everything, kept))

    def write_masks(self, folder: Path, ending: str = "") -> None:
        """Write masks of the views, 255 where they show the scene and 0 elsewhere; none if all pixels show it."""
        if self.valid_area is None:
            return
        folder.mkdir()
        for view in self.views:
            write_png(folder / f"{view.name}{ending}", self.valid_area.mask(view.index).astype(np.uint8) * 255)

    def write_images(self, folder: Path) -> None:
        """All views, as 8-bit colour PNG."""
        folder.mkdir()
        for view in self.views:
            write_png(folder / view.name, self.image(view))


def write_png(path: Path, samples: NDArray[np.uint8] | NDArray[np.uint16]) -> None:
    from PIL import Image

    Image.fromarray(samples).save(path, format="PNG", compress_level=3)


def _some(points: Cloud, kept: NDArray[np.intp]) -> Cloud:
    index = np.full_like(points.index, -1)
    index[np.flatnonzero(points.index >= 0)[kept]] = np.arange(len(kept))
    return Cloud(points.positions[kept], points.normals[kept], points.colours[kept], points.confidence[kept], index)
