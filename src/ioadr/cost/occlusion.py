"""Photo-consistency of a hypothesis: J_PD (Eqs. 11, 12) and the occlusion-aware J_oa (Eqs. 21, 22, Algorithm 1).

Visibility is taken from a snapshot of the map. One bit per level and 8×8 tile records which disparities occur near a
pixel, so that Algorithm 1 tests only levels that exist. If no nearer surface is in reach (`ceiling`), every view
counts as visible and the search is skipped. Decision 7 compares this with the literal algorithm.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel
from ioadr._lanes import (
    WIDTH,
    among,
    as_floats,
    below,
    bits_set,
    gather_pairs,
    largest,
    load,
    magnitude,
    smallest,
    splat,
    total,
    truncated,
)
from ioadr.cost.views import hide_none
from ioadr.geometry.ppp import LEVELS, all_inside, bilinear_weights, occluder_origin, project, sample_lanes, unpack

TILE = 8
"""Side of a tile, px; 4 px would save a tenth of the time, but miss occluders."""
FOOTPRINT = np.float32(2.0)
"""Largest distance, px, between an occluder and a sample that it hides: half a view's shift, but no more than this."""
GROUPS = 2
"""Groups of views after which a sum that is too large already is abandoned."""
FAR = np.float32(1e6)
"""Distance added per px outside the image, where there are no occluders."""


class Occluders(NamedTuple):
    """Potential occluders: a snapshot of the map and its summaries."""

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
    """float32: 1 if the map is read with the hypothesis at its own pixel, 0 if unchanged."""


class DataWeights(NamedTuple):
    """Parameters of the data term."""

    occlusion_aware: Any
    plain_when_cheaper: Any
    min_visible: Any
    """J_PD is used if fewer views than this see the point."""
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
    """Whether every view contains the sample of (n0, m0, d) and no nearer surface is in reach, so that J_oa = J_PD."""
    open_sky = not weights.occlusion_aware or d + weights.margin >= occluders.ceiling[n0, m0]
    return open_sky and all_inside(rays, n0, m0, d, weights.bounds)


@kernel
def lane_deviations(rays, views, g, n0, m0, y, x):
    """|colour − reference| of the sixteen views of group g, summed over the channels, in quarters of a grey level."""
    red0, green0, blue0 = unpack(rays.samples[rays.reference * rays.view_stride + n0 * rays.row_stride + m0])
    red, green, blue = sample_lanes(rays, load(views.start, g * WIDTH), y, x)
    return magnitude(red - red0) + magnitude(green - green0) + magnitude(blue - blue0)


@kernel
def pixel_deviation(rays, views, n0, m0, d, weights, rest):
    """J_PD in grey levels if all samples lie inside the views; above `rest`, it stops and returns the cost so far."""
    unit = np.float32(3.0 * LEVELS) * max(np.float32(rays.dy.size) - weights.uncounted, np.float32(1.0))
    sums = splat(np.float32(0.0))
    for g in range(views.hidden.size):
        y, x = project(n0, m0, d, load(views.dy, g * WIDTH), load(views.dx, g * WIDTH))
        sums = sums + lane_deviations(rays, views, g, n0, m0, y, x)
        if g % GROUPS == GROUPS - 1 and total(sums) >= rest * unit:
            break
    return total(sums) / unit


@kernel
def split_deviation(rays, views, n0, m0, d):
    """Sum of |colour − reference| (grey levels) and number of views: those that contain the sample, those that see it.

    The reference view counts in both, with deviation 0.
    """
    zero = splat(np.float32(0.0))
    bottom, right = splat(np.float32(rays.height - 1)), splat(np.float32(rays.width - 1))
    sums, sums_seen, count, count_seen = zero, zero, np.int32(1), np.int32(1)
    for g in range(views.hidden.size):
        y, x = project(n0, m0, d, load(views.dy, g * WIDTH), load(views.dx, g * WIDTH))
        yc, xc = largest(smallest(y, bottom), zero), largest(smallest(x, right), zero)
        outside = below(zero, magnitude(y - yc) + magnitude(x - xc))
        deviations = lane_deviations(rays, views, g, n0, m0, yc, xc)
        inside = views.used[g] & ~outside
        seen = inside & ~views.hidden[g]
        sums, sums_seen = sums + among(inside, deviations, zero), sums_seen + among(seen, deviations, zero)
        count, count_seen = count + bits_set(inside), count_seen + bits_set(seen)
    scale = np.float32(1.0 / (3.0 * LEVELS))
    return total(sums) * scale, np.float32(count), total(sums_seen) * scale, np.float32(count_seen)


