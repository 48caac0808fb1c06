"""Plain twin of `cost.contour` (beyond the paper): a straight contour fitted to single samples around a pixel."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tests.reference.coverage import Pixel, Scene
from tests.reference.geometry import project

Floats = NDArray[np.float64]
Samples = tuple[Floats, Floats, Floats]
"""Places [S, 2] around a pixel on the near surface, light and background [S, 3]."""


def samples(scene: Scene, p: Pixel, near: float, far: float, middle: float, radius: int) -> Samples:
    """The samples around p that show both surfaces."""
    places, seen, behind = [], [], []
    for v, view in enumerate(scene.views):
        if (near - far) * math.hypot(*view.offset) > 8.0 + scene.slack:
            continue
        y0, x0 = project(*p, near, view.offset)
        around = (range(math.floor(centre) - 2, math.floor(centre) + 4) for centre in (y0, x0))
        for i, j in product(*around):
            inside = 0 <= i < scene.disparity.shape[0] and 0 <= j < scene.disparity.shape[1]
            if not inside or math.hypot(i - y0, j - x0) > 1.05 + scene.slack:
                continue
            free = scene.background((p[0] + i - y0, p[1] + j - x0), v, near, far, middle, radius)
            if len(free) == 2:
                places.append((i - y0, j - x0))
                seen.append(scene.of(view.image[i, j]))
                behind.append((free[0] + free[1]) / 2)
    return np.array(places), np.array(seen), np.array(behind)


def misfit(found: Samples, normal: Floats, offset: float, width: float, ridge: float) -> float:
    """Squares that the best F and G leave: light a·(F + G·z) + (1 − a)·B, z being the depth inside the contour."""
    places, seen, behind = found
    z = offset - places @ normal
    t = np.clip(0.5 + z / width, 0, 1)
    a = t**2 * (3 - 2 * t)
    rows = np.concatenate([np.stack([a, a * np.maximum(z, 0)], axis=1), [[1e-3, 0.0], [0.0, math.sqrt(ridge)]]])
    light = np.concatenate([seen - (1 - a)[:, None] * behind, np.zeros((2, 3))])
    best = np.linalg.lstsq(rows, light, rcond=None)[0]
    return float(((light - rows @ best) ** 2).sum())


def traced(scene: Scene, p: Pixel, widths: list[float]) -> list[tuple[float, float]]:
    """(evidence for the near surface, logarithm of the mean square left) of a pixel, by width."""
    met = scene.sides(p)
    assert met is not None
    gathered = (samples(scene, p, *met, radius) for radius in (2, 1))
    found = next((each for each in gathered if len(each[0]) >= 4 * scene.fewest), None)
    if found is None:
        return [(math.nan, math.nan)] * len(widths)
    block = scene.reference[max(p[0] - 1, 0) : p[0] + 2, max(p[1] - 1, 0) : p[1] + 2]
    scale = scene.term.gamma * (block.max() / 255 + 0.02) ** (scene.term.gamma - 1)
    count, noise = len(found[0]), (0.7 * scale) ** 2
    ridge = noise * count / (3 * (90 * scale) ** 2)
    told = []
    for width in widths:
        far, near = (
            min(
                misfit(found, np.array([math.sin(turn), math.cos(turn)]), side * offset, width, ridge)
                for turn in np.arange(12) * math.pi / 6
                for offset in np.arange(0.125, 1.0, 0.25)
            )
            for side in (-1, 1)
        )
        left = min(near, far) / (3 * count)
        told.append(((far - near) * min(3 / count, 1.0) / (noise + left), math.log(left + 0.2 * noise)))
    return told
