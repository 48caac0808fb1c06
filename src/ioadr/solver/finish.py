"""The finish: fits surfaces (`solver.local_fit`) to the disparities that visible views favour (`cost.linearised`)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr._lanes import WIDTH
from ioadr.cost.linearised import linearise
from ioadr.cost.total import Model
from ioadr.geometry.ppp import Rays
from ioadr.geometry.windows import grow
from ioadr.parameters import Finish
from ioadr.result import SweepRecord
from ioadr.solver import gloss
from ioadr.solver.borders import discount
from ioadr.solver.filtered_views import FilteredViews
from ioadr.solver.gloss import Wish
from ioadr.solver.local_fit import fit_surfaces
from ioadr.solver.problem import snapshot_occluders
from ioadr.solver.refine import Refinement
from ioadr.solver.regions import repair_regions
from ioadr.solver.scatter import local_scatter
from ioadr.solver.schedule import SweepPlan
from ioadr.solver.shared_surfaces import pixels_around, share_surfaces

FloatMap = NDArray[np.float32]
Spread = NDArray[np.float16]
Blocks = NDArray[np.bool_]
"""[N, ⌈M/16⌉], of sixteen pixels of a row each."""
SPREAD = 2
"""Radius around a glossy pixel that a later pass also examines, px."""
JUMP = 0.8
"""Smallest depth discontinuity within 3×3 px, px of shift in the outermost view."""
LEAST = 0.5
"""Smallest factor on deviations: scatter does not show errors that all targets of a region share."""
AGREEING = 4.0
"""A neighbour's surface counts as the same within `Finish.widest_gate` divided by this number."""


def finishing_passes(term: Finish) -> int:
    """Number of records that `finish_in_passes` yields."""
    return term.region_passes + term.passes


def finish_in_passes(refinement: Refinement, closing: SweepPlan, first: int) -> Iterator[SweepRecord]:
    """Run all enabled passes, each when the caller takes its record; `first` is the number of the first one."""
    term = refinement.parameters.finish
    for done in range(term.region_passes):
        yield repair_regions(refinement, closing, first + done)
    first += term.region_passes
    if term.passes:
        finisher = Finisher(refinement, closing)
        # Tried: a third pass; BadPix 0.07 of cotton .84 → .99 % (decision 10).
        for done in range(term.passes):
            yield finisher.run(first + done, finisher.furthest(done))


