"""`ioadr explore`: the explorer in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ioadr.app.reader_options import read_from_cli, with_reader_options
from ioadr.app.results import open_lightfield, refuse_reading
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options

if TYPE_CHECKING:
    from ioadr.app.explorer.study import Study
    from ioadr.io.options import ReadOptions


@click.command(cls=SectionCommand)
@click.argument("path", type=click.Path(), required=False)
@click.argument("result", type=click.Path(), required=False)
@option(
    "Explorer", "--truth", type=click.Path(), metavar="SCENE", help="Scene folder with ground truth to compare with."
)
@option("Explorer", "--no-browser", is_flag=True, help="Print the address instead of opening a browser.")
@option(
    "Explorer", "--port", type=click.IntRange(1, 65535), metavar="N", show_default="any free", help="Port to listen on."
)
@output_options
@with_reader_options
def command(
    terminal: Terminal,
    path: str | None,
    result: str | None,
    truth: str | None,
    no_browser: bool,
    port: int | None,
    reading: ReadOptions,
) -> None:
    """Show the light field PATH, and why each pixel of RESULT has its depth, in the browser.

    RESULT is a folder written by `ioadr estimate`; without one, start an estimation in the explorer. PATH can also be
    such a folder if its light field has not moved. Without PATH, the built-in scene is shown. The page is available on
    this machine only.
    """
    from ioadr.app.explorer.serving import check_packages, serve

    check_packages()
    study = _study(terminal, path, result, truth, reading)

    def say(address: str) -> None:
        terminal.answer(f"{address}\nopen it in a browser; Ctrl-C ends the explorer", {"address": address})

    serve(study, port, not no_browser, say)
    terminal.note("the explorer has ended")


def _study(terminal: Terminal, path: str | None, result: str | None, truth: str | None, reading: ReadOptions) -> Study:
    from dataclasses import replace

    from ioadr.app.explorer.study import Study
    from ioadr.evaluation.truth import has_truth, load_truth
    from ioadr.io import load_estimate
    from ioadr.io.results.save import ARCHIVE
    from ioadr.io.results.view_files import has_views, load_views

    loaded = load_truth(truth) if truth else None
    if path is None:
        from ioadr.evaluation.synthetic import demo

        with terminal.busy("rendering the built-in scene"):
            scene = demo()
        return Study(scene.lightfield, None, loaded or scene.truth)
    if result is None and (Path(path) / ARCHIVE).is_file():
        path, result = None, path
    if result is None:
        lightfield, estimate, views = read_from_cli(terminal, str(path), reading), None, None
    else:
        refuse_reading(reading, result)
        with terminal.busy(f"reading {result}"):
            estimate = load_estimate(result)
            remedy = f"Name it: ioadr explore LIGHTFIELD {result}"
            views = load_views(result) if has_views(result) else None
            lightfield = open_lightfield(views or estimate, result, path, terminal.note, remedy)
            views = views and replace(views, lightfield=lightfield)
    if loaded is None and path is not None and has_truth(path):
        terminal.note(f"this scene has ground truth: show the errors with --truth {path}")
    return Study(lightfield, estimate, loaded, views)
