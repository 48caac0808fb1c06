"""The finish: what the visible views want (`cost.linearised`), made into surfaces (`solver.local_fit`)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr._lanes import WIDTH
from ioadr.cost.linearised import linearise, soften
from ioadr.geometry.ppp import Rays
from ioadr.geometry.windows import grow
from ioadr.parameters import Finish
from ioadr.result import SweepRecord
from ioadr.solver.borders import discount
from ioadr.solver.local_fit import fit_surfaces
from ioadr.solver.problem import snapshot_occluders
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import SweepPlan

FloatMap = NDArray[np.float32]


def finish(refinement: Refinement, closing: SweepPlan, first: int) -> Iterator[SweepRecord]:
    """All passes that the parameters ask for, each done when its record is taken; `first` is the first one's number."""
    term = refinement.parameters.finish
    if term.passes:
        finisher = Finisher(refinement, closing)
        for done in range(term.passes):
            yield finisher.run(first + done, disparity_of(term.furthest * 2 / (2 + done), refinement.rays))


class Finisher:
    """Passes over the map of a refinement; the softened views serve all of them."""

    def __init__(self, refinement: Refinement, closing: SweepPlan) -> None:
        self.refinement, self.closing = refinement, replace(closing, planar_weight=0.0, plane_fits=0)
        self.term, self.workers = refinement.parameters.finish, refinement.workers
        self.rays = softened_rays(refinement.rays, self.term.softening, self.workers)

    def run(self, index: int, furthest: float) -> SweepRecord:
        """One pass: linearise around the map, fit surfaces to the targets, at most `furthest` px away."""
        begin, before = time.perf_counter(), self.refinement.disparity
        target, precision = self.linearised(before, furthest)
        rise = np.float32(disparity_of(self.term.border_rise, self.rays))
        self.workers.rows(discount, len(before), before, directions(), rise, precision)
        fitted = fit(before, target, precision, self.term, self.workers)
        limits = self.refinement.limits
        self.refinement.disparity = np.clip(fitted, np.float32(limits.minimum), np.float32(limits.maximum))
        changed = int(np.count_nonzero(np.abs(fitted - before) > 1e-3))
        cost = float(self.refinement.state.cost.mean())
        return SweepRecord(index, "finish", changed, cost, time.perf_counter() - begin)

    def linearised(self, disparity: FloatMap, furthest: float) -> tuple[FloatMap, FloatMap]:
        """Targets and their precision [N, M]."""
        refinement, term = self.refinement, self.term
        grown = grow(disparity, term.occluder_growth)
        occluders = snapshot_occluders(
            grown, refinement.rays, refinement.limits, refinement.parameters.data, self.workers
        )
        model = refinement.model(self.closing, occluders=occluders)._replace(rays=self.rays)
        target, precision = np.empty_like(disparity), np.empty_like(disparity)
        numbers = np.float32(term.colour_scale), np.float32(term.noise), np.float32(furthest)
        self.workers.rows(linearise, disparity.shape[0], model, disparity, *numbers, target, precision)
        return target, precision


def fit(disparity: FloatMap, target: FloatMap, precision: FloatMap, term: Finish, workers: Workers) -> FloatMap:
    """The widest patch of each pixel that the targets do not contradict, at the pixel itself."""
    scales, rows = patches(term.widest)
    pad = int(rows[:, 1].max())
    around = (pad, pad), (pad, pad + WIDTH)
    limited = 1.0 / (1.0 / np.maximum(precision, 1e-9) + term.finest**2)
    padded = np.pad(target, around), np.pad(limited.astype(np.float32), around)
    gates = np.float32(term.gate**-2), np.float32(term.widest_gate**-2), np.float32(term.caution)
    fitted = np.empty_like(disparity)
    workers.rows(fit_surfaces, len(disparity), disparity, *padded, pad, scales, rows, *gates, fitted)
    return fitted


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
    """px of disparity that shift a point by `shift` px in the outermost view."""
    return shift / max(float(rays.reach.max()), 1e-6)


def directions() -> NDArray[np.int64]:
    """Towards the eight neighbours [8, 2]."""
    return np.array([(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)], np.int64)


def softened_rays(rays: Rays, side: float, workers: Workers) -> Rays:
    """The views, slightly smoothed, so that detail beyond the sampling does not pull disparities."""
    softened = np.empty_like(rays.samples)
    workers.rows(soften, rays.dy.size, rays, np.float32(side), softened)
    return rays._replace(samples=softened)
