"""Anchor views: which view to estimate next, from which of its neighbours, and with which parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ioadr.layout import Index, Layout
from ioadr.lightfield import LightField
from ioadr.parameters import Parameters

MOST = 5
"""Anchors, the reference view among them: on a grid, its centre and its corners."""
ENOUGH = 0.002
"""Share of a view's pixels that may stay uncovered before another anchor is worth its time."""
NEIGHBOURS = 25
"""Views from which a further anchor is estimated: those that see what it alone adds are close to it."""


def next_anchor(uncovered: NDArray[np.float64], done: Sequence[int], most: int = MOST) -> int | None:
    """Number of the view with the largest share of `uncovered` [V] pixels, other than those that are `done`.

    None if there are anchors enough.
    """
    left = uncovered.copy()
    left[list(done)] = 0.0
    worst = int(np.argmax(left))
    return None if len(done) >= most or left[worst] < ENOUGH else worst


def seen_from_anchor(lightfield: LightField, view: Index) -> LightField:
    """The light field with another reference view and its nearest neighbours only."""
    return lightfield.replace(reference=view, present=nearest(lightfield.layout, view, NEIGHBOURS))


def nearest(layout: Layout, view: Index, count: int) -> NDArray[np.bool_]:
    """[L, K]: the present views nearest to one of them, at least `count` with itself if there are as many."""
    with np.errstate(all="ignore"):  # a missing view may be anywhere
        away = np.abs(layout.offsets - layout.offsets[view]).max(axis=-1)
    away = np.where(layout.present, away, np.inf)
    ordered = np.sort(away[layout.present])
    return np.asarray(away <= ordered[min(count, ordered.size) - 1] * (1 + 1e-9))


def anchor_parameters(parameters: Parameters) -> Parameters:
    """The same, with every one of the few views."""
    return parameters.replace({"data.view_step": 1})
