"""Smooth the rims of near surfaces, and find their slopes, before they are carried to other views, compiled.

Disparities beside a depth discontinuity are noisy, because pixels there are mixed. In the view itself, this is a small
error of depth. In a view four steps away, it also moves the outline by a quarter of a pixel. So does the slope between
the last pixel's centre and the outline. Where other anchors show the same outline, its motion between them and the
view corrects the disparity.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.views.carry import STEEPER, fall
from ioadr.views.edges import edge_at
from ioadr.views.fitting import TERMS, eliminate

REACH = 6
"""Radius around a pixel, px, of the fitted surface. With 4, the demo has 5 % more bad pixels, with 8, mixed-7 4 %."""
WIDE = 18.0
"""Squared distance, px², at which a pixel's weight falls to 1/e."""
BESIDE = 0.3
"""Weight of pixels on a rim, relative to others. With 0.15, mixed-7 has 3 % more bad pixels."""
RIDGE = 0.01
"""Weight that pulls slopes to 0; that of curvatures is four times as large."""
FEWEST = 8
"""Pixels that a fit needs."""
ASIDE = 0.15
"""Error of an outline in another anchor, px."""
UNSURE = 0.17
"""Error of a rim's disparity, as a share of the step that separates surfaces."""
ROBUST = 0.3
"""Distance between outlines, px, at which their weight falls to a half."""
FARTHEST = 0.9
"""Largest distance between outlines, px, that counts."""
ROUNDS = 4
"""Iterations of the weights."""
AGREE = 2
"""Anchors that must show an outline."""
ALONG, WINDOW = 9.0, 5
"""Squared distance along an outline, px², at which a correction's weight falls to 1/e, and the largest distance."""
PARALLEL = 0.6
"""Cosine of the angle between the normals of neighbouring parts of an outline."""
_Y, _X = np.indices((2 * REACH + 1, 2 * REACH + 1)) - float(REACH)
_POWERS = np.stack([_Y, _X, _Y * _Y, _Y * _X, _X * _X, np.ones_like(_X)], axis=-1)
WEIGHTS = np.where(_Y**2 + _X**2 <= REACH**2, np.exp(-(_Y**2 + _X**2) / WIDE), 0.0)
"""Weights of the pixels around one, by row and column."""
MOMENTS = np.ascontiguousarray(WEIGHTS[..., None, None] * _POWERS[..., None] * _POWERS[..., None, :])
"""Their contributions to the normal equation; the last column is for the constant term."""


@kernel
def gather_rim(disparity, rim, n, m, link, normal, right):
    """Set the normal equation of the quadratic surface through the pixels around (n, m) that are within `link`.

    Returns their number.
    """
    height, width = disparity.shape
    count, normal[:], right[:] = 0, 0.0, 0.0
    for a in range(max(n - REACH, 0), min(n + REACH + 1, height)):
        for b in range(max(m - REACH, 0), min(m + REACH + 1, width)):
            i, j = a - n + REACH, b - m + REACH
            step = np.float64(disparity[a, b]) - np.float64(disparity[n, m])
            if WEIGHTS[i, j] == 0.0 or not abs(step) <= link:
                continue
            beside = BESIDE if rim[a, b] else 1.0
            count += 1
            for p in range(TERMS):
                right[p, 0] += beside * step * MOMENTS[i, j, p, TERMS - 1]
                for q in range(TERMS):
                    normal[p, q] += beside * MOMENTS[i, j, p, q]
    for p in range(TERMS - 1):
        normal[p, p] += RIDGE if p < 2 else 4.0 * RIDGE
    return count


@kernel
def fit_rim(disparity, rim, n, m, link, normal, right):
    """Step, px, from (n, m) to the quadratic surface around it."""
    if gather_rim(disparity, rim, n, m, link, normal, right) < FEWEST:
        return 0.0
    eliminate(normal, right)
    return right[TERMS - 1, 0] if abs(right[TERMS - 1, 0]) <= link else 0.0


@kernel
def substitute_back(normal, right, solution):
    """Set solution [T] to all unknowns of a normal equation that `eliminate` has solved for the last one."""
    solution[TERMS - 1] = right[TERMS - 1, 0]
    for k in range(TERMS - 2, -1, -1):
        solution[k] = right[k, 0]
        for b in range(k + 1, TERMS):
            solution[k] -= normal[k, b] * solution[b]
        solution[k] /= normal[k, k]


