"""Time of one estimation by phase; as a program, of a scene in a separate process."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import click

import ioadr
from ioadr.app.estimation_options import Estimation
from ioadr.app.report import report_html
from ioadr.io.options import ReadOptions
from ioadr.io.results.save import save_estimate
from ioadr.lightfield import LightField
from ioadr.parameters import Parameters
from ioadr.result import Estimate, SweepRecord
from ioadr.solver.schedule import plan

SWEEPS = ("data", "congruence", "planar")


class Clock:
    """Wall and processor seconds by phase."""

    def __init__(self) -> None:
        self.wall: dict[str, float] = defaultdict(float)
        self.cpu: dict[str, float] = defaultdict(float)
        self._last = time.perf_counter(), time.process_time()

    def lap(self, phase: str) -> None:
        """Add the time since the last lap to `phase`."""
        wall, cpu = time.perf_counter(), time.process_time()
        self.wall[phase] += wall - self._last[0]
        self.cpu[phase] += cpu - self._last[1]
        self._last = wall, cpu

    def figures(self) -> dict[str, Any]:
        return {"wall": dict(self.wall), "cpu": dict(self.cpu)}


def hypotheses(estimate: Estimate) -> int:
    """Number of disparities costed by the sweeps: each pixel's own and its candidates, duplicates included."""
    total = 0
    for step in plan(estimate.parameters, estimate.range):
        chosen = step.heuristics
        total += 1 + chosen.random + chosen.congruence + chosen.smooth_plane + 3 * chosen.smooth_depth
    return total * estimate.disparity.size


def measure(lightfield: LightField, parameters: Parameters, threads: int | None) -> tuple[dict[str, Any], Estimate]:
    """Time by phase (first map, each kind of sweep, finish, the rest), and hypotheses per second of sweeping."""
    clock = Clock()

    def progress(record: SweepRecord, disparity: Any, total: int) -> None:
        clock.lap(record.kind)

    estimate = ioadr.estimate(lightfield, parameters, threads=threads, progress=progress)
    clock.lap("rest")
    sweeps = sum(clock.wall.get(kind, 0.0) for kind in SWEEPS)
    figures = {
        "phases": clock.figures(),
        "wall": sum(clock.wall.values()),
        "cpu": sum(clock.cpu.values()),
        "sweeps": sweeps,
        "counts": {kind: sum(record.kind == kind for record in estimate.history) for kind in SWEEPS},
        "hypotheses_per_second": hypotheses(estimate) / sweeps if sweeps else 0.0,
    }
    return figures, estimate


def of_scene(path: str, preset: str, threads: int | None) -> dict[str, Any]:
    """The same with loading and saving; a corner of the light field loads the kernels beforehand."""
    clock, chosen = Clock(), Estimation(ioadr.preset(preset), seed=0, threads=threads)
    lightfield = ioadr.read(path, chosen.reading(ReadOptions()))
    clock.lap("load")
    ioadr.estimate(corner(lightfield), chosen.parameters, threads=threads)
    clock.lap("kernels")
    figures, estimate = measure(lightfield, chosen.parameters, threads)
    clock.lap("estimate")
    with tempfile.TemporaryDirectory() as folder:
        save_estimate(estimate, Path(folder) / "saved")
        clock.lap("save")
        report_html(estimate, lightfield, None)
        clock.lap("report")
    around, inside = clock.figures(), figures["phases"]
    return figures | {"phases": {kind: around[kind] | inside[kind] for kind in ("wall", "cpu")}}


def corner(lightfield: LightField, size: int = 24) -> LightField:
    """A tiny light field of the same kind."""
    limits = lightfield.range or ioadr.DisparityRange(-1.0, 1.0)
    window = ioadr.Window(0, 0, min(size, lightfield.height), min(size, lightfield.width))
    return lightfield.with_(range=limits).crop(window)


if __name__ == "__main__":
    click.echo(json.dumps(of_scene(sys.argv[1], sys.argv[2], int(sys.argv[3]) or None)))
