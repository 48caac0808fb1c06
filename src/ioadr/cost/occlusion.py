"""Photo-consistency of a hypothesis: J_PD (Eqs. 11, 12) and the occlusion-aware J_oa (Eqs. 21, 22, Algorithm 1).

Visibility is taken from a snapshot of the map. Which disparities occur near a pixel is kept as one bit
per level and 8×8 tile, so that Algorithm 1 tests only levels that exist; where no nearer surface is in
reach (`ceiling`), every view counts as visible and the search is skipped; how near that comes to the
literal algorithm is in decision 7.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import fetch, kernel
from ioadr.geometry.ppp import LEVELS, all_inside, bilinear_weights, occluder_origin, project, sample, unpack

TILE = 8
"""px, side of the squares whose levels are kept together; 4 px would save a tenth of the time, with fewer occluders."""
FOOTPRINT = np.float32(2.0)
"""px by which an occluder may miss the sample it hides: half a view's shift, but no more than this."""
FAR = np.float32(1e6)
"""px; weight of a miss beyond the image, where nothing can hide anything."""


class Occluders(NamedTuple):
    """What may hide what: a snapshot of the map and its summaries."""

    surface: Any
    """float32 [N + 1, M + 1], the map, last row and column repeated."""
    ceiling: Any
    """float32 [N, M]: hypotheses at or above it have no occluder in reach."""
    levels: Any
    """uint64 [N/8, M/8, words]: bit j of a tile says that level `first + j` occurs in it."""
    first: Any
    """Index of the lowest level; level i is the disparity i·step."""
    step: Any
    reach: Any
    """Largest view offset plus half a view."""
    maximum: Any
    """Upper end of the disparity range."""
    written: Any
    """float32: 1 if the map is read with the hypothesis in place at its own pixel, 0 if as it is."""


class DataWeights(NamedTuple):
    """Numbers of the data term."""

    occlusion_aware: Any
    plain_when_cheaper: Any
    min_visible: Any
    """Views below which J_PD is used."""
    margin: Any
    uncounted: Any
    """Subtracted from the number of views: 1 leaves the reference view out."""
    bounds: Any
    """(min dy, max dy, min dx, max dx)."""


@kernel
def level_of(d, step):
    """Index of the multiple of `step` to which d is truncated towards zero."""
    return np.int64(np.trunc(d / step + np.copysign(1e-4, d)))


@kernel
def in_the_open(rays, occluders, weights, n0, m0, d):
    """Whether every view holds the sample of (n0, m0, d) and no nearer surface is in reach: J_oa is J_PD then."""
    open_sky = not weights.occlusion_aware or d + weights.margin >= occluders.ceiling[n0, m0]
    return open_sky and all_inside(rays, n0, m0, d, weights.bounds)


@kernel
def pixel_deviation(rays, n0, m0, d, weights):
    """J_PD in grey levels where all views lie inside the image."""
    base = rays.reference * rays.view_stride + n0 * rays.row_stride + m0
    red0, green0, blue0 = unpack(rays.samples[base])
    total = np.float32(0.0)
    # Tried: blocks of views that stop once the sum reaches the best cost; 383 instead of 273 ns (decision 7).
    for v in range(rays.dy.size):
        y, x = project(n0, m0, d, rays.dy[v], rays.dx[v])
        red, green, blue = sample(rays, np.int32(v), y, x)
        total += abs(red - red0) + abs(green - green0) + abs(blue - blue0)
    return total / (np.float32(3.0 * LEVELS) * np.float32(rays.dy.size - weights.uncounted))


@kernel
def split_deviation(rays, n0, m0, d, hidden):
    """Sum of |colour − reference| (grey levels) and number of views: of all inside the image, and of those not hidden.

    hidden uint64 [V/64]: bit v % 64 of word v // 64 is set where view v does not see the point. Loops here only read
    and add up, because a store beside scattered reads would keep them from being vectorised.
    """
    base = rays.reference * rays.view_stride + n0 * rays.row_stride + m0
    red0, green0, blue0 = unpack(rays.samples[base])
    bottom, right = np.float32(rays.height - 1), np.float32(rays.width - 1)
    total, count, total_seen, count_seen = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for w in range(hidden.size):
        bits = hidden[w]
        for v in range(64 * w, min(64 * w + 64, rays.dy.size)):
            y, x = project(n0, m0, d, rays.dy[v], rays.dx[v])
            yc, xc = min(max(y, np.float32(0.0)), bottom), min(max(x, np.float32(0.0)), right)
            inside = np.float32(0.0) if abs(y - yc) + abs(x - xc) > 0 else np.float32(1.0)
            red, green, blue = sample(rays, np.int32(v), yc, xc)
            deviation = inside * (abs(red - red0) + abs(green - green0) + abs(blue - blue0))
            seen = np.float32(0.0) if (bits >> np.uint64(v - 64 * w)) & np.uint64(1) else np.float32(1.0)
            total += deviation
            count += inside
            total_seen += seen * deviation
            count_seen += seen * inside
    scale = np.float32(1.0 / (3.0 * LEVELS))
    return total * scale, count, total_seen * scale, count_seen


