"""The other views of a pixel, sixteen at a time, and their visibility."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel, task
from ioadr._lanes import WIDTH


class Views(NamedTuple):
    """All views except the reference view, outermost first, in whole groups of lanes; scratch memory of one worker.

    Unused lanes of the last group repeat the reference view, whose deviation is 0.
    """

    index: Any
    """int32 [16·G]: view of `Rays` in each lane."""
    start: Any
    """int32 [16·G]: index of the view's first sample."""
    dy: Any
    dx: Any
    """float32 [16·G]: offset of the view, as in `Rays`."""
    reach: Any
    """float32 [16·G]: max(|dy|, |dx|)."""
    used: Any
    """int32 [G]: bits of the lanes that hold a view."""
    hidden: Any
    """int32 [G]: bits of the lanes whose view does not see the current point."""
    found: Any
    """uint64 [words]: one bit for each level of an occluder in reach."""


@kernel
def place_views(rays, views):
    """Set the offsets, which are the same for all pixels."""
    for i in range(views.index.size):
        v = views.index[i]
        views.dy[i], views.dx[i], views.reach[i] = rays.dy[v], rays.dx[v], rays.reach[v]


@kernel
def is_hidden(views, i):
    """Whether the current point is hidden in the view of lane i."""
    return (views.hidden[i // WIDTH] >> np.int32(i % WIDTH)) & np.int32(1) != 0


@kernel
def hide_none(views):
    """Mark the current point as visible in all views."""
    for g in range(views.hidden.size):
        views.hidden[g] = np.int32(0)


@kernel
def order_views(rays, views):
    """Sort the other views into lanes by insertion; fill the remaining lanes with the reference view."""
    count = 0
    for v in range(rays.dy.size):
        if v != rays.reference:
            i = count
            while i > 0 and rays.reach[views.index[i - 1]] < rays.reach[v]:
                views.index[i] = views.index[i - 1]
                i -= 1
            views.index[i] = v
            count += 1
    for i in range(views.index.size):
        if i < count:
            views.used[i // WIDTH] |= np.int32(1) << np.int32(i % WIDTH)
        else:
            views.index[i] = rays.reference
        views.start[i] = views.index[i] * rays.view_stride


@task
def views_around(rays, occluders):
    """Allocate a worker's `Views` of a light field."""
    groups = max((rays.dy.size + WIDTH - 2) // WIDTH, 1)
    size = groups * WIDTH
    views = Views(
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.float32),
        np.empty(size, np.float32),
        np.empty(size, np.float32),
        np.zeros(groups, np.int32),
        np.zeros(groups, np.int32),
        np.zeros(occluders.levels.shape[2], np.uint64),
    )
    order_views(rays, views)
    place_views(rays, views)
    return views
