"""Anchor views: the next view to estimate, its neighbours and its parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr.layout import Index, Layout
from ioadr.lightfield import LightField
from ioadr.parameters import Parameters

MOST = 9
"""Anchors, the reference view among them: on a grid, its centre, one near each corner, then the corners."""
A_ROUND = 4
"""Anchors near the outermost views, and as many of these themselves."""
INWARD = 0.25
"""Of the way from the view with most to add to the reference view, at which an anchor of the first round is: views on
all sides of it see behind what covers a surface. From corners alone: three times as many bad pixels in what they add.
They come last, for what no other view sees."""
APART = 0.6
"""Least distance between anchors of a round, of that from the reference view to the outermost views."""
ENOUGH = 0.002
"""Share of a view's pixels that may stay uncovered before another anchor is worth its time."""
NEIGHBOURS = 25
"""Views from which a further anchor is estimated: those that see what it alone adds are close to it."""


class Round:
    """A sequence of anchors of one kind."""

    def __init__(self, beside: NDArray[np.int64], places: NDArray[np.float64]) -> None:
        """`beside` [V] is the view to estimate for each one, −1 for none; `places` [V, 2] are offsets."""
        self.beside, self.places = beside, places
        self.taken = [int(np.argmin(np.hypot(*places.T)))]

    def next(self, uncovered: NDArray[np.float64]) -> int | None:
        """The anchor for the view with the largest `uncovered` [V] share; None if there are enough."""
        away = np.abs(self.places[self.beside][:, None] - self.places[self.taken]).max(axis=2).min(axis=1)
        apart = (self.beside >= 0) & (away > APART * np.abs(self.places).max())
        left = np.where(apart, uncovered, 0.0)
        worst = int(np.argmax(left))
        if len(self.taken) > A_ROUND or left[worst] < ENOUGH:
            return None
        self.taken.append(int(self.beside[worst]))
        return self.taken[-1]


def rounds(places: NDArray[np.float64]) -> list[Round]:
    """Anchors inward of the views that add most, then those views themselves; `places` [V, 2] are offsets."""
    beside, itself = inward(places), np.arange(len(places))
    return [Round(beside, places), Round(np.where(beside == itself, -1, itself), places)]


def inward(places: NDArray[np.float64]) -> NDArray[np.int64]:
    """Index [V] of the anchor that replaces each view at `places` [V, 2], offsets from the reference view.

    It is the view nearest to the point `INWARD` of the way to the reference view; the outermost of several.
    """
    away = np.hypot(*((1.0 - INWARD) * places[:, None] - places).transpose(2, 0, 1))
    inner = np.broadcast_to(-np.hypot(*places.T), away.shape)
    return np.lexsort((inner, np.round(away, 9)), axis=1)[:, 0]


def seen_from_anchor(lightfield: LightField, view: Index) -> LightField:
    """The light field with another reference view, reduced to its nearest neighbours."""
    return lightfield.replace(reference=view, present=nearest(lightfield.layout, view, NEIGHBOURS))


def nearest(layout: Layout, view: Index, count: int) -> NDArray[np.bool_]:
    """[L, K]: the present views nearest to one of them, at least `count` with itself if there are as many."""
    with np.errstate(all="ignore"):  # a missing view may be anywhere
        away = np.abs(layout.offsets - layout.offsets[view]).max(axis=-1)
    away = np.where(layout.present, away, np.inf)
    ordered = np.sort(away[layout.present])
    return np.asarray(away <= ordered[min(count, ordered.size) - 1] * (1 + 1e-9))


def anchor_parameters(parameters: Parameters) -> Parameters:
    """The same parameters, using every one of the few views."""
    return parameters.replace({"data.view_step": 1})