@kernel
def levels_in_reach(occluders, n0, m0, d, margin, found):
    """Set in `found` (uint64 words) the levels that occur near enough to (n0, m0) to hide a view; returns if any."""
    radius = np.int64((occluders.maximum - d) * occluders.reach)
    rows, columns, words = occluders.levels.shape
    top, bottom = max(n0 - radius, 0) // TILE, min((n0 + radius) // TILE, rows - 1)
    left, right = max(m0 - radius, 0) // TILE, min((m0 + radius) // TILE, columns - 1)
    for w in range(words):
        found[w] = np.uint64(0)
    for ty in range(top, bottom + 1):
        dy = max(ty * TILE - n0, n0 - ty * TILE - (TILE - 1), 0)
        for tx in range(left, right + 1):
            dx = max(tx * TILE - m0, m0 - tx * TILE - (TILE - 1), 0)
            lowest = d + max(margin, np.float32(max(dy, dx) - 1) / occluders.reach)
            bit = max(level_of(lowest, occluders.step) - occluders.first, 0)
            word = bit // 64
            if word < words:
                found[word] |= occluders.levels[ty, tx, word] & (~np.uint64(0) << np.uint64(bit % 64))
                for w in range(word + 1, words):
                    found[w] |= occluders.levels[ty, tx, w]
    anything = np.uint64(0)
    for w in range(words):
        anything |= found[w]
    return anything != 0


@kernel
def hidden_by(rays, occluders, n0, m0, d, d_occluder, w):
    """Algorithm 1, steps iv.a–c for one d_occluder and views 64·w … 64·w + 63: the bits of those it hides.

    With `written`, the map is read with the hypothesis d in place at (n0, m0), which then cannot hide itself.
    """
    # Tried: words of 16 or 32 bits; 474–760 instead of 426 ns a level, for folding the bits of a vector (decision 7).
    stride = np.int32(occluders.surface.shape[1])
    surface = occluders.surface.reshape(-1)
    step = d_occluder - d
    change = occluders.written * (d - occluders.surface[n0, m0])
    bottom, right = np.float32(rays.height - 1), np.float32(rays.width - 1)
    bits = np.uint64(0)
    for v in range(64 * w, min(64 * w + 64, rays.dy.size)):
        y, x = occluder_origin(n0, m0, d, d_occluder, rays.dy[v], rays.dx[v])
        yc, xc = min(max(y, np.float32(0.0)), bottom), min(max(x, np.float32(0.0)), right)
        iy, ix = np.int32(yc), np.int32(xc)
        w00, w01, w10, w11 = bilinear_weights(yc - np.float32(iy), xc - np.float32(ix))
        base = np.int32(iy * stride + ix)
        below = np.int32(base + stride)
        nearest = (
            w00 * fetch(surface, base)
            + w01 * fetch(surface, np.int32(base + 1))
            + w10 * fetch(surface, below)
            + w11 * fetch(surface, np.int32(below + 1))
        )
        own_y = max(np.float32(1.0) - abs(step * rays.dy[v]), np.float32(0.0))
        own_x = max(np.float32(1.0) - abs(step * rays.dx[v]), np.float32(0.0))
        nearest += own_y * own_x * change
        miss = rays.reach[v] * abs(nearest - d_occluder) + FAR * (abs(y - yc) + abs(x - xc))
        half_view = min(np.float32(0.5) * (nearest - d), FOOTPRINT)
        hides = np.uint64(1) if miss < half_view else np.uint64(0)
        bits |= hides << np.uint64(v - 64 * w)
    return bits


