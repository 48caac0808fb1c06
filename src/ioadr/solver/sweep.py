"""One sweep over all pixels in raster order (§ VI), on all cores, with the result of one.

Pixels are visited as if one after the other: workers take rows in turn and run them in blocks, each row
`lag` blocks behind the row before it, so that at any time all that a pixel reads is either finished or
untouched. Which rows run side by side does not matter, and so neither does the number of workers.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, publish, task, wait_load
from ioadr.cost.occlusion import count_visible
from ioadr.cost.total import cost_terms, smoothed_around, total_cost
from ioadr.solver.candidates import MOST, propose

BLOCK = 8
"""px."""
PATIENCE = 20_000
"""Looks at another row's progress before a worker gives its core away for a moment."""


@kernel
def best_candidate(model, state, n, m, d_old, j_old, back, candidates, count, hidden, found):
    """Cheapest of the candidates and its cost; those equal to one already costed are not costed again."""
    d_best, j_best = d_old, np.float32(np.inf)
    for c in range(count):
        d = candidates[c]
        seen = False
        for e in range(c):
            seen = seen or candidates[e] == d
        if seen:
            continue
        j = j_old if d == d_old else total_cost(model, state, n, m, d, back, hidden, found)
        if j < j_best:
            d_best, j_best = d, j
    return d_best, j_best


@kernel
def accepted(j_old, j_new, temperature, chance):
    """Annealed acceptance (Eq. 37): always if cheaper, else with probability exp((J_old − J_new)/T)."""
    if j_new <= j_old:
        return True
    return temperature > 0 and chance < np.exp((j_old - j_new) / temperature)


@kernel
def visit(model, heuristics, state, n, m, back, temperature, noise, chance, candidates, hidden, found):
    """Try the candidates of pixel (n, m) and keep or replace its disparity."""
    pad = model.pad
    d_old = state.disparity[n + pad, m + pad]
    d_smoothed = smoothed_around(model, state, n, m, d_old) if heuristics.congruence else d_old
    d_plane = model.planes.plane[n, m] if heuristics.smooth_plane else d_old
    count = propose(heuristics, state.disparity, n, m, pad, back, d_smoothed, d_plane, noise[n, m], candidates)
    j_old = total_cost(model, state, n, m, d_old, back, hidden, found)
    d_new, j_new = best_candidate(model, state, n, m, d_old, j_old, back, candidates, count, hidden, found)
    if count > 0 and accepted(j_old, j_new, temperature, chance[n, m]):
        state.disparity[n + pad, m + pad] = d_new
        state.cost[n, m] = j_new
    else:
        state.cost[n, m] = j_old


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
    """Cost terms [3, N, M] of rows begin … end − 1 as they are, and the number of views that see each pixel [N, M]."""
    width = state.cost.shape[1]
    pad = model.pad
    hidden = np.empty((model.rays.dy.size + 63) // 64, np.uint64)
    found = np.empty(model.occluders.levels.shape[2], np.uint64)
    for n in range(begin, end):
        for m in range(width):
            d = state.disparity[n + pad, m + pad]
            data, congruence, planar = cost_terms(model, state, n, m, d, back, hidden, found)
            terms[0, n, m], terms[1, n, m], terms[2, n, m] = data, congruence, planar
            visible[n, m] = count_visible(model.rays, model.occluders, model.data, n, m, d, hidden, found)
