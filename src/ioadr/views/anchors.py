"""Anchor views: the next view to estimate, its neighbours and its parameters."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.layout import Index, Layout
from ioadr.lightfield import LightField
from ioadr.parameters import Parameters
from ioadr.part import Window

MOST = 9
"""Largest number of anchors, including the reference view: on a grid, its centre, one near each corner, the corners."""
A_ROUND = 4
"""Anchors near the outermost views, and as many of these themselves."""
INWARD, MIDWAY = 0.25, 0.5
"""Share of the way from the view with most to add to the reference view at which an anchor of the first round lies, so
that views on all sides of it see behind occluders. Corner views alone add three times as many bad pixels; they come
last, for surfaces that no other view sees. In light fields of few views, a round of anchors midway comes before: in a
line of nine, the second view has one view beyond it, and two to ten times the bad pixels of the third there."""
APART = 0.6
"""Smallest distance between anchors of a round, as a share of half the extent of the views, less in a round midway.
With a share of the distance from the reference view instead, a ring of 12 views seen from one of them had too few
anchors."""
ENOUGH = 0.002
"""Share of a view's pixels that may stay uncovered before another anchor is worth its time."""
NEIGHBOURS, FEWEST = 25, 9
"""Views around one of which every second takes part: those that see what it alone adds are close to it. When borders
are settled, 81 views lose 8 %, and 9 lose 1–3 % on four of five scenes; all 25 take twice the time and gain nothing."""
EDGE_MARGIN = 8
"""Margin around a strip at an anchor's edge, px, from which it is estimated, in addition to the shifts of the views."""
SMALLEST = 32
"""Shortest side of a part that is estimated alone, px."""
NEW_AT_EDGE = 0.1
"""Smallest mean width of an uncovered strip along an edge, px."""


class Round:
    """A sequence of anchors of one kind."""

    def __init__(
        self, beside: NDArray[np.int64], places: NDArray[np.float64], at_edges: bool = False, apart: float = APART
    ) -> None:
        """`beside` [V] is the view to estimate for each one, −1 for none; `places` [V, 2] are offsets.

        `at_edges`: only what lies along the image's edges is estimated. `apart`: see `APART`.
        """
        self.beside, self.places, self.at_edges = beside, places, at_edges
        self.apart = apart * np.ptp(places, axis=0).max() / 2
        self.taken = [int(np.argmin(np.hypot(*places.T)))]

    def next(self, uncovered: NDArray[np.float64]) -> int | None:
        """The anchor for the view with the largest `uncovered` [V] share; None if there are enough.

        Anchors that add nothing themselves do not count: no neighbour shows what is uncovered along a view's edge.
        Tried: the anchor of which most is uncovered; mixed-7 has 4 % more bad pixels, mixed-5 1 %.
        """
        away = np.abs(self.places[self.beside][:, None] - self.places[self.taken]).max(axis=2).min(axis=1)
        apart = (self.beside >= 0) & (away > self.apart)
        left = np.where(apart & (uncovered[self.beside] >= ENOUGH), uncovered, 0.0)
        worst = int(np.argmax(left))
        if len(self.taken) > A_ROUND or left[worst] < ENOUGH:
            return None
        self.taken.append(int(self.beside[worst]))
        return self.taken[-1]


def rounds(places: NDArray[np.float64]) -> list[Round]:
    """Anchors inward of the views that add most, then the edges of those views; `places` [V, 2] are offsets.

    Few views have anchors midway first.
    """
    midway, beside, itself = inward(places, MIDWAY), inward(places), np.arange(len(places))
    nearer = [Round(midway, places, apart=APART * (1.0 - MIDWAY) / (1.0 - INWARD))] if len(places) <= NEIGHBOURS else []
    further = np.where(np.isin(beside, midway), -1, beside) if nearer else beside
    return [*nearer, Round(further, places), Round(np.where(beside == itself, -1, itself), places, at_edges=True)]


def inward(places: NDArray[np.float64], share: float = INWARD) -> NDArray[np.int64]:
    """Index [V] of the anchor that replaces each view at `places` [V, 2], offsets from the reference view.

    It is the view nearest to the point that lies a share of the way to the reference view; the outermost of several.
    """
    away = np.hypot(*((1.0 - share) * places[:, None] - places).transpose(2, 0, 1))
    inner = np.broadcast_to(-np.hypot(*places.T), away.shape)
    return np.lexsort((inner, np.round(away, 9)), axis=1)[:, 0]


def seen_from_anchor(lightfield: LightField, view: Index) -> LightField:
    """The light field with another reference view, reduced to views around it."""
    return lightfield.replace(reference=view, present=around(lightfield.layout, view))


def around(layout: Layout, view: Index) -> NDArray[np.bool_]:
    """[L, K]: every second of the `NEIGHBOURS` views nearest to one, like a chessboard; all of a small light field."""
    near = nearest(layout, view, NEIGHBOURS)
    second = near & (np.add.outer(*map(np.arange, near.shape)) % 2 == sum(view) % 2)
    return near if near.sum() == layout.present.sum() or second.sum() < FEWEST else second


def nearest(layout: Layout, view: Index, count: int) -> NDArray[np.bool_]:
    """[L, K]: the present views nearest to one of them, at least `count` with itself if there are as many."""
    with np.errstate(all="ignore"):  # a missing view may be anywhere
        away = np.abs(layout.offsets - layout.offsets[view]).max(axis=-1)
    away = np.where(layout.present, away, np.inf)
    ordered = np.sort(away[layout.present])
    return np.asarray(away <= ordered[min(count, ordered.size) - 1] * (1 + 1e-9))


def anchor_parameters(parameters: Parameters) -> Parameters:
    """The same parameters, using every one of the few views, without contours, and without a search for false and
    closed holes.

    That search takes a quarter of the time and changes nothing in five synthetic scenes and in views left out of
    boxes; without it, the demo, with its trellis, has 4 % more bad pixels.
    """
    without = {"finish.region_passes": 0, "search.hole_sweeps": 0, "coverage.holes": False, "coverage.contours": False}
    return parameters.replace({"data.view_step": 1, **without})


class Strip(NamedTuple):
    """A strip along an edge of an anchor, and the window around it from which it is estimated."""

    own: Window
    around: Window


def strips(uncovered: NDArray[np.bool_], width: tuple[float, float], shift: float) -> list[Strip]:
    """Strips along the edges in which something is `uncovered` [N, M]; the whole image if they are as large.

    `width`, px: of those at the top and bottom, and of those at the left and right; `shift`, px: how far the views
    around the anchor move what they see.
    """
    every, margin = list[Strip](), EDGE_MARGIN + math.ceil(shift)
    for axis, wide in enumerate(map(math.ceil, width)):
        enough = max(wide + margin, SMALLEST)
        for begin in (True, False):
            strip = Strip(*(_along_edge(uncovered.shape, axis, begin, px) for px in (wide, enough)))
            if np.count_nonzero(uncovered[strip.own.slices]) > NEW_AT_EDGE * uncovered.shape[1 - axis]:
                every.append(strip)
    whole = Window(0, 0, *uncovered.shape)
    alone = sum(strip.around.height * strip.around.width for strip in every) < uncovered.size
    return every if alone else [Strip(whole, whole)]


def _along_edge(size: tuple[int, ...], axis: int, begin: bool, px: int) -> Window:
    """The first or last rows (axis 0) or columns of an image."""
    first, last = [0, 0], list(size)
    if begin:
        last[axis] = min(px, size[axis])
    else:
        first[axis] = max(size[axis] - px, 0)
    return Window(*first, *last)
