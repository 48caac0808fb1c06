"""One sweep over all pixels in raster order (§ VI), on all cores, with the result of one.

Pixels are visited as if one after the other: workers take rows in turn and run them in blocks, each row
`lag` blocks behind the row before it, so that at any time all that a pixel reads is either finished or
untouched. Which rows run side by side does not matter, and so neither does the number of workers.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, publish, task, wait_load
from ioadr.cost.occlusion import count_visible, data_cost, in_the_open
from ioadr.cost.total import cost_terms, current_data_cost, smoothed_around, smoothness
from ioadr.solver.candidates import MOST, propose

BLOCK = 8
"""px."""
PATIENCE = 20_000
"""Looks at another row's progress before a worker gives its core away for a moment."""


@kernel
def acceptance_limit(j_old, temperature, chance):
    """What replaces j_old costs less than this (Eq. 37): a higher cost j with probability exp((j_old − j)/T)."""
    return j_old - temperature * np.log(chance) if temperature > 0 else j_old


@kernel
def best_candidate(model, state, n, m, limit, back, candidates, count, hidden, found):
    """(disparity, cost, data term) of the cheapest candidate that costs less than `limit`, or NaN, limit, NaN.

    A candidate is costed no further than needed to know that it is not the one, smoothness first.
    """
    d_best, j_best, data_best = np.float32(np.nan), limit, np.float32(np.nan)
    for c in range(count):
        d = candidates[c]
        seen = False
        for e in range(c):
            seen = seen or candidates[e] == d
        if seen:
            continue
        smooth = smoothness(model, state, n, m, d, back)
        rest = j_best - smooth
        if rest > 0:
            data = data_cost(model.rays, model.occluders, model.data, n, m, d, hidden, found)
            if data < rest:
                d_best, j_best, data_best = d, data + smooth, data
    return d_best, j_best, data_best


@kernel
def visit(model, heuristics, state, n, m, back, temperature, noise, chance, candidates, hidden, found):
    """Try the candidates of pixel (n, m) and keep or replace its disparity."""
    pad = model.pad
    d = state.disparity[n + pad, m + pad]
    d_smoothed = smoothed_around(model, state, n, m, d) if heuristics.congruence else d
    d_plane = model.planes.plane[n, m] if heuristics.smooth_plane else d
    count = propose(heuristics, state.disparity, n, m, pad, back, d_smoothed, d_plane, noise[n, m], candidates)
    data = current_data_cost(model, state, n, m, d, hidden, found)
    j = data + smoothness(model, state, n, m, d, back)
    limit = acceptance_limit(j, temperature, chance[n, m])
    d_new, j_new, data_new = best_candidate(model, state, n, m, limit, back, candidates, count, hidden, found)
    if not np.isnan(d_new):
        d, j, data = d_new, j_new, data_new
    state.disparity[n + pad, m + pad] = d
    state.cost[n, m] = j
    known = in_the_open(model.rays, model.occluders, model.data, n, m, d)
    state.plain[n, m] = data if known else np.float32(np.nan)


@task
def sweep_share(worker, workers, model, heuristics, state, forward, temperature, noise, chance, lag, done, position):
    """Visit rows worker, worker + workers, …; returns False if it waited long for another worker: call it again.

    noise, chance float32 [N, M]; done int64 [N]: blocks finished in each row (in visiting order);
    position int64 [2, workers]: where to go on. lag·BLOCK px must exceed what a pixel reads around it by BLOCK.
    """
    height, width = state.cost.shape
    blocks = (width + BLOCK - 1) // BLOCK
    back = -1 if forward else 1
    candidates = np.empty(MOST, np.float32)
    hidden = np.empty((model.rays.dy.size + 63) // 64, np.uint64)
    found = np.empty(model.occluders.levels.shape[2], np.uint64)
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
                visit(model, heuristics, state, n, m, back, temperature, noise, chance, candidates, hidden, found)
            publish(done, row, block + 1)
        position[1, worker] = 0
    return True


@task
def final_costs(begin, end, model, state, back, terms, visible):
    """Cost terms [T, N, M] of rows begin … end − 1 as they are, and the number of views that see each pixel [N, M]."""
    width = state.cost.shape[1]
    pad = model.pad
    hidden = np.empty((model.rays.dy.size + 63) // 64, np.uint64)
    found = np.empty(model.occluders.levels.shape[2], np.uint64)
    for n in range(begin, end):
        for m in range(width):
            d = state.disparity[n + pad, m + pad]
            data = current_data_cost(model, state, n, m, d, hidden, found)
            cost_terms(model, state, n, m, d, back, data, terms[:, n, m])
            visible[n, m] = count_visible(model.rays, model.occluders, model.data, n, m, d, hidden, found)
