"""Plain twins of the finish: `cost.linearised`, `solver.local_fit` and `solver.borders` (beyond the paper)."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.parameters import Finish
from tests.reference.geometry import View, project, reference_index

SUREST = 1e-6
RIDGE = 1e-3
"""Share of a patch's weight that is added to the diagonal of its normal equations."""


def catmull_rom(t: float) -> float:
    """The cubic kernel that passes through its samples, at distance t."""
    t = abs(t)
    if t < 1:
        return 1.5 * t**3 - 2.5 * t**2 + 1
    return -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2 if t < 2 else 0.0


def catmull_rom_slope(t: float) -> float:
    """Its derivative."""
    sign, t = math.copysign(1, t), abs(t)
    if t < 1:
        return sign * (4.5 * t**2 - 5 * t)
    return sign * (-1.5 * t**2 + 5 * t - 4) if t < 2 else 0.0


def taps(x: float) -> tuple[list[int], NDArray[np.float64], NDArray[np.float64]]:
    """Pixels around x, their weights, and how the weights change with x."""
    pixels = [math.floor(x) + i for i in range(-1, 3)]
    weights, slopes = ([f(x - pixel) for pixel in pixels] for f in (catmull_rom, catmull_rom_slope))
    return pixels, np.array(weights), np.array(slopes)


def normal_equation(
    views: list[View], visible: set[int], n0: int, m0: int, d: float, scale: float
) -> tuple[float, float, float, float]:
    """Σ w·g·r without what noise adds to it, Σ w·g², Σ w·r², Σ w of the views that see the hypothesis.

    r: difference to the reference view, g: its derivative by d, both per channel, without their means over the views,
    and averaged over the channels when squared; w = 1/(1 + r²/scale²) of the r with its mean. With noise of variance
    σ² in every sample, r² holds σ²·G, G being the sum of the squared weights of its taps; the derivative of that by d
    is no evidence about d.
    """
    reference = views[reference_index(views)].image[n0, m0]
    height, width = views[0].image.shape[:2]
    gain = gain_slope = 0.0
    weights, residuals, derivatives = [], [], []
    for v in visible:
        y, x = project(n0, m0, d, views[v].offset)
        if not (1 <= y <= height - 3 and 1 <= x <= width - 3):
            continue
        rows, wy, uy = taps(y)
        columns, wx, ux = taps(x)
        patch = views[v].image[np.ix_(rows, columns)]
        r = np.einsum("i,j,ijc->c", wy, wx, patch) - reference
        down, across = (np.einsum("i,j,ijc->c", a, b, patch) for a, b in ((uy, wx), (wy, ux)))
        g = -views[v].offset[0] * down - views[v].offset[1] * across
        w = 1 / (1 + (r @ r) / 3 / scale**2)
        weights.append(w)
        residuals.append(r)
        derivatives.append(g)
        gain += w * (wy @ wy) * (wx @ wx)
        slope_y, slope_x = (-views[v].offset[0] * (wy @ uy), -views[v].offset[1] * (wx @ ux))
        gain_slope += w * (slope_y * (wx @ wx) + slope_x * (wy @ wy))
    if not weights:
        return 0.0, 0.0, 0.0, 0.0
    w, r, g = np.array(weights)[:, None], np.array(residuals), np.array(derivatives)
    r, g = (values - (w * values).sum(axis=0) / w.sum() for values in (r, g))
    gr, gg, rr = (float((w * product).sum()) / 3 for product in (g * r, g * g, r * r))
    return gr - rr / max(gain, 1e-6) * gain_slope, gg, rr, float(w.sum())


def linearised(
    views: list[View], visible: set[int], n0: int, m0: int, d: float, term: Finish
) -> tuple[float, float, float]:
    """The disparity that the data favour, how much the views change with it, and by how much they differ."""
    gr, gg, rr, total = normal_equation(views, visible, n0, m0, d, term.colour_scale)
    step = -gr / gg if gg > 1e-9 else 0.0
    return d + min(max(step, -term.furthest), term.furthest), gg, rr / max(total, 1.0)


