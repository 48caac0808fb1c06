"""Colour–orientation congruence J_coc (Eqs. 24–28): distance to a colour-guided mean of the neighbourhood."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import fetch, kernel
from ioadr.geometry.ppp import LEVELS, MISSING, unpack


class CongruenceWeights(NamedTuple):
    """Numbers of the congruence term."""

    offsets: Any
    """int32 [W]: neighbours in W^c as steps in the flat, padded map."""
    colour_scale: Any
    disparity_scale: Any
    colour_limit: Any
    disparity_limit: Any
    epsilon: Any
    epsilon_plus_cost: Any


@kernel
def neighbour_weight(colour, disparity, weights, epsilon_far):
    """χ of a neighbour from its scaled differences Δ_c and Δ_θ (Eq. 26)."""
    near = disparity <= weights.disparity_limit
    square = disparity * disparity + (colour * disparity if near else colour * colour)
    chi = np.float32(1.0) / max(weights.epsilon if near else epsilon_far, np.sqrt(square))
    return chi if colour <= weights.colour_limit else np.float32(0.0)


@kernel
def weight_of(word, neighbour, colour0, d, weights, epsilon_far):
    """χ of a neighbour of packed colour `word` for a pixel of channels colour0 at d (Eqs. 27, 28); 0 outside."""
    red, green, blue = unpack(word)
    red, green, blue = red - colour0[0], green - colour0[1], blue - colour0[2]
    colour = weights.colour_scale / np.float32(LEVELS) * np.sqrt(red * red + green * green + blue * blue)
    chi = neighbour_weight(colour, weights.disparity_scale * abs(neighbour - d), weights, epsilon_far)
    return chi if word < np.uint32(MISSING) else np.float32(0.0)


@kernel
def far_epsilon(weights, cost):
    """ε_θ where disparities differ much, for a pixel of that cost."""
    return weights.epsilon + (cost if weights.epsilon_plus_cost else np.float32(0.0))


@kernel
def smoothed(disparity, guide, weights, centre, d, cost):
    """d_s of the pixel at flat index `centre` whose disparity is d (Eq. 25), px.

    Eq. 25 as printed takes the arctangent of a mean of angles. An arctangent wants a tangent: the mean is one of
    tan θ, which is the disparity. As printed, d_s would be an angle, which draws far surfaces towards 0.
    disparity float32 and guide uint32 (packed reference view, MISSING outside) are flat and equally padded.
    """
    colour0, epsilon_far = unpack(guide[centre]), far_epsilon(weights, cost)
    total, count = np.float32(0.0), np.float32(0.0)
    for i in range(weights.offsets.size):
        index = np.int32(centre + weights.offsets[i])
        neighbour = fetch(disparity, index)
        chi = weight_of(fetch(guide, index), neighbour, colour0, d, weights, epsilon_far)
        total += chi * neighbour
        count += chi
    return total / count if count > 0 else d


@kernel
def neighbour_weights(disparity, guide, weights, centre, d, cost, chi):
    """The weights of that mean, float32 [W] in the order of `weights.offsets`."""
    colour0, epsilon_far = unpack(guide[centre]), far_epsilon(weights, cost)
    for i in range(weights.offsets.size):
        index = np.int32(centre + weights.offsets[i])
        chi[i] = weight_of(fetch(guide, index), fetch(disparity, index), colour0, d, weights, epsilon_far)


@kernel
def congruence_cost(d, d_smoothed):
    """J_coc (Eq. 24), px²."""
    return (d - d_smoothed) * (d - d_smoothed)