class Finisher:
    """Passes over the map of a refinement, with shared filtered views."""

    def __init__(self, refinement: Refinement, closing: SweepPlan) -> None:
        self.refinement, self.closing = refinement, replace(closing, planar_weight=0.0, plane_fits=0)
        self.term, self.workers = refinement.parameters.finish, refinement.workers
        self.views = FilteredViews(refinement)
        self.known: Wish | None = None
        """Targets of the high-pass data in the last pass."""
        self.glossy: Blocks | None = None
        """Whether any pixel was glossy in the last pass."""
        self.fitted = False
        """Whether a pass has been run."""

    def run(self, index: int, furthest: float) -> SweepRecord:
        """One pass: linearise around the map, fit surfaces to the targets, at most `furthest` px away."""
        begin, before = time.perf_counter(), self.refinement.disparity
        if self.glossy is not None:
            self.refinement.glossy.append(self.glossy)
        target, precision = self.wanted(before, furthest)
        if self.fitted:
            self.refinement.spread = self.spread(before, target, precision, furthest)
        self.fitted = True
        fitted = fit(before, target, precision, self.term, self.workers, self.refinement.spread)
        limits = self.refinement.limits
        self.refinement.disparity = np.clip(fitted, np.float32(limits.minimum), np.float32(limits.maximum))
        changed = int(np.count_nonzero(np.abs(fitted - before) > 1e-3))
        return SweepRecord(index, "finish", changed, float("nan"), time.perf_counter() - begin)

    def furthest(self, done: int) -> float:
        """Largest motion of a target in a pass, px, after `done` others."""
        return disparity_of(self.term.furthest * 2 / (2 + done), self.refinement.positions)

    def wanted(self, disparity: FloatMap, furthest: float, where: Blocks | None = None) -> tuple[FloatMap, FloatMap]:
        """Targets and their precision [N, M]: from unfiltered colours, or from high-pass data where there is gloss.

        With `where`, only there; further in than `gloss.REACH` px they are those of the whole map.
        """
        term, step = self.term, gloss.FREELY * furthest
        free = self.linearised(disparity, self.views.soft(), term.occluder_growth, term.noise, step, where)
        plain = gloss.within(free, disparity, np.float32(furthest))
        if not term.high_pass:
            return plain.target, plain.precision
        high = self.high(disparity, furthest, where)
        excess = gloss.excess_of_plain(plain, high)
        trust = gloss.trust_in_plain(plain, high, excess, disparity_of(gloss.OWN_ERROR, self.refinement.positions))
        trust[beside_jumps(disparity, disparity_of(JUMP, self.refinement.positions))] = 1
        # Where one pass saw no gloss, the next does not look for it again: a third of the time of a pass.
        self.glossy = by_sixteen(grow(trust < 1, SPREAD))
        return gloss.blended(gloss.within_deviation(free, disparity, furthest, excess), high, trust)

    def high(self, disparity: FloatMap, furthest: float, where: Blocks | None = None) -> Wish:
        """Targets of high-pass data: computed where the last pass found gloss, reused from it elsewhere."""
        looked = where if self.glossy is None else self.glossy if where is None else self.glossy & where
        numbers = gloss.GROWTH, gloss.NOISE, gloss.FURTHER * furthest
        self.known = self.linearised(disparity, self.views.high(), *numbers, looked, self.known)
        return self.known

    def spread(self, disparity: FloatMap, target: FloatMap, precision: FloatMap, furthest: float) -> Spread | None:
        """Factor on the deviations of targets [N, M]: their scatter against what is ordinary; None if it is unknown.

        At least 1 next to depth discontinuities, where it is not measured.
        """
        if not self.term.scatter:
            return None
        away = ~beside_jumps(disparity, disparity_of(JUMP, self.refinement.positions))
        scatter = local_scatter(target - disparity, precision, away, self.term.finest, furthest)
        least = np.where(away, np.float32(LEAST), np.float32(1.0))
        return None if scatter is None else np.maximum(least, scatter / self.term.scatter).astype(np.float16)

    def linearised(
        self,
        disparity: FloatMap,
        rays: Rays,
        growth: int,
        noise: float,
        furthest: float,
        wanted: Blocks | None = None,
        earlier: Wish | None = None,
    ) -> Wish:
        """Targets from the views, unfiltered or high-pass, around a map; computed where requested, reused elsewhere."""
        term, model = self.term, self.model_around(disparity, rays, growth)
        target, texture, residual = (np.zeros_like(disparity) for _ in range(3))
        numbers = np.float32(term.colour_scale), np.float32(furthest)
        where = everywhere(disparity) if wanted is None else wanted
        self.workers.rows(linearise, len(disparity), model, disparity, *numbers, where, target, texture, residual)
        precision = texture / (residual + np.float32(noise**2))
        self.workers.rows(discount, len(disparity), disparity, directions(), self.rise(), precision)
        wish = Wish(target, precision, residual)
        if earlier is None:
            return wish
        new = np.repeat(where, WIDTH, axis=1)[:, : disparity.shape[1]]
        return Wish(*(np.where(new, now, before) for now, before in zip(wish, earlier, strict=True)))

    def rise(self) -> np.float32:
        """Difference, px, by which a neighbour must be nearer for a pixel's own data to be ignored."""
        return np.float32(disparity_of(self.term.border_rise, self.refinement.positions))

    def beside_rise(self, disparity: FloatMap, row: int, column: int) -> bool:
        """Whether a pixel's own data are ignored because its neighbour is nearer."""
        counted = np.ones_like(disparity)
        discount(row, row + 1, disparity, directions(), self.rise(), counted)
        return not counted[row, column]

    def model_around(self, disparity: FloatMap, rays: Rays, growth: int) -> Model:
        """The model of views, unfiltered or high-pass, with the occluders of the grown map."""
        refinement = self.refinement
        grown, term = grow(disparity, growth), refinement.parameters.data
        occluders = snapshot_occluders(grown, refinement.positions, refinement.limits, term, self.workers)
        return refinement.model(self.closing, occluders=occluders, rays=rays)


