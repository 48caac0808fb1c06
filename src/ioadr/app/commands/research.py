"""`ioadr research`: compare parameter sets over scenes and seeds, and keep the figures in a table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ioadr.app.commands.benchmark import split
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options

if TYPE_CHECKING:
    from ioadr.evaluation.research import Difference, Row, Trial

BETTER, WORSE = "▼", "▲"


@click.command(cls=SectionCommand)
@click.argument("scenes", nargs=-1, required=True, metavar="SCENE...")
@option(
    "Input",
    "--size",
    type=click.IntRange(64, 2048),
    metavar="PX",
    default=160,
    show_default=True,
    help="Size of synthetic scenes, in px.",
)
@option(
    "Input",
    "--crop",
    type=int,
    nargs=4,
    metavar="TOP LEFT HEIGHT WIDTH",
    help="Use only this part of each scene folder, in px.",
)
@option("Parameters", "--methods", default="best", show_default=True, metavar="LIST", help="Presets or variations.")
@option(
    "Parameters", "--ablations", is_flag=True, help="Also run presets that have a finish without each of its steps."
)
@option(
    "Parameters",
    "--vary",
    multiple=True,
    metavar="NAME=LIST",
    help="Values of one parameter; repeat for all combinations.",
)
@option(
    "Parameters", "--sets", type=click.Path(), metavar="FILE", help="TOML file whose tables are named parameter sets."
)
@option(
    "Estimation",
    "--seeds",
    type=click.IntRange(1, 100),
    metavar="N",
    default=2,
    show_default=True,
    help="Number of seeds per method and scene.",
)
@option("Estimation", "--jobs", type=click.IntRange(1), metavar="N", show_default="cores", help="Number of processes.")
@option(
    "Results", "--table", type=click.Path(), metavar="FILE", required=True, help="CSV file that collects all figures."
)
@option("Results", "--by-scene", is_flag=True, help="Print all figures of each scene, and where the first method wins.")
@output_options
def command(terminal: Terminal, table: str, jobs: int | None, by_scene: bool, **options: Any) -> None:
    """Compare parameter sets on SCENEs: folders with ground truth, FAMILY-NUMBER, or synthetic[-NUMBER] (all families).

    Every other method, and every variation from --vary, is compared with the first: mean over the scenes and paired
    difference ± standard error, marked where significant (p < 0.05). Figures already in TABLE for the same source,
    parameters and scenes are not computed again. Times are for one thread.
    """
    from ioadr.evaluation.research import run_trials
    from ioadr.evaluation.scene_table import lost_to, markdown_by_scene
    from ioadr.machine import cores

    trials = _trials(**options)
    with terminal.busy(f"{len(trials)} trials"):
        rows = run_trials(trials, Path(table), jobs or cores(), _watch(terminal))
    names = list(dict.fromkeys(trial.method.name for trial in trials))
    text = markdown_by_scene(rows, names) if by_scene else _overview(rows, names)
    worse = {name: lost_to(rows, names[0], name) for name in names[1:]}
    terminal.answer(text, {"base": names[0], "methods": _data(rows, names), "worse": worse, "table": table})


def _trials(
    scenes: tuple[str, ...],
    size: int,
    crop: tuple[int, int, int, int] | None,
    methods: str,
    ablations: bool,
    vary: tuple[str, ...],
    sets: str | None,
    seeds: int,
) -> list[Trial]:
    """Scene by scene, so that each is loaded once."""
    from ioadr.evaluation.methods import Ours
    from ioadr.evaluation.research import Trial, grid, load_sets, parse_scenes
    from ioadr.presets import FINISH_VARIATIONS, preset

    chosen = {name: preset(name) for name in split(methods)}
    base = next(iter(chosen), "best")
    if ablations:
        finished = [name for name, parameters in chosen.items() if "/" not in name and parameters.finish.passes]
        chosen |= {f"{name}/{step}": preset(f"{name}/{step}") for name in finished for step in FINISH_VARIATIONS}
    chosen |= grid(base, preset(base), vary) | (load_sets(sets) if sets else {})
    return [
        Trial(scene, Ours(name, parameters, seed, threads=1))
        for scene in parse_scenes(scenes, size, crop)
        for seed in range(seeds)
        for name, parameters in chosen.items()
    ]


def _watch(terminal: Terminal) -> Any:
    def watch(row: Row, count: int, total: int) -> None:
        figures = f"MSE×100 {row.values['mse']:.3f}, BadPix 0.07 {row.values['badpix_007']:.2f} %"
        terminal.note(f"[{count}/{total}] {row.scene} · {row.method} · seed {row.seed}: {figures}")

    return watch


def _differences(rows: list[Row], names: list[str]) -> dict[str, dict[str, Difference]]:
    from ioadr.evaluation.research import compare
    from ioadr.evaluation.scores import METRICS

    metrics = [metric for metric in METRICS if any(metric in row.values for row in rows)]
    return {name: {metric: compare(rows, names[0], name, metric) for metric in metrics} for name in names}


def _overview(rows: list[Row], names: list[str]) -> str:
    """One block per metric: mean, difference from the base, and a mark where it is significant."""
    from ioadr.evaluation.scores import METRICS
    from ioadr.evaluation.tables import figure

    differences, wide = _differences(rows, names), max(map(len, names))
    lines = []
    for metric in differences[names[0]]:
        lines.append(f"{METRICS[metric].label} [{METRICS[metric].unit}], {differences[names[0]][metric].scenes} scenes")
        for name in names:
            item = differences[name][metric]
            change = "" if name == names[0] else _change(item, METRICS[metric].decimals)
            lines.append(f"  {name:<{wide}}{figure(item.mean, metric):>10}{change}")
    return "\n".join(lines)


def _change(item: Difference, decimals: int) -> str:
    if math.isnan(item.change):
        return ""
    error = "" if math.isnan(item.error) else f" ± {item.error:.{decimals}f}"
    mark = (BETTER if item.change < 0 else WORSE) if item.clear else ""
    return f"  {item.change:+.{decimals}f}{error} {mark}".rstrip()


def _data(rows: list[Row], names: list[str]) -> dict[str, Any]:
    return {
        name: {
            metric: {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in item._asdict().items()}
            for metric, item in metrics.items()
        }
        for name, metrics in _differences(rows, names).items()
    }
