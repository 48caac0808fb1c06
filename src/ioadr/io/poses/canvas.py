"""The rectangle of the image plane that all views share, and the position of its pixels in a photograph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.io.poses.photographs import Floats, meeting_point
from ioadr.io.poses.rig import FEWEST, Rig
from ioadr.io.subset import scaled_size
from ioadr.part import Window

TINY = 1e-6
"""Distance, px, by which rounding may put a border outside."""
NODES = 120
"""Nodes along the longer side of the reference photograph, at which visibility of the focus plane is tested."""
FEW_NODES, FOCI = 40, 25
"""The same if the distance of the scene must be found, and the number of distances tried."""
NEAREST = 0.5
"""Nearest focus that is tried, as a share of the cameras' extent, which is the scene's distance on an arc."""
TOO_LITTLE = "seeing too little of what the reference view sees"
LEAST_SEEN = 0.4
"""Share of the reference photograph that a view must see."""
WORTH = 2.3
"""Views are left out for a larger common rectangle as long as its area times this power of their number grows: one of
13 for a fifth more, half of them for five times as much."""
MANY, WORTH_OF_MORE = 30, 0.5
"""Number of views above which further ones add little: half of 60 are dropped for two fifths more area."""
COARSER = 2
"""Step between the nodes used to choose the views to leave out."""
ENOUGH = 5
"""Smallest number of views that is kept, even if fewer would give a larger rectangle."""


@dataclass(frozen=True)
class Canvas:
    """The pixels of all views; (left, top) is their first, from the optical axis of the common orientation."""

    left: float
    top: float
    width: int
    height: int

    def scaled(self, scale: float) -> Canvas:
        """The canvas in pixels of another size; partial pixels are dropped."""
        height, width = scaled_size(Window(0, 0, self.height, self.width), scale)
        return Canvas((self.left - 0.5) * scale + 0.5, (self.top - 0.5) * scale + 0.5, width, height)


def rays_of(rig: Rig, view: int, columns: Floats, rows: Floats) -> Floats:
    """World directions […, 3] through positions on the view's canvas, in px from the reference's optical axis.

    All views show the focus plane at the same position and size (see `geometry.off_plane`).
    """
    x, y, z = rig.places[view]
    shift_x, shift_y = rig.focal * rig.inverse_focus * np.array([x, y])
    focal = rig.focal * (1.0 - z * rig.inverse_focus)
    rays = np.stack([(columns - shift_x) / focal, (rows - shift_y) / focal, np.ones_like(columns)], axis=-1)
    return np.asarray(rays @ rig.axes)


def sources(rig: Rig, canvas: Canvas, view: int, window: Window) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows and columns [N, M] of the photograph at the pixels of a window of the canvas."""
    rows = canvas.top + np.arange(window.top, window.bottom, dtype=np.float64)
    columns = canvas.left + np.arange(window.left, window.right, dtype=np.float64)
    grid_columns, grid_rows = np.meshgrid(columns, rows)
    taken = rig.photographs[view]
    pixels = taken.pixels(rays_of(rig, view, grid_columns, grid_rows) @ taken.rotation.T)
    return pixels[..., 1], pixels[..., 0]


def fitted(rig: Rig) -> tuple[Rig, Canvas, float]:
    """The rig of the views that see enough, their common canvas, and its share of the reference photograph."""
    rig = focused(rig)
    columns, rows = _nodes(rig)
    step = float(columns[1] - columns[0])
    seen = np.stack([_seen(rig, view, columns, rows) for view in range(len(rig.photographs))])
    own = seen[rig.reference]
    poor = [v for v in range(len(seen)) if (seen[v] & own).sum() < LEAST_SEEN * own.sum()]
    if len(seen) - len(poor) < FEWEST:
        # The caller refuses it, with the names.
        return rig.without(poor, TOO_LITTLE), Canvas(0, 0, 0, 0), 0.0
    seen = np.delete(seen, poor, axis=0)
    rig = rig.without(poor, TOO_LITTLE)
    rig, seen = _enlarged(rig, seen)
    top, left, height, width = largest_rectangle(seen.all(axis=0))
    share = height * width / max(int(own.sum()), 1)
    if not height * width:
        return rig, Canvas(0, 0, 0, 0), 0.0
    sides = [columns[left], rows[top], columns[left + width - 1], rows[top + height - 1]]
    grown = _grown(rig, [float(side) for side in sides], int(step))
    size = round(grown[2] - grown[0]) + 1, round(grown[3] - grown[1]) + 1
    return rig, Canvas(grown[0], grown[1], *size), share


def focused(rig: Rig) -> Rig:
    """The rig without scene points: focused where all views share the most, or where lines of sight meet."""
    if rig.inverse_depths is not None or rig.inverse_focus > 0:
        return rig
    met = meeting_point(
        np.array([taken.centre for taken in rig.photographs]), np.array([taken.gaze for taken in rig.photographs])
    )
    distance = 0.0 if met is None else float((met - rig.photographs[rig.reference].centre) @ rig.axes[2])
    nearest = NEAREST * rig.extent
    tried = [0.0, *([1.0 / distance] if distance > nearest else []), *np.linspace(0.0, 1.0 / nearest, FOCI)[1:]]
    return max((replace(rig, inverse_focus=float(value)) for value in tried), key=_shared)


