"""What a pixel would cost with a neighbour's disparity instead of its own, compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import task
from ioadr.cost.occlusion import data_cost

NONE = np.float32(20.0)
"""Margin where there is no rival, and the largest there is."""


@task
def rival_margin(begin, end, model, disparity, highest, lowest, distinct, margin):
    """Rows begin … end − 1: (cost of the cheaper rival − own cost) / (own cost + 1 grey level), at most 20.

    Rivals are the disparities highest and lowest float32 [N, M] where they differ by `distinct` px from the map.
    """
    hidden = np.empty((model.rays.dy.size + 63) // 64, np.uint64)
    found = np.empty(model.occluders.levels.shape[2], np.uint64)
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            d = disparity[n, m]
            margin[n, m] = NONE
            nearer, farther = highest[n, m] - d > distinct, d - lowest[n, m] > distinct
            if nearer or farther:
                own = data_cost(model.rays, model.occluders, model.data, n, m, d, hidden, found)
                rival = np.float32(np.inf)
                if nearer:
                    rival = data_cost(model.rays, model.occluders, model.data, n, m, highest[n, m], hidden, found)
                if farther:
                    other = data_cost(model.rays, model.occluders, model.data, n, m, lowest[n, m], hidden, found)
                    rival = min(rival, other)
                margin[n, m] = min((rival - own) / (own + np.float32(1.0)), NONE)
