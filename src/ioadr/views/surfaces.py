"""The surfaces of a scene, each once: maps of a few anchor views, reduced to pixels that no earlier anchor saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.geometry.windows import grow
from ioadr.layout import Index, Layout
from ioadr.lightfield import LightField
from ioadr.result import Estimate
from ioadr.solver.finish import directions
from ioadr.views.carry import compare_views, fill_from_behind, place_behind, put_on_surface, splat
from ioadr.views.levelling import stretch
from ioadr.views.pose import Pose
from ioadr.views.rims import correct_rims, find_slopes, measure_outlines, smooth_rims

FloatMap = NDArray[np.float32]
Mask = NDArray[np.bool_]
Places = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Rows and columns of pixels."""
NOTHING = 255
"""Number of the surface where there is none."""
JUMP = 0.7
"""Largest shift between neighbours of one surface, px in the farthest view. 0.5: 2 % more bad pixels."""
STEEPEST, RELIEF = 0.175, 0.04
"""Larger steps, px of disparity and as a share of the disparity range, separate surfaces, however little they shift in
the views. Without them, 3×3 views joined surfaces 0.7 px apart, and had 1.3–1.7 times as many bad pixels."""
SEAM = 2
"""Overlap of a later anchor's surface with those of earlier ones, px, so that no crack opens between them."""
RIM = 3
"""Distance from the rim of a near surface, px, up to which it is smoothed. With 1, mixed-7 has 6 % more bad pixels."""
NEARBY, DOUBTFUL = 4, 0.2
"""A pixel of an anchor floats if its confidence is less than this and nearer and farther surfaces are within this
distance, px."""
AROUND, UNSURE = 4, 0.4
"""Half width, px, of the square whose colours decide whether the background is plain, and the confidence below which
such a pixel recedes. With 0.2, 77 instead of 78 % of what low-texture-44 uncovers are within 0.1 px; 0.7: 78 %."""
CONTINUED = 8
"""Distance, px, from what an anchor adds over which it is levelled with the surfaces that continue there."""
CRACK = ((1, 1), (1, 2), (2, 1))
"""Distances, px, from a hole to pixels of one surface on both sides, within which it is a crack of that surface."""


