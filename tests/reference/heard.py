"""Plain twins of `ioadr.cost.heard`, `ioadr.solver.semiglobal` and `ioadr.solver.components` (decision 11)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.geometry import View, bilinear, inside, project, reference_index

Array = NDArray[np.float64]


def surface_in_view(disparity: NDArray[np.float32], offset: tuple[float, float]) -> Array:
    """The nearest disparity that covers each pixel of a view; a point covers the four pixels around it."""
    surface = np.full(disparity.shape, -math.inf)
    for n, m in np.ndindex(disparity.shape):
        d = float(disparity[n, m])
        y, x = (math.floor(i) for i in project(n, m, d, offset))
        for pixel in ((y, x), (y, x + 1), (y + 1, x), (y + 1, x + 1)):
            if inside(*pixel, disparity.shape):
                surface[pixel] = max(surface[pixel], d)
    return surface


def heard(
    views: list[View], surfaces: list[Array], n: int, m: int, d: float, own: float, margin: float
) -> tuple[float, float]:
    """F and P of (n, m, d): Σ over visible views of min(e, 8), and how many they are, both / number of views."""
    reference = reference_index(views)
    colour, deviation, seen, count = views[reference].image[n, m], 0.0, 0, 0
    for v, (view, surface) in enumerate(zip(views, surfaces, strict=True)):
        y, x = project(n, m, d, view.offset)
        if v == reference or not inside(y, x, surface.shape):
            continue
        count += 1
        if surface[math.floor(y + 0.5), math.floor(x + 0.5)] <= max(d, own) + margin:
            seen += 1
            deviation += min(float(np.abs(bilinear(view.image, y, x) - colour).mean()), 8.0)
    return (deviation / count, seen / count) if count else (8.0, 1.0)


def path_sums(costs: Array, image: Array, penalties: tuple[float, ...], forward: bool) -> Array:
    """Sum of the four paths that come from visited pixels: L = C + min(L', L'(±1) + p₁, min L' + p₂) − min L'."""
    small, large, extra, scale = penalties
    back = -1 if forward else 1
    total = np.zeros(costs.shape)
    order = list(np.ndindex(costs.shape[:2]))
    for step in ((0, back), (back, back), (back, 0), (back, -back)):
        path = np.zeros(costs.shape)
        for n, m in order if forward else reversed(order):
            before = n + step[0], m + step[1]
            path[n, m] = costs[n, m]
            if inside(*before, costs.shape):
                like = math.exp(-float(np.abs(image[n, m] - image[before]).mean()) / scale)
                path[n, m] += reached(path[before], small * like, large * like + extra)
        total += path
    return total


def reached(before: Array, small: float, large: float) -> Array:
    lowest = before.min()
    up, down = np.append(before[1:], math.inf), np.insert(before[:-1], 0, math.inf)
    return np.minimum.reduce([before, up + small, down + small, np.full(before.shape, lowest + large)]) - lowest


def lowest_plane(curve: Array, slack: float) -> float:
    best = int((curve + slack * np.arange(len(curve))).argmin())
    if not 0 < best < len(curve) - 1:
        return best
    curvature = curve[best - 1] + curve[best + 1] - 2 * curve[best]
    return best + (0.5 * float(curve[best - 1] - curve[best + 1]) / curvature if curvature > 0 else 0.0)


def regions(mask: NDArray[Any]) -> NDArray[np.int64]:
    """Numbers of 4-connected regions by their first pixels: the smallest index spreads until nothing changes."""
    index = np.where(mask, np.arange(1, mask.size + 1).reshape(mask.shape), 0)
    while True:
        padded = np.pad(np.where(index > 0, index, mask.size + 1), 1, constant_values=mask.size + 1)
        around = (padded[1:-1, 1:-1], padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:])
        spread = np.where(mask, np.minimum.reduce(around), 0)
        if (spread == index).all():
            break
        index = spread
    first = np.unique(index[mask])
    return np.where(mask, np.searchsorted(first, index) + 1, 0)
