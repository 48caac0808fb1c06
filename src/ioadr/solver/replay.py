"""Repeats the finish, the border step and the confidence around one pixel, with the same functions."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.cost.coverage import cover
from ioadr.lightfield import LightField
from ioadr.part import Window
from ioadr.result import Estimate
from ioadr.solver.confidence import probability
from ioadr.solver.cost_curves import PITCH
from ioadr.solver.coverage import pack_matting, with_neighbours
from ioadr.solver.evidence import reasons_to_doubt
from ioadr.solver.explanation import Border, Doubt, Ending, SurfaceFit, ViewResiduals
from ioadr.solver.finish import Finisher, disparity_of, fit
from ioadr.solver.gloss import REGION
from ioadr.solver.patch import fit_at
from ioadr.solver.pixel_views import border_views, residuals
from ioadr.solver.problem import pack_rays, used_views
from ioadr.solver.reach import ALIGNED
from ioadr.solver.refine import Refinement
from ioadr.solver.regions import colours
from ioadr.solver.schedule import closing
from ioadr.solver.trust_model import KNOTS
from ioadr.way import Origin, Way

FloatMap = NDArray[np.float32]
GRID = math.lcm(ALIGNED, PITCH)
"""px; parts begin at multiples, so that lanes and lattices lie as the whole's do."""
SURE = 1e-6
"""Probability beyond which odds are not told apart."""


class Replay:
    """The surroundings of one pixel of a result, wide enough for the same outcome at the pixel."""

    def __init__(self, lightfield: LightField, estimate: Estimate, row: int, column: int, workers: Workers) -> None:
        self.estimate, self.workers = estimate, workers
        self.window = surroundings(lightfield, estimate, row, column)
        self.row, self.column = row - self.window.top, column - self.window.left
        self.lightfield = lightfield.crop(self.window)
        parameters = estimate.parameters
        rays = pack_rays(self.lightfield, parameters.data.view_step)
        self.refinement = Refinement(self.lightfield, estimate.range, parameters, workers, rays)
        self.closing = closing(parameters, estimate.range)

    @cached_property
    def finisher(self) -> Finisher:
        """With filtered views, which take a good part of the time of an explanation."""
        return Finisher(self.refinement, self.closing)

    def map_after(self, way: Way, step: int) -> FloatMap:
        """The part of the map after a step."""
        part = self.window.slices
        return self.estimate.disparity[part] + way.differences[step][part]

    def surface(self) -> tuple[SurfaceFit, ViewResiduals] | tuple[None, None]:
        """The surface and residuals of the last finishing pass; None without one, or without a history."""
        way, term = self.estimate.way, self.estimate.parameters.finish
        if way is None or not term.passes:
            return None, None
        before, target, precision = self.wanted(way)
        model = self.finisher.model_around(before, self.refinement.rays, term.occluder_growth)
        at = self.row, self.column
        differences, weights = residuals(model, *at, before[at], term.colour_scale)
        by_view = ViewResiduals(self.on_grid(differences, np.nan), self.on_grid(weights, 0.0))
        spread = None if way.spread is None else way.spread[self.window.slices]
        shared = fit(before, target, precision, term, self.workers, spread)[at]
        return fit_at(*at, before, target, precision, term, spread, float(shared)), by_view

    def on_grid(self, values: NDArray[Any], elsewhere: Any) -> NDArray[Any]:
        """Values per view as an array [L, K]."""
        found = np.full(self.lightfield.grid, elsewhere, values.dtype)
        found[used_views(self.lightfield, self.estimate.parameters.data.view_step)] = values
        return found

    def wanted(self, way: Way) -> tuple[FloatMap, FloatMap, FloatMap]:
        """The last finishing pass: the map before it, the views' targets, and their precision."""
        term = self.estimate.parameters.finish
        first = way.kinds.index("surfaces")
        for done in range(term.passes):  # a pass looks for gloss where the one before it saw some
            before = np.ascontiguousarray(self.map_after(way, first + done - 1))
            self.refinement.disparity = before
            wishes = self.finisher.wanted(before, disparity_of(term.furthest * 2 / (2 + done), self.refinement.rays))
        return before, *wishes

    def border(self) -> Border | None:
        """Evidence about a pixel beside a jump; None elsewhere."""
        way, term = self.estimate.way, self.estimate.parameters.coverage
        if way is None or not term.settle:
            return None
        part, last = self.window.slices, way.kinds.index("borders")
        result, holes = self.estimate.disparity[part], way.origins[last][part] == Origin.HOLE
        opened = np.where(holes, result, self.map_after(way, last - 1))
        surfaces, evidence = (np.full((3, *opened.shape), np.nan, np.float32) for _ in range(2))
        matting = pack_matting(opened, self.refinement.rays, term)
        cover(max(self.row - 1, 0), min(self.row + 2, len(opened)), matting, opened, surfaces, evidence)
        likelihood = with_neighbours(evidence[1], evidence[2], colours(self.refinement.rays), term.neighbours)
        near, far, middle = (float(values[self.row, self.column]) for values in surfaces)
        if math.isnan(middle):
            return None
        own, settled = float(opened[self.row, self.column]), float(result[self.row, self.column])
        both = float(evidence[0, self.row, self.column]), float(likelihood[self.row, self.column])
        decided = None if math.isnan(both[1]) else both
        views = self.on_grid(border_views(matting, self.row, self.column, near, far, middle), False)
        sides = own >= middle, settled >= middle
        return Border(near, far, decided and decided[0], decided and decided[1], term.doubt, *sides, views)

    def doubts(self) -> tuple[float, list[Doubt]]:
        """The confidence, computed again, and the share of each reason, largest first."""
        part = self.window.slices
        self.refinement.disparity = np.ascontiguousarray(self.estimate.disparity[part])
        data, visible = self.estimate.costs["data"][part], self.estimate.visible_views[part]
        reasons, _ = reasons_to_doubt(self.refinement, self.closing, np.ascontiguousarray(data), visible)
        return weighed(reasons, self.row, self.column)