@task
def find_slopes(begin, end, disparity, wanted, rim, link, slopes):
    """Set rows begin … end − 1 of slopes [2, N, M], px per px down and right, where `wanted`; 0 elsewhere."""
    solution, normal, right = np.empty(TERMS), np.empty((TERMS, TERMS)), np.empty((TERMS, 1))
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            slopes[0, n, m], slopes[1, n, m] = 0.0, 0.0
            if wanted[n, m] and gather_rim(disparity, rim, n, m, link, normal, right) >= FEWEST:
                eliminate(normal, right)
                substitute_back(normal, right, solution)
                slopes[0, n, m], slopes[1, n, m] = solution[0], solution[1]


@task
def smooth_rims(begin, end, disparity, wanted, rim, link, smooth):
    """Set rows begin … end − 1 of smooth [N, M] to the map, smoothed where `wanted`; `link`, px, separates surfaces."""
    normal, right = np.empty((TERMS, TERMS)), np.empty((TERMS, 1))
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            smooth[n, m] = disparity[n, m]
            if wanted[n, m]:
                smooth[n, m] += fit_rim(disparity, rim, n, m, link, normal, right)


@kernel
def outline_step(apart, along, count, ridge):
    """Correction of a rim's disparity, px, from how far its outline lies aside in other anchors.

    apart [K], px; along [K]: offsets of the anchors in the direction of the outline's normal.
    """
    step = 0.0
    for _ in range(ROUNDS):
        top, bottom = 0.0, ridge
        for k in range(count):
            rest = (apart[k] - step * along[k]) / ROBUST
            weight = 1.0 / (1.0 + rest * rest)
            top, bottom = top + weight * along[k] * apart[k], bottom + weight * along[k] * along[k]
        step = top / bottom
    return step


@task
def measure_outlines(begin, end, disparity, slopes, coverage, rim, anchors, link, outline):
    """Set rows begin … end − 1 of outline [3, N, M]: corrections of rims' disparities, px, and normals; NaN elsewhere.

    If a rim's disparity is wrong, its outline moves too far or not far enough from view to view. anchors = (maps
    [K, N, M], coverages [K, N, M], offsets [K, 2]) of other views, relative to this one.
    """
    maps, coverages, offsets = anchors
    apart, along = np.empty(len(maps)), np.empty(len(maps))
    ridge = (ASIDE / (UNSURE * link)) ** 2
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            outline[0, n, m] = np.nan
            if not rim[n, m]:
                continue
            d = np.float64(disparity[n, m])
            inside, down, right = edge_at(disparity, coverage, float(n), float(m), d, link)
            if not abs(inside) < 1.0:
                continue
            y, x, count = n - inside * down, m - inside * right, 0
            there = d + fall(slopes, n, m, y, x, STEEPER, link)
            for k in range(len(maps)):
                oy, ox = offsets[k]
                shift, a, b = edge_at(maps[k], coverages[k], y - there * oy, x - there * ox, d, link)
                if abs(shift) < FARTHEST and a * down + b * right > PARALLEL:
                    apart[count], along[count] = shift, oy * down + ox * right
                    count += 1
            if count >= AGREE:
                outline[0, n, m] = outline_step(apart, along, count, ridge)
                outline[1, n, m], outline[2, n, m] = down, right


@task
def correct_rims(begin, end, disparity, outline, link, corrected):
    """Set rows begin … end − 1 of corrected [N, M] to the map plus the mean correction of the same outline around."""
    height, width = disparity.shape
    for n in range(begin, end):
        for m in range(width):
            corrected[n, m] = disparity[n, m]
            if not np.isfinite(outline[0, n, m]):
                continue
            total, weights = 0.0, 0.0
            for a in range(max(n - WINDOW, 0), min(n + WINDOW + 1, height)):
                for b in range(max(m - WINDOW, 0), min(m + WINDOW + 1, width)):
                    same = outline[1, a, b] * outline[1, n, m] + outline[2, a, b] * outline[2, n, m] > PARALLEL
                    if np.isfinite(outline[0, a, b]) and same and abs(disparity[a, b] - disparity[n, m]) <= link:
                        weight = np.exp(-((a - n) ** 2 + (b - m) ** 2) / ALONG)
                        total, weights = total + weight * outline[0, a, b], weights + weight
            corrected[n, m] += min(max(total / weights, -0.5 * link), 0.5 * link)
