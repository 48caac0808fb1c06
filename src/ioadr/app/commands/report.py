"""`ioadr report`: rebuild the page of a result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ioadr.app.results import lightfield_option, open_lightfield
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.evaluation.truth import Truth
    from ioadr.lightfield import LightField
    from ioadr.result import Estimate

PARTS = {
    "EPIs (--lightfield PATH)": re.compile("<section>\n  <h2>Epipolar"),
    "scores (--truth SCENE)": re.compile("<h2>(Comparison with|Against) the truth"),  # the second in 0.1
}
"""Optional parts of a page, recognised by their headings."""


@click.command(cls=SectionCommand)
@click.argument("folder", type=click.Path(), metavar="DIR")
@lightfield_option
@option("Input", "--truth", type=click.Path(), metavar="SCENE", help="Scene folder with ground truth to compare with.")
@option("Results", "--overwrite", is_flag=True, help="Replace the page even if the new one shows less.")
@output_options
def command(terminal: Terminal, folder: str, lightfield: str | None, truth: str | None, overwrite: bool) -> None:
    """Write DIR/report.html for the result in DIR: one page that works offline.

    With ground truth, the page also shows error maps and the benchmark's metrics. Without the light field it has no
    EPIs. With maps of every view, its 3D scene includes points that only other views see. After
    `ioadr check DIR --leave-out N` it shows that check. An existing page that shows more is kept.
    """
    from ioadr.evaluation.truth import load_truth
    from ioadr.io import load_estimate

    with terminal.busy(f"reading {folder}"):
        estimate = load_estimate(folder)
        opened = _lightfield(terminal, estimate, folder, lightfield)
        loaded = load_truth(truth) if truth else None
    path = renew(terminal, folder, estimate, opened, loaded, overwrite)
    terminal.answer(f"wrote {path}", {"files": [str(path)]})


def renew(
    terminal: Terminal,
    folder: str,
    estimate: Estimate,
    lightfield: LightField | None,
    truth: Truth | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the page of the result in a folder, with all views and the check of views left out if they are there."""
    from ioadr.app.pages import write_page
    from ioadr.app.report import report_html
    from ioadr.io.results.left_out_file import load_left_out
    from ioadr.io.results.view_files import has_views, load_views

    path = Path(folder) / "report.html"
    with terminal.busy("writing the report"):
        views = load_views(folder) if has_views(folder) else None
        page = report_html(estimate, lightfield, truth, views, load_left_out(folder, estimate.layout))
        if not overwrite:
            _check_gain(path, page)
        write_page(path, page)
    return path


def _check_gain(path: Path, page: str) -> None:
    """Refuse to replace a page with one that lacks its EPIs or scores."""
    present = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    lost = [name for name, heading in PARTS.items() if heading.search(present) and not heading.search(page)]
    if lost:
        raise InputError(
            f"{path}: the page has {' and '.join(lost)}, which the new one would lack. Give what is missing, "
            "or replace the page anyway with --overwrite."
        )


def _lightfield(terminal: Terminal, estimate: Estimate, folder: str, path: str | None) -> LightField | None:
    """The light field: required if the user named it, optional if only the result does."""
    try:
        return open_lightfield(estimate, folder, path, terminal.note)
    except InputError as error:
        if path is not None:
            raise
        terminal.note(f"{error.marked} The report has no EPIs.")
        return None
