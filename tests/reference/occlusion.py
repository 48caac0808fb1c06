"""Plain twins of `ioadr.cost.occlusion`: Algorithm 1 as printed, and as the kernel does it; J_PD, J_oa.

`slack` shifts every comparison by a little: where that changes the outcome, float32 may decide either way.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.parameters import DataTerm
from tests.reference.geometry import View, bilinear, inside, intersection, point_projection_image, reference_index

FOOTPRINT = 2.0
"""px by which an occluder may miss at most; beyond the text, for disparities that differ by more than 4 px."""
TILE = 8
"""px; the kernel knows which disparities occur in squares of this size, not where in them."""


def printed_algorithm_1(
    disparity: NDArray[Any], views: list[View], n0: int, m0: int, d: float, highest: float
) -> set[int]:
    """Ō of Algorithm 1, step by step from the paper's text; knows nothing of how the kernel does it.

    In tan θ instead of θ. Printed, it takes the reference view out as soon as anything is nearer than d (u_occ is the
    pixel itself, s_occ = 0). That view adds 0 to the sum of Eq. 22, so that only the count |Ō| would notice.
    """
    surface = disparity.astype(np.float64)
    unoccluded = set(range(len(views)))  # step i; step ii is `bilinear`
    nearer = {float(value) for value in surface.ravel() if d < value <= highest}  # step iii; all meet at s = k_r
    for k, view in enumerate(views):  # step iv
        for d_occluder in nearer:
            y, x = n0 + (d_occluder - d) * view.offset[0], m0 + (d_occluder - d) * view.offset[1]  # a.
            if not inside(y, x, surface.shape):
                continue
            there = float(bilinear(surface, y, x))
            if there == d:
                continue
            s_occluder = [(y - n0) / (there - d), (x - m0) / (there - d)]  # b.
            if max(abs(s - s_o) for s, s_o in zip(view.offset, s_occluder, strict=True)) < 0.5:  # c.
                unoccluded.discard(k)
    return unoccluded


def truncate(d: float, step: float) -> float:
    """The multiple of `step` next to d on the side of zero; a d that misses a multiple by rounding is that multiple."""
    multiple = d / step
    nearest = round(multiple)
    return step * (nearest if abs(multiple - nearest) < 1e-4 else math.trunc(multiple))


def reach_of(views: list[View]) -> float:
    """Half the grid (the farthest view) and half a view more, in baselines."""
    return max(abs(i) for view in views for i in view.offset) + 0.5


def occluders_in_window(
    disparity: NDArray[Any], views: list[View], n0: int, m0: int, d: float, highest: float, term: DataTerm
) -> set[float]:
    """T of Algorithm 1 behind the published tables: truncated disparities before d in a window."""
    radius = int((highest - d) * reach_of(views))
    found = set()
    for n in range(max(n0 - radius, 0), min(n0 + radius + 1, disparity.shape[0])):
        for m in range(max(m0 - radius, 0), min(m0 + radius + 1, disparity.shape[1])):
            own = (n, m) == (n0, m0) and term.write_hypothesis
            if not own and disparity[n, m] > d + term.occluder_margin:
                found.add(truncate(float(disparity[n, m]), term.occluder_step))
    return {level for level in found if level > d}


def occluders_tested(
    disparity: NDArray[Any],
    views: list[View],
    n0: int,
    m0: int,
    d: float,
    highest: float,
    term: DataTerm,
    slack: float = 0.0,
) -> set[float]:
    """The part of T that the kernel tests: surfaces that, from anywhere in their tile, reach (n0, m0) themselves."""
    reach = reach_of(views)
    radius = int((highest - d) * reach)
    found = set()
    for n, m in np.ndindex(disparity.shape):
        away = max(tile_distance(n, n0), tile_distance(m, m0))
        least = d + max(term.occluder_margin, (away - 1) / reach)
        level = truncate(float(disparity[n, m]), term.occluder_step)
        if away <= radius and level >= truncate(least, term.occluder_step) - slack:
            found.add(level)
    return {level for level in found if level > d + slack}


def tile_distance(i: int, i0: int) -> int:
    """px from i0 to the nearest pixel of the tile of i, in one direction."""
    first = i // TILE * TILE
    return max(first - i0, i0 - (first + TILE - 1), 0)


def open_sky(
    disparity: NDArray[Any], views: list[View], n0: int, m0: int, d: float, margin: float, term: DataTerm
) -> bool:
    """No pixel rises above d and reaches (n0, m0); its own is not asked if the hypothesis is written into the map."""
    reach = reach_of(views)
    for n, m in np.ndindex(disparity.shape):
        away = max(abs(n - n0), abs(m - m0))
        own = away == 0 and term.write_hypothesis
        if not own and disparity[n, m] - away / reach > d + margin:
            return False
    return True


def unoccluded(
    disparity: NDArray[Any],
    views: list[View],
    n0: int,
    m0: int,
    d: float,
    occluders: set[float],
    term: DataTerm,
    slack: float = 0.0,
) -> set[int]:
    """The views in which none of the occluders lies before (n0, m0, d); the reference view is always one of them."""
    surface = disparity.astype(np.float64)
    if term.write_hypothesis:
        surface[n0, m0] = d
    visible = set(range(len(views)))
    for d_occluder in occluders:
        for v, view in enumerate(views):
            y, x = intersection(n0, m0, d, d_occluder, view.offset)
            if not inside(y, x, surface.shape, slack):
                continue
            nearest = bilinear(surface, y, x)
            if nearest <= d:
                continue
            meeting = [(d_occluder - d) / (nearest - d) * offset for offset in view.offset]
            miss = max(abs(offset - s) for offset, s in zip(view.offset, meeting, strict=True))
            if miss * (nearest - d) < min(0.5 * (nearest - d), FOOTPRINT) + slack:
                visible.discard(v)
    return visible | {reference_index(views)}


def deviations(views: list[View], n0: int, m0: int, d: float) -> dict[int, float]:
    """Mean |colour − reference| over the channels, of each view whose image holds the sample."""
    colours = point_projection_image(views, n0, m0, d)
    reference = views[reference_index(views)].image[n0, m0]
    return {v: float(np.abs(c - reference).mean()) for v, c in enumerate(colours) if c is not None}


def mean_deviation(values: list[float], term: DataTerm) -> float:
    """J_PD (Eqs. 11, 12) or J_oa (Eqs. 21, 22) of the views that count; the reference view itself adds 0."""
    return sum(values) / max(len(values) - (0 if term.count_reference else 1), 1)


def data_cost(
    views: list[View], n0: int, m0: int, d: float, visible: set[int], nothing_near: bool, term: DataTerm
) -> float:
    """The data term of a hypothesis that `visible` views see; nothing_near: no occluder was even looked for."""
    values = deviations(views, n0, m0, d)
    plain = mean_deviation(list(values.values()), term)
    seen = [value for v, value in values.items() if v in visible]
    fewest = max(term.min_visible_share * len(views), term.min_visible_views)
    if not term.occlusion_aware or nothing_near or len(seen) < fewest:
        return plain
    aware = mean_deviation(seen, term)
    return min(plain, aware) if term.plain_when_cheaper else aware
