"""Colour–orientation congruence J_coc (Eqs. 22–26): distance to a colour-guided mean of the neighbourhood."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import kernel
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
    average_angles: Any


@kernel
def neighbour_weight(colour, disparity, weights, epsilon_far):
    """χ of a neighbour from its scaled differences Δ_c and Δ_θ (Eq. 24)."""
    near = disparity <= weights.disparity_limit
    square = disparity * disparity + (colour * disparity if near else colour * colour)
    chi = np.float32(1.0) / max(weights.epsilon if near else epsilon_far, np.sqrt(square))
    return chi if colour <= weights.colour_limit else np.float32(0.0)


@kernel
def smoothed(disparity, guide, weights, centre, d, cost):
    """d_s of the pixel at flat index `centre` whose disparity is d (Eq. 23), px.

    disparity float32 and guide uint32 (packed reference view, MISSING outside) are flat and equally padded.
    """
    red0, green0, blue0 = unpack(guide[centre])
    scale = weights.colour_scale / np.float32(LEVELS)
    epsilon_far = weights.epsilon + (cost if weights.epsilon_plus_cost else np.float32(0.0))
    total, count = np.float32(0.0), np.float32(0.0)
    for i in range(weights.offsets.size):
        index = np.uint32(centre + weights.offsets[i])
        word = guide[index]
        red, green, blue = unpack(word)
        red, green, blue = red - red0, green - green0, blue - blue0
        colour = scale * np.sqrt(red * red + green * green + blue * blue)
        neighbour = disparity[index]
        chi = neighbour_weight(colour, weights.disparity_scale * abs(neighbour - d), weights, epsilon_far)
        chi = chi if word < np.uint32(MISSING) else np.float32(0.0)
        total += chi * (np.arctan(neighbour) if weights.average_angles else neighbour)
        count += chi
    if count == 0:
        return d
    return np.tan(total / count) if weights.average_angles else total / count


@kernel
def congruence_cost(d, d_smoothed):
    """J_coc (Eq. 22), px²."""
    return (d - d_smoothed) * (d - d_smoothed)