@dataclass(frozen=True, eq=False)
class Surface:
    """The contribution of one anchor view."""

    view: Index
    offset: tuple[float, float]
    """From the reference view; see `Layout.offsets`."""
    disparity: FloatMap
    """[N, M] of the anchor view."""
    confidence: FloatMap
    coverage: FloatMap
    """Share of each pixel that its surface covers; 1 where it is not known."""
    kept: Mask
    """[N, M]: pixels whose point no earlier anchor sees, and a seam around them."""
    image: NDArray[Any]
    """[N, M, C], the anchor view."""
    _slopes: dict[float, FloatMap] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, estimate: Estimate, layout: Layout, link: float) -> Surface:
        """All pixels of an anchor that lie on a surface; `layout` has the reference view to which offsets relate."""
        view = estimate.layout.reference
        row, column = layout.offsets[view]
        coverage = np.ones_like(estimate.disparity) if estimate.coverage is None else estimate.coverage
        coverage = np.maximum(coverage, np.float32(0.5))  # contours and neighbours may have decided against it
        disparity = with_smooth_rims(estimate.disparity, link)
        kept = linked(disparity, link)
        offset = (float(row), float(column))
        return cls(view, offset, disparity, estimate.confidence, coverage, kept, estimate.image)

    @classmethod
    def carried(cls, sight: Sight, part: LightField, layout: Layout) -> Surface:
        """The reference view of `part` as earlier anchors see it, NaN where none does; nothing of it is kept."""
        row, column = layout.offsets[part.reference]
        ones, none = np.ones_like(sight.disparity), np.zeros(sight.disparity.shape, bool)
        disparity = np.where(sight.source == NOTHING, np.float32(np.nan), sight.disparity)
        offset = (float(row), float(column))
        return cls(part.reference, offset, disparity, sight.confidence.copy(), ones, none, part.reference_view)

    def paste(self, other: Surface, window: tuple[slice, slice], own: tuple[slice, slice]) -> None:
        """Replace the pixels `own` with the `window` of another estimate of the same view, in place."""
        for name in ("disparity", "confidence", "coverage", "kept"):
            getattr(self, name)[own] = getattr(other, name)[window]
        self._slopes.clear()

    def slopes(self, link: float) -> FloatMap:
        """[2, N, M], px per px down and right, of rims; 0 elsewhere. Computed once."""
        if link not in self._slopes:
            self._slopes[link] = slopes_of(self.disparity, link)
        return self._slopes[link]

    def with_outlines_of(self, others: Sequence[Surface], link: float) -> Surface:
        """The surface with rims whose outlines move to those that other anchors see."""
        if not others:
            return self
        anchors = (
            np.stack([other.disparity for other in others]),
            np.stack([other.coverage for other in others]),
            np.array([np.subtract(other.offset, self.offset) for other in others]),
        )
        outline, corrected = np.zeros((3, *self.disparity.shape), np.float32), np.empty_like(self.disparity)
        rim, rows = rims(self.disparity, link), len(self.disparity)
        measure_outlines(0, rows, self.disparity, self.slopes(link), self.coverage, rim, anchors, link, outline)
        correct_rims(0, rows, self.disparity, outline, link, corrected)
        return replace(self, disparity=corrected)

    def without_floating(self, link: float) -> Surface:
        """The surface with doubtful pixels between the rim of a near surface and a far one moved to the far one."""
        highest, lowest = np.where(rims(self.disparity, link), self.disparity, -np.inf), self.disparity
        for _ in range(NEARBY):
            highest, lowest = _neighbourhood(np.fmax, highest), _neighbourhood(np.fmin, lowest)
        between = (highest > self.disparity + link) & (lowest < self.disparity - link)
        floating = between & (self.confidence < DOUBTFUL) & self._inside_reference()
        disparity = np.empty_like(self.disparity)
        fill_from_behind(np.where(floating, np.float32(np.nan), self.disparity), disparity)
        return replace(self, disparity=disparity, kept=linked(disparity, link))

    def receded(self, earlier: Sight, link: float, contrast: float) -> tuple[Surface, Mask]:
        """The surface with doubtful pixels of a plain background moved back to `earlier` surfaces, extended; and where.

        Without texture, what a near object uncovers can have any depth that it hides, and mostly got the object's. The
        background is plain if its samples differ by less than `contrast` around the pixel.
        """
        extended, new = earlier.filled, earlier.source == NOTHING
        plain = span_of(self.image, earlier.background(extended, link)) < contrast
        doubtful = new & plain & (self.confidence < UNSURE) & (self.disparity > extended) & self._inside_reference()
        disparity = np.where(doubtful, extended, self.disparity)
        return replace(self, disparity=disparity, kept=linked(disparity, link)), doubtful

    def levelled(self, earlier: Sight, link: float, level: Mask) -> Surface:
        """The surface, moved to `earlier` ones where these continue into it with at least its own confidence.

        Pixels in the mask `level` [N, M] lie on them already. Those outside the reference view's image stay: that view
        is least accurate along its edges.
        """
        apart = np.where(level, np.float32(0.0), earlier.disparity - self.disparity)
        continued = level | ((np.abs(apart) <= link) & (earlier.confidence >= self.confidence))
        known = np.where(continued, apart, np.float32(np.nan))
        moving = np.isnan(known)
        for _ in range(CONTINUED):
            moving = _neighbourhood(np.logical_or, moving)
        step = known.copy()
        stretch(np.argwhere(moving), self.disparity, known, self.confidence, link, step)
        found = moving & np.isfinite(step) & self._inside_reference()
        return replace(self, disparity=self.disparity + np.where(found, step, np.float32(0.0)))

    def _inside_reference(self) -> Mask:
        """[N, M]: whether the place of the pixel's point is inside the reference view's image, hidden or not."""
        height, width = self.disparity.shape
        y = np.arange(height)[:, None] + self.disparity * self.offset[0]
        x = np.arange(width) + self.disparity * self.offset[1]
        return np.asarray((y >= 0) & (y <= height - 1) & (x >= 0) & (x <= width - 1))

    def beyond(self, earlier: Sequence[Surface], link: float) -> Surface:
        """The surface without the parts that earlier anchors saw, except a seam."""
        seen, agreed = self._compared(earlier, link)
        new = self.kept & ~seen
        return replace(self, kept=grown(new, new | agreed, self.disparity, link, SEAM))

    def not_seen_through(self, other: Surface, link: float) -> Surface:
        """The surface without points past which another anchor sees something farther.

        Next to a near object, an anchor's errors are mostly too near.
        """
        seen, agreed = self._compared([other], link)
        refuted = seen & ~agreed
        return replace(self, disparity=np.where(refuted, np.float32(np.nan), self.disparity), kept=self.kept & ~refuted)

    def _compared(self, others: Sequence[Surface], link: float) -> tuple[Mask, Mask]:
        """Masks [N, M] of the pixels whose point another anchor sees, and of those on which one of them agrees."""
        seen, agreed = np.zeros((2, *self.disparity.shape), bool)
        for other in others:
            dy, dx = (float(there - here) for there, here in zip(other.offset, self.offset, strict=True))
            compare_views(self.disparity, other.disparity, link, dy, dx, seen, agreed)
        return seen, agreed


