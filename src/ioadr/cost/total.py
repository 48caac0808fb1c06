"""J = J_oa + λ J_coc + γ J_pg (Eq. 20), and what a pixel's hypotheses are measured against."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel
from ioadr.cost.congruence import congruence_cost, smoothed
from ioadr.cost.occlusion import data_cost, in_the_open
from ioadr.cost.planar import planar_cost


class Model(NamedTuple):
    """Everything that the cost of a hypothesis depends on, but for the map itself."""

    rays: Any
    guide: Any
    """uint32 [N + 2·pad, M + 2·pad], packed reference view, MISSING outside."""
    pad: Any
    occluders: Any
    planes: Any
    data: Any
    congruence: Any
    congruence_weight: Any
    """λ of this sweep."""
    planar_weight: Any
    """γ of this sweep."""


class State(NamedTuple):
    """The map, and what it costs: what sweeps change."""

    disparity: Any
    """float32 [N + 2·pad, M + 2·pad], edges replicated."""
    cost: Any
    """float32 [N, M], cost of the accepted value."""
    plain: Any
    """float32 [N, M], J_PD of the map's value where a sweep found it in the open; NaN where it is not known."""


@kernel
def smoothed_around(model, state, n, m, d):
    """d_s of (n, m) for hypothesis d: neighbours count by their likeness to it in colour and disparity."""
    centre = (n + model.pad) * state.disparity.shape[1] + m + model.pad
    return smoothed(state.disparity.reshape(-1), model.guide.reshape(-1), model.congruence, centre, d, state.cost[n, m])


@kernel
def current_data_cost(model, state, n, m, d, hidden, found):
    """J_oa of the map's value d at (n, m); where it depends on the views alone, as a sweep found it."""
    known = state.plain[n, m]
    if not np.isnan(known) and in_the_open(model.rays, model.occluders, model.data, n, m, d):
        return known
    return data_cost(model.rays, model.occluders, model.data, n, m, d, hidden, found)


@kernel
def smoothness_terms(model, state, n, m, d, back):
    """(λ J_coc, γ J_pg) of hypothesis d at (n, m), grey levels."""
    congruence = np.float32(0.0)
    if model.congruence_weight > 0:
        congruence = model.congruence_weight * congruence_cost(d, smoothed_around(model, state, n, m, d))
    planar = np.float32(0.0)
    if model.planar_weight > 0:
        planar = model.planar_weight * planar_cost(state.disparity, n, m, d, model.pad, back, model.planes)
    return congruence, planar


@kernel
def cost_terms(model, state, n, m, d, back, hidden, found):
    """(J_oa, λ J_coc, γ J_pg) of hypothesis d at (n, m), grey levels."""
    data = data_cost(model.rays, model.occluders, model.data, n, m, d, hidden, found)
    congruence, planar = smoothness_terms(model, state, n, m, d, back)
    return data, congruence, planar
