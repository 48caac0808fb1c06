"""`ioadr demo`: the embedded scene, whose truth is known exactly."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from ioadr.app.commands.estimate import headline, summary
from ioadr.app.estimation_options import Estimation, estimation_options
from ioadr.app.saving_options import Saving, saving_options
from ioadr.app.sections import SectionCommand, option
from ioadr.app.sweep_progress import sweep_progress
from ioadr.app.terminal import Terminal, output_options

if TYPE_CHECKING:
    from ioadr.evaluation.scores import Scores

EXPLORE = "see why a pixel has its depth: ioadr explore (make explore)"
SHOWN = ("mse", "badpix_007", "badpix_003", "badpix_001", "mae_planes", "mae_surfaces", "discontinuities")


@click.command(cls=SectionCommand)
@option("Results", "--out", default="ioadr-demo", show_default=True, type=click.Path(), metavar="DIR", help="Folder.")
@output_options
@saving_options
@estimation_options
def command(terminal: Terminal, out: str, saving: Saving, estimation: Estimation) -> None:
    """Render the embedded scene, estimate it and compare the result with its exact truth."""
    from ioadr.evaluation.scores import score
    from ioadr.evaluation.synthetic import demo

    start = time.perf_counter()
    saving.check(out)
    with terminal.busy("rendering the scene"):
        scene = demo()
    terminal.note(headline(scene.light_field))
    with sweep_progress(terminal, "demo") as progress:
        estimate = estimation.run(scene.light_field, progress)
    with terminal.busy(f"writing {out}"):
        files = saving.save(estimate, out, scene.light_field, scene.truth)
    scores = score(estimate.disparity, scene.truth)
    seconds = time.perf_counter() - start
    data: dict[str, Any] = summary(estimate) | {"seconds": round(seconds, 3), "files": files}
    terminal.answer(_text(scores, files, seconds), data | {"scores": dict(scores.values)})


def _text(scores: Scores, files: list[str], seconds: float) -> str:
    from ioadr.evaluation.scores import METRICS

    lines = [f"done in {seconds:.1f} s; against the exact truth"]
    for name in (name for name in SHOWN if name in scores.values):
        metric = METRICS[name]
        lines.append(f"  {metric.label:<16} {scores[name]:8.{metric.decimals}f} {metric.unit:<8} {metric.meaning}")
    return "\n".join([*lines, "wrote", *(f"  {file}" for file in files), EXPLORE])
