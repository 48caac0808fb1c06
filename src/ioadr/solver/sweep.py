"""One sweep over all pixels in raster order (§ VI), on all cores, with the same result as on one.

The result is as if pixels were visited one by one: workers take rows in turn and process them in blocks, each row
`lag` blocks behind the row before it, so that everything a pixel reads is either finished or untouched. The result does
not depend on the number of workers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel, publish, task, wait_load
from ioadr.cost.congruence import neighbours_around
from ioadr.cost.occlusion import cost_and_visible, data_cost, in_the_open
from ioadr.cost.total import (
    congruence_weight,
    cost_terms,
    look_around_pixel,
    smoothed_around,
    smoothed_for_cost,
    smoothness,
)
from ioadr.cost.views import views_around
from ioadr.solver.candidates import MOST, propose

BLOCK = 8
"""Length of a block of pixels of a row, px."""
BINS = np.float32(256.0)
"""Data terms per px: sweeps round the disparities at which they compare the views; 100 were too few (decision 7)."""
PATIENCE = 20_000
"""Checks of another row's progress before a worker yields its core."""


@kernel
def acceptance_limit(j_old, temperature, chance):
    """Cost limit for replacing j_old (Eq. 37): a higher cost j is accepted with probability exp((j_old − j)/T)."""
    return j_old - temperature * np.log(chance) if temperature > 0 else j_old


class Scratch(NamedTuple):
    """A worker's scratch memory."""

    views: Any
    near: Any
    candidates: Any
    """float32 [MOST]."""
    bins: Any
    """float32 [1 + MOST]: rounded disparities whose data term is known."""
    data: Any
    """float32 [1 + MOST]: those data terms, grey levels."""
    asked: Any
    """float32 [1 + MOST]: limit above which a data term may be incomplete."""


@task
def scratch_for(model):
    """Allocate the scratch memory of a worker."""
    return Scratch(
        views_around(model.rays, model.occluders),
        neighbours_around(model.congruence),
        np.empty(MOST, np.float32),
        np.empty(1 + MOST, np.float32),
        np.empty(1 + MOST, np.float32),
        np.empty(1 + MOST, np.float32),
    )


@kernel
def nearest_bin(d):
    """The disparity, px, whose data term is used for d."""
    return np.floor(d * BINS + np.float32(0.5)) / BINS


@kernel
def current_data_cost(model, state, n, m, d, views):
    """Data term of the map's value d at (n, m); reused from the last sweep if it depends on the views only."""
    known, fine = state.plain[n, m], nearest_bin(d)
    if not np.isnan(known) and in_the_open(model.rays, model.occluders, model.data, n, m, fine):
        return known
    return data_cost(model.rays, model.occluders, model.data, n, m, fine, np.float32(np.inf), views)


@kernel
def data_below(model, n, m, d, rest, known, scratch):
    """(data term of d at (n, m), number of cached terms); each bin is costed once. Complete if below `rest`."""
    fine, at = nearest_bin(d), known
    for e in range(known):
        if scratch.bins[e] == fine:
            at = e
    asked = at < known and (scratch.data[at] < scratch.asked[at] or scratch.data[at] >= rest)
    if not asked:
        data = data_cost(model.rays, model.occluders, model.data, n, m, fine, rest, scratch.views)
        scratch.bins[at], scratch.data[at], scratch.asked[at] = fine, data, rest
    return scratch.data[at], max(known, at + 1)


@kernel
def best_candidate(model, state, n, m, limit, back, count, scratch):
    """(disparity, cost, data term) of the cheapest candidate below `limit`; (NaN, limit, NaN) if there is none.

    Costing stops, smoothness first, as soon as a candidate cannot win.
    """
    d_best, j_best, data_best, known = np.float32(np.nan), limit, np.float32(np.nan), 1
    for c in range(count):
        d = scratch.candidates[c]
        seen = False
        for e in range(c):
            seen = seen or scratch.candidates[e] == d
        if seen:
            continue
        smooth = smoothness(model, state, n, m, d, smoothed_for_cost(model, state, n, m, d, scratch.near), back)
        rest = j_best - smooth
        if rest > 0:
            data, known = data_below(model, n, m, d, rest, known, scratch)
            if data < rest:
                d_best, j_best, data_best = d, data + smooth, data
    return d_best, j_best, data_best