def _shared(rig: Rig) -> int:
    """Nodes of the largest rectangle that all views see."""
    columns, rows = _nodes(rig, FEW_NODES)
    return _area(np.stack([_seen(rig, view, columns, rows) for view in range(len(rig.photographs))]))


def _grown(rig: Rig, sides: list[float], step: int) -> list[float]:
    """Left, top, right, bottom, moved outwards between nodes as far as all views see, whose common area is convex."""
    views = range(len(rig.photographs))
    for side, outwards in enumerate((-1.0, -1.0, 1.0, 1.0)):
        low, high = sides[1 - side % 2], sides[3 - side % 2]
        along = np.linspace(low, high, max(2, int(high - low) // 4))
        near, far = 0, step
        while far - near > 1:
            middle = (near + far) // 2
            across = np.array([sides[side] + outwards * middle])
            line = (across, along) if side % 2 == 0 else (along, across)
            seen = all(_seen(rig, view, *line).all() for view in views)
            near, far = (middle, far) if seen else (near, middle)
        sides[side] += outwards * near
    return sides


def _nodes(rig: Rig, most: int = NODES) -> tuple[Floats, Floats]:
    """Columns and rows, px from the optical axis, of nodes over the reference photograph."""
    taken = rig.photographs[rig.reference]
    width, height = taken.size
    x, y = np.meshgrid(np.linspace(0, width - 1, 9), np.linspace(0, height - 1, 9))
    rays = taken.rays(np.stack([x.ravel(), y.ravel()], axis=1)) @ taken.rotation @ rig.axes.T
    places = rig.focal * rays[:, :2] / rays[:, 2:]
    # From its own first pixel on: a photograph that is not turned is not resampled between pixels.
    (left, top), (right, bottom) = places.min(axis=0), places.max(axis=0)
    step = max(1.0, np.floor(max(right - left, bottom - top) / most))
    return np.arange(left, right + TINY, step), np.arange(top, bottom + TINY, step)


def _seen(rig: Rig, view: int, columns: Floats, rows: Floats) -> NDArray[np.bool_]:
    """Mask [nodes, nodes] of where the view sees the focus plane."""
    taken = rig.photographs[view]
    grid_columns, grid_rows = np.meshgrid(columns, rows)
    return taken.holds(taken.pixels(rays_of(rig, view, grid_columns, grid_rows) @ taken.rotation.T))


def _enlarged(rig: Rig, seen: NDArray[np.bool_]) -> tuple[Rig, NDArray[np.bool_]]:
    """The rig without views that reduce the common rectangle most; how many are dropped is optimised."""
    kept, dropped = list(range(len(seen))), list[int]()
    coarse = seen[:, ::COARSER, ::COARSER]
    worths = [_worth(coarse[kept])]
    while len(kept) > ENOUGH:
        missed = ~coarse[kept] & coarse[rig.reference]
        # Nodes that few miss are won by leaving out few.
        blame = (missed / np.maximum(missed.sum(axis=0), 1) ** 2).sum(axis=(1, 2))
        worst = kept[int(np.argmax(blame))]
        if worst == rig.reference or not blame.max() > 0:
            break
        kept.remove(worst)
        dropped.append(worst)
        worths.append(_worth(coarse[kept]))
    dropped = sorted(dropped[: int(np.argmax(worths))])
    return rig.without(dropped, "making the common area much smaller"), np.delete(seen, dropped, axis=0)


def _worth(seen: NDArray[np.bool_]) -> float:
    few, more = min(len(seen), MANY), max(len(seen) / MANY, 1.0)
    return float(_area(seen)) * few**WORTH * more**WORTH_OF_MORE


def _area(seen: NDArray[np.bool_]) -> int:
    _, _, height, width = largest_rectangle(seen.all(axis=0))
    return height * width


def largest_rectangle(mask: Any) -> tuple[int, int, int, int]:
    """Top, left, height and width of the largest rectangle that is True throughout."""
    best = (0, 0, 0, 0)
    depth = np.zeros(mask.shape[1], int)
    for row, line in enumerate(mask):
        depth = np.where(line, depth + 1, 0)
        best = max(best, _under(depth.tolist(), row), key=lambda rectangle: rectangle[2] * rectangle[3])
    return best


def _under(depths: Sequence[int], row: int) -> tuple[int, int, int, int]:
    """Largest rectangle under a histogram that stands on a row."""
    best, open_ = (0, 0, 0, 0), list[tuple[int, int]]()
    for column, depth in enumerate([*depths, 0]):
        start = column
        while open_ and open_[-1][1] >= depth:
            start, tall = open_.pop()
            if tall * (column - start) > best[2] * best[3]:
                best = (row - tall + 1, start, tall, column - start)
        open_.append((start, depth))
    return best
