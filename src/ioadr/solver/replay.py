"""Repeats the finish, the border step and the confidence around one pixel, with the same functions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr._lanes import WIDTH
from ioadr.cost.coverage import cover
from ioadr.lightfield import LightField
from ioadr.part import Window
from ioadr.result import Estimate
from ioadr.solver.confidence import probability
from ioadr.solver.cost_curves import PITCH
from ioadr.solver.coverage import pack_matting, with_neighbours
from ioadr.solver.evidence import reasons_to_doubt
from ioadr.solver.explanation import Border, Doubt, Ending, SurfaceFit, ViewResiduals
from ioadr.solver.finish import Blocks, Finisher, by_sixteen, fit
from ioadr.solver.gloss import REACH
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
LATTICE = math.lcm(ALIGNED, PITCH)
"""Parts begin at multiples of this number of px, so that lanes and pixels with cost curves match those of the whole."""
HARMLESS = {name: knots[0] for name, knots in KNOTS.items()}
HARMLESS |= {"uninformed": KNOTS["vague"][0], "hidden by noise": KNOTS["vague"][0], "bent": 0, "clipped": 0}
"""Values up to which a reason lowers no odds."""
SURE = 1e-6
"""Probabilities closer than this to 0 or 1 count as equal."""


class Replay:
    """The surroundings of one pixel of a result, wide enough for the same outcome at the pixel."""

    def __init__(self, lightfield: LightField, estimate: Estimate, window: Window, workers: Workers) -> None:
        self.estimate, self.workers, self.window = estimate, workers, window
        self.lightfield = lightfield.crop(window)
        parameters = estimate.parameters
        rays = pack_rays(self.lightfield, parameters.data.view_step, estimate.tones)
        self.refinement = Refinement(self.lightfield, estimate.range, parameters, workers, rays, estimate.tones)
        self.closing = closing(parameters, estimate.range)

    def place(self, row: int, column: int) -> tuple[int, int]:
        """A pixel of the image, in the window."""
        return row - self.window.top, column - self.window.left

    def map_after(self, way: Way, step: int) -> FloatMap:
        """The part of the map after a step."""
        return np.ascontiguousarray(way.map_after(step, self.estimate.disparity, self.window.slices))

    def surface(self, row: int, column: int) -> tuple[SurfaceFit, ViewResiduals] | tuple[None, None]:
        """The surface and residuals of the last finishing pass; None without one, or without a history."""
        way, term = self.estimate.way, self.estimate.parameters.finish
        if way is None or not term.passes:
            return None, None
        n, m = self.place(row, column)
        finisher = Finisher(self.refinement, self.closing)
        before, target, precision = self.wanted(finisher, way, (n, m))
        model = finisher.model_around(before, self.refinement.rays, term.occluder_growth)
        differences, weights = residuals(model, n, m, before[n, m], term.colour_scale)
        by_view = ViewResiduals(self.on_grid(differences, np.nan), self.on_grid(weights, 0.0))
        spread = None if way.spread is None else way.spread[self.window.slices]
        near = around(n, m, term.widest + term.sharing)
        spread = spread if spread is None else spread[near]
        own, wishes = (
            (n - near[0].start, m - near[1].start),
            (np.ascontiguousarray(before[near]), target[near], precision[near]),
        )
        shared = fit(*wishes, term, self.workers, spread)[own]
        limited = np.clip(shared, np.float32(self.estimate.range.minimum), np.float32(self.estimate.range.maximum))
        fitted = fit_at(*own, *wishes, term, spread, float(limited))
        return replace(fitted, beside_rise=finisher.beside_rise(before, n, m)), by_view

    def on_grid(self, values: NDArray[Any], elsewhere: Any) -> NDArray[Any]:
        """Values per view as an array [L, K]."""
        found = np.full(self.lightfield.grid, elsewhere, values.dtype)
        found[used_views(self.lightfield, self.estimate.parameters.data.view_step)] = values
        return found

    def wanted(self, finisher: Finisher, way: Way, pixel: tuple[int, int]) -> tuple[FloatMap, FloatMap, FloatMap]:
        """The last finishing pass: the map before it, the views' targets around a pixel, and their precision."""
        term, first = self.estimate.parameters.finish, way.kinds.index("surfaces")
        shape = self.lightfield.height, self.lightfield.width
        mask = np.zeros(shape, bool)
        mask[around(*pixel, term.widest + term.sharing + REACH)] = True
        where = by_sixteen(mask)
        for done in range(term.passes):  # a pass looks for gloss where the one before it saw some
            before = self.map_after(way, first + done - 1)
            self.refinement.disparity = before
            finisher.glossy = self.looked_at(way, done)
            if done < term.passes - 1 and term.high_pass:
                finisher.high(before, finisher.furthest(done), where)
        return before, *finisher.wanted(before, finisher.furthest(done), where)

    def looked_at(self, way: Way, done: int) -> Blocks | None:
        """Where a finishing pass looked for gloss, after `done` others; None is everywhere."""
        if way.glossy is None or not done:
            return None
        rows, columns = self.window.slices
        return np.ascontiguousarray(way.glossy[done - 1][rows, columns.start // WIDTH : -(-columns.stop // WIDTH)])

    def border(self, row: int, column: int) -> Border | None:
        """Evidence about a pixel at a depth discontinuity; None elsewhere."""
        way, term = self.estimate.way, self.estimate.parameters.coverage
        if way is None or not term.settle:
            return None
        at = n, m = self.place(row, column)
        last = way.kinds.index("borders")
        # Earlier versions did not keep the opening as a step of its own.
        holes = way.origins[last][self.window.slices] == Origin.HOLE
        opened = np.where(holes, self.map_after(way, last), self.map_after(way, last - 1))
        surfaces, evidence = (np.full((3, *opened.shape), np.nan, np.float32) for _ in range(2))
        matting = pack_matting(opened, self.refinement.rays, term)
        around = np.zeros(opened.shape, np.bool_)
        around[max(n - 1, 0) : n + 2, max(m - 1, 0) : m + 2] = True
        cover(max(n - 1, 0), min(n + 2, len(opened)), matting, opened, around, surfaces, evidence)
        if way.contours is not None:
            evidence[1] += way.contours[self.window.slices].astype(np.float32)
        likelihood = with_neighbours(evidence[1], evidence[2], colours(self.refinement.rays), term.neighbours)
        near, far, middle = (float(values[at]) for values in surfaces)
        if math.isnan(middle):
            return None
        both = float(evidence[0][at]), float(likelihood[at])
        decided = None if math.isnan(both[1]) else both
        views = self.on_grid(border_views(matting, n, m, near, far, middle), False)
        sides = bool(opened[at] >= middle), bool(self.estimate.disparity[row, column] >= middle)
        return Border(near, far, decided and decided[0], decided and decided[1], term.doubt, *sides, views)

    def doubts(self, row: int, column: int) -> tuple[float, list[Doubt]]:
        """The confidence, computed again, and the share of each reason, largest first."""
        part = self.window.slices
        self.refinement.disparity = np.ascontiguousarray(self.estimate.disparity[part])
        data, visible = self.estimate.costs["data"][part], self.estimate.visible_views[part]
        reasons, _ = reasons_to_doubt(self.refinement, self.closing, np.ascontiguousarray(data), visible)
        return weighed(reasons, *self.place(row, column))


def around(row: int, column: int, reach: int) -> tuple[slice, slice]:
    """The square around a pixel, cut at the top and the left."""
    rows, columns = (slice(max(index - reach, 0), index + reach + 1) for index in (row, column))
    return rows, columns


def surroundings(lightfield: LightField, estimate: Estimate, row: int, column: int, reach: int, grid: int) -> Window:
    """As far as a step reaches around a pixel, given the views' shifts and the occluders; `grid` as in `ALIGNED`."""
    limits, far = estimate.range, max(lightfield.layout.reach)
    shift = max(abs(limits.minimum), abs(limits.maximum)) * far + limits.extent * (far + 0.5)
    margin = math.ceil(shift + 4) + reach + 4
    return Window(
        max(row - margin, 0) // grid * grid,
        max(column - margin, 0) // grid * grid,
        min(row + margin + 1, lightfield.height),
        min(column + margin + 1, lightfield.width),
    )


def weighed(reasons: dict[str, FloatMap], row: int, column: int) -> tuple[float, list[Doubt]]:
    """The probability at a pixel, and how much each reason lowers the logarithm of its odds, largest first.

    A reason's share is the rise of the odds if that reason alone were absent.
    """
    at = row, column
    values = {name: np.full(len(reasons) + 1, values[at]) for name, values in reasons.items()}
    for index, (name, changed) in enumerate(values.items()):
        changed[index] = min(changed[index], np.float32(HARMLESS[name]))
    trust = np.clip(probability(values), SURE, 1 - SURE).astype(np.float64)
    won = np.log(trust / (1 - trust))
    doubts = [
        Doubt(name, float(reasons[name][at]), max(float(rise), 0.0))
        for name, rise in zip(reasons, won[:-1] - won[-1], strict=True)
    ]
    return float(trust[-1]), sorted(doubts, key=lambda doubt: -doubt.taken)


def ending(lightfield: LightField, estimate: Estimate, row: int, column: int) -> Ending:
    """The steps after the sweeps, and the confidence, at a pixel."""
    term = estimate.parameters.finish
    pixel = lightfield, estimate, row, column
    with Workers() as workers:
        surface = views = border = None
        if estimate.way is not None and (term.passes or estimate.parameters.coverage.settle):
            patches = (term.widest + term.sharing) * (term.passes > 0)
            replay = Replay(lightfield, estimate, surroundings(*pixel, REACH + patches, ALIGNED), workers)
            (surface, views), border = replay.surface(row, column), replay.border(row, column)
        judged = Replay(lightfield, estimate, surroundings(*pixel, REACH + 2 * PITCH, LATTICE), workers)
        trust, doubts = judged.doubts(row, column)
    return Ending(surface, views, border, trust, doubts)
