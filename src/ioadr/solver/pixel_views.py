"""Single views of one pixel, in plain Python: visibility, residuals, and views behind a border."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._lanes import WIDTH
from ioadr.cost.occlusion import find_hidden
from ioadr.cost.sight import Matting, Sight, look
from ioadr.cost.total import Model
from ioadr.cost.views import views_around
from ioadr.geometry.ppp import LEVELS, Rays

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]


def hidden_views(model: Model, row: int, column: int, d: np.float32) -> Flags:
    """Mask [V] of the views in which a nearer surface hides the point of disparity d."""
    hidden = np.zeros(model.rays.dy.size, bool)
    if model.data.occlusion_aware:
        views = views_around(model.rays, model.occluders)
        find_hidden(model.rays, model.occluders, row, column, d, model.data.margin, views)
        lanes = (views.hidden[:, None] >> np.arange(WIDTH)) & 1
        hidden[views.index[lanes.ravel() != 0]] = True
    return hidden


def residuals(model: Model, row: int, column: int, d: np.float32, scale: float) -> tuple[Floats, Floats]:
    """Residuals [V] from the mean of all views, in grey levels, and weights [V], 0 … 1, as in `cost.linearised`.

    NaN and 0 where a view does not see the point."""
    rays = model.rays
    colours, seen = cubic_samples(rays, row, column, d)
    seen &= ~hidden_views(model, row, column, d)
    differ = colours - pixel_colour(rays, rays.reference, row, column)
    limit = 3.0 * scale * scale
    weights = np.where(seen, limit / (limit + (differ**2).sum(axis=1)), 0.0)
    mean = (weights[:, None] * differ).sum(axis=0) / max(float(weights.sum()), 1e-6)
    size = np.sqrt(((differ - mean) ** 2).mean(axis=1))
    return np.where(seen, size, np.nan).astype(np.float32), weights.astype(np.float32)


def cubic_samples(rays: Rays, row: int, column: int, d: np.float32) -> tuple[NDArray[np.float64], Flags]:
    """Colours [V, 3] of a point in the views, grey levels, and whether all taps lie in the view [V]."""
    colours = np.zeros((rays.dy.size, 3))
    y, x = ((np.float32(at) - d * step).astype(np.float64) for at, step in ((row, rays.dy), (column, rays.dx)))
    inside = (y >= 1) & (y <= rays.height - 3) & (x >= 1) & (x <= rays.width - 3)
    y, x, view = y[inside], x[inside], np.flatnonzero(inside)
    rows, columns = (at.astype(np.int64)[:, None] + np.arange(-1, 3) for at in (y, x))
    taps = pixel_colour(rays, view[:, None, None], rows[:, :, None], columns[:, None])
    colours[inside] = np.einsum("iv,jv,vijc->vc", catmull_rom(y % 1), catmull_rom(x % 1), taps)
    return colours, inside


def catmull_rom(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights [4, V] of the taps −1, 0, 1, 2 at fractions t."""
    s, c = t * t, t * t * t
    return 0.5 * np.array([-t + 2 * s - c, 2 - 5 * s + 3 * c, t + 4 * s - 3 * c, c - s])


def pixel_colour(rays: Rays, view: Any, row: Any, column: Any) -> NDArray[np.float64]:
    """[…, 3] grey levels of packed samples."""
    words = rays.samples[np.asarray(view * np.int64(rays.view_stride) + row * np.int64(rays.row_stride) + column)]
    return np.stack([(words >> np.uint32(shift)) & np.uint32(1023) for shift in (0, 10, 20)], axis=-1) / LEVELS


def border_views(matting: Matting, row: int, column: int, near: float, far: float, middle: float) -> Flags:
    """Mask [V] of the views that decide a border: they show the pixel and, unobstructed, the background behind it."""
    rays, count = matting.rays, matting.rays.dy.size
    seen, behind, place = (np.zeros((count, n), np.float32) for n in (3, 3, 2))
    sight = Sight(seen, behind, place, np.empty((2, 3, 2)), np.empty((5, 3)))
    given = row, column, np.float32(near), np.float32(far), np.float32(middle)
    for ceiling in matting.ceilings:
        shown = look(matting, ceiling, *given, np.empty((2, 3), np.float32), sight)[0]
        if shown >= matting.fewest:
            break
    places = {(float(y), float(x)) for y, x in sight.place[:shown]}
    return np.array([(float(y), float(x)) in places for y, x in zip(rays.dy, rays.dx, strict=True)])
