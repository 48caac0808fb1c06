"""Camera paths for videos."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ioadr.errors import InputError
from ioadr.views.pose import Viewpoint
from ioadr.views.result import Views

WIDE = 0.9
"""Radius of an orbit, as a share of the distance to the outermost views."""
CLOSER = 0.3
"""Length of a dolly, as a share of the distance to the nearest surface."""
MOST_FRAMES = 10_000


def orbit(views: Views, frames: int) -> list[Viewpoint]:
    """Once around, inside the captured views."""
    (row, column), (down, right) = _middle(views)
    turns = [2 * math.pi * frame / frames for frame in range(frames)]
    return [Viewpoint(row - WIDE * down * math.cos(turn), column + WIDE * right * math.sin(turn)) for turn in turns]


def dolly(views: Views, frames: int) -> list[Viewpoint]:
    """Ahead from the middle of the views and back."""
    (row, column), _ = _middle(views)
    rays = views.estimate.rays
    nearest = 1.0 / (rays.slope * float(np.max(views.estimate.disparity)) + rays.offset)
    if not nearest > 0:
        raise InputError("dolly: the nearest surface is not in front of the camera. Check the camera's numbers.")
    ways = [0.5 - 0.5 * math.cos(2 * math.pi * frame / frames) for frame in range(frames)]
    return [Viewpoint(row, column, CLOSER * nearest * way) for way in ways]


def grid(views: Views, frames: int) -> list[Viewpoint]:
    """Back and forth along the rows of the captured views."""
    stops: list[tuple[float, float]] = []
    for number, row in enumerate(np.unique(views.index[:, 0])):
        positions = views.layout.positions[tuple(views.index[views.index[:, 0] == row].T)][:, :2]
        stops += [(float(y), float(x)) for y, x in (positions if number % 2 == 0 else positions[::-1])]
    way = np.linspace(0, len(stops) - 1, frames)
    rows, columns = (np.interp(way, np.arange(len(stops)), [stop[axis] for stop in stops]) for axis in (0, 1))
    return [Viewpoint(float(row), float(column)) for row, column in zip(rows, columns, strict=True)]


PATHS: Mapping[str, Callable[[Views, int], list[Viewpoint]]] = {"orbit": orbit, "dolly": dolly, "grid": grid}


def read_path(text: str, name: str) -> list[Viewpoint]:
    """Read one camera per line: row, column and, optionally, distance ahead and zoom; # starts a comment."""
    path = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].replace(",", " ").split()
        if words:
            path.append(_viewpoint(words, f"{name}, line {number}"))
    if not 1 <= len(path) <= MOST_FRAMES:
        raise InputError(f"{name}: expected 1 … {MOST_FRAMES} lines `row column [ahead [zoom]]`, found {len(path)}.")
    return path


def _viewpoint(words: Sequence[str], where: str) -> Viewpoint:
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if not 2 <= len(numbers) <= 4 or not all(map(math.isfinite, numbers)):
        raise InputError(f"{where}: expected `row column [ahead [zoom]]` in numbers, found {' '.join(words)[:60]!r}.")
    viewpoint = Viewpoint(*numbers)
    if not viewpoint.zoom > 0:  # now, not when a long video comes to this line
        raise InputError(f"{where}: expected a positive zoom, found {viewpoint.zoom:g}.")
    return viewpoint


def _middle(views: Views) -> tuple[tuple[float, float], tuple[float, float]]:
    """Centre of the views' positions, and their extent from it (row, column)."""
    positions = views.layout.positions[views.layout.present][:, :2]
    low, high = positions.min(axis=0), positions.max(axis=0)
    (row, column), (down, right) = (low + high) / 2, (high - low) / 2
    return (float(row), float(column)), (float(down), float(right))