@kernel
def find_hidden(rays, occluders, n0, m0, d, margin, hidden, found):
    """Algorithm 1: set the bits of all views in which a nearer surface hides (n0, m0, d); returns if one was near."""
    for w in range(hidden.size):
        hidden[w] = np.uint64(0)
    if d + margin >= occluders.ceiling[n0, m0] or not levels_in_reach(occluders, n0, m0, d, margin, found):
        return False
    for f in range(found.size):
        bits = found[f]
        level = occluders.first + 64 * f
        while bits != 0:
            d_occluder = np.float32(level * occluders.step)
            if bits & np.uint64(1) and d_occluder > d:
                for w in range(hidden.size):
                    hidden[w] |= hidden_by(rays, occluders, n0, m0, d, d_occluder, w)
            bits >>= np.uint64(1)
            level += 1
    # Nothing hides the pixel where it was found; rounding of the surface there might say otherwise.
    hidden[rays.reference // 64] &= ~(np.uint64(1) << np.uint64(rays.reference % 64))
    return True


@kernel
def data_cost(rays, occluders, weights, n0, m0, d, hidden, found):
    """J_oa (or J_PD) of disparity d at (n0, m0), grey levels; hidden and found are scratch, uint64 words."""
    if in_the_open(rays, occluders, weights, n0, m0, d):
        return pixel_deviation(rays, n0, m0, d, weights)
    for w in range(hidden.size):
        hidden[w] = np.uint64(0)
    near = weights.occlusion_aware and find_hidden(rays, occluders, n0, m0, d, weights.margin, hidden, found)
    total, count, total_seen, count_seen = split_deviation(rays, n0, m0, d, hidden)
    plain = total / max(count - weights.uncounted, np.float32(1.0))
    if not near or count_seen < weights.min_visible:
        return plain
    aware = total_seen / max(count_seen - weights.uncounted, np.float32(1.0))
    return min(plain, aware) if weights.plain_when_cheaper else aware


@kernel
def count_visible(rays, occluders, weights, n0, m0, d, hidden, found):
    """Views whose image holds the sample of (n0, m0, d) and in which nothing nearer hides it."""
    if in_the_open(rays, occluders, weights, n0, m0, d):
        return np.float32(rays.dy.size)
    for w in range(hidden.size):
        hidden[w] = np.uint64(0)
    if weights.occlusion_aware:
        find_hidden(rays, occluders, n0, m0, d, weights.margin, hidden, found)
    return split_deviation(rays, n0, m0, d, hidden)[3]


@kernel
def summarise_levels(begin, end, disparity, first, step, levels):
    """Fill `levels` (zeroed, uint64 [N/8, M/8, words]) with the levels that occur in tile rows begin … end − 1."""
    height, width = disparity.shape
    for ty in range(begin, end):
        for n in range(ty * TILE, min(ty * TILE + TILE, height)):
            for m in range(width):
                bit = level_of(disparity[n, m], step) - first
                levels[ty, m // TILE, bit // 64] |= np.uint64(1) << np.uint64(bit % 64)


@kernel
def raise_ceiling(disparity, slope, written, cone, ceiling):
    """Ceiling over every pixel: the map, falling off by `slope` per px of distance.

    Where hypotheses are `written` into the map (1, else 0), the pixel itself is left out. Two passes of a
    chamfer transform with Chebyshev distance, which is exact; cone is scratch [N, M].
    """
    height, width = disparity.shape
    for n in range(height):
        for m in range(width):
            best = disparity[n, m]
            if n > 0:
                for j in range(max(m - 1, 0), min(m + 2, width)):
                    best = max(best, cone[n - 1, j] - slope)
            if m > 0:
                best = max(best, cone[n, m - 1] - slope)
            cone[n, m] = best
    for n in range(height - 1, -1, -1):
        for m in range(width - 1, -1, -1):
            best = cone[n, m]
            if n < height - 1:
                for j in range(max(m - 1, 0), min(m + 2, width)):
                    best = max(best, cone[n + 1, j] - slope)
            if m < width - 1:
                best = max(best, cone[n, m + 1] - slope)
            cone[n, m] = best
    for n in range(height):
        for m in range(width):
            best = np.float32(-np.inf) if written else disparity[n, m]
            for i in range(max(n - 1, 0), min(n + 2, height)):
                for j in range(max(m - 1, 0), min(m + 2, width)):
                    if i != n or j != m:
                        best = max(best, cone[i, j] - slope)
            ceiling[n, m] = best
