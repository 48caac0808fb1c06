"""Finds single views that do not fit: shuffled, duplicated, shifted, rotated or differently exposed.

A coarse map from the middle views predicts every view. A view that is predicted much worse than others at its
distance, and than those beside it, is odd; the reason is searched among the usual ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.arrangement import matched, rearranged
from ioadr.consistency.coarse import coarse_map, sides
from ioadr.consistency.matching import Image, Offsets, Pictures, bilinear, reduced
from ioadr.consistency.order import outermost
from ioadr.consistency.parallax import is_still
from ioadr.lightfield import LightField

LONGEST = 96
"""Longer side of the pictures, px."""
RATIO, LEAST = 1.5, 0.7
"""Factor on the usual difference, and levels of a mean of 100, from which a view is odd."""
NEIGHBOUR, UNLIKE = 0.6, 8.0
"""Share of the step between neighbours, and factor on the usual error, by which a view is off its place."""
AROUND, NEXT = 2.3, 1.5
"""Distance, in steps, within which views are compared to find trends, and within which two may be swapped."""
EXCHANGED, APART = 0.5, 2.5
"""Share of the step, and factor on the usual error, by which each of two neighbours is off towards the other."""
EXPOSURE = 0.2
"""Share of the brightness of the views around from which a view is called brighter or darker."""
EXPLAINED = 0.25
"""Share of a view's difference that may remain after a correction: a rotated view is divided into other blocks."""
FARTHEST_SHIFT = 6
"""Range of the search for a shifted view, px of the pictures."""
MOVING = 90
"""Percentile of the motion of all points that stands for that of the scene."""
MOST_NAMED = 6
SHIFTED, SAME = "is shifted", "is the same picture as"
Kind = Literal["views", "shifts", "exposure"]


@dataclass(frozen=True)
class OddView:
    """A view that does not fit in."""

    view: int
    """Number of the view among the pictures."""
    what: str
    kind: Kind = "views"
    """"shifts" can be corrected by alignment, and "exposure" does little harm."""


@dataclass(frozen=True, eq=False)
class Examination:
    """Findings about all views by number; the others are compared with the first."""

    difference: NDArray[np.float64]
    """Levels of a mean of 100, between the view and its prediction."""
    brightness: NDArray[np.float64]
    """Relative to the median of all."""
    shift: NDArray[np.float64]
    """[V, 2] px of the pictures by which the points that move most are displaced, as measured."""
    odd: tuple[OddView, ...]
    neighbours_told: bool = False
    """Whether two swapped neighbours would be noticed: their positions differ by more than noise."""
    still: bool = False
    """Whether nothing moves from view to view, beyond noise."""

    @property
    def all_alike(self) -> bool:
        """Whether all views are one picture."""
        return len(self.odd) == len(self.difference) and all(odd.what == f"{SAME} {{0}}" for odd in self.odd[1:])


def examine(
    lightfield: LightField, step: int = 1
) -> tuple[tuple[tuple[int, int], ...], NDArray[np.float32], Examination]:
    """Grid indices of all present views, the middle one first, small pictures of them, and how well they fit.

    The light field has every `step`-th pixel of what was stored.
    """
    there = np.argwhere(lightfield.present)
    middle = (np.array(lightfield.grid) - 1) // 2
    there = there[np.argsort(np.abs(there - middle).sum(axis=1), kind="stable")]
    places = tuple((int(row), int(column)) for row, column in there)
    images = np.stack([plain_grey(lightfield.views[place]) for place in places])
    offsets = np.array([lightfield.offsets[place] for place in places])[:, :2]
    examination = examined(images, offsets - offsets[0], step * lightfield.width / images.shape[2])
    still = not examination.neighbours_told and is_still(lightfield)
    return places, images, replace(examination, still=still)


def plain_grey(view: NDArray[Any]) -> Image:
    """[N, M] of the green channel, or the only one; of large views every other pixel, to be quick."""
    step = 2 if max(view.shape[:2]) >= 4 * LONGEST else 1
    return reduced(view[::step, ::step, min(1, view.shape[2] - 1)].astype(np.float32), LONGEST)


