"""`ioadr demo`: the built-in scene, with exact ground truth."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ioadr.app.commands.estimate import headline, summary
from ioadr.app.estimation_options import Estimation, with_estimation_options
from ioadr.app.saving_options import Saving, with_saving_options
from ioadr.app.sections import SectionCommand, option
from ioadr.app.sweep_progress import sweep_bar
from ioadr.app.terminal import Terminal, output_options
from ioadr.app.words import preset_name
from ioadr.presets import PRESETS

if TYPE_CHECKING:
    from ioadr.evaluation.scores import Scores

EXPLORE = "see why a pixel has its depth: ioadr explore (make explore)"
PUBLISHED = "paper"
SHOWN = ("mse", "badpix_007", "badpix_003", "badpix_001", "mae_planes", "mae_surfaces", "discontinuities")


@click.command(cls=SectionCommand)
@option(
    "Results",
    "--out",
    default="ioadr-demo",
    show_default=True,
    type=click.Path(),
    metavar="DIR",
    help="Folder for the results.",
)
@output_options
@with_saving_options
@with_estimation_options
def command(terminal: Terminal, out: str, saving: Saving, estimation: Estimation) -> None:
    """Render the built-in scene, estimate it and compare the result with its exact ground truth.

    For comparison, the preset `paper`, the method as published, is scored as well.
    """
    from ioadr._jit import compiled_before
    from ioadr.evaluation.scores import score
    from ioadr.evaluation.synthetic import demo

    start = time.perf_counter()
    saving.check(out)
    remark = "" if compiled_before() else "; the first run compiles code"
    with terminal.busy(f"rendering the scene{remark}"):
        scene = demo()
    terminal.note(headline(scene.lightfield))
    with sweep_bar(terminal, "demo") as progress:
        estimate = estimation.run(scene.lightfield, progress)
    with terminal.busy(f"writing {out}"):
        files = saving.save(estimate, out, scene.lightfield, scene.truth)
    seconds = time.perf_counter() - start
    columns = {preset_name(estimate.parameters): score(estimate.disparity, scene.truth)}
    if estimate.parameters != PRESETS[PUBLISHED]:
        with sweep_bar(terminal, f"demo, {PUBLISHED}") as progress:
            published = replace(estimation, parameters=PRESETS[PUBLISHED]).run(scene.lightfield, progress)
        columns = {PUBLISHED: score(published.disparity, scene.truth), **columns}
    data: dict[str, Any] = summary(estimate) | {"seconds": round(seconds, 3), "files": files}
    scores = {name: dict(column.values) for name, column in columns.items()}
    chosen = scores[preset_name(estimate.parameters)]
    terminal.answer(_text(columns, files, seconds), data | {"scores": chosen, "scores_by_preset": scores})


def _text(columns: Mapping[str, Scores], files: list[str], seconds: float) -> str:
    """The metrics, with a column for each preset; the files are those of the last one."""
    from ioadr.evaluation.scores import METRICS

    *_, (chosen, scores) = columns.items()
    lines = [f"{chosen}: done in {seconds:.1f} s; errors against the exact ground truth:"]
    lines.append(f"  {'':<16}" + "".join(f" {name:>8}" for name in columns))
    for name in (name for name in SHOWN if name in scores.values):
        metric = METRICS[name]
        figures = "".join(f" {column[name]:8.{metric.decimals}f}" for column in columns.values())
        lines.append(f"  {metric.label:<16}{figures} {metric.unit:<8} {metric.meaning}")
    return "\n".join([*lines, f"wrote the result of {chosen}:", *(f"  {file}" for file in files), EXPLORE])