class Sight(NamedTuple):
    """All surfaces as seen by a camera, [H, W]."""

    disparity: FloatMap
    """Disparity, px; NaN where there is no surface."""
    confidence: FloatMap
    source: NDArray[np.uint8]
    """Number of the surface, `NOTHING` where there is none."""

    @classmethod
    def empty(cls, size: tuple[int, int]) -> Sight:
        return cls(np.full(size, np.nan, np.float32), np.zeros(size, np.float32), np.full(size, NOTHING, np.uint8))

    def clear(self) -> None:
        """Remove all surfaces, in place."""
        self.disparity[:], self.confidence[:], self.source[:] = np.nan, 0.0, NOTHING

    def add(self, surface: Surface, number: int, pose: Pose, link: float, exact: bool = True) -> None:
        """Add a surface, in place; unless `exact`, only to know where there is one."""
        carried = np.empty_like(self.disparity)
        ay, ax = surface.offset
        slopes = surface.slopes(link)
        splat(surface.disparity, slopes, surface.coverage, surface.kept, link, ay, ax, pose, carried)
        if exact:
            put_on_surface(surface.disparity, slopes, link, ay, ax, pose, carried)
        place_behind(carried, surface.confidence, number, link, ay, ax, pose, *self)

    def completed(self, link: float) -> Sight:
        """The same without holes. Cracks count as seen; elsewhere the farther surface is extended, at confidence 0."""
        filled, confidence, source = self.filled, self.confidence.copy(), self.source.copy()
        holes = np.argwhere(np.isnan(self.disparity))
        for axis, (before, after) in product((0, 1), CRACK):
            hole, one, other = across(holes, axis, before, after, filled.shape)
            a, b, wide = self.disparity[one], self.disparity[other], before + after
            on_it = (np.abs(a - b) <= link * wide) & (np.abs((a * after + b * before) / wide - filled[hole]) <= link)
            crack = hole[0][on_it], hole[1][on_it]
            confidence[crack] = np.minimum(self.confidence[one], self.confidence[other])[on_it]
            source[crack] = self.source[one][on_it]
        return Sight(filled, confidence, source)

    def background(self, extended: FloatMap, link: float) -> Mask:
        """[N, M]: holes and the surfaces that `extended` continues into them, without pixels next to nearer ones."""
        hole = self.source == NOTHING
        lowest = np.where(hole, extended, np.float32(np.inf))
        for _ in range(AROUND + 1):
            lowest = _neighbourhood(np.fmin, lowest)
        behind = hole | (self.disparity <= lowest + np.float32(link))
        return ~_neighbourhood(np.logical_or, ~behind)

    def follow(self, settled: FloatMap, moved: Mask) -> None:
        """Give `moved` pixels the source and confidence of the neighbour that is nearest in disparity, in place.

        `settled` is the map in which they have changed to another surface.
        """
        n, m = np.nonzero(moved)
        around = [(np.clip(n + y, 0, len(moved) - 1), np.clip(m + x, 0, moved.shape[1] - 1)) for y, x in directions()]
        apart = [np.abs(self.disparity[place] - settled[n, m]) for place in around]
        chosen = np.argmin(apart, axis=0), np.arange(n.size)
        places = tuple(np.stack(part)[chosen] for part in zip(*around, strict=True))
        self.source[n, m], self.confidence[n, m] = self.source[places], self.confidence[places]

    @property
    def filled(self) -> FloatMap:
        """The map with its holes filled from the farther side; NaN only if there is nothing at all."""
        out = np.empty_like(self.disparity)
        fill_from_behind(self.disparity, out)
        if np.isnan(out).any():  # a corner in whose row and column there is nothing
            fill_from_behind(out.copy(), out)
        return out


def across(holes: NDArray[np.int64], axis: int, before: int, after: int, size: tuple[int, ...]) -> list[Places]:
    """The `holes` [P, 2] with a pixel before and after them along the axis at that distance, and these pixels."""
    inside = holes[(holes[:, axis] >= before) & (holes[:, axis] < size[axis] - after)]
    step = np.eye(2, dtype=np.int64)[axis]
    return [(pixels[:, 0], pixels[:, 1]) for pixels in (inside, inside - before * step, inside + after * step)]


