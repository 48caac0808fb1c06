"""J = J_oa + λ J_coc + γ J_pg (Eq. 20), and everything it depends on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel
from ioadr.cost.congruence import congruence_cost, look_around, smoothed
from ioadr.cost.planar import planar_cost

TERMS = ("data", "congruence", "planar")
"""The terms of J, in the order of their sum; each is a group of parameters, those beyond the data have a `weight`."""


class Model(NamedTuple):
    """Everything that the cost of a hypothesis depends on, except the map itself.

    A field named after a parameter (`focus_weight`: `focus.weight`) holds its value, unless a sweep sets another.
    """

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
    least_weight: Any
    """float32 [N, M], λ that a pixel has at least."""
    planar_weight: Any
    """γ of this sweep."""


class State(NamedTuple):
    """The map and its cost, which sweeps change."""

    disparity: Any
    """float32 [N + 2·pad, M + 2·pad], edges replicated."""
    cost: Any
    """float32 [N, M], cost of the accepted value."""
    plain: Any
    """float32 [N, M], data term of the map's value where a sweep found it in the open; NaN where it is not known."""


@kernel
def look_around_pixel(model, state, n, m, near):
    """Copy the neighbours of (n, m)."""
    centre = (n + model.pad) * state.disparity.shape[1] + m + model.pad
    look_around(state.disparity, model.guide, model.congruence, centre, near)


@kernel
def smoothed_around(model, state, n, m, d, near):
    """d_s of (n, m) for hypothesis d: neighbours count by their likeness to it in colour and disparity."""
    return smoothed(near, model.congruence, d, state.cost[n, m])


@kernel
def smoothness_terms(model, state, n, m, d, back, near):
    """(λ J_coc, γ J_pg) of hypothesis d at (n, m), grey levels: all `TERMS` except the data term, float32."""
    congruence, weight = np.float32(0.0), max(model.congruence_weight, model.least_weight[n, m])
    if weight > 0:
        congruence = weight * congruence_cost(d, smoothed_around(model, state, n, m, d, near))
    planar = np.float32(0.0)
    if model.planar_weight > 0:
        planar = model.planar_weight * planar_cost(state.disparity, n, m, d, model.pad, back, model.planes)
    return congruence, planar


@kernel
def smoothness(model, state, n, m, d, back, near):
    """Their sum."""
    terms = smoothness_terms(model, state, n, m, d, back, near)
    total = terms[0]
    for i in range(1, len(terms)):
        total += terms[i]
    return total


@kernel
def cost_terms(model, state, n, m, d, back, data, near, terms):
    """Write J's terms for hypothesis d at (n, m), whose data term is known, into float32 [len(TERMS)], grey levels."""
    terms[0] = data
    others = smoothness_terms(model, state, n, m, d, back, near)
    for i in range(len(others)):
        terms[1 + i] = others[i]
