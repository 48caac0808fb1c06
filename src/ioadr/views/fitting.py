"""Colours of a new view from a surface through the samples of all blended views, compiled.

Between the pixels of one view, other views have samples. A surface through all of them resolves texture that is too
fine for one view alone. It needs views that show the same surface, so it is not used beside depth discontinuities.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.views.carry import origin

TERMS = 6
"""Number of terms of a quadratic surface: y, x, y², yx, x² and 1."""
NARROW = 0.25
"""Distance from the pixel, px, at which a sample has a quarter of its weight at the pixel. 0.3 loses 0.1 dB on dino,
0.2 loses 0.02 dB on boxes."""
WIDE = 4.5
"""Squared distance, px², above which samples have no weight."""
RIDGE = 1e-6
"""Weight, relative to all samples, that pulls slopes and curvatures to 0."""
LEAST = 0.02
"""Smallest weight of a view, relative to that of the nearest one, for which its samples count."""
ON_SURFACE = 0.9
"""Smallest share of samples on the surface. 0.75: 0.2 dB less on boxes; 1: 0.1 dB less on the Lego truck."""


@kernel
def eliminate(normal, right):
    """Solve normal [T, T] · unknown = right [T, C] for the last unknown, which replaces right[T − 1]."""
    terms, channels = right.shape
    for k in range(terms - 1):
        for a in range(k + 1, terms):
            factor = normal[a, k] / normal[k, k]
            for b in range(k + 1, terms):
                normal[a, b] -= factor * normal[k, b]
            for c in range(channels):
                right[a, c] -= factor * right[k, c]
    for c in range(channels):
        right[terms - 1, c] /= normal[terms - 1, terms - 1]


@kernel
def add_view(image, own, y, x, d, link, near, powers, normal, right):
    """Add those of the 4×4 samples around (y, x) to the normal equation that the map `own` has on the surface of d.

    Returns the sum of their weights, and which share of the samples they are.
    """
    height, width, channels = image.shape
    n, m = int(np.floor(y)), int(np.floor(x))
    weights, count = 0.0, 0
    for a in range(max(n - 1, 0), min(n + 3, height)):
        for b in range(max(m - 1, 0), min(m + 3, width)):
            if abs(own[a, b] - d) > link:
                continue
            count += 1
            down, across = a - y, b - x
            square = down * down + across * across
            if square >= WIDE:
                continue
            weight = near * (NARROW**2 / (NARROW**2 + square) * (1.0 - square / WIDE)) ** 2
            weights += weight
            powers[0], powers[1] = down, across
            powers[2], powers[3], powers[4] = down * down, down * across, across * across
            for p in range(TERMS):
                scaled = weight * powers[p]
                for q in range(p + 1):
                    normal[p, q] += scaled * powers[q]
                for c in range(channels):
                    right[p, c] += scaled * image[a, b, c]
    return weights, count / 16.0


@kernel
def fit_pixel(images, maps, places, index, i, j, d, pose, link, step, close, powers, normal, right):
    """Colours [C] of the surface through the samples around pixel (i, j), in the last row of `right`.

    Returns how far several views contribute, 0 … 1: 0 if one does, or if samples lie on other surfaces.
    """
    ray_y = pose.dy - pose.nearer * (i - pose.cy) / pose.zoom
    ray_x = pose.dx - pose.nearer * (j - pose.cx) / pose.zoom
    nearest = np.inf
    for v in range(len(places)):
        nearest = min(nearest, (places[v, 0] - ray_y) ** 2 + (places[v, 1] - ray_x) ** 2)
    soft = (close * step) ** 2
    farthest = (nearest + soft) / np.sqrt(LEAST) - soft
    normal[:], right[:], powers[TERMS - 1] = 0.0, 0.0, 1.0
    total, squares, on_it, weights = 0.0, 0.0, 0.0, 0.0
    for v in range(len(places)):
        square = (places[v, 0] - ray_y) ** 2 + (places[v, 1] - ray_x) ** 2
        if square > farthest:
            continue
        y, x = origin(i, j, d, places[v, 0], places[v, 1], pose)
        near = ((nearest + soft) / (square + soft)) ** 2
        image = images[index[v, 0], index[v, 1]]
        added, share = add_view(image, maps[v], y, x, d, link, near, powers, normal, right)
        weights, on_it = weights + added, on_it + near * share
        total, squares = total + near, squares + near * near
    if on_it < ON_SURFACE * total:
        return 0.0
    for p in range(TERMS):
        for q in range(p):
            normal[q, p] = normal[p, q]
        if p < TERMS - 1:
            normal[p, p] += RIDGE * weights
    eliminate(normal, right)
    return min(total * total / squares - 1.0, 1.0)


@task
def fit_rows(begin, end, images, maps, places, index, target, pose, link, step, close, noise, out):
    """Move the colours in rows begin … end − 1 of a blended picture `out` [H, W, C] to the fitted surface.

    Arguments are those of `blend_rows`, and `noise`, the variance of a sample. Where both colours differ by less, the
    blended one stays: it averages more samples.
    """
    channels = out.shape[2]
    powers, normal, right = np.empty(TERMS), np.empty((TERMS, TERMS)), np.empty((TERMS, channels))
    for i in range(begin, end):
        for j in range(out.shape[1]):
            d = np.float64(target[i, j])
            several = fit_pixel(images, maps, places, index, i, j, d, pose, link, step, close, powers, normal, right)
            if several == 0.0:
                continue
            apart = 0.0
            for c in range(channels):
                apart += (right[TERMS - 1, c] - out[i, j, c]) ** 2 / channels
            if apart == 0.0:
                continue
            share = several * apart / (apart + noise)
            for c in range(channels):
                out[i, j, c] += share * (right[TERMS - 1, c] - out[i, j, c])
