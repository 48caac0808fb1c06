"""`ioadr export`: a result for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ioadr.app.results import lightfield_option, open_lightfield
from ioadr.app.saving_options import min_confidence_option
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import InputError
from ioadr.io.exports import DEVICES, PROGRAMS

LENGTHS = tuple(program for program in PROGRAMS if program != "quilt")
USED = {
    "points": ("nerfstudio", "colmap"),
    "min-confidence": LENGTHS,
    "scale-to": LENGTHS,
    "device": ("quilt",),
    "focus": ("quilt",),
}
"""Programs for which an option is used."""


@click.command(cls=SectionCommand)
@click.argument("result", type=click.Path(), metavar="RESULT")
@option("Results", "--to", "target", type=click.Choice(PROGRAMS), required=True, help="Target program.")
@option("Results", "--out", "folder", type=click.Path(), required=True, metavar="DIR", help="Folder for the files.")
@option("Results", "--overwrite", is_flag=True, help="Replace an earlier export in the folder.")
@lightfield_option
@min_confidence_option("points and depth")
@option(
    "Results",
    "--points",
    type=click.IntRange(1),
    metavar="N",
    show_default="10000",
    help="Largest number of seed points (nerfstudio, colmap).",
)
@option(
    "Results",
    "--scale-to",
    type=float,
    metavar="METRES",
    help="For relative depth: distance of the middle of the disparity range.",
)
@option(
    "Results",
    "--device",
    type=click.Choice(DEVICES),
    show_default=DEVICES[0],
    help="Looking Glass display for the quilt.",
)
@option(
    "Results",
    "--focus",
    type=float,
    metavar="D",
    help="Disparity shown in the plane of the screen, in px (quilt).  [default: middle of the scene]",
)
@output_options
def command(
    terminal: Terminal,
    result: str,
    target: str,
    folder: str,
    overwrite: bool,
    lightfield: str | None,
    min_confidence: float,
    points: int | None,
    scale_to: float | None,
    device: str | None,
    focus: float | None,
) -> None:
    """Export RESULT, a folder written by `ioadr estimate`, to another program.

    nerfstudio and colmap: images of all views with exact poses and sensor shifts, and seed points. open3d: colour, and
    depth in millimetres. blender: an EXR file with depth and normals. quilt: one image of views from left to right for
    Looking Glass displays. It needs maps of all views (`ioadr estimate --every-view`), which also give nerfstudio,
    colmap and open3d the depth of every view.
    """
    from dataclasses import replace

    from ioadr import load_views
    from ioadr.io import load_estimate
    from ioadr.io.exporting import MOST_POINTS, TARGETS, check_export, export_estimate
    from ioadr.io.results.view_files import has_views

    check_export(target, folder, overwrite)
    given = {"points": points, "min-confidence": min_confidence or None, "scale-to": scale_to}
    _refuse_unused(target, given | {"device": device, "focus": focus})
    with terminal.busy(f"reading {result}"):
        program, views = TARGETS[target], None
        wanted = program.every_view or (program.depth_of_views and has_views(result))
        every = load_views(result) if wanted else None
        estimate = load_estimate(result) if every is None else every.estimate
        if program.all_views or every is not None:
            views = open_lightfield(
                every or estimate, result, lightfield, terminal.note, all_views=not program.every_view
            )
        every = every if every is None else replace(every, lightfield=views)
    with terminal.busy(f"writing {folder}"):
        done = export_estimate(
            *(estimate, target, folder, views, overwrite, min_confidence, points or MOST_POINTS, scale_to),
            *(every, device or DEVICES[0], focus),
        )
    for note in done.notes:
        terminal.note(note)
    files = [str(path) for path in done.files]
    terminal.answer(f"wrote {folder}: {len(files)} files for {target}", {"files": files, "notes": done.notes})


def _refuse_unused(target: str, given: Mapping[str, Any]) -> None:
    """Refuse options that the export to a program would ignore."""
    for name, value in given.items():
        if value is not None and target not in USED[name]:
            raise InputError(f"--{name}: not used for {target}, only for {', '.join(USED[name])}. Leave it out.")