def surroundings(lightfield: LightField, estimate: Estimate, row: int, column: int) -> Window:
    """As far as patches, occluders, filters and the regions of the confidence reach."""
    limits, term = estimate.range, estimate.parameters.finish
    reach = max(lightfield.layout.reach)
    shift = max(abs(limits.minimum), abs(limits.maximum)) * reach + limits.extent * (reach + 0.5)
    margin = math.ceil(shift + 3 * REGION + 4) + max((term.widest + term.sharing) * (term.passes > 0), 2 * PITCH) + 4
    return Window(
        max(row - margin, 0) // GRID * GRID,
        max(column - margin, 0) // GRID * GRID,
        min(row + margin + 1, lightfield.height),
        min(column + margin + 1, lightfield.width),
    )


def weighed(reasons: dict[str, FloatMap], row: int, column: int) -> tuple[float, list[Doubt]]:
    """The probability at a pixel, and how much each reason lowers the logarithm of its odds, largest first.

    A reason's share is the rise of the odds if that reason alone were absent.
    """
    top, left = max(row - 1, 0), max(column - 1, 0)
    around = {name: values[top : row + 2, left : column + 2] for name, values in reasons.items()}
    at = row - top, column - left

    def trust(features: dict[str, FloatMap]) -> float:
        return float(np.clip(probability(features)[at], SURE, 1 - SURE))

    full = trust(around)
    doubts = []
    for name, values in around.items():
        innocent = np.minimum(values, np.float32(KNOTS[name][0] if name in KNOTS else 0.0))
        won = math.log(odds(trust(around | {name: innocent})) / odds(full))
        doubts.append(Doubt(name, float(values[at]), max(won, 0.0)))
    return full, sorted(doubts, key=lambda doubt: -doubt.taken)


def odds(share: float) -> float:
    return share / (1 - share)


def ending(lightfield: LightField, estimate: Estimate, row: int, column: int) -> Ending:
    """The steps after the sweeps, and the confidence, at a pixel."""
    with Workers() as workers:
        replay = Replay(lightfield, estimate, row, column, workers)
        (surface, views), border = replay.surface(), replay.border()
        trust, doubts = replay.doubts()
    return Ending(surface, views, border, trust, doubts)
