"""Plain twins of `ioadr.cost.total` and of `ioadr.solver`: candidates, acceptance, one whole sweep (§ VI)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import RayModel
from ioadr.solver.candidates import Heuristics
from ioadr.way import Origin
from tests.reference import congruence, occlusion, planar
from tests.reference.geometry import View, large_normals, points_of, reference_index, robust_plane, views_of
from tests.reference.scenes import Problem


@dataclass
class Plain:
    """A problem in plain terms: the map as sweeps change it, and what it was when the sweep began."""

    problem: Problem
    slack: float = 0.0
    disparity: NDArray[np.float32] = field(init=False)
    cost: NDArray[np.float32] = field(init=False)
    origin: NDArray[np.uint8] = field(init=False)
    """Which heuristic gave each pixel its disparity in the last sweep; of several a neighbour."""
    back: int = -1
    """Towards pixels that were visited before: up and left, or down and right."""

    def __post_init__(self) -> None:
        self.disparity, self.cost = self.problem.disparity.copy(), self.problem.cost.copy()
        self.origin = np.zeros(self.disparity.shape, np.uint8)

    @cached_property
    def views(self) -> list[View]:
        return views_of(self.problem.lf, self.problem.parameters.data.view_step)

    @cached_property
    def image(self) -> NDArray[np.float64]:
        return self.views[reference_index(self.views)].image

    @cached_property
    def rays(self) -> RayModel:
        camera = self.problem.lf.camera
        assert camera is not None
        return camera.benchmark() if self.problem.parameters.planar.normals == "benchmark" else camera.pinhole()

    @cached_property
    def planes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """ν_rob [N, M, 3] and d_μ [N, M] of the map at the beginning."""
        term, disparity = self.problem.parameters.planar, self.problem.disparity
        surface = disparity.astype(np.float64)
        robust = np.zeros((*surface.shape, 3))
        for _ in range(self.problem.step.plane_fits):
            points = points_of(surface, self.rays)
            normals = large_normals(points, term.kernel_half_width, term.kernel_sigma)
            plane = np.empty_like(surface)
            for n, m in np.ndindex(surface.shape):
                robust[n, m], plane[n, m] = robust_plane(n, m, disparity, points, normals, self.rays, term, self.slack)
            surface = plane
        return robust, surface

    def visible(self, n: int, m: int, d: float) -> tuple[set[int], bool]:
        """Views that see (n, m, d) among the map at the beginning, and whether nothing was near enough to look for."""
        term, snapshot = self.problem.parameters.data, self.problem.disparity
        everything = set(range(len(self.views)))
        margin = term.occluder_margin + self.slack
        if not term.occlusion_aware or occlusion.open_sky(snapshot, self.views, n, m, d, margin, term):
            return everything, True
        highest = self.problem.limits.maximum
        tested = occlusion.occluders_tested(snapshot, self.views, n, m, d, highest, term, self.slack)
        return occlusion.unoccluded(snapshot, self.views, n, m, d, tested, term, self.slack), False

    def smoothed(self, n: int, m: int, d: float) -> float:
        """d_s of (n, m) for a pixel of disparity d."""
        term, limits = self.problem.parameters.congruence, self.problem.limits
        weights = congruence.window_weights(
            self.image, self.disparity, n, m, d, float(self.cost[n, m]), limits, term, self.slack
        )
        return congruence.smoothed(self.disparity, n, m, d, weights, term)

    def data(self, n: int, m: int, d: float) -> float:
        """J_oa."""
        return occlusion.data_cost(self.views, n, m, d, *self.visible(n, m, d), self.problem.parameters.data)

    def terms(self, n: int, m: int, d: float, data: float | None = None) -> tuple[float, ...]:
        """J_oa unless it is given, λ J_coc, γ J_pg (Eq. 20)."""
        parameters, step = self.problem.parameters, self.problem.step
        data = self.data(n, m, d) if data is None else data
        coc = pg = 0.0
        weight = max(
            step.congruence_weight, congruence.least_weight(self.image, n, m, self.problem.parameters.congruence)
        )
        if weight > 0:
            coc = congruence.congruence_cost(d, self.smoothed(n, m, d))
        if step.planar_weight > 0:
            robust, plane = self.planes
            pg = planar.planar_cost(
                self.disparity, n, m, d, self.back, robust[n, m], plane[n, m], self.rays, parameters.planar, self.slack
            )
        return data, weight * coc, step.planar_weight * pg


def reflect(d: float, low: float, high: float) -> float:
    """d, mirrored at whichever end it lies beyond until it is inside."""
    while not low <= d <= high:
        d = 2 * low - d if d < low else 2 * high - d
    return d


def candidates(plain: Plain, heuristics: Heuristics, n: int, m: int, noise: float) -> list[float]:
    """What is tried at (n, m) (§ VI-B)."""
    return [d for _, d in named_candidates(plain, heuristics, n, m, noise)]


def named_candidates(plain: Plain, heuristics: Heuristics, n: int, m: int, noise: float) -> list[tuple[Origin, float]]:
    """The same with what proposes each."""
    height, width = plain.disparity.shape
    low, high, back = heuristics.minimum, heuristics.maximum, plain.back
    d = float(plain.disparity[n, m])
    found = []
    if heuristics.random:
        found.append((Origin.RANDOM, reflect(d + heuristics.sigma * noise, low, high)))
    if heuristics.congruence:
        found.append((Origin.MEAN, plain.smoothed(n, m, d)))
    if heuristics.smooth_plane:
        d_plane, parameters = float(plain.planes[1][n, m]), plain.problem.parameters
        if not parameters.search.gate_plane or abs(d_plane - d) < parameters.planar.tolerance:
            found.append((Origin.PLANE, min(max(d_plane, low), high)))
    if heuristics.smooth_depth:
        visited = [(n + back, m), (n, m + back), (n + back, m + back)]
        inside = [p for p in visited if 0 <= p[0] < height and 0 <= p[1] < width]
        found += [(Origin.NEIGHBOUR, float(plain.disparity[p])) for p in inside]
    return found


def accepted(j_old: float, j_new: float, temperature: float, chance: float) -> bool:
    """With probability min(1, exp((J_old − J_new)/T)) (§ VI-C)."""
    if j_new < j_old:
        return True
    return temperature > 0 and chance < math.exp((j_old - j_new) / temperature)


BIN = 1 / 256
"""px to which sweeps round the disparities of which they compare the views."""


def swept_cost(plain: Plain, n: int, m: int, d: float) -> float:
    """J in a sweep: the data term is that of the nearest multiple of BIN."""
    return sum(plain.terms(n, m, d, plain.data(n, m, BIN * math.floor(d / BIN + 0.5 + plain.slack))))


def sweep(plain: Plain, noise: NDArray[Any], chance: NDArray[Any]) -> None:
    """One sweep in raster order, forwards or backwards, pixel after pixel."""
    step = plain.problem.step
    height, width = plain.disparity.shape
    plain.back = -1 if step.forward else 1
    order = [(n, m) for n in range(height) for m in range(width)]
    for n, m in order if step.forward else reversed(order):
        j_old = swept_cost(plain, n, m, float(plain.disparity[n, m]))
        tried = named_candidates(plain, step.heuristics, n, m, float(noise[n, m]))
        costs = [swept_cost(plain, n, m, d) for _, d in tried]
        best = int(np.argmin(costs)) if tried else -1
        if tried and accepted(j_old, costs[best], step.temperature, float(chance[n, m])):
            (plain.origin[n, m], plain.disparity[n, m]), plain.cost[n, m] = tried[best], costs[best]
            same = [origin for origin, d in tried if np.float32(d) == plain.disparity[n, m]]
            plain.origin[n, m] = Origin.NEIGHBOUR if Origin.NEIGHBOUR in same else plain.origin[n, m]
        else:
            plain.cost[n, m] = j_old
