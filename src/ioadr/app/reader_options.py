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


def format_names(context: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    """Completions for the shell."""
    from ioadr.io.registry import formats

    return [format_.name for format_ in formats() if format_.name.startswith(start)]


OPTIONS = (
    _option(
        "--format",
        metavar="NAME",
        shell_complete=format_names,
        help="Format, if not recognised; see `ioadr info --formats`.",
    ),
    _option("--range", type=float, nargs=2, metavar="MIN MAX", help="Disparity range to search, in px."),
    _option(
        "--reference",
        type=int,
        nargs=2,
        metavar="ROW COL",
        show_default="centre",
        help="View whose depth is estimated.",
    ),
    _option("--grid", metavar="RxC", help="Rows x columns of views, if not recognised."),
    _option(
        "--pattern",
        metavar="NAME",
        help="File names: '{row}_{col}.png', 'view_{index:03d}.jpg', 'left_*.png'.",
    ),
    _option("--order", type=click.Choice(ORDERS), help="Order in which the files are numbered."),
    _option(
        "--axes",
        metavar="LETTERS",
        help="Axes of an array, such as yxvuc: view row v and column u (or n: list of views), pixel y, x, channel c.",
    ),
    _option("--array", metavar="NAME", help="Array to read, if the file has several."),
    _option("--transpose/--no-transpose", default=None, help="Swap (or keep) rows and columns of views."),
    _option("--flip-rows/--no-flip-rows", default=None, help="Reverse (or keep) the order of rows."),
    _option("--flip-columns/--no-flip-columns", default=None, help="Reverse (or keep) the order of columns."),
    _option("--flip-both", is_flag=True, default=None, help="Reverse both, which swaps near and far."),
    _option("--eslf", metavar="RxC", help="A lenslet image: each lenslet has R x C pixels, one per view."),
    _option("--quilt", metavar="RxC", help="One image with R x C views side by side."),
    _option("--views", metavar="RxC|cross", help="Use only the central R x C views, or a cross."),
    _option("--every", type=int, metavar="N", help="Use only every N-th row and column of views."),
    _option(
        "--skip",
        multiple=True,
        metavar="ROW,COL|missing",
        help="Leave out a view, or all views without a file; may be repeated.",
    ),
    _option(
        "--crop", type=int, nargs=4, metavar="TOP LEFT HEIGHT WIDTH", help="Use only this part of each view, in px."
    ),
    _option("--scale", type=float, metavar="FACTOR", help="Resize the views by this factor."),
    _option("--eta", type=float, nargs=2, metavar="V H", help="Spacing of rows and columns of views, in baselines."),
    _option("--baseline-mm", type=float, metavar="X", help="Camera: distance between neighbouring views."),
    _option("--focal-length-mm", type=float, metavar="X", help="Camera: focal length of the lens."),
    _option("--sensor-size-mm", type=float, metavar="X", help="Camera: sensor size along the longer image side."),
    _option("--focus-distance-m", type=float, metavar="X", help="Camera: distance at which disparity is zero."),
    _option("--pose-unit", type=float, metavar="METRES", help="Length of one unit of the poses, in m."),
    _option("--white", type=float, metavar="X", help="Sample value of full white."),
    _option("--encoding", type=click.Choice(("sRGB", "linear")), help="Encoding of the samples."),
    _option("--alpha", type=click.Choice(("auto", "ignore", "views")), help="Ignore alpha, or drop transparent views."),
    _option("--dark", type=click.Choice(("drop", "keep")), help="Drop or keep vignetted views."),
)


def with_reader_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add all options of `ioadr.read`; the command receives them as `reading`, a `ReadOptions`."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> Any:
        given = {name: options.pop(name) for name in option_names()}
        return command(*args, reading=chosen_reading(given), **options)

    for add in reversed(OPTIONS):
        run = add(run)
    return run


@functools.cache
def option_names() -> tuple[str, ...]:
    """Names of the options in click, in order."""

    def probe() -> None:
        """Carrier of the options."""

    for add in OPTIONS:
        add(probe)
    return tuple(parameter.name for parameter in probe.__click_params__)  # type: ignore[attr-defined]


def chosen_reading(values: dict[str, Any]) -> ReadOptions:
    """Reading options from the command line; None, or an empty repeated option, leaves the choice to the files."""
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
