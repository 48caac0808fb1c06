"""`ioadr benchmark`: presets and published maps, scene by scene, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ioadr.app.estimation_options import threads_option
from ioadr.app.sections import SectionCommand, option
from ioadr.app.start.exit_codes import PARTLY_FAILED
from ioadr.app.terminal import Terminal, output_options
from ioadr.presets import DEFAULT

if TYPE_CHECKING:
    from ioadr.evaluation.benchmark import Results

HEAD = "mean over scenes"


@click.command(cls=SectionCommand)
@click.argument("dataset", type=click.Path())
@option("Results", "--out", type=click.Path(), metavar="DIR", required=True, help="Folder for maps, tables and page.")
@option("Results", "--redo", is_flag=True, help="Estimate everything again.")
@option("Input", "--scenes", metavar="LIST", help="Names of scenes, separated by commas.  [default: all with truth]")
@option(
    "Input",
    "--methods",
    multiple=True,
    metavar="LIST",
    help="Presets, parameter files, or folders of published maps; may be repeated.  [default: best]",
)
@option("Input", "--ablations", is_flag=True, help="Also run every variation of the presets.")
@option(
    "Estimation",
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="Seed for the random candidates.",
)
@threads_option
@output_options
def command(
    terminal: Terminal,
    dataset: str,
    out: str,
    redo: bool,
    scenes: str | None,
    methods: tuple[str, ...],
    ablations: bool,
    seed: int,
    threads: int | None,
) -> int:
    """Run presets on the scenes of DATASET, score them and published maps, and write tables and a page.

    Writes results.json, results.csv, results.tex and index.html. An interrupted run continues: estimates are reused if
    program, parameters and input are unchanged. A folder of published maps contains SCENE.pfm; a folder of such folders
    adds all of them.
    """
    from ioadr.app.benchmark.progress import watching
    from ioadr.evaluation.benchmark import find_scenes, run_benchmark
    from ioadr.evaluation.methods import parse_methods

    chosen = find_scenes(dataset, split(scenes or ""))
    names = [name for text in methods or (DEFAULT,) for name in split(text)]
    parsed = parse_methods(names, [scene.name for scene in chosen], ablations, seed, threads)
    check_out(out)
    with watching(terminal) as watch:
        results = run_benchmark(chosen, parsed, Path(out), watch, redo)
    return finish(terminal, results, f"Benchmark on {Path(dataset).absolute().name}")


def split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def check_out(out: str) -> None:
    """Refuse an unusable folder before the computation starts."""
    from ioadr.io.safety.atomic import check_folder

    check_folder(out, overwrite=True)


def finish(terminal: Terminal, results: Results, title: str, with_paper: bool = False) -> int:
    """Write tables and page, print a short table, and return the exit code."""
    import json

    from ioadr.app.benchmark.files import write_results
    from ioadr.evaluation import tables

    with terminal.busy("writing tables and page"):
        written = write_results(results, title, with_paper)
    lines = [_overview(results), "wrote", *(f"  {path}" for path in written)]
    lines += [f"failed: {item.method} on {item.scene}: {item.failure}" for item in results.failures]
    data = json.loads(tables.to_json(results))
    terminal.answer("\n".join(lines), data | {"files": [str(path) for path in written]})
    return PARTLY_FAILED if results.failures else 0


def _overview(results: Results) -> str:
    """Means over the scenes, method by method."""
    from ioadr.evaluation.scores import METRICS
    from ioadr.evaluation.tables import figure

    shown = [m for m in ("mse", "badpix_007", "badpix_003", "badpix_001", "mae_planes") if m in results.metrics]
    wide = max(len(name) for name in (*results.method_names, HEAD))
    lines = [f"{HEAD:<{wide}}{''.join(f'{METRICS[m].label:>13}' for m in shown)}{'seconds':>10}"]
    for method in results.method_names:
        figures = "".join(f"{figure(results.mean(method, m), m):>13}" for m in shown)
        times = [i.seconds for i in results.items if i.method == method and i.seconds is not None]
        pace = f"{sum(times) / len(times):.1f}" if times else "–"
        lines.append(f"{method:<{wide}}{figures}{pace:>10}")
    return "\n".join(lines)
