"""`ioadr render`: videos and pictures from new viewpoints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ioadr.app.estimation_options import threads_option
from ioadr.app.results import lightfield_option, open_lightfield
from ioadr.app.sections import Number, SectionCommand, option
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.colours import Rgb
    from ioadr.views.pose import Viewpoint
    from ioadr.views.result import Views


FRAMES = 60
MOSTLY_SEEN = 0.9
"""Share of a picture that some view saw, below which a note says so; on the built-in paths it is 0.99 or more."""


@click.command(cls=SectionCommand)
@click.argument("result", type=click.Path(), metavar="RESULT")
@option("Camera", "--path", required=True, metavar="PATH", help="orbit, dolly, grid, or a file of camera positions.")
@option(
    "Camera",
    "--frames",
    type=click.IntRange(1, 10_000),
    metavar="N",
    show_default=str(FRAMES),
    help="Number of frames of a built-in path; a file has one frame per line.",
)
@option("Camera", "--size", metavar="WxH", help="Size of the pictures, in px.  [default: that of the views]")
@option(
    "Camera",
    "--aperture",
    type=Number(0),
    metavar="X",
    default=0.0,
    help="Radius of the lens, in steps between views.",
)
@option(
    "Camera",
    "--focus",
    type=float,
    metavar="D",
    show_default="0",
    help="Disparity in focus with an open lens, in px.",
)
@lightfield_option
@option(
    "Results",
    "--out",
    required=True,
    type=click.Path(),
    metavar="PATH",
    help="NAME.mp4, .webm, .webp, .gif, .png, or a folder.",
)
@option(
    "Results",
    "--rate",
    type=Number(0.1, 100),
    metavar="X",
    default=25.0,
    show_default=True,
    help="Frames per second.",
)
@option("Results", "--overwrite", is_flag=True, help="Replace an earlier video or its frames.")
@threads_option
@output_options
def command(
    terminal: Terminal,
    result: str,
    path: str,
    frames: int | None,
    size: str | None,
    aperture: float,
    focus: float | None,
    lightfield: str | None,
    out: str,
    rate: float,
    overwrite: bool,
    threads: int | None,
) -> None:
    """Render RESULT, a folder written by `ioadr estimate --every-view`, along a path of cameras.

    A file of camera positions has one per line: row and column (fractions and values outside the views are allowed),
    then, optionally, the distance ahead in the unit of depth and the zoom. Rows and columns are those of the grid of
    views; if `ioadr info` shows measured positions, they are in its unit.
    """
    from ioadr.io.results.film import check_film, film_size, write_film

    check_film(out, overwrite)
    if focus is not None and aperture == 0:
        raise InputError("--focus: without --aperture X, everything is in focus. Add it, or leave --focus out.")
    with terminal.busy(f"reading {result}"):
        views = _open(terminal, result, lightfield)
    viewpoints = _viewpoints(views, path, frames)
    height, width = _size(size, views)
    seen: list[float] = []
    with terminal.bar() as bar:
        task = bar.add_task("rendering", total=len(viewpoints))

        def pictures() -> Iterator[Rgb]:
            from ioadr.colours import rgb8

            for number, viewpoint in enumerate(viewpoints, 1):
                try:
                    made = views.render(
                        viewpoint, (height, width), aperture, focus or 0.0, threads, len(viewpoints) > 1
                    )
                except InputError as error:
                    raise InputError(f"picture {number} of {len(viewpoints)}: {error.marked}") from error
                bar.advance(task)
                seen.append(float(made.seen.mean()))
                yield rgb8(made.image, made.white)

        files = write_film(out, pictures(), rate, overwrite)
    if film_size(out, (height, width)) != (height, width):
        terminal.note(f"videos need an even size: the last row or column of {width}×{height} px is repeated")
        height, width = film_size(out, (height, width))
    if min(seen) < MOSTLY_SEEN:
        terminal.note(
            f"picture {seen.index(min(seen)) + 1} of {len(seen)}: no view saw {100 * (1 - min(seen)):.0f} % of the "
            "pixels; they are filled in from their surroundings. Stay closer to the views"
        )
    text = f"wrote {out}: {len(viewpoints)} picture{'s' * (len(viewpoints) > 1)} of {width}×{height} px"
    data = {"frames": len(viewpoints), "size": [height, width], "seen": seen, "files": [str(file) for file in files]}
    terminal.answer(text, data)


def _open(terminal: Terminal, result: str, path: str | None) -> Views:
    from dataclasses import replace

    from ioadr import load_views

    views = load_views(result)
    return replace(views, lightfield=open_lightfield(views, result, path, terminal.note))


def _viewpoints(views: Views, path: str, frames: int | None) -> list[Viewpoint]:
    from ioadr.io.safety.doors import small_text
    from ioadr.views.paths import PATHS, read_path

    if path in PATHS:
        return PATHS[path](views, frames or FRAMES)
    if not Path(path).exists():
        raise InputError(f"--path: expected {', '.join(PATHS)} or a file of camera positions, found {path!r}.")
    if frames is not None:
        raise InputError(f"--frames: {path} has one camera position per frame. Leave --frames out.")
    return read_path(small_text(Path(path), "a list of camera positions", "Write one `row column` per line."), path)


def _size(text: str | None, views: Views) -> tuple[int, int]:
    """Size (height, width) from text such as 512x384."""
    from ioadr.views.rendering import check_size

    if text is None:
        return views.size
    words = re.fullmatch(r"(\d+)[x×](\d+)", text.strip())
    if words is None:
        raise InputError(f"--size: expected WIDTHxHEIGHT such as 512x512, found {text!r}.")
    return check_size((int(words[2]), int(words[1])))
