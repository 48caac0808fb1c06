"""`ioadr explain`: why one pixel has its depth, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ioadr.app.results import lightfield_option, open_lightfield
from ioadr.app.sections import SectionCommand
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.app.why import Facts
    from ioadr.result import Estimate
    from ioadr.solver.explanation import Border, Ending

MOST_DOUBTS = 4


@click.command(cls=SectionCommand)
@click.argument("result", type=click.Path())
@click.argument("row", type=click.IntRange(0))
@click.argument("column", type=click.IntRange(0), metavar="COL")
@lightfield_option
@output_options
def command(terminal: Terminal, result: str, row: int, column: int, lightfield: str | None) -> None:
    """Explain in words why the pixel at ROW, COL of RESULT has its depth.

    ROW and COL count from 0 at the top left of the maps. RESULT is a folder written by `ioadr estimate`. Without its
    light field, the fitted surface, the border and the reasons for doubt are left out.
    """
    from ioadr.app.why import facts, sentence
    from ioadr.io import load_estimate
    from ioadr.io.results.save import plain

    with terminal.busy(f"reading {result}"):
        estimate = load_estimate(result)
    _check_pixel(estimate, row, column)
    ending = _ending(terminal, estimate, result, row, column, lightfield)
    known = facts(estimate, row, column, ending)
    words = sentence(known)
    data = {"row": row, "column": column, "sentence": words, **plain(asdict(known))}
    terminal.answer("\n".join([words, *_details(known)]), data, fold=True)


def _check_pixel(estimate: Estimate, row: int, column: int) -> None:
    height, width = estimate.disparity.shape
    if row >= height or column >= width:
        raise InputError(
            f"pixel {row}, {column}: the maps have {height} rows and {width} columns, counted from 0. "
            f"Give a row up to {height - 1} and a column up to {width - 1}."
        )


def _ending(
    terminal: Terminal, estimate: Estimate, result: str, row: int, column: int, path: str | None
) -> Ending | None:
    """The part of the explanation that needs the views; left out without them, unless the user named them."""
    from ioadr.solver.replay import ending

    try:
        views = open_lightfield(estimate, result, path, terminal.note)
    except InputError as error:
        if path is not None:
            raise
        terminal.note(f"{error.marked} The parts that need the views are left out.")
        return None
    with terminal.busy("examining the views around the pixel"):
        return ending(views, estimate, row, column)


def _details(known: Facts) -> Iterator[str]:
    from ioadr.app.why import ORIGINS, REASONS, number, step_name

    before: float | None = None
    if known.way:
        yield f"  {'step':<12}{'disparity':>12} {'change':>8}  comes from"
    for stage in known.way:
        moved = "" if before is None else number(stage.disparity - before, 4)
        yield f"  {step_name(stage):<12}{number(stage.disparity, 4):>9} px {moved:>8}  {ORIGINS[stage.origin]}"
        before = stage.disparity
    if known.ending is not None:
        yield from _surface(known.ending)
        yield from _border(known.ending.border)
        for doubt in known.ending.doubts[:MOST_DOUBTS]:
            if doubt.taken > 0 and doubt.name in REASONS:
                yield f"  doubt       {number(-doubt.taken, 2):>9} in log odds: {REASONS[doubt.name]}"


def _surface(ending: Ending) -> Iterator[str]:
    from ioadr.app.why import residual_words, surface_words

    if ending.surface is not None and ending.views is not None:
        yield f"  surface     {surface_words(ending.surface)}"
        yield f"  views       {residual_words(ending.views)}"


def _border(border: Border | None) -> Iterator[str]:
    from ioadr.app.why import border_words

    if border is not None:
        yield f"  border      {border_words(border)}"