def everywhere(disparity: FloatMap) -> Blocks:
    """The whole map, as a mask for `linearise`."""
    return by_sixteen(np.ones(disparity.shape, bool))


def by_sixteen(mask: NDArray[np.bool_]) -> Blocks:
    """Mask [N, ⌈M/16⌉]: whether any of sixteen pixels of a row is marked."""
    padded = np.pad(mask, ((0, 0), (0, -mask.shape[1] % WIDTH)))
    return np.asarray(padded.reshape(len(mask), -1, WIDTH).any(axis=2), np.bool_)


def beside_jumps(disparity: FloatMap, jump: float) -> NDArray[np.bool_]:
    """Pixels within 3 px of a depth discontinuity, where high-pass data mix colours of both sides."""
    rise = grow(disparity, 1) + grow(-disparity, 1)
    return grow((rise > jump).astype(np.float32), 2) > 0


def fit(
    disparity: FloatMap,
    target: FloatMap,
    precision: FloatMap,
    term: Finish,
    workers: Workers,
    spread: Spread | None = None,
) -> FloatMap:
    """Mean of the surfaces around each pixel: the widest patches that the targets do not contradict.

    Deviations of targets are multiplied by `spread`.
    """
    scales, rows = patches(term.widest)
    pad = int(rows[:, 1].max())
    around = (pad, pad), (pad, pad + WIDTH)
    limited = limited_precision(precision, term, spread)
    padded = np.pad(target, around), np.pad(limited, around)
    gates = np.float32(term.gate**-2), np.float32(term.widest_gate**-2), np.float32(term.caution)
    surfaces, shared = np.empty((7, *disparity.shape), np.float32), np.empty_like(disparity)
    workers.rows(fit_surfaces, len(disparity), disparity, *padded, pad, scales, rows, *gates, surfaces)
    agreeing = np.float32((AGREEING / term.widest_gate) ** 2)
    workers.rows(share_surfaces, len(disparity), surfaces, pixels_around(term.sharing), agreeing, shared)
    return shared


def limited_precision(precision: FloatMap, term: Finish, spread: Spread | None) -> FloatMap:
    """Precision of targets that are never better than `Finish.finest`, and as good as they scatter."""
    limited = 1.0 / (1.0 / np.maximum(precision, 1e-9) + term.finest**2)
    return (limited if spread is None else limited / spread.astype(np.float32) ** 2).astype(np.float32)


def patches(widest: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Discs of doubling radius from 2 px on, the larger ones on every second pixel, by rows.

    Bounds [S + 1] of each disc's rows [R, 3]: step down, half width, gap between samples, px.
    """
    discs, radius = [], 2
    while radius <= widest:
        gap = 1 if radius <= 4 else 2
        down = range(-radius, radius + 1, gap)
        half = [gap * int(np.sqrt((radius + 0.5) ** 2 - step**2) / gap) for step in down]
        discs.append([(step, wide, gap) for step, wide in zip(down, half, strict=True)])
        radius *= 2
    bounds = np.cumsum([0, *map(len, discs)])
    return bounds.astype(np.int32), np.array([row for disc in discs for row in disc], np.int32)


def disparity_of(shift: float, rays: Rays) -> float:
    """Disparity, px, that shifts a point by `shift` px in the outermost view."""
    return shift / max(float(rays.reach.max()), 1e-6)


def directions() -> NDArray[np.int64]:
    """Towards the eight neighbours [8, 2]."""
    return np.array([(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)], np.int64)
