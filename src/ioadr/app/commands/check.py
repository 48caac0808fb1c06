"""`ioadr check`: how well a result predicts the views it was estimated from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ioadr.app.results import open_lightfield
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options

if TYPE_CHECKING:
    from ioadr.geometry.synthesis import Residuals


@click.command(cls=SectionCommand)
@click.argument("folder", type=click.Path(), metavar="DIR")
@option("Input", "--lightfield", type=click.Path(), metavar="PATH", help="Light field.  [default: as estimated]")
@output_options
def command(terminal: Terminal, folder: str, lightfield: str | None) -> None:
    """Synthesise every view from the reference view and the map in DIR, and compare it with the view that was taken.

    The residual is a measure of quality that needs no truth: a lower one means a map that explains the views better.
    Compare it between results of one light field; between light fields it depends on texture and noise.
    """
    from ioadr.geometry.synthesis import residuals
    from ioadr.io import load_estimate

    with terminal.busy(f"reading {folder}"):
        estimate = load_estimate(folder)
        views = open_lightfield(estimate, folder, lightfield, terminal.note)
    with terminal.bar() as bar:
        task = bar.add_task("synthesising views", total=views.view_count - 1)
        found = residuals(views, estimate.disparity, progress=lambda done, _: bar.update(task, completed=done))
    terminal.answer(_text(found), facts(found))


def facts(found: Residuals) -> dict[str, Any]:
    """The residuals for programs; views that do not count are null."""
    from ioadr.io.results.save import plain

    return {
        "residual": plain(round(found.mean, 4)),
        "unit": "grey levels of 255",
        "by_view": plain(found.by_view.round(4)),
        "covered": plain(found.covered.round(4)),
    }


def _text(found: Residuals) -> str:
    import numpy as np

    share = 100 * np.nanmean(found.covered)
    rows = [" ".join("    –" if value is None else f"{value:5.2f}" for value in row) for row in facts(found)["by_view"]]
    return "\n".join(
        [
            f"residual {found.mean:.3f} grey levels of 255, over {share:.1f} % of the pixels",
            "by view (rows and columns of the grid; – is the reference view or a missing one)",
            *(f"  {row}" for row in rows),
        ]
    )
