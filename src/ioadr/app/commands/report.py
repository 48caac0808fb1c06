"""`ioadr report`: the page of a result, made again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ioadr.app.results import open_lightfield
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.lightfield import LightField
    from ioadr.result import Estimate


@click.command(cls=SectionCommand)
@click.argument("folder", type=click.Path(), metavar="DIR")
@option("Input", "--lightfield", type=click.Path(), metavar="PATH", help="Light field.  [default: as estimated]")
@option("Input", "--truth", type=click.Path(), metavar="SCENE", help="Scene folder whose truth to compare with.")
@output_options
def command(terminal: Terminal, folder: str, lightfield: str | None, truth: str | None) -> None:
    """Write DIR/report.html for the result in DIR: one page that works offline.

    With a truth it also has error maps and the benchmark's metrics. Without the light field it has no EPIs.
    """
    from ioadr.app.report import write_report
    from ioadr.evaluation.truth import load_truth
    from ioadr.io import load_estimate

    with terminal.busy(f"reading {folder}"):
        estimate = load_estimate(folder)
        views = _lightfield(terminal, estimate, folder, lightfield)
        known = load_truth(truth) if truth else None
    with terminal.busy("writing the report"):
        path = write_report(Path(folder) / "report.html", estimate, views, known)
    terminal.answer(f"wrote {path}", {"files": [str(path)]})


def _lightfield(terminal: Terminal, estimate: Estimate, folder: str, path: str | None) -> LightField | None:
    """A light field that was asked for must be there; one that moved is only missed."""
    try:
        return open_lightfield(estimate, folder, path)
    except InputError as error:
        if path is not None:
            raise
        terminal.note(f"{error.marked} The report has no EPIs.")
        return None
