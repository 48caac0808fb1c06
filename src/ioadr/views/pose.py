"""Poses of arbitrary cameras, in the numbers that kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ioadr.camera import RayModel
from ioadr.errors import InputError
from ioadr.geometry.off_plane import Place
from ioadr.layout import Layout


class Pose(NamedTuple):
    """A camera: where it sees a point that the reference view sees at (n, m) with disparity d.

    y = cy + s·(n − n0 − d·dy), x = cx + s·(m − m0 − d·dx), s = zoom / (1 − nearer·d − closer). A captured view is
    (dy, dx) of `Layout.offsets` with s = 1.
    """

    dy: float
    dx: float
    """Shift of a point per px of disparity, px, against the axes."""
    nearer: float
    closer: float
    """Step ahead times the slope and the offset of 1/Z = slope·d + offset."""
    zoom: float
    n0: float
    m0: float
    """Position of the optical axis in the reference view, px."""
    cy: float
    cx: float
    """The same in the camera's picture."""


@dataclass(frozen=True)
class Viewpoint:
    """A viewpoint to render from.

    Parameters
    ----------
    row, column : float
        Position in the unit of `Layout.positions`: on a regular grid, indices of views.
    ahead : float
        Distance towards the scene, in the unit of depth: metres, or relative.
    zoom : float
        1 shows the field of view of the captured views, at any picture size.

    Examples
    --------
    >>> ioadr.Viewpoint(row=4.5, column=3.5, ahead=0.2)
    Viewpoint(row=4.5, column=3.5, ahead=0.2, zoom=1.0)
    """

    row: float
    column: float
    ahead: float = 0.0
    zoom: float = 1.0

    def pose(self, layout: Layout, rays: RayModel, size: tuple[int, int], source: tuple[int, int]) -> Pose:
        """The pose among views of a `layout`, `rays` and size `source`, for pictures of `size` (height, width)."""
        if not self.zoom > 0:
            raise InputError(f"zoom: expected a positive number, found {self.zoom:g}.")
        down, right = (
            (coordinate - float(layout.positions[layout.reference][axis])) * layout.eta[axis]
            for axis, coordinate in enumerate((self.row, self.column))
        )
        zoom = self.zoom * max(size[0] / source[0], size[1] / source[1])
        cy, cx = (
            (size[axis] - 1) / 2 + zoom * (centre - (source[axis] - 1) / 2)
            for axis, centre in enumerate((rays.n0, rays.m0))
        )
        return Pose(down, right, self.ahead * rays.slope, self.ahead * rays.offset, zoom, rays.n0, rays.m0, cy, cx)


def captured(offset: tuple[float, float]) -> Pose:
    """The pose of a view at `offset` of `Layout.offsets`."""
    return Pose(float(offset[0]), float(offset[1]), 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)


def out_of_plane(place: Place) -> Pose:
    """The pose of a view at a `place` in front of or behind the plane of the reference view."""
    down, right = (o + kappa * p for o, kappa, p in zip(*place, strict=True))
    return Pose(down, right, place.kappa[1], 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
