"""Views out of the plane of the others: where they see a point, and how they would look inside the plane.

All views show the focus plane (d = 0) at the same position and size. A view that is nearer to the scene by o_z baseline
units then sees a point at (n, m) of the reference view at

    n − d·(o − κ·(n − n_p)) / (1 − κ·d),    κ = o_z·p / (1 − o_z·p/(s·F)),

with p the pitch of the rays, 1/Z = s·d + 1/F, and n_p the view's principal point, n0 + o/(s·F).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.camera import RayModel
from ioadr.geometry.resample import resample_rows
from ioadr.geometry.warp import project_map
from ioadr.layout import Index, Layout
from ioadr.lightfield import LightField
from ioadr.part import Part

Floats = NDArray[np.floating[Any]]


class Place(NamedTuple):
    """A view's numbers in this formula."""

    offset: tuple[float, float]
    """o (row, column), as in `Layout.offsets`."""
    kappa: tuple[float, float]
    """κ (row, column), 1/px of disparity."""
    principal: tuple[float, float]
    """(row, column), px."""

    def seen(self, rows: Floats, columns: Floats, d: Floats) -> tuple[Floats, Floats]:
        """Positions in this view of points of disparity d at (rows, columns) of the reference view, px."""
        return self._axis(0, rows, d), self._axis(1, columns, d)

    def sources(self, own: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Positions in this view of the pixels of the in-plane view with the map `own` [N, M]."""
        rows, columns = np.mgrid[: own.shape[0], : own.shape[1]]
        seen = self.seen(rows + own * self.offset[0], columns + own * self.offset[1], own)
        return seen[0].astype(np.float32), seen[1].astype(np.float32)

    def _axis(self, axis: int, at: Floats, d: Floats) -> Floats:
        offset, kappa, principal = self.offset[axis], self.kappa[axis], self.principal[axis]
        return np.asarray(at - d * (offset - kappa * (at - principal)) / (1.0 - kappa * d))


def place_of(view: Index, layout: Layout, rays: RayModel) -> Place:
    """The numbers of a view."""
    down, right = (float(value) for value in layout.offsets[view])
    nearer = float(layout.forward[view])
    focus = rays.offset / rays.slope
    pitches = rays.pitch_y, rays.pitch_x
    kappa = [nearer * pitch / (1.0 - nearer * pitch * focus) for pitch in pitches]
    return Place((down, right), (kappa[0], kappa[1]), (rays.n0 + down * focus, rays.m0 + right * focus))


def residual(lightfield: LightField, low: float, high: float) -> float:
    """Largest error of the in-plane formula n − d·o, px, over views, corners and both ends of the disparities."""
    if lightfield.layout.planar or lightfield.camera is None:
        return 0.0
    rays = lightfield.camera.pinhole(lightfield.part.window)
    rows, columns = np.meshgrid([0.0, lightfield.height - 1.0], [0.0, lightfield.width - 1.0], indexing="ij")
    worst = 0.0
    for view in zip(*np.nonzero(lightfield.present), strict=True):
        place = place_of(view, lightfield.layout, rays)
        for d in (low, high):
            y, x = place.seen(rows, columns, np.full(rows.shape, d))
            missed = np.hypot(y - rows + d * place.offset[0], x - columns + d * place.offset[1])
            worst = max(worst, float(missed.max()))
    return worst


def flattened(lightfield: LightField, disparity: NDArray[np.float32], workers: Workers) -> LightField:
    """The light field as seen from the plane of the reference view, according to the map [N, M] of that view."""
    if lightfield.layout.planar or lightfield.camera is None:
        return lightfield
    rays = lightfield.camera.pinhole(lightfield.part.window)
    views = lightfield.views.copy()
    for view in zip(*np.nonzero(lightfield.layout.forward * lightfield.present), strict=True):
        place = place_of(view, lightfield.layout, rays)
        rows, columns = _sources(place, disparity)
        views[view] = resampled(lightfield.views[view], rows, columns, workers)
    return lightfield.replace(views=views, layout=lightfield.layout.flat)


def reduced(lightfield: LightField, factor: int) -> LightField:
    """Views of 1/factor the size, each pixel the mean of factor² px: for a first map, without camera."""
    if factor == 1:
        return lightfield.replace(camera=None)
    height, width = lightfield.height // factor, lightfield.width // factor
    cut = lightfield.views[:, :, : height * factor, : width * factor]
    blocks = cut.reshape(*lightfield.grid, height, factor, width, factor, lightfield.channels)
    views = blocks.mean(axis=(3, 5), dtype=np.float32)
    limits = lightfield.range.scaled(1.0 / factor) if lightfield.range else None
    return lightfield.replace(views=views, camera=None, range=limits, part=Part.whole(height, width))


def enlarged(disparity: NDArray[np.float32], factor: int, shape: tuple[int, int]) -> NDArray[np.float32]:
    """The map of reduced views in the pixels of the whole ones, linear between."""
    return stretched(disparity.astype(np.float64) * factor, factor, shape).astype(np.float32)


def stretched(values: NDArray[np.float64], factor: int, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Values of squares of factor² px, [n, m] or [n, m, C], in the pixels of an image of this shape, linear between."""
    for axis, size in enumerate(shape):
        at = np.clip((np.arange(size) + 0.5) / factor - 0.5, 0, values.shape[axis] - 1)
        low = np.minimum(at.astype(np.intp), max(values.shape[axis] - 2, 0))
        high = np.minimum(low + 1, values.shape[axis] - 1)
        share = np.expand_dims(at - low, [other for other in range(values.ndim) if other != axis])
        values = values.take(low, axis) * (1.0 - share) + values.take(high, axis) * share
    return values


def resampled(
    image: NDArray[Any],
    rows: NDArray[np.float32],
    columns: NDArray[np.float32],
    workers: Workers,
    gains: NDArray[np.float32] | None = None,
) -> NDArray[Any]:
    """An image [H, W, C] at (rows, columns) [N, M] over gains [C], in its own type; the edge is repeated outside."""
    height, width = image.shape[:2]
    inside = np.clip(rows, -0.5, height - 0.5), np.clip(columns, -0.5, width - 0.5)
    out = np.empty((*rows.shape, image.shape[2]), np.float32)
    workers.rows(resample_rows, len(rows), image, *inside, out)
    if gains is not None:
        out /= gains
    return as_samples(out, image.dtype)


def as_samples(values: Floats, kind: np.dtype[Any]) -> NDArray[Any]:
    """Values as samples of this type: rounded and clipped, unless they are floats."""
    if kind.kind == "f":
        return np.asarray(values, kind)
    return np.clip(np.rint(values), 0, np.iinfo(kind).max).astype(kind)


def _sources(place: Place, disparity: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Positions, in the original view, of the in-plane view's pixels."""
    down, right = place.offset
    own = np.empty_like(disparity)
    project_map(disparity, np.float32(down), np.float32(right), own)
    return place.sources(_filled(own))


def _filled(disparity: NDArray[np.float32]) -> NDArray[np.float32]:
    """Fill holes of a projected map with the farther neighbour in the row: hidden surfaces lie behind."""
    finite = np.isfinite(disparity)
    if not finite.any():
        return np.zeros_like(disparity)
    columns = np.broadcast_to(np.arange(disparity.shape[1]), disparity.shape)
    left = np.maximum.accumulate(np.where(finite, columns, -1), axis=1)
    right = np.minimum.accumulate(np.where(finite, columns, disparity.shape[1])[:, ::-1], axis=1)[:, ::-1]
    rows = np.arange(len(disparity))[:, None]
    inf = np.float32(np.inf)
    before = np.where(left >= 0, disparity[rows, np.maximum(left, 0)], inf)
    after = np.where(right < disparity.shape[1], disparity[rows, np.minimum(right, disparity.shape[1] - 1)], inf)
    nearest = np.minimum(before, after)
    return np.where(np.isfinite(nearest), nearest, np.float32(np.median(disparity[finite]))).astype(np.float32)
