"""`ioadr info`: describe a light field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ioadr.app.reader_options import read_from_cli, with_reader_options
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import as_options
from ioadr.presets import DEFAULT

if TYPE_CHECKING:
    from ioadr.io.options import ReadOptions

MEASURED = ("best", "fast", "paper")
"""Presets in `ioadr.app.words.expectation`, which --help need not load; a test compares them."""


def _list_formats(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    """Print name and description of every format, and exit."""
    if not asked or context.resilient_parsing:
        return
    from ioadr.io.registry import formats

    wide = max(len(format_.name) for format_ in formats())
    click.echo("\n".join(f"{format_.name:<{wide}}  {format_.description}" for format_ in formats()))
    context.exit()


@click.command(cls=SectionCommand)
@click.argument("scene", type=click.Path())
@option(
    "Input",
    "--formats",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_formats,
    help="List the formats and exit.",
)
@option(
    "Estimation",
    "--preset",
    type=click.Choice(MEASURED),
    default=DEFAULT,
    show_default=True,
    help="Predict time and memory for this preset.",
)
@output_options
@with_reader_options
def command(terminal: Terminal, scene: str, preset: str, reading: ReadOptions) -> None:
    """Describe the light field SCENE: format, views, camera, disparity range, and the time and memory to estimate it.

    The format is recognised by content; --formats lists all formats.
    """
    from ioadr.app.words.description import described, facts, neighbours

    lightfield = read_from_cli(terminal, scene, reading)
    exchanged = {"neighbours": neighbours(lightfield)}
    lines = [f"  {name:<11} {text}" for name, text in (described(lightfield, preset) | exchanged).items()]
    notes = [f"  {'note':<11} {as_options(note)}" for note in lightfield.source.notes]
    terminal.answer("\n".join([lightfield.name, *lines, *notes]), facts(lightfield, preset) | exchanged, fold=True)
