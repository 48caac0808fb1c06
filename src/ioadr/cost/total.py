"""The total cost J = J_oa + λ J_coc + γ J_pg (Eq. 20) and its inputs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel, rounded
from ioadr.cost.congruence import congruence_cost, look_around, smoothed
from ioadr.cost.planar import planar_cost

TERMS = ("data", "congruence", "planar")
"""The terms of J, in the order of their sum. Each is a group of parameters; all but the data term have a `weight`."""


class Model(NamedTuple):
    """All inputs of the cost of a hypothesis, except the map itself.

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
    """float32 [N, M], smallest λ of each pixel."""
    planar_weight: Any
    """γ of this sweep."""


class State(NamedTuple):
    """The map and its cost, both updated by sweeps."""

    disparity: Any
    """float32 [N + 2·pad, M + 2·pad], edges replicated."""
    cost: Any
    """float32 [N, M], cost of the accepted value."""
    plain: Any
    """float32 [N, M], data term of the map's value if every view sees it (`in_the_open`); NaN if unknown."""


@kernel
def look_around_pixel(model, state, n, m, near):
    """Copy the neighbours of (n, m) into the scratch memory."""
    centre = (n + model.pad) * state.disparity.shape[1] + m + model.pad
    look_around(state.disparity, model.guide, model.congruence, centre, near)


@kernel
def smoothed_around(model, state, n, m, d, near):
    """Smoothed disparity d_s of (n, m) for hypothesis d, weighted by similarity in colour and disparity."""
    return smoothed(near, model.congruence, d, state.cost[n, m])


@kernel
def congruence_weight(model, n, m):
    """λ of this sweep at (n, m)."""
    return max(model.congruence_weight, model.least_weight[n, m])


@kernel
def smoothed_for_cost(model, state, n, m, d, near):
    """Smoothed disparity d_s of (n, m) for hypothesis d if J_coc counts there; otherwise d."""
    return smoothed_around(model, state, n, m, d, near) if congruence_weight(model, n, m) > 0 else d


@kernel
def smoothness_terms(model, state, n, m, d, d_smoothed, back):
    """(λ J_coc, γ J_pg) of hypothesis d at (n, m) in grey levels, float32: all `TERMS` except the data term."""
    congruence, weight = np.float32(0.0), congruence_weight(model, n, m)
    if weight > 0:
        congruence = rounded(weight * congruence_cost(d, d_smoothed))
    planar = np.float32(0.0)
    if model.planar_weight > 0:
        planar = rounded(model.planar_weight * planar_cost(state.disparity, n, m, d, model.pad, back, model.planes))
    return congruence, planar


@kernel
def smoothness(model, state, n, m, d, d_smoothed, back):
    """Sum of the smoothness terms of hypothesis d at (n, m), grey levels."""
    terms = smoothness_terms(model, state, n, m, d, d_smoothed, back)
    total = terms[0]
    for i in range(1, len(terms)):
        total += terms[i]
    return total


@kernel
def cost_terms(model, state, n, m, d, back, data, near, terms):
    """Write the terms of J for hypothesis d at (n, m), given its data term, to float32 [len(TERMS)], grey levels."""
    terms[0] = data
    others = smoothness_terms(model, state, n, m, d, smoothed_for_cost(model, state, n, m, d, near), back)
    for i in range(len(others)):
        terms[1 + i] = others[i]
