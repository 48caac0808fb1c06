"""Plain twin of `views.tracing`: outlines of near surfaces from contours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference import views
from tests.reference.contour import misfit, samples
from tests.reference.coverage import Pixel, Scene

OFFSETS = 0.125 * (np.arange(16) - 7.5)
TURNS = 0.26 * np.arange(-2, 3)


def edges(scene: Scene, coverage: NDArray[Any], p: Pixel, link: float) -> list[float]:
    """[near, far, middle, distance inside, normal] of a pixel; NaN where there is no jump, no edge or a corner."""
    met = scene.sides(p)
    if met is None:
        return [math.nan] * 6
    outline = views.edge(scene.disparity, coverage, *p, met[0], link + scene.slack)
    return [*met, *(outline if outline and outline[1:] != (0.0, 0.0) else (math.nan,) * 3)]


def traced(scene: Scene, p: Pixel, normal: tuple[float, float], width: float) -> float:
    """Distance of p inside the contour that leaves least."""
    met = scene.sides(p)
    assert met is not None
    gathered = (samples(scene, p, *met, radius) for radius in (2, 1))
    found = next((each for each in gathered if len(each[0]) >= 4 * scene.fewest), None)
    if found is None:
        return math.nan
    ridge = 0.7**2 * len(found[0]) / (3 * 90**2)
    turned = [np.array([[math.cos(t), math.sin(t)], [-math.sin(t), math.cos(t)]]) @ -np.array(normal) for t in TURNS]
    left = [min(misfit(found, outward, offset, width, ridge) for outward in turned) for offset in OFFSETS]
    best = int(np.argmin(left))
    if best in (0, len(left) - 1):
        return math.nan
    before, least, after = left[best - 1 : best + 2]
    bent = before - 2 * least + after
    return float(OFFSETS[best] + 0.125 * 0.5 * (before - after) / bent) if bent > 0 else float(OFFSETS[best])


def covered(
    disparity: NDArray[Any], near: NDArray[Any], edge: NDArray[Any], contours: NDArray[Any], link: float
) -> NDArray[np.float64]:
    """Shares of the pixels with an edge [3, N, M] of which contours show the outline; NaN elsewhere."""
    out = np.full(disparity.shape, np.nan)
    for n, m in np.argwhere(np.isfinite(edge[0])).tolist():
        inside, down, right = (float(value) for value in edge[:, n, m])
        told = []
        for a, b in np.argwhere(np.isfinite(contours)).tolist():
            same = edge[1, a, b] * down + edge[2, a, b] * right > 0.6 and abs(near[a, b] - near[n, m]) <= link
            if same and max(abs(a - n), abs(b - m)) <= 3:
                across = (a - n) * down + (b - m) * right
                told.append(((b - m) * down - (a - n) * right, contours[a, b] - across))
        if len(told) >= 3:
            share = views.area_beyond(down, right, -joined(np.array(told), inside), 1.0)
            out[n, m] = share if abs(disparity[n, m] - near[n, m]) <= link else 1 - share
    return out


def joined(told: NDArray[np.float64], start: float) -> float:
    """Value at 0 of the parabola through (place along the outline, distance) of contours, with Cauchy's weights."""
    t, z = told.T
    powers, found = np.stack([t**0, t, t**2], axis=1), np.array([start, 0.0, 0.0])
    for _ in range(6):
        weights = np.exp(-(t**2) / 9) / (1 + ((z - powers @ found) / 0.1) ** 2)
        normal = powers.T * weights @ powers + np.diag([0.0, 0.3, 0.3])
        found = np.linalg.solve(normal, powers.T * weights @ z)
    return float(found[0])
