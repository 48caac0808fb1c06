"""Iterative refinement (§ VI): one running estimation, sweep by sweep."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.cost.occlusion import Occluders
from ioadr.cost.planar import Planes
from ioadr.cost.total import TERMS, Model, State
from ioadr.geometry.ppp import Rays
from ioadr.lightfield import DisparityRange, LightField
from ioadr.parameters import Parameters
from ioadr.part import Part
from ioadr.result import SweepRecord
from ioadr.solver import problem
from ioadr.solver.schedule import SweepPlan
from ioadr.solver.sweep import BLOCK, final_costs, sweep_share
from ioadr.tones import Tones

FloatMap = NDArray[np.float32]
FEW, ENOUGH = 64, 81
"""Numbers of views, smallest and largest, with which a sweep that needs few of them runs; otherwise it runs with all.

The search for occluders of a rough map takes most of the time of first sweeps, in proportion to the views."""


class Refinement:
    """Constants of an estimation (rays, guide, weights), and the state that sweeps change."""

    def __init__(
        self,
        lightfield: LightField,
        limits: DisparityRange,
        parameters: Parameters,
        workers: Workers,
        rays: Rays | None = None,
        tones: Tones | None = None,
    ) -> None:
        self.lightfield, self.limits, self.parameters, self.workers = lightfield, limits, parameters, workers
        self._step = 1 if rays is None else parameters.data.view_step
        self.tones = tones or lightfield.tones(0.0)
        self._rays: Rays | None = rays or problem.pack_rays(lightfield, self._step, self.tones)
        self.positions = self.rays._replace(samples=np.empty(0, np.uint32))
        """The rays without samples, for code that only needs the positions of the views."""
        self.pad = problem.map_padding(parameters)
        self.guide = problem.padded_guide(self.rays, self.pad)
        self.congruence = problem.congruence_weights(parameters.congruence, limits, self.guide.shape[1])
        self.least_weight = problem.least_weight(self.rays, parameters.congruence)
        self._swept_with = 0
        """Number of views of the last sweep."""
        self._snapshot: Occluders | None = None
        self.coverage: FloatMap | None = None
        self.spread: NDArray[np.float16] | None = None
        """Factor [N, M] on the deviations of the last finishing pass' targets; None is 1."""
        self.glossy: list[NDArray[np.bool_]] = []
        """Where the second and further finishing passes looked for gloss, [N, ⌈M/16⌉] each."""
        self.contours: NDArray[np.float16] | None = None
        """[N, M]: evidence of contours in the border step; None if they were not asked."""
        self.opened: FloatMap | None = None
        """[N, M]: the map with the holes that the last step opened before anything else."""
        self.noise: FloatMap | None = None
        """Random perturbations of the last sweep."""
        size = lightfield.height, lightfield.width
        self.state = State(
            np.zeros(self.guide.shape, np.float32), np.zeros(size, np.float32), np.zeros(size, np.float32)
        )

    @property
    def rays(self) -> Rays:
        """All used views, packed; again if they were released."""
        if self._rays is None:
            self._rays = problem.pack_rays(self.lightfield, self._step, self.tones)
        return self._rays

    def released_rays(self) -> Rays:
        """The packed views, which the caller may change: the refinement packs them again when it needs them."""
        rays, self._rays = self.rays, None
        return rays

    @property
    def disparity(self) -> FloatMap:
        """A copy of the map so far, [N, M]."""
        return np.ascontiguousarray(self.state.disparity[self.pad : -self.pad, self.pad : -self.pad])

    @disparity.setter
    def disparity(self, values: FloatMap) -> None:
        self.state.disparity[:] = np.pad(values, self.pad, mode="edge")
        self.state.plain[:] = np.nan

    def model(
        self,
        step: SweepPlan,
        occluders: Occluders | None = None,
        planes: Planes | None = None,
        rays: Rays | None = None,
    ) -> Model:
        """The cost model of a sweep, with views, visibility and planes of the current map unless given."""
        if planes is None:
            term = self.parameters.planar
            geometry = problem.plane_geometry(self.lightfield, self.limits, term)
            planes = problem.fit_planes(self.disparity, geometry, term, step.plane_fits, self.workers)
        views = self.rays if rays is None else rays
        kept = {
            **problem.model_numbers(self.parameters),
            "rays": views,
            "guide": self.guide,
            "pad": self.pad,
            "occluders": occluders or self._occluders(),
            "planes": planes,
            "data": problem.data_weights(views, self.parameters.data),
            "congruence": self.congruence,
            "congruence_weight": np.float32(step.congruence_weight),
            "least_weight": self.least_weight,
            "planar_weight": np.float32(step.planar_weight),
        }
        return Model(**kept)

    def _occluders(self) -> Occluders:
        """Occluders of the current map, shared by all steps on the same map, such as final costs and confidence."""
        disparity, snapshot = self.disparity, self._snapshot
        if snapshot is None or not np.array_equal(snapshot.surface[:-1, :-1], disparity):
            term = self.parameters.data
            snapshot = problem.snapshot_occluders(disparity, self.positions, self.limits, term, self.workers)
            self._snapshot = snapshot
        return snapshot

    def sweep(self, step: SweepPlan, seed: int) -> SweepRecord:
        """Visit all pixels once (§ VI-B, § VI-C); random numbers depend on seed and sweep alone."""
        begin, before = time.perf_counter(), self.disparity
        self.state.disparity[:] = np.pad(before, self.pad, mode="edge")
        model, heuristics = self.model(step, rays=self._rays_of(step)), single_precision(step.heuristics)
        if model.rays.dy.size != self._swept_with:
            self._swept_with, self.state.plain[:] = model.rays.dy.size, np.nan  # means over other views
        self.noise, chance = random_numbers(seed, step, self.lightfield.part)
        done = np.zeros(self.lightfield.height, np.int64)
        position = np.zeros((2, self.workers.count), np.int64)
        position[0] = np.arange(self.workers.count)
        lag = 1 + -(-self.pad // BLOCK)
        fixed = model, heuristics, self.state, step.forward, np.float32(step.temperature), self.noise, chance

        def share(worker: int) -> None:
            while not sweep_share(worker, self.workers.count, *fixed, lag, done, position):
                if self.workers.stopped:
                    return
                time.sleep(5e-5)

        self.workers.each(share)
        changed = int(np.count_nonzero(np.abs(self.disparity - before) > 1e-3))
        cost = float(self.state.cost.mean())
        return SweepRecord(step.index, step.kind, changed, cost, time.perf_counter() - begin)

    def _rays_of(self, step: SweepPlan) -> Rays:
        """The views with which a sweep runs."""
        if not step.few_views:
            return self.rays
        few = problem.fewer_rays(self.lightfield, self.rays, self._step, ENOUGH)
        return few if few.dy.size >= FEW else self.rays

    def final_costs(self, step: SweepPlan) -> tuple[dict[str, FloatMap], NDArray[np.uint16]]:
        """Cost terms of the current map under a sweep's weights, and the number of views that see each pixel."""
        terms = np.empty((len(TERMS), self.lightfield.height, self.lightfield.width), np.float32)
        visible = np.empty(terms.shape[1:], np.uint16)
        self.workers.rows(final_costs, self.lightfield.height, self.model(step), self.state, -1, terms, visible)
        costs = dict(zip(TERMS, terms, strict=True))
        return costs | {"accepted": self.state.cost.copy()}, visible


def random_numbers(seed: int, step: SweepPlan, part: Part) -> tuple[FloatMap, FloatMap]:
    """Random numbers of a sweep, per pixel: normal for the perturbation, uniform in 0 … 1 for the acceptance."""
    generator = np.random.default_rng([seed, step.index])
    return _drawn(generator.standard_normal, part), _drawn(generator.random, part)


def _drawn(draw: Callable[..., FloatMap], part: Part) -> FloatMap:
    """Numbers that `draw` gives a part's pixels in the whole image, row by row: the whole may not fit into memory."""
    if part.is_whole:
        return draw((part.height, part.width), np.float32)
    window = part.window
    values = np.empty((window.height, window.width), np.float32)
    for n in range(part.height):
        row = draw(part.width, np.float32)
        if window.top <= n < window.bottom:
            values[n - window.top] = row[window.left : window.right]
    return values


def single_precision(values: Any) -> Any:
    """Python floats of a named tuple as float32, so that kernels compute in one precision."""
    return type(values)(*(np.float32(v) if isinstance(v, float) else v for v in values))