def look(surfaces: Sequence[Surface], pose: Pose, size: tuple[int, int], link: float) -> Sight:
    """The surfaces as seen by a camera."""
    sight = Sight.empty(size)
    for number, surface in enumerate(surfaces):
        sight.add(surface, number, pose, link)
    return sight


def link_of(estimate: Estimate) -> float:
    """Largest difference of disparity between neighbouring pixels of one surface, px; `estimate` of the reference view.

    Steps that shift by less than a pixel hide nothing. They may still separate surfaces.
    """
    return min(JUMP / max(estimate.layout.reach), max(STEEPEST, RELIEF * estimate.range.extent))


def with_smooth_rims(disparity: FloatMap, link: float, moved: Mask | None = None) -> FloatMap:
    """The map with smoothed rims of surfaces that hide another one; only `moved` pixels if given."""
    rim = rims(disparity, link)
    close = rim if moved is None else moved
    for _ in range(RIM if moved is None else 0):
        close = _neighbourhood(np.logical_or, close)
    smooth = np.empty_like(disparity)
    smooth_rims(0, len(disparity), disparity, close, rim, link, smooth)
    return smooth


def slopes_of(disparity: FloatMap, link: float, jump: float = 0.0) -> FloatMap:
    """[2, N, M], px per px down and right, of rims; 0 elsewhere, and unless a `jump` of disparity, px, is near."""
    rim = rims(disparity, link)
    wanted = rim & near_jumps(disparity, jump) if jump > link else rim
    slopes = np.empty((2, *disparity.shape), np.float32)
    find_slopes(0, len(disparity), disparity, wanted, rim, link, slopes)
    return slopes


def span_of(image: NDArray[Any], mask: Mask) -> NDArray[np.float64]:
    """Range of the samples in a mask around each pixel, of the channel that has most, [N, M]; infinite without any."""
    channels = np.moveaxis(np.asarray(image, np.float64), -1, 0)
    least = np.float64(-np.inf)
    highest, lowest = (
        np.stack([grow(np.where(mask, sign * channel, least), AROUND) for channel in channels]) for sign in (1.0, -1.0)
    )
    return np.where(grow(mask, AROUND), (highest + lowest).max(axis=0), np.inf)


def rims(disparity: FloatMap, link: float) -> Mask:
    """Mask [N, M]: whether a neighbour lies on a surface behind the pixel's."""
    return np.asarray(_neighbourhood(np.fmin, disparity) < disparity - np.float32(link))


def near_jumps(disparity: FloatMap, jump: float) -> Mask:
    """Mask [N, M]: whether the 3×3 pixels around the pixel or a neighbour of it differ by a jump, px."""
    highest, lowest = _neighbourhood(np.fmax, disparity), _neighbourhood(np.fmin, disparity)
    return _neighbourhood(np.logical_or, highest - lowest >= np.float32(jump))


def _neighbourhood(combine: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
    """[N, M]: the values of each pixel and its eight neighbours, combined."""
    padded = np.pad(values, 1, mode="edge")
    column = combine(combine(padded[:-2], padded[1:-1]), padded[2:])
    return np.asarray(combine(combine(column[:, :-2], column[:, 1:-1]), column[:, 2:]))


def linked(disparity: FloatMap, link: float) -> Mask:
    """Mask [N, M]: whether a neighbour lies on the pixel's surface; other pixels float between two surfaces."""
    linked_ = np.zeros(disparity.shape, bool)
    down, right = np.abs(np.diff(disparity, axis=0)) <= link, np.abs(np.diff(disparity, axis=1)) <= link
    linked_[1:] |= down
    linked_[:-1] |= down
    linked_[:, 1:] |= right
    linked_[:, :-1] |= right
    return linked_


def grown(mask: Mask, within: Mask, disparity: FloatMap, link: float, steps: int) -> Mask:
    """The mask with neighbours on the same surface, several times, as far as they lie `within` another mask."""
    down, right = np.abs(np.diff(disparity, axis=0)) <= link, np.abs(np.diff(disparity, axis=1)) <= link
    for _ in range(steps):
        wider = mask.copy()
        wider[1:] |= mask[:-1] & down
        wider[:-1] |= mask[1:] & down
        wider[:, 1:] |= mask[:, :-1] & right
        wider[:, :-1] |= mask[:, 1:] & right
        mask = wider & within
    return mask
