"""`ioadr info`: what a light field is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ioadr.app.reader_options import read_from_cli, reader_options
from ioadr.app.sections import SectionCommand
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import as_options

if TYPE_CHECKING:
    from ioadr.io.options import ReadOptions


@click.command(cls=SectionCommand)
@click.argument("scene", type=click.Path())
@output_options
@reader_options
def command(terminal: Terminal, scene: str, reading: ReadOptions) -> None:
    """Say what the light field SCENE is: format, views, camera, disparity range, and what estimating it takes.

    \b
    Formats that are recognised by content:
      HCI benchmark folder         input_Cam000.png …, parameters.cfg
      Stanford archive folder      out_RR_CC_<y>_<x>_.png
      folder of images             numbers in the names, or --pattern
      one image of all views       --eslf 14x14 or --quilt 5x9
      HDF5, MATLAB, NumPy, Zarr    an array [rows, columns, height, width, channels]
      lightfield.toml              files, positions and camera of anything else
    """
    from ioadr.app.description import described, facts

    lightfield = read_from_cli(terminal, scene, reading)
    lines = [f"  {name:<10} {text}" for name, text in described(lightfield).items()]
    notes = [f"  {'note':<10} {as_options(note)}" for note in lightfield.source.notes]
    terminal.answer("\n".join([lightfield.name, *lines, *notes]), facts(lightfield))
