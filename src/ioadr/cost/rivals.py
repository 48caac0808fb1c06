"""Costs of rival disparities of a pixel, compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.cost.occlusion import cost_and_visible, data_cost
from ioadr.cost.views import views_around

LARGEST = np.float32(3.0)
"""Margin without a rival, and the largest value that is stored."""


@kernel
def margin_of(model, n, m, own, rival, views):
    """(cost of the rival disparity − own cost) / (own cost + 1 grey level), at most `LARGEST`."""
    unit = own + np.float32(1.0)
    cost = data_cost(model.rays, model.occluders, model.data, n, m, rival, own + LARGEST * unit, views)
    return min((cost - own) / unit, LARGEST)


@task
def rival_margins(begin, end, model, disparity, own, highest, lowest, distinct, margins):
    """Fill rows begin … end − 1 of float32 [K, N, M] with the cheaper rival's margin, for K sizes of neighbourhood.

    own float32 [N, M]: cost of the map. The rivals are the highest and lowest disparities float32 [K, N, M], if
    they differ from the map by more than `distinct` px. A rival is not costed again if the next size gives the same.
    """
    views = views_around(model.rays, model.occluders)
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            d = disparity[n, m]
            above, below = LARGEST, LARGEST
            for k in range(len(margins)):
                nearer, farther = highest[k, n, m], lowest[k, n, m]
                if nearer - d > distinct and (k == 0 or nearer != highest[k - 1, n, m]):
                    above = margin_of(model, n, m, own[n, m], nearer, views)
                if d - farther > distinct and (k == 0 or farther != lowest[k - 1, n, m]):
                    below = margin_of(model, n, m, own[n, m], farther, views)
                margins[k, n, m] = min(above, below)


@task
def costs_at(begin, end, model, rows, columns, disparity, costs):
    """Data term of pixels begin … end − 1 of the list (rows [P], columns [P]) with disparity float32 [P]."""
    views = views_around(model.rays, model.occluders)
    for i in range(begin, end):
        costs[i] = cost_and_visible(model.rays, model.occluders, model.data, rows[i], columns[i], disparity[i], views)[
            0
        ]
