"""What hypotheses of one pixel cost, in compiled form: the sweeps' own cost terms over many disparities."""

from __future__ import annotations

import numpy as np

from ioadr._jit import task
from ioadr.cost.occlusion import data_cost
from ioadr.cost.total import cost_terms


@task
def cost_curve(model, plain, state, n, m, disparities, back, terms):
    """All terms and J_PD of each disparity [D] at (n, m), grey levels: terms float32 [T + 1, D].

    plain: the data weights with every view visible.
    """
    hidden = np.empty((model.rays.dy.size + 63) // 64, np.uint64)
    found = np.empty(model.occluders.levels.shape[2], np.uint64)
    for i in range(disparities.size):
        d = disparities[i]
        data = data_cost(model.rays, model.occluders, model.data, n, m, d, hidden, found)
        cost_terms(model, state, n, m, d, back, data, terms[:-1, i])
        terms[-1, i] = data_cost(model.rays, model.occluders, plain, n, m, d, hidden, found)