@kernel
def levels_in_reach(occluders, n0, m0, d, margin, found):
    """Set the bits of levels that may hide (n0, m0) in a view, `found` uint64 [words]; returns whether any is set."""
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
def hidden_by(rays, occluders, views, g, n0, m0, d, d_occluder):
    """Algorithm 1, steps iv.a–c, for one d_occluder and the sixteen views of group g: a bit for each view it hides.

    With `written`, the map has the hypothesis d at (n0, m0), so that the pixel cannot hide itself.
    """
    zero, one = splat(np.float32(0.0)), splat(np.float32(1.0))
    bottom, right = splat(np.float32(rays.height - 1)), splat(np.float32(rays.width - 1))
    stride = np.int32(occluders.surface.shape[1])
    step = d_occluder - d
    dy, dx = load(views.dy, g * WIDTH), load(views.dx, g * WIDTH)
    y, x = occluder_origin(n0, m0, d, d_occluder, dy, dx)
    yc, xc = largest(smallest(y, bottom), zero), largest(smallest(x, right), zero)
    iy, ix = truncated(yc), truncated(xc)
    w00, w01, w10, w11 = bilinear_weights(yc - as_floats(iy), xc - as_floats(ix))
    base = iy * stride + ix
    d00, d01 = gather_pairs(occluders.surface, base)
    d10, d11 = gather_pairs(occluders.surface, base + stride)
    own = largest(one - magnitude(step * dy), zero) * largest(one - magnitude(step * dx), zero)
    change = occluders.written * (d - occluders.surface[n0, m0])
    nearest = w00 * d00 + w01 * d01 + w10 * d10 + w11 * d11 + own * change
    miss = load(views.reach, g * WIDTH) * magnitude(nearest - d_occluder)
    miss = miss + FAR * (magnitude(y - yc) + magnitude(x - xc))
    return below(miss, smallest((nearest - d) * np.float32(0.5), splat(FOOTPRINT)))


@kernel
def find_hidden(rays, occluders, n0, m0, d, margin, views):
    """Algorithm 1: mark the views in which a nearer surface hides (n0, m0, d); returns whether one was in reach."""
    hide_none(views)
    if d + margin >= occluders.ceiling[n0, m0] or not levels_in_reach(occluders, n0, m0, d, margin, views.found):
        return False
    # Tried: groups outside and levels inside, no gain; a z-buffer per view, a tenth of the time, but it loses accuracy
    # at the lattice of boxes (decision 7).
    for f in range(views.found.size):
        bits = views.found[f]
        level = occluders.first + 64 * f
        while bits != 0:
            d_occluder = np.float32(level * occluders.step)
            if bits & np.uint64(1) and d_occluder > d:
                for g in range(views.hidden.size):
                    views.hidden[g] |= views.used[g] & hidden_by(rays, occluders, views, g, n0, m0, d, d_occluder)
            bits >>= np.uint64(1)
            level += 1
    return True


@kernel
def seen_cost(rays, occluders, weights, n0, m0, d, views):
    """J_oa of disparity d at (n0, m0), in grey levels, and the number of views that see it; any view may be hidden."""
    hide_none(views)
    near = weights.occlusion_aware and find_hidden(rays, occluders, n0, m0, d, weights.margin, views)
    sums, count, sums_seen, count_seen = split_deviation(rays, views, n0, m0, d)
    plain = sums / max(count - weights.uncounted, np.float32(1.0))
    if not near or count_seen < weights.min_visible:
        return plain, count_seen
    aware = sums_seen / max(count_seen - weights.uncounted, np.float32(1.0))
    return (min(plain, aware) if weights.plain_when_cheaper else aware), count_seen


@kernel
def cost_and_visible(rays, occluders, weights, n0, m0, d, views):
    """J_oa (or J_PD) of disparity d at (n0, m0) in grey levels, and the number of views that see it."""
    if in_the_open(rays, occluders, weights, n0, m0, d):
        return pixel_deviation(rays, views, n0, m0, d, weights, np.float32(np.inf)), np.float32(rays.dy.size)
    return seen_cost(rays, occluders, weights, n0, m0, d, views)


@kernel
def data_cost(rays, occluders, weights, n0, m0, d, rest, views):
    """J_oa (or J_PD) of disparity d at (n0, m0) in grey levels; a cost above `rest` may be incomplete."""
    if in_the_open(rays, occluders, weights, n0, m0, d):
        return pixel_deviation(rays, views, n0, m0, d, weights, rest)
    return seen_cost(rays, occluders, weights, n0, m0, d, views)[0]


@kernel
def summarise_levels(begin, end, disparity, first, step, levels):
    """Record the levels that occur in tile rows begin … end − 1 in `levels` (zeroed, uint64 [N/8, M/8, words])."""
    height, width = disparity.shape
    for ty in range(begin, end):
        for n in range(ty * TILE, min(ty * TILE + TILE, height)):
            for m in range(width):
                bit = level_of(disparity[n, m], step) - first
                levels[ty, m // TILE, bit // 64] |= np.uint64(1) << np.uint64(bit % 64)


@kernel
def raise_ceiling(disparity, slope, written, cone, ceiling):
    """Ceiling over every pixel: the map, falling off by `slope` per px of distance.

    If hypotheses are `written` into the map (1, else 0), the pixel itself is left out. Computed in two passes of a
    chamfer transform with Chebyshev distance, which is exact; cone is scratch memory [N, M].
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