def examined(images: NDArray[np.float32], offsets: Offsets, factor: float = 1.0) -> Examination:
    """Pictures [V, N, M], `factor` times smaller than the views, and the supposed positions of the views."""
    if images.size == 0:  # single lines of pixels, reduced
        return Examination(np.zeros(len(images)), np.ones(len(images)), np.zeros((len(images), 2)), ())
    means = np.maximum(images.mean(axis=(1, 2), dtype=np.float64), 1e-6)
    pictures = Pictures(images * (100.0 / means)[:, None, None].astype(np.float32), offsets)
    crossing = pictures.chosen(outermost(pictures))
    nothing = Examination(np.zeros(len(images)), means / np.median(means), np.zeros((len(images), 2)), ())
    if not sides(crossing) or min(images.shape[1:]) < 24:
        return nothing
    matches = matched(crossing)
    low, high = matches.limits()
    scale = max(images.shape[1:]) / max(reduced(images[0], matches.longest).shape)
    shift = coarse_map(crossing, low * scale, high * scale)
    margin = int(min(max(abs(low), abs(high)) * scale + 2, min(images.shape[1:]) // 4))
    predict = _Prediction(pictures, shift, margin, factor)
    moved = [predict.moved(image, towards) for image, towards in zip(pictures.images, pictures.directions, strict=True)]
    differences = np.array([predict.gap(seen) for seen in moved])
    off = np.array([predict.misplaced(seen) for seen in moved])
    elsewhere, told = _elsewhere(pictures.directions, off)
    odd = _odd(predict, images, differences, means, elsewhere)
    directions = pictures.directions
    if matches.best != (False, False):  # motion is measured in the arrangement in which the views match
        pictures = pictures.with_offsets(rearranged(offsets, matches.best))
        directions, off = pictures.directions, np.zeros_like(off)
        shift = coarse_map(pictures.chosen(outermost(pictures)), low * scale, high * scale)
    # Half of the points of a scene may lie at the focus and not move at all.
    measured = -(directions + np.clip(off, -1.0, 1.0)) * float(np.percentile(np.abs(shift), MOVING))
    return Examination(differences, means / np.median(means), measured, tuple(odd), told)


def _elsewhere(directions: Offsets, off: Offsets) -> tuple[NDArray[np.bool_], bool]:
    """[V]: views that seem displaced by most of a step to a neighbour: alone, or swapped with that neighbour."""
    gaps = np.linalg.norm(directions[:, None] - directions, axis=2)
    step = float(np.median(np.sort(gaps, axis=1)[:, 1]))
    trend = np.linalg.lstsq(directions, off, rcond=None)[0]
    away = np.linalg.norm(off - directions @ trend, axis=1)
    far: NDArray[np.bool_] = (away > NEIGHBOUR * step) & (away > UNLIKE * np.median(away))
    own = _unlike_neighbours(off, gaps, step)
    usual = float(np.median(np.linalg.norm(own, axis=1)))
    for pair in _exchanged(directions, own, gaps, step, usual):
        far[list(pair)] = True
    return far & (np.arange(len(off)) > 0), 0 < APART * usual < step


def _unlike_neighbours(off: Offsets, gaps: NDArray[np.float64], step: float) -> Offsets:
    """Displacement of views from their positions, relative to that of the views around them."""
    beside = [np.flatnonzero((gap > 0) & (gap < AROUND * step)) for gap in gaps]
    usually = [np.median(off[near], axis=0) if len(near) else off[view] for view, near in enumerate(beside)]
    own: Offsets = off - np.array(usually)
    own[0] = 0.0  # the one that all are compared with
    return own


def _exchanged(
    directions: Offsets, own: Offsets, gaps: NDArray[np.float64], step: float, usual: float
) -> Iterator[tuple[int, int]]:
    """Neighbouring views that seem to be swapped, according to the views around them."""
    for view, gap_to in enumerate(gaps):
        for other in np.flatnonzero((gap_to > 0) & (gap_to < NEXT * step)):
            gap, way = gap_to[other], directions[other] - directions[view]
            both = min(own[view] @ way, -own[other] @ way) / gap
            if other > view and both > max(EXCHANGED * gap, APART * usual):
                yield view, int(other)


@dataclass(frozen=True, eq=False)
class _Prediction:
    pictures: Pictures
    map: Image
    """Shift of the farthest view, px."""
    margin: int
    factor: float

    def difference(self, view: int, direction: NDArray[np.float64] | None = None, image: Image | None = None) -> float:
        """Mean difference from the reference view if the view was taken from that position."""
        towards = self.pictures.directions[view] if direction is None else direction
        return self.gap(self.moved(self.pictures.images[view] if image is None else image, towards))

    def gap(self, seen: Image) -> float:
        """Mean difference to the reference view of another that was moved back."""
        gap = np.abs(seen[self._inner] - self.pictures.images[0][self._inner])
        return float(np.minimum(gap, 30.0).mean())

    def misplaced(self, seen: Image) -> NDArray[np.float64]:
        """Apparent displacement (row, column) of a view after moving it back, in units of the farthest view.

        One step of Newton's method.
        """
        slopes = np.gradient(seen)
        design = np.stack([(-self.map * slope)[self._inner].ravel() for slope in slopes], axis=1)
        gap = (self.pictures.images[0] - seen)[self._inner].ravel()
        step: NDArray[np.float64] = np.linalg.solve(design.T @ design + 1e-3 * np.eye(2), design.T @ gap)
        return step

    @property
    def _inner(self) -> tuple[slice, slice]:
        return slice(self.margin, -self.margin), slice(self.margin, -self.margin)

    @cached_property
    def _pixels(self) -> tuple[Image, Image]:
        grid = np.indices(self.map.shape, np.float32)
        return grid[0], grid[1]

    def moved(self, image: Image, direction: NDArray[np.float64]) -> Image:
        """A view, moved back as if taken from that position."""
        rows, columns = self._pixels
        down, right = np.float32(direction[0]), np.float32(direction[1])
        return bilinear(image, rows - self.map * down, columns - self.map * right)


def _odd(
    predict: _Prediction,
    images: NDArray[np.float32],
    differences: NDArray[np.float64],
    means: NDArray[np.float64],
    elsewhere: NDArray[np.bool_],
) -> Iterator[OddView]:
    distance = np.abs(predict.pictures.directions).max(axis=1)
    least = _least_beside(predict.pictures.directions, differences)
    for view in range(len(images)):
        twin = _twin(images, view)
        near = np.abs(distance - distance[view]) <= 0.3
        near[[0, view]] = False
        if twin is not None:
            yield OddView(view, f"{SAME} {{{twin}}}")
        elif view and near.sum() >= 2:
            usual = max(float(np.median(differences[near])), least[view])
            if differences[view] > RATIO * usual + LEAST:
                what = _reason(predict, view, RATIO * usual + LEAST)
                yield OddView(view, what, "shifts" if what.startswith(SHIFTED) else "views")
            elif elsewhere[view]:
                yield OddView(view, "seems to belong elsewhere on the grid")
            elif abs(means[view] / np.median(means[near]) - 1) > EXPOSURE:
                share = 100 * means[view] / np.median(means[near])
                yield OddView(view, f"has {share:.0f} % of the usual brightness", "exposure")


def _least_beside(directions: Offsets, differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """[V]: smallest difference of the views beside each view; 0 with fewer than two, which may be a swapped pair.

    It tells odd views from those in a corner towards which all are predicted worse and worse.
    """
    gaps = np.linalg.norm(directions[:, None] - directions, axis=2)
    beside = (gaps > 0) & (gaps < NEXT * np.median(np.sort(gaps, axis=1)[:, 1]))
    beside[:, 0] = False  # it predicts the others
    least = np.where(beside, differences, np.inf).min(axis=1)
    return np.where(beside.sum(axis=1) >= 2, least, 0.0)


def _twin(images: NDArray[np.float32], view: int) -> int | None:
    """Another view with identical pixels."""
    same = np.flatnonzero((images[:, 0] == images[view, 0]).all(axis=-1))
    twins = [int(v) for v in same if v != view and np.array_equal(images[v], images[view])]
    return twins[0] if twins else None


def _reason(predict: _Prediction, view: int, usual: float) -> str:
    """Why a view is odd: the correction that makes it fit best, if one explains the difference."""
    image = predict.pictures.images[view]
    reasons = {
        "is upside down (turned by 180°)": predict.difference(view, image=image[::-1, ::-1]),
        "is mirrored left to right": predict.difference(view, image=image[:, ::-1]),
        "is mirrored top to bottom": predict.difference(view, image=image[::-1]),
    }
    reasons |= {
        f"looks like the view of {{{other}}}": predict.difference(view, direction)
        for other, direction in enumerate(predict.pictures.directions)
        if other != view
    }
    reach = range(-FARTHEST_SHIFT, FARTHEST_SHIFT + 1)
    for down, right in ((down, right) for down in reach for right in reach if down or right):
        moved = np.roll(image, (-down, -right), (0, 1))
        words = f"{SHIFTED} by about {down * predict.factor:.0f}, {right * predict.factor:.0f} px (rows, columns)"
        reasons[words] = predict.difference(view, image=moved)
    best = min(reasons, key=lambda what: reasons[what])
    return best if reasons[best] < max(usual, EXPLAINED * predict.difference(view)) else "does not fit"
