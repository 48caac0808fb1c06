"""The whole method on one screen: initialise, sweep, return (§ VI)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.cost.total import Model, State
from ioadr.lightfield import DisparityRange, LightField
from ioadr.parameters import Parameters, preset
from ioadr.result import Estimate, SweepRecord
from ioadr.solver import problem
from ioadr.solver.candidates import Heuristics
from ioadr.solver.initialise import initialise
from ioadr.solver.schedule import SweepPlan, plan
from ioadr.solver.sweep import BLOCK, final_costs, sweep_share

Progress = Callable[[SweepRecord, NDArray[np.float32], int], None]
"""Called after the initialisation and every sweep with its record, the map so far and the number of sweeps."""


class Solver:
    """One estimation in its course: what stays (rays, guide) and what sweeps change (state)."""

    def __init__(
        self, lf: LightField, limits: DisparityRange, parameters: Parameters, seed: int, workers: Workers
    ) -> None:
        self.workers = workers
        self.lf, self.limits, self.parameters, self.seed = lf, limits, parameters, seed
        self.rays = problem.pack_rays(lf)
        self.pad = problem.map_padding(parameters)
        self.guide = problem.padded_guide(self.rays, self.pad)
        self.data = problem.data_weights(self.rays, parameters.data)
        self.congruence = problem.congruence_weights(parameters.congruence, limits, self.guide.shape[1])
        self.state = State(
            disparity=np.zeros(self.guide.shape, np.float32), cost=np.zeros((lf.height, lf.width), np.float32)
        )

    @property
    def disparity(self) -> NDArray[np.float32]:
        """A copy of the map so far, [N, M]."""
        inner = self.state.disparity[self.pad : -self.pad, self.pad : -self.pad]
        return np.ascontiguousarray(inner)

    @disparity.setter
    def disparity(self, values: NDArray[np.float32]) -> None:
        self.state.disparity[:] = np.pad(values, self.pad, mode="edge")

    def model(self, congruence_weight: float, planar_weight: float) -> Model:
        """What hypotheses are measured against, with visibility and planes of the map as it is now."""
        current = self.disparity
        return Model(
            rays=self.rays,
            guide=self.guide,
            pad=self.pad,
            occluders=problem.snapshot_occluders(current, self.rays, self.limits, self.parameters.data, self.workers),
            planes=problem.fit_planes(current, self.lf, self.parameters.planar, planar_weight > 0, self.workers),
            data=self.data,
            congruence=self.congruence,
            congruence_weight=np.float32(congruence_weight),
            planar_weight=np.float32(planar_weight),
        )

    def run(self, step: SweepPlan) -> SweepRecord:
        """One sweep (§ VI-B, § VI-C)."""
        begin, before = time.perf_counter(), self.disparity
        self.disparity = before
        noise = np.random.default_rng([self.seed, step.index])
        shape = before.shape
        run_sweep(
            self.workers,
            self.model(step.congruence_weight, step.planar_weight),
            _float32(step.heuristics),
            self.state,
            step.forward,
            np.float32(step.temperature),
            noise.standard_normal(shape, np.float32),
            noise.random(shape, np.float32),
        )
        changed = int(np.count_nonzero(np.abs(self.disparity - before) > 1e-3))
        cost = float(self.state.cost.mean())
        return SweepRecord(step.index, step.kind, changed, cost, time.perf_counter() - begin)

    def finish(self) -> tuple[dict[str, NDArray[np.float32]], NDArray[np.uint16]]:
        """Cost terms and visible views of the final map."""
        last = plan(self.parameters, self.limits)[-1:]
        weights = (last[0].congruence_weight, last[0].planar_weight) if last else (0.0, 0.0)
        terms = np.empty((3, self.lf.height, self.lf.width), np.float32)
        visible = np.empty(terms.shape[1:], np.uint16)
        self.workers.rows(final_costs, self.lf.height, self.model(*weights), self.state, -1, terms, visible)
        return dict(zip(("data", "congruence", "planar"), terms, strict=True)), visible


def estimate(
    lf: LightField,
    parameters: Parameters | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Estimate:
    """Disparity, costs and visibility of the reference view of `lf`.

    Same light field, parameters and seed give the same bytes on any number of threads. `progress` may raise
    to stop early.
    """
    parameters = parameters or preset("paper")
    begin = time.perf_counter()
    with Workers(threads) as workers:
        limits = lf.range
        assert limits is not None
        solver = Solver(lf, limits, parameters, seed, workers)
        solver.disparity = initialise(lf, limits, parameters.initialise, workers)
        steps = plan(parameters, limits)
        history = [SweepRecord(-1, "initialise", lf.height * lf.width, float("nan"), time.perf_counter() - begin)]
        _report(progress, history[-1], solver, len(steps))
        for step in steps:
            history.append(solver.run(step))
            _report(progress, history[-1], solver, len(steps))
        costs, visible = solver.finish()
    return Estimate(
        disparity=solver.disparity,
        costs=costs,
        visible_views=visible,
        confidence=np.ones_like(costs["data"]),
        image=lf.reference_view,
        white=float(lf.white or 1.0),
        camera=lf.camera,
        range=limits,
        parameters=parameters,
        seed=seed,
        history=tuple(history),
        seconds={"total": time.perf_counter() - begin},
        source={"name": lf.name, "grid": lf.grid, "reference": lf.reference, "reach": lf.reach, **lf.source},
    )


def run_sweep(workers: Workers, model: Model, heuristics: Heuristics, state: State, *arguments: Any) -> None:
    """All workers through one sweep; one that waits for another gives its core away for a moment."""
    done = np.zeros(state.cost.shape[0], np.int64)
    position = np.zeros((2, workers.count), np.int64)
    position[0] = np.arange(workers.count)
    lag = 1 + -(-model.pad // BLOCK)

    def share(worker: int) -> None:
        while not sweep_share(worker, workers.count, model, heuristics, state, *arguments, lag, done, position):
            if workers.stopped:
                return
            time.sleep(5e-5)

    workers.each(share)


def _report(progress: Progress | None, record: SweepRecord, solver: Solver, sweeps: int) -> None:
    if progress is not None:
        progress(record, solver.disparity, sweeps)


def _float32(values: Any) -> Any:
    """Python floats of a named tuple as float32, so that kernels compute in one precision."""
    return type(values)(*(np.float32(v) if isinstance(v, float) else v for v in values))