@kernel
def visit(model, heuristics, state, n, m, back, temperature, noise, chance, scratch):
    """Try the candidates of pixel (n, m) and keep or replace its disparity."""
    pad, near = model.pad, scratch.near
    d = state.disparity[n + pad, m + pad]
    d_smoothed = d
    if heuristics.congruence or congruence_weight(model, n, m) > 0:
        look_around_pixel(model, state, n, m, near)
        d_smoothed = smoothed_around(model, state, n, m, d, near)
    d_plane = model.planes.plane[n, m] if heuristics.smooth_plane else d
    count = propose(heuristics, state.disparity, n, m, pad, back, d_smoothed, d_plane, noise[n, m], scratch.candidates)
    data = current_data_cost(model, state, n, m, d, scratch.views)
    scratch.bins[0], scratch.data[0], scratch.asked[0] = nearest_bin(d), data, np.float32(np.inf)
    j = data + smoothness(model, state, n, m, d, d_smoothed, back)
    limit = acceptance_limit(j, temperature, chance[n, m])
    d_new, j_new, data_new = best_candidate(model, state, n, m, limit, back, count, scratch)
    if not np.isnan(d_new):
        d, j, data = d_new, j_new, data_new
    state.disparity[n + pad, m + pad] = d
    state.cost[n, m] = j
    known = in_the_open(model.rays, model.occluders, model.data, n, m, nearest_bin(d))
    state.plain[n, m] = data if known else np.float32(np.nan)


@task
def sweep_share(worker, workers, model, heuristics, state, forward, temperature, noise, chance, lag, done, position):
    """Visit rows worker, worker + workers, …; returns False if it waited long for another worker: call it again.

    noise, chance float32 [N, M]; done int64 [N]: blocks finished in each row (in visiting order); position int64
    [2, workers]: where to continue. lag·BLOCK px must exceed the distance at which a pixel reads others by BLOCK.
    """
    height, width = state.cost.shape
    blocks = (width + BLOCK - 1) // BLOCK
    back = -1 if forward else 1
    scratch = scratch_for(model)
    # Tried: a checkerboard, which needs no waiting; normals are less accurate (decision 7).
    for row in range(position[0, worker], height, workers):
        n = row if forward else height - 1 - row
        for block in range(position[1, worker], blocks):
            spins = 0
            while row > 0 and wait_load(done, row - 1, 0) < min(block + lag, blocks):
                spins += 1
                if spins > PATIENCE:
                    position[0, worker], position[1, worker] = row, block
                    return False
            for c in range(block * BLOCK, min(block * BLOCK + BLOCK, width)):
                m = c if forward else width - 1 - c
                visit(model, heuristics, state, n, m, back, temperature, noise, chance, scratch)
            publish(done, row, block + 1)
        position[1, worker] = 0
    return True


@task
def final_costs(begin, end, model, state, back, terms, visible):
    """Fill rows begin … end − 1 of the current map's cost terms [T, N, M] and its numbers of visible views [N, M]."""
    width = state.cost.shape[1]
    pad = model.pad
    views, near = views_around(model.rays, model.occluders), neighbours_around(model.congruence)
    for n in range(begin, end):
        for m in range(width):
            d = state.disparity[n + pad, m + pad]
            data, visible[n, m] = cost_and_visible(model.rays, model.occluders, model.data, n, m, d, views)
            look_around_pixel(model, state, n, m, near)
            cost_terms(model, state, n, m, d, back, data, near, terms[:, n, m])
