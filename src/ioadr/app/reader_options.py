"""The options of reading a light field, shared by all commands that read one."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

import ioadr
from ioadr.app.sections import option
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.app.terminal import Terminal
    from ioadr.io.options import ReadOptions
    from ioadr.lightfield import LightField

ORDERS = ("row", "column", "serpentine", "serpentine-column")
_option = functools.partial(option, "Reading")

OPTIONS = (
    _option("--format", metavar="NAME", help="Instead of recognition by content; --format ? lists them."),
    _option("--range", type=float, nargs=2, metavar="MIN MAX", help="Disparities to consider, in px."),
    _option("--reference", type=int, nargs=2, metavar="ROW COL", show_default="centre", help="View to estimate."),
    _option("--grid", metavar="RxC", help="Rows x columns of views, where the files do not say."),
    _option(
        "--pattern",
        metavar="NAME",
        help="File names: '{row}_{col}.png', 'view_{index:03d}.jpg', 'left_*.png'.",
    ),
    _option("--order", type=click.Choice(ORDERS), help="Views are counted along rows or columns, or turning back."),
    _option("--transpose/--no-transpose", default=None, help="Swap rows and columns of views, or not."),
    _option("--flip-rows/--no-flip-rows", default=None, help="Reverse the rows of views, or not."),
    _option("--flip-columns/--no-flip-columns", default=None, help="The same for the columns of views."),
    _option("--flip-both", is_flag=True, default=None, help="Reverse rows and columns: near becomes far."),
    _option("--eslf", metavar="RxC", help="One image of lenslets, each of R x C pixels, one per view."),
    _option("--quilt", metavar="RxC", help="One image of R x C sub-images."),
    _option("--views", metavar="RxC|cross", help="Only the central views, or the reference's row and column."),
    _option("--every", type=int, metavar="N", help="Only every N-th row and column of views."),
    _option("--skip", multiple=True, metavar="ROW,COL|missing", help="Leave out a view; may be repeated."),
    _option("--crop", type=int, nargs=4, metavar="TOP LEFT HEIGHT WIDTH", help="Part of each view, in px."),
    _option("--scale", type=float, metavar="FACTOR", help="On the size of the views."),
    _option("--eta", type=float, nargs=2, metavar="V H", help="Sampling slope distortion, vertical and horizontal."),
    _option("--baseline-mm", type=float, metavar="X", help="Camera: distance of neighbouring views."),
    _option("--focal-length-mm", type=float, metavar="X", help="Camera: lens."),
    _option("--sensor-size-mm", type=float, metavar="X", help="Camera: sensor, along the larger image side."),
    _option("--focus-distance-m", type=float, metavar="X", help="Camera: where the disparity is zero."),
    _option("--white", type=float, metavar="X", help="Sample value of full white."),
    _option("--encoding", type=click.Choice(("sRGB", "linear")), help="linear: samples count light."),
    _option("--alpha", type=click.Choice(("auto", "ignore", "views")), help="views: leave out transparent views."),
    _option("--dark", type=click.Choice(("drop", "keep")), help="What becomes of vignetted views."),
)
NAMES = (
    *("format", "range", "reference", "grid", "pattern", "order", "transpose"),
    *(
        "flip_rows",
        "flip_columns",
        "flip_both",
        "eslf",
        "quilt",
        "views",
        "every",
        "skip",
        "crop",
        "scale",
        "eta",
        "baseline_mm",
        "focal_length_mm",
        "sensor_size_mm",
    ),
    *("focus_distance_m", "white", "encoding", "alpha", "dark"),
)


def reader_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds all options of `ioadr.read`; the command receives them as `reading`, a `ReadOptions`."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> Any:
        given = {name: options.pop(name) for name in NAMES}
        return command(*args, reading=chosen_reading(given), **options)

    for add in reversed(OPTIONS):
        run = add(run)
    return run


def chosen_reading(values: dict[str, Any]) -> ReadOptions:
    """What the command line says; None, or nothing repeated, leaves it to the files."""
    from ioadr.io.options import ReadOptions

    given = {name: value for name, value in values.items() if value not in (None, ())}
    if "skip" in given:
        given["skip"] = _skipped(given["skip"])
    return ReadOptions.of(**given)


def read_from_cli(terminal: Terminal, path: str, reading: ReadOptions) -> LightField:
    """The light field, with a spinner while it is read."""
    with terminal.busy(f"reading {path}"):
        return ioadr.read(path, reading)


def _skipped(texts: tuple[str, ...]) -> Any:
    if texts == ("missing",):
        return "missing"
    matches = [re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", text) for text in texts]
    if not all(matches):
        raise InputError(f"--skip: expected ROW,COL such as 8,0, or missing, found {', '.join(texts)}.")
    return tuple((int(match[1]), int(match[2])) for match in matches if match)
