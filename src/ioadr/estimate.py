"""The whole method on one screen: range, first map, sweeps, result (§ VI)."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.errors import InputError
from ioadr.lightfield import DisparityRange, LightField
from ioadr.parameters import Parameters, preset
from ioadr.result import Estimate, SweepRecord
from ioadr.solver.confidence import confidence
from ioadr.solver.coverage import settle_borders
from ioadr.solver.disparity_range import voted_range
from ioadr.solver.finish import finish, finishing_passes
from ioadr.solver.initialise import first_maps
from ioadr.solver.problem import pack_rays
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing, plan

Progress = Callable[[SweepRecord, NDArray[np.float32], int], None]
"""Called after the first map, every sweep and finishing pass: its record, the map so far, how many there will be."""


def estimate(
    lf: LightField,
    parameters: Parameters | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    threads: int | None = None,
    start: NDArray[np.float32] | None = None,
) -> Estimate:
    """Disparity, costs and visibility of the reference view of `lf`.

    Same light field, parameters and seed give the same bytes on any number of threads. `progress` may raise
    to stop early. `start` is a map known to be near the result, such as that of a video's last frame: fewer
    sweeps follow it (`search.warm_sweeps`).
    """
    parameters = parameters or preset("paper")
    clock = time.perf_counter()
    history: list[SweepRecord] = []

    def report(record: SweepRecord) -> None:
        history.append(record)
        if progress is not None:
            progress(record, refinement.disparity, total)

    with Workers(threads) as workers:
        rays = pack_rays(lf, parameters.data.view_step)
        limits = lf.range or voted_range(lf, rays, workers)
        steps, last = plan(parameters, limits, warm=start is not None), closing(parameters, limits)
        total = len(steps) + finishing_passes(parameters.finish) + parameters.coverage.settle
        refinement = Refinement(lf, limits, parameters, workers, rays)
        maps = first_maps(lf, rays, limits, parameters.initialise, workers)
        known = [] if start is None else [_usable(start, maps[0], limits)]
        refinement.begin_with(known + maps, last)
        report(SweepRecord(-1, "initialise", lf.height * lf.width, float("nan"), time.perf_counter() - clock))
        sweeps = (refinement.sweep(step, seed) for step in steps)
        for record in chain(sweeps, finish(refinement, last, len(steps)), settle_borders(refinement, last, total - 1)):
            report(record)
        costs, visible = refinement.final_costs(last)
        trust = confidence(refinement, last, costs["data"], visible)
        # A mean of equal values may differ from them in its last bit.
        disparity = np.clip(refinement.disparity, np.float32(limits.minimum), np.float32(limits.maximum))
    return Estimate(
        disparity=disparity,
        costs=costs,
        visible_views=visible,
        confidence=trust,
        coverage=refinement.coverage,
        image=lf.reference_view,
        white=lf.white,
        camera=lf.camera,
        range=limits,
        parameters=parameters,
        seed=seed,
        layout=lf.layout,
        part=lf.part,
        name=lf.name,
        history=tuple(history),
        seconds={"total": time.perf_counter() - clock},
        source=lf.source,
    )


def _usable(start: NDArray[np.float32], first: NDArray[np.float32], limits: DisparityRange) -> NDArray[np.float32]:
    """A map to start from, inside the range; the first map where it has no value."""
    if start.shape != first.shape:
        raise InputError(
            f"start: expected a map of {first.shape[1]}×{first.shape[0]} px, as the views are, "
            f"found shape {start.shape}. Give the map of a frame of the same size."
        )
    known = np.where(np.isfinite(start), start, first)
    return np.clip(known, limits.minimum, limits.maximum).astype(np.float32)
