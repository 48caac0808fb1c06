"""All measurements of `ioadr bench`, as one tree of figures for JSON."""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ioadr import preset
from ioadr.app.bench import phases, processes
from ioadr.app.bench.against import compared
from ioadr.app.bench.machine import free_cores, machine_facts, numpy_nanoseconds
from ioadr.app.bench.scenes import tiles
from ioadr.machine import cores

Watch = Callable[[str], None]
Figures = dict[str, Any]

PRESETS = ("paper", "fast", "best")


@dataclass(frozen=True)
class Scope:
    """Extent of a measurement."""

    presets: Sequence[str] = ("paper", "fast")
    real: int = 1
    """Names of real scenes to measure, if available."""
    sizes: Sequence[int] = (128, 256, 512)
    """Image sizes, px, at `grid` views."""
    grid: int = 5
    grids: Sequence[int] = (3, 5, 9)
    """Numbers of views in each direction, at `size` px."""
    size: int = 128
    repeats: int = 2
    first: bool = True
    """Whether to measure a run with an empty cache of compiled code."""
    rounds: Sequence[tuple[str, int]] = (("paper", 2), ("fast", 4), ("best", 2))
    """Rounds of a comparison with another revision, by preset; short runs need more, because their times vary more."""
    alone: bool = False
    """Whether commands are also run with one thread; phases always are."""


MORE_ROUNDS = (("paper", 5), ("fast", 8), ("best", 5))
QUICK = Scope()
FULL = Scope(PRESETS, 100, (128, 256, 512, 1024), 9, (3, 5, 7, 9, 13, 17), 256, 1, rounds=MORE_ROUNDS, alone=True)


def run(data: Path | None, scope: Scope, watch: Watch) -> Figures:
    """Measure everything; `watch` is called with the next step."""
    begin = time.perf_counter()
    watch("the machine")
    figures: Figures = {
        "machine": machine_facts(),
        "free_cores": [free_cores()],
        "numpy_nanoseconds": numpy_nanoseconds(),
    }
    figures["starts"] = starts(watch)
    with tempfile.TemporaryDirectory() as folder:
        figures["scenes"] = [
            measured
            for index, scene in enumerate(scenes(data, scope, Path(folder), watch))
            for measured in of_scene(scene, scope, scope.first and index == 0, watch)
        ]
    figures["growth"] = growth(scope, watch)
    figures["free_cores"].append(free_cores())
    return figures | {"seconds": time.perf_counter() - begin}


def against(base: str, data: Path | None, scope: Scope, watch: Watch) -> Figures:
    """Only the comparison with another revision of this checkout, on all scenes."""
    begin = time.perf_counter()
    figures: Figures = {"machine": machine_facts(), "free_cores": [free_cores()], "base": base}
    with tempfile.TemporaryDirectory() as folder:
        built_in, *real = scenes(data, replace(scope, real=FULL.real), Path(folder), watch)
        figures["against"] = compared(base, real or [built_in], built_in, scope.rounds, watch)
    figures["free_cores"].append(free_cores())
    return figures | {"seconds": time.perf_counter() - begin}


def starts(watch: Watch) -> Figures:
    """Seconds to import the package, and to print the command's help."""
    watch("starting")
    commands = {"import": ["-c", "import ioadr"], "help": ["-m", "ioadr", "--help"], "python": ["-c", "pass"]}
    return {name: min(processes.python(command).wall for _ in range(3)) for name, command in commands.items()}


def scenes(data: Path | None, scope: Scope, folder: Path, watch: Watch) -> list[Path]:
    """The built-in scene, rendered into `folder`, and real ones."""
    from ioadr.evaluation.benchmark import find_scenes
    from ioadr.evaluation.synthetic import demo
    from ioadr.evaluation.synthetic.folder import write_scene

    watch("rendering the built-in scene")
    built_in = write_scene(demo(), folder / "built-in")
    return [built_in, *(find_scenes(data)[: scope.real] if data is not None else ())]


def of_scene(scene: Path, scope: Scope, first: bool, watch: Watch) -> list[Figures]:
    """Every preset with one thread and with all, from command to files and by phase; also the first run ever."""
    rows = []
    if first:
        watch(f"{scene.name}: first run ever")
        with tempfile.TemporaryDirectory() as cache:
            rows.append(_run(scene, scope.presets[0], 0, "empty", _command(scene, scope.presets[0], 0, cache)))
    for name in scope.presets:
        for threads in (0, 1):
            watch(f"{scene.name}: {name}, {threads or cores()} threads")
            figures = _command(scene, name, threads) if scope.alone or not threads else {}
            rows.append(_run(scene, name, threads, "warm", figures | {"inside": _phases(scene, name, threads)}))
    return rows


def _run(scene: Path, name: str, threads: int, cache: str, figures: Figures) -> Figures:
    return {"scene": scene.name, "preset": name, "threads": threads or cores(), "cache": cache, **figures}


def _command(scene: Path, name: str, threads: int, cache: str | None = None) -> Figures:
    """`ioadr estimate` from command to files, with the user's cache of compiled code or another."""
    environment = {} if cache is None else {"IOADR_CACHE": cache}
    with tempfile.TemporaryDirectory() as folder:
        options = ["--preset", name, "--quiet", *(["--threads", str(threads)] if threads else [])]
        timed = processes.ioadr("estimate", str(scene), "--out", f"{folder}/out", *options, environment=environment)
    return dict(timed.figures())


def _phases(scene: Path, name: str, threads: int) -> Figures:
    program = ["-m", "ioadr.app.bench.phases", str(scene), name, str(threads)]
    result: Figures = json.loads(processes.python(program).out)
    return result


def growth(scope: Scope, watch: Watch) -> Figures:
    """Time over image sizes and over grids, with the exponent of the power law through the ends."""
    by_size = [_growth_point(size, scope.grid, scope.repeats, watch) for size in scope.sizes]
    by_grid = [_growth_point(scope.size, grid, scope.repeats, watch) for grid in scope.grids]
    return {
        "sizes": by_size,
        "grids": by_grid,
        "pixels_exponent": exponent(by_size, "pixels"),
        "views_exponent": exponent(by_grid, "views"),
    }


def _growth_point(size: int, grid: int, repeats: int, watch: Watch) -> Figures:
    """The fastest of several runs with all threads, in CPU time, which other processes disturb less."""
    watch(f"{grid}×{grid} views of {size}×{size} px")
    lightfield = tiles(size, grid)
    phases.measure(phases.corner(lightfield), preset("paper"), None)
    runs = [phases.measure(lightfield, preset("paper"), None)[0] for _ in range(repeats)]
    best = min(runs, key=lambda figures: float(figures["cpu"]))
    return {"size": size, "grid": grid, "pixels": size**2, "views": grid**2, **best}


def exponent(points: Sequence[Figures], name: str) -> float:
    """p in CPU time ∝ quantityᵖ, between the smallest and the largest."""
    small, large = points[0], points[-1]
    return math.log(large["cpu"] / small["cpu"]) / math.log(large[name] / small[name])
