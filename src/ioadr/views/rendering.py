"""Renders new views between, next to and in front of the captured ones, with any focus and aperture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.consistency.identity import check_layout
from ioadr.errors import InputError
from ioadr.geometry.off_plane import flattened, place_of
from ioadr.geometry.synthesis import sampled_sharply
from ioadr.layout import Index, Layout
from ioadr.lightfield import LightField
from ioadr.views.carry import WIDEST
from ioadr.views.fitting import fit_rows
from ioadr.views.pose import Pose, Viewpoint, captured, out_of_plane
from ioadr.views.result import Views
from ioadr.views.sampling import blend_rows, fill_rows
from ioadr.views.surfaces import NOTHING, FloatMap, Sight, Surface, link_of, look
from ioadr.views.thin import add_threads

Picture = NDArray[np.float32]
LENS_POINTS = 61
"""Number of cameras that simulate a lens."""
GOLDEN = math.pi * (3.0 - math.sqrt(5.0))
MOST_PIXELS = 1 << 26
MIXED = 2.0
"""Distance, px of the captured views, from the last pixel of a near surface up to which others show some of it: one
for mixed pixels, one for interpolation."""
NEIGHBOURS = 4
"""Number of views around the reference view from which the noise is measured."""
SAME_PLACE = 1e-6
"""Largest distance of two views at one position, as a share of the largest: a rig may take two pictures there."""
CLOSE, STEADY = 0.1, 1.0
"""Distances in steps between views: a camera this close to a captured one shows that view. In a video, several views
are blended everywhere; otherwise grain appears at each captured view and fades between them."""


@dataclass(frozen=True, eq=False)
class Rendering:
    """A picture and its maps."""

    image: Picture
    """The picture [H, W, C], in sample values of the light field."""
    disparity: FloatMap
    """Disparity [H, W], px per baseline unit in pixels of the captured views, at the centre of the lens."""
    seen: NDArray[np.bool_]
    """Mask [H, W]: False where no anchor view saw the surface, which is then extended from the farther side."""
    white: float
    """Sample value of full white in `image`."""


class Renderer:
    """Data that all pictures of one `Views` share."""

    def __init__(self, views: Views) -> None:
        if views.lightfield is None:
            raise InputError(
                "render: needs the pictures of the light field. Give it when loading: "
                "`ioadr.load_views(folder, lightfield)`."
            )
        check_layout(views.lightfield, views.layout, views.size)  # compiled code would read beyond its pictures
        with Workers() as workers:
            self.lightfield = flattened(views.lightfield, views.estimate.disparity, workers)
        self.views = views
        self.link = link_of(views.estimate)
        self.places = np.ascontiguousarray(views.layout.offsets[tuple(views.index.T)])
        self.step = view_step(self.places)

    @cached_property
    def maps(self) -> FloatMap:
        """[V, N, M], each near surface wider by a pixel: border pixels show something of it."""
        return np.stack([self._map_of(number) for number in range(len(self.places))])

    def _map_of(self, number: int) -> FloatMap:
        sight = Sight.empty(self.views.size)
        sight.disparity[:] = self.views.disparity[number]
        row, column = self.places[number]
        add_thin(sight, self.views.surfaces, captured((row, column)), self.link)
        index = (int(self.views.index[number][0]), int(self.views.index[number][1]))
        if self.views.estimate.layout.forward[index]:
            return near_grown(self._covered(index, sight.disparity), 2 * self.link)
        return near_grown(sight.disparity, 2 * self.link)

    def _covered(self, view: Index, disparity: FloatMap) -> FloatMap:
        """The map of a view that was moved into the plane, with the nearer surface where that hid the point before.

        There the moved picture shows the nearer surface a second time, not the point.
        """
        place = place_of(view, self.views.estimate.layout, self.views.estimate.rays)
        rows, columns = (np.rint(at).astype(np.int64) for at in place.sources(disparity))
        height, width = disparity.shape
        before = look(self.views.surfaces, out_of_plane(place), self.views.size, self.link).filled
        nearest = near_grown(before, 2 * self.link)[np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)]
        return np.where(nearest > disparity + 2 * self.link, nearest, disparity)

    @cached_property
    def noise(self) -> float:
        """Median variance of the differences between the reference view and its neighbours at the same points."""
        here, image = self.lightfield.offsets[self.lightfield.reference], self.lightfield.reference_view
        away = np.hypot(*(self.places - here).T)
        nearest = np.argsort(away, kind="stable")[1 : 1 + NEIGHBOURS]
        apart = []
        for row, column in self.views.index[nearest]:
            down, right = here - self.lightfield.offsets[row, column]
            picture = self.lightfield.views[row, column].astype(np.float32)
            warped = sampled_sharply(picture, self.views.estimate.disparity, (float(down), float(right)))
            apart.append(np.mean((warped - image) ** 2, axis=2))
        return float(np.nanmedian(apart)) / 2 if apart else 0.0

    def render(
        self,
        viewpoint: Viewpoint,
        size: tuple[int, int],
        aperture: float,
        focus: float,
        workers: Workers,
        steady: bool = False,
    ) -> Rendering:
        """See `Views.render`."""
        pose = viewpoint.pose(self.views.layout, self.views.estimate.rays, size, self.views.size)
        if pose.zoom > 2 * WIDEST:
            raise InputError(
                f"viewpoint: enlarges the views {pose.zoom:.3g} times, which leaves gaps between their pixels; at most "
                f"{2 * WIDEST:g} times is possible. Give a smaller ⟦size⟧ or zoom."
            )
        sharp = self._sharp(pose, size, workers, steady)
        if aperture == 0:
            return sharp
        total = np.zeros(sharp.image.shape, np.float64)
        for shifted in lens(pose, aperture, focus):
            total += self._sharp(shifted, size, workers).image
        return replace(sharp, image=(total / LENS_POINTS).astype(np.float32))

    def _widened(self, target: FloatMap, pose: Pose) -> FloatMap:
        """The map with near surfaces that reach as far as captured pixels show something of them."""
        nearest = max(1.0 - pose.nearer * float(target.max()) - pose.closer, pose.zoom / WIDEST)
        for _ in range(math.ceil(MIXED * pose.zoom / nearest)):
            target = near_grown(target, self.link)
        return target

    def _sharp(self, pose: Pose, size: tuple[int, int], workers: Workers, steady: bool = False) -> Rendering:
        """A picture without a lens. At a captured view, a fit repeats the grain of that view, so videos do without."""
        close = STEADY if steady else CLOSE
        sight = look(self.views.surfaces, pose, size, self.link)
        add_thin(sight, self.views.surfaces, pose, self.link)
        sight = sight.completed(self.link)
        target = sight.disparity
        if not np.isfinite(target).all():
            raise InputError("viewpoint: no part of the scene is visible from there. Move it closer to the views.")
        out, seen = np.empty((*size, self.lightfield.channels), np.float32), np.empty(size, bool)
        given = self.lightfield.views, self.maps, self.places, self.views.index
        wide, link = near_grown(target, 2 * self.link), 2 * self.link
        anchored = sight.source != NOTHING
        shown = target, self._widened(target, pose), pose, link, self.step, close, anchored
        workers.rows(blend_rows, size[0], *given, *shown, out, seen)
        if not steady:
            workers.rows(fit_rows, size[0], *given, wide, pose, link, self.step, close, self.noise, out)
        workers.rows(fill_rows, size[0], out, seen, wide, link)
        white = self.lightfield.white
        return Rendering(np.clip(out, 0.0, white), target, anchored, white)


def render(
    views: Views,
    viewpoint: Viewpoint | tuple[float, float],
    size: tuple[int, int] | None = None,
    aperture: float = 0.0,
    focus: float = 0.0,
    threads: int | None = None,
    steady: bool = False,
) -> Rendering:
    """See `Views.render`."""
    if not isinstance(viewpoint, Viewpoint):
        viewpoint = Viewpoint(*viewpoint)
    check_lens(aperture, focus)
    with Workers(threads) as workers:
        return renderer(views).render(viewpoint, check_size(size or views.size), aperture, focus, workers, steady)


def renderer(views: Views) -> Renderer:
    """The renderer of the views, created once."""
    made = views.__dict__.get("_renderer")
    if made is None:
        made = Renderer(views)
        object.__setattr__(views, "_renderer", made)
    return made


def check_size(size: tuple[int, int]) -> tuple[int, int]:
    """Refuse an impossible picture size (height, width)."""
    height, width = (int(side) for side in size)
    if min(height, width) < 2 or height * width > MOST_PIXELS:
        raise InputError(f"⟦size⟧: expected 2×2 … {MOST_PIXELS} px, found {width}×{height}.")
    return height, width


def check_lens(aperture: float, focus: float) -> None:
    """Refuse impossible values of a lens."""
    if not (math.isfinite(aperture) and aperture >= 0 and math.isfinite(focus)):
        raise InputError(f"lens: expected a finite aperture of at least 0 and focus, found {aperture:g} and {focus:g}.")


def lens(pose: Pose, aperture: float, focus: float) -> Iterator[Pose]:
    """Cameras spread evenly over a disc of radius `aperture` that see the disparity `focus` at the same pixel."""
    behind = 1.0 - pose.nearer * focus - pose.closer
    if behind <= 1e-6:
        raise InputError(
            f"lens: the camera is not in front of what is in focus, a disparity of {focus:g} px. Give a larger ⟦focus⟧ "
            "or stay farther back."
        )
    scale = pose.zoom / behind
    for number in range(LENS_POINTS):
        radius, angle = aperture * math.sqrt((number + 0.5) / LENS_POINTS), number * GOLDEN
        down, right = radius * math.sin(angle), radius * math.cos(angle)
        shift = focus * scale
        yield pose._replace(
            dy=pose.dy + down, dx=pose.dx + right, cy=pose.cy + shift * down, cx=pose.cx + shift * right
        )


def view_step(positions: NDArray[np.float64]) -> float:
    """Distance from a view to the nearest one at another position, the median over all views [V, 2]."""
    away = np.hypot(*(positions[:, None] - positions).transpose(2, 0, 1))
    return float(np.median(np.where(away > SAME_PLACE * away.max(), away, np.inf).min(axis=1)))


def add_thin(sight: Sight, surfaces: Sequence[Surface], pose: Pose, link: float) -> None:
    """Add what is thinner than a pixel in one of the surfaces to the map, in place."""
    for number, surface in enumerate(surfaces):
        ay, ax = surface.offset
        given = surface.disparity, surface.coverage, surface.confidence, surface.kept
        add_threads(*given, number, link, ay, ax, pose, *sight)


def near_grown(disparity: NDArray[Any], jump: float) -> FloatMap:
    """The map with every surface that is `jump` nearer than its neighbours a pixel wider, up, down, left and right."""
    padded = np.pad(disparity, 1, mode="edge")
    height, width = disparity.shape
    around = [padded[1 + a : 1 + a + height, 1 + b : 1 + b + width] for a, b in ((-1, 0), (1, 0), (0, -1), (0, 1))]
    nearest = np.maximum.reduce(around)
    return np.where(nearest > disparity + jump, nearest, disparity).astype(np.float32)


def kept_part(lightfield: LightField, kept: NDArray[np.bool_]) -> LightField:
    """The light field reduced to some views, on the smallest grid that holds them, at the same positions."""
    rows, columns = np.flatnonzero(kept.any(axis=1)), np.flatnonzero(kept.any(axis=0))
    grid = np.ix_(rows, columns)
    reference = (
        int(np.searchsorted(rows, lightfield.reference[0])),
        int(np.searchsorted(columns, lightfield.reference[1])),
    )
    layout = Layout.of((len(rows), len(columns)), reference, lightfield.eta, lightfield.positions[grid], kept[grid])
    return lightfield.replace(views=lightfield.views[grid], layout=layout)
