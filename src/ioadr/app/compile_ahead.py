"""Compile the kernels of an estimation's later steps in a separate process, while the estimation begins.

A first run compiles for half a minute and more on one core: numba compiles one kernel at a time in a process. Each
process loads kernels that the other has cached, and waits for those that the other is compiling. Kernels that share
inner ones should be compiled by the same process: regions, surfaces and borders, which share next to none with the
sweeps, come first here in the order in which an estimation needs them.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ioadr import _cache_folder
from ioadr.machine import cores
from ioadr.parameters import Parameters

SIDE = 24
"""Size of the views on which the other process runs all stages, px."""
COLLECTED = 1_000_000
"""New objects between two garbage collections during compilation. Python's default, 700, costs 7 % of the time, 100,000
another 4 %; there is little garbage, less than 100 MB."""


@contextmanager
def compiling_ahead(parameters: Parameters, threads: int | None) -> Iterator[None]:
    """Compile in another process until the block ends: from the start if there are no kernels, or when one is missing.

    Does nothing if there is only one core.
    """
    started: list[subprocess.Popen[bytes]] = []
    collected = gc.get_threshold()
    if min(cores(), threads or cores()) > 1:
        if any(_cache_folder.FOLDER.glob(f"*{_cache_folder.KERNEL}")):
            _cache_folder.when_missing.append(lambda: started.extend(_started(parameters)))
        else:
            started.extend(_started(parameters))
            gc.set_threshold(COLLECTED)
    try:
        yield
    finally:
        gc.set_threshold(*collected)
        _cache_folder.when_missing.clear()
        for process in started:
            process.terminate()
            process.wait()


def _started(parameters: Parameters) -> Iterator[subprocess.Popen[bytes]]:
    nowhere = subprocess.DEVNULL
    command = [sys.executable, "-m", "ioadr.app.compile_ahead", json.dumps(parameters.to_dict())]
    with suppress(OSError):  # then one process compiles it all
        yield subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere)


def compile_ahead(parameters: Parameters) -> None:
    """Run every stage of an estimation on a tiny light field."""
    from ioadr._jit import keeps_kernels

    if not keeps_kernels():
        return
    for stage in _stages(parameters):
        stage()


def _stages(parameters: Parameters) -> Iterator[Callable[[], object]]:
    import numpy as np

    from ioadr._jit import Workers
    from ioadr.lightfield import DisparityRange, LightField
    from ioadr.solver.confidence import confidence_map
    from ioadr.solver.coverage import settle, settle_borders
    from ioadr.solver.evidence import bent, torn
    from ioadr.solver.finish import finish_in_passes, fit
    from ioadr.solver.holes import propose, sweep_with_holes
    from ioadr.solver.initialise import first_maps, followed_lines
    from ioadr.solver.noise import calm_colours
    from ioadr.solver.refine import Refinement
    from ioadr.solver.regions import repair_regions
    from ioadr.solver.schedule import closing, plan
    from ioadr.solver.starts import begin, rays_of_starts
    from ioadr.way import Origin

    random = np.random.default_rng(0)
    lightfield = LightField(random.integers(0, 256, (9, 9, SIDE, SIDE, 3), np.uint8))
    limits = DisparityRange(-1.0, 1.0)
    steps, last = plan(parameters, limits), closing(parameters, limits)
    with Workers(1) as workers:
        refinement = Refinement(lightfield, limits, parameters, workers)
        some = refinement.disparity = random.uniform(-1, 1, (SIDE, SIDE)).astype(np.float32)
        visible = np.full(some.shape, 9, np.uint16)
        if parameters.initialise.method == "cheapest":  # while the other process compiles its plane sweeps
            yield lambda: followed_lines(lightfield, limits, parameters.initialise, workers)
        if parameters.search.hole_sweeps:
            yield lambda: propose(some, calm_colours(refinement, np.abs(some), 1.0), refinement, 1.0)
        if parameters.finish.region_passes:
            yield lambda: repair_regions(refinement, last, len(steps))
        if parameters.finish.passes:
            yield lambda: fit(some, some, np.abs(some), parameters.finish, workers)
        if parameters.coverage.settle:
            yield lambda: settle(some, refinement.rays, parameters.coverage, workers)
        yield lambda: (torn(some, 1), bent(some))
        yield lambda: confidence_map(refinement, last, np.abs(some), visible)
        yield lambda: list(finish_in_passes(refinement, last, len(steps)))
        yield lambda: list(settle_borders(refinement, last, 0))
        yield lambda: refinement.final_costs(last)
        yield lambda: [sweep_with_holes(refinement, step, last, 0) for step in reversed(steps)]
        yield lambda: begin(refinement, [some, -some], [Origin.WINDOWS, Origin.PIXELS], last)
        yield lambda: first_maps(lightfield, rays_of_starts(refinement), limits, parameters.initialise, workers)


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    chosen = Parameters().replace(
        {f"{group}.{name}": value for group, values in given.items() for name, value in values.items()}
    )
    gc.set_threshold(COLLECTED)
    compile_ahead(chosen)