def softened(image: NDArray[np.float64], side: float, slack: float = 0.0) -> NDArray[np.float64]:
    """Each sample mixed with its neighbours, rounded to quarters; edges replicated."""
    weights = np.array([side, 1 - 2 * side, side])
    padded = np.pad(image, ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width = image.shape[:2]
    total = np.zeros_like(image)
    for i in range(3):
        for j in range(3):
            total += weights[i] * weights[j] * padded[i : i + height, j : j + width]
    return np.floor(4 * total + 0.5 + slack) / 4


def high_passed(image: NDArray[np.float64], share: float, slack: float = 0.0) -> NDArray[np.float64]:
    """Each sample less a share of its surroundings' mean, about 128 grey levels, rounded to quarters within 0 … 255."""
    weights = np.array([1, 4, 6, 4, 1]) / 16
    padded = np.pad(image, ((2, 2), (2, 2), (0, 0)), mode="edge")
    height, width = image.shape[:2]
    blur = sum(weights[i] * weights[j] * padded[i : i + height, j : j + width] for i, j in product(range(5), range(5)))
    return np.floor(np.clip(4 * (image - share * blur + 128) + 0.5, 0, 1020) + slack) / 4


def patch_fit(
    points: list[tuple[float, float, float, float]], last: NDArray[np.float64], term: Finish
) -> tuple[NDArray[np.float64], float]:
    """A plane, or a quadric where that differs significantly, through (x, y, target, precision), and its variance.

    `last` is the polynomial in 1, x, y, x², xy, y² that the points are expected to lie near.
    """
    weights, rows, values = [], [], []
    for x, y, target, precision in points:
        row = np.array([1, x, y, x * x, x * y, y * y])
        residual = target - row @ last
        limit = max(precision / term.gate**2, term.widest_gate**-2)
        weights.append(precision * max(float(1 - residual**2 * limit), 0.0) ** 2)
        rows.append(row)
        values.append(target - last[0])
    w, a, b = np.array(weights), np.array(rows), np.array(values)
    if w.sum() <= 0:
        return last, math.inf
    plane, plane_variance = solved(w, a[:, :3], b)
    quadric, variance = solved(w, a, b)
    excess, change = variance - plane_variance, quadric[0] - plane[0]
    significant = excess > 0 and change**2 > term.caution**2 * excess
    fit = quadric if significant else np.concatenate([plane, np.zeros(3)])
    return fit + np.array([last[0], 0, 0, 0, 0, 0]), variance if significant else plane_variance


def solved(w: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Weighted least squares with a small ridge: coefficients, and the variance of the first."""
    normal = a.T @ (w[:, None] * a) + RIDGE * w.sum() * np.eye(a.shape[1])
    return np.linalg.solve(normal, a.T @ (w * b)), float(np.linalg.inv(normal)[0, 0])


def offsets(rows: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """(row, column) of a patch's samples, given as rows: step down, half width, gap."""
    return [(down, right) for down, half, gap in rows for right in range(-half, half + 1, gap)]


def fitted(
    disparity: NDArray[Any],
    target: NDArray[Any],
    precision: NDArray[Any],
    discs: list[list[tuple[int, int]]],
    unit: float,
    term: Finish,
    n0: int,
    m0: int,
) -> NDArray[np.float64]:
    """Polynomial about (n0, m0) of the widest disc whose value lies where all narrower ones allow it, and precision."""
    fit = np.zeros(6)
    fit[0] = float(disparity[n0, m0])
    best = np.append(fit, 0.0)
    low, high = -math.inf, math.inf
    height, width = disparity.shape
    for disc in discs:
        inside = [(j, i) for j, i in disc if 0 <= n0 + j < height and 0 <= m0 + i < width]
        points = [
            (i / unit, j / unit, float(target[n0 + j, m0 + i]), float(precision[n0 + j, m0 + i])) for j, i in inside
        ]
        fit, variance = patch_fit(points, fit, term)
        reach = term.caution * math.sqrt(variance)
        low, high = max(low, fit[0] - reach), min(high, fit[0] + reach)
        if low > high:
            break
        best = np.append(fit, 1 / (variance + SUREST))
    return best


def shared(surfaces: NDArray[np.float64], radius: int, unit: float, limit: float) -> NDArray[np.float64]:
    """Mean of what the surfaces [7, N, M] of every second pixel within a disc say, as far as they are within `limit`.

    A surface counts by its precision, times (1 − (its distance from the pixel's own / limit)²)².
    """
    height, width = surfaces.shape[1:]
    steps = [(j, i) for j, i in product(range(-radius, radius + 1), repeat=2) if j * j + i * i <= radius * radius]
    steps = [(j, i) for j, i in steps if j % 2 == 0 and i % 2 == 0]
    result = surfaces[0].copy()
    for n, m in np.ndindex(height, width):
        weights, values = [], []
        for j, i in steps:
            if 0 <= n + j < height and 0 <= m + i < width:
                x, y = -i / unit, -j / unit
                *polynomial, precision = surfaces[:, n + j, m + i]
                value = np.array([1, x, y, x * x, x * y, y * y]) @ np.array(polynomial)
                weights.append(precision * max(1 - ((value - surfaces[0, n, m]) / limit) ** 2, 0) ** 2)
                values.append(value)
        if sum(weights) > 0:
            result[n, m] = np.average(values, weights=weights)
    return result


def beside_rises(disparity: NDArray[Any], rise: float) -> NDArray[np.bool_]:
    """Pixels with a neighbour that is nearer by more than `rise` and the slope over the three pixels behind.

    Over two or one at the image's edge; where there is none, the slope is unknown. In a gap of at most six pixels, with
    something nearer on the other side as well, they do not count.
    """

    def along(p: tuple[int, ...], u: tuple[int, int]) -> dict[int, float]:
        """Disparities at steps −6 … 1 from p towards u, as far as they are in the image."""
        places = {step: (p[0] + step * u[0], p[1] + step * u[1]) for step in range(-6, 2)}
        inside = {step: q for step, q in places.items() if min(q) >= 0 and (np.array(q) < disparity.shape).all()}
        return {step: float(disparity[q]) for step, q in inside.items()}

    found = np.zeros(disparity.shape, bool)
    for p in np.ndindex(disparity.shape):
        for u in product((-1, 0, 1), (-1, 0, 1)):
            line = along(p, u)
            if any(u) and 1 in line and min(line) < 0:
                back = max(min(line), -3)
                slope = abs(line[0] - line[back]) / -back
                gap = any(line[k] - line[0] > rise - k * slope for k in line if k < 0)
                found[p] |= line[1] - line[0] > rise + slope and not gap
    return found
