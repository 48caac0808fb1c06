"""Colour–orientation congruence J_coc (Eqs. 24–28): distance to a colour-guided mean of the neighbourhood."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import fetch, kernel, task
from ioadr._lanes import (
    WIDTH,
    as_floats,
    gather,
    largest,
    load,
    magnitude,
    root,
    splat,
    store,
    total,
    where_positive,
)
from ioadr.geometry.ppp import LEVELS, MISSING_BIT, split, unpack


class CongruenceWeights(NamedTuple):
    """Parameters of the congruence term."""

    offsets: Any
    """int32 [W]: neighbours in W^c as steps in the flat, padded map."""
    lanes: Any
    """int32 [16·G]: the same in whole groups of lanes, padded with 0."""
    colour_scale: Any
    disparity_scale: Any
    colour_limit: Any
    disparity_limit: Any
    epsilon: Any
    epsilon_plus_cost: Any


class Neighbours(NamedTuple):
    """Neighbours in W^c of the current pixel, padded to whole groups of lanes; scratch memory of one worker."""

    colour: Any
    """float32 [16·G], Δ_c; OUTSIDE where there is no neighbour."""
    disparity: Any
    """float32 [16·G], px."""


OUTSIDE = np.float32(1e9)
"""Difference in colour of a missing neighbour, beyond any limit."""


@task
def neighbours_around(weights):
    """Allocate the `Neighbours` of a worker."""
    size = weights.lanes.size
    return Neighbours(np.full(size, OUTSIDE, np.float32), np.zeros(size, np.float32))


@kernel
def look_around(disparity, guide, weights, centre, near):
    """Copy the neighbours of the pixel at flat index `centre` into the scratch memory (Eq. 28).

    disparity float32 and guide uint32 (packed reference view, MISSING outside) have the same padding.
    """
    red0, green0, blue0 = unpack(fetch(guide, np.int32(centre)))
    for i in range(0, weights.lanes.size, WIDTH):
        index = load(weights.lanes, i) + np.int32(centre)
        words = gather(guide, index)
        red, green, blue = split(words)
        red, green, blue = red - red0, green - green0, blue - blue0
        colour = weights.colour_scale / np.float32(LEVELS) * root(red * red + green * green + blue * blue)
        missing = as_floats(words >> np.int32(MISSING_BIT))
        store(near.colour, i, colour + OUTSIDE * missing)
        store(near.disparity, i, gather(disparity, index))
    for i in range(weights.offsets.size, weights.lanes.size):
        near.colour[i] = OUTSIDE


@kernel
def neighbour_weight(colour, disparity, weights, epsilon_far):
    """Weight χ of neighbours, from their scaled differences Δ_c in colour and Δ_θ in disparity (Eq. 26)."""
    far = disparity - weights.disparity_limit
    square = disparity * disparity + colour * where_positive(far, colour, disparity)
    epsilon = where_positive(far, splat(epsilon_far), splat(weights.epsilon))
    chi = splat(np.float32(1.0)) / largest(epsilon, root(square))
    return where_positive(colour - weights.colour_limit, splat(np.float32(0.0)), chi)


@kernel
def weight_of(near, i, d, weights, epsilon_far):
    """Weights χ of sixteen neighbours, starting at i, for a pixel of disparity d (Eq. 27), and their disparities."""
    disparity = load(near.disparity, i)
    difference = weights.disparity_scale * magnitude(disparity - d)
    return neighbour_weight(load(near.colour, i), difference, weights, epsilon_far), disparity


@kernel
def far_epsilon(weights, cost):
    """Tolerance ε_θ for large differences of disparity, given the cost of the pixel."""
    return weights.epsilon + (cost if weights.epsilon_plus_cost else np.float32(0.0))


@kernel
def smoothed(near, weights, d, cost):
    """Smoothed disparity d_s (Eq. 25), px, of the pixel last given to `look_around`, if its disparity is d.

    Eq. 25 as printed takes the arctangent of a mean of angles. An arctangent needs a tangent, so the mean must be of
    tan θ, the disparity. As printed, d_s would be an angle, which pulls far surfaces towards 0.
    """
    epsilon_far = far_epsilon(weights, cost)
    sums = counts = splat(np.float32(0.0))
    for i in range(0, near.colour.size, WIDTH):
        chi, disparity = weight_of(near, i, d, weights, epsilon_far)
        sums, counts = sums + chi * disparity, counts + chi
    count = total(counts)
    return total(sums) / count if count > 0 else d


@kernel
def neighbour_weights(near, weights, d, cost, chi):
    """Weights of the mean in `smoothed`, float32 [16·G]; those of `weights.offsets` come first."""
    epsilon_far = far_epsilon(weights, cost)
    for i in range(0, near.colour.size, WIDTH):
        store(chi, i, weight_of(near, i, d, weights, epsilon_far)[0])


@kernel
def congruence_cost(d, d_smoothed):
    """J_coc (Eq. 24), px²."""
    return (d - d_smoothed) * (d - d_smoothed)
