"""`ioadr convert`: a light field or a map in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ioadr.app.map_conversion import Quantity, convert_map, is_map
from ioadr.app.reader_options import read_from_cli, with_reader_options
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options
from ioadr.errors import as_options

if TYPE_CHECKING:
    from ioadr.io.options import ReadOptions

QUANTITY = click.Choice(["disparity", "depth"])


@click.command(cls=SectionCommand)
@click.argument("source", type=click.Path())
@click.argument("target", type=click.Path())
@option("Maps", "--from", "given", type=QUANTITY, help="Quantity in the map SOURCE.  [default: disparity]")
@option("Maps", "--to", "wanted", type=QUANTITY, default="disparity", show_default=True, help="Quantity to write.")
@option("Maps", "--scene", type=click.Path(), metavar="DIR", help="Folder with the camera (parameters.cfg).")
@output_options
@with_reader_options
def command(
    terminal: Terminal,
    source: str,
    target: str,
    reading: ReadOptions,
    given: Quantity | None,
    wanted: Quantity,
    scene: str | None,
) -> None:
    """Write the light field SOURCE as TARGET: NAME.npz, NAME.zarr, or a folder of PNG views.

    Or write the map SOURCE (a file, or a folder of results) as NAME.pfm, NAME.npy, NAME.png (16 bits) or NAME.tif,
    and turn disparity into depth or back.
    """
    one_image = reading.eslf or reading.quilt
    if is_map(source, target) and not one_image:
        convert_map(terminal, source, target, given, wanted, scene)
    else:
        convert_lightfield(terminal, source, target, reading)


def convert_lightfield(terminal: Terminal, source: str, target: str, reading: ReadOptions) -> None:
    """Read a light field, reduced and oriented as requested, and write it."""
    from ioadr.io.lightfield_files import check_target, write_lightfield

    check_target(target)
    lightfield = read_from_cli(terminal, source, reading)
    for note in lightfield.source.notes:
        terminal.note(f"  {as_options(note)}")
    with terminal.busy(f"writing {target}"):
        written = write_lightfield(lightfield, target)
    rows, columns = lightfield.grid
    size = sum(file.stat().st_size for file in _files(written))
    text = f"wrote {written}: {rows}×{columns} views of {lightfield.width}×{lightfield.height} px, {size / 1e6:.1f} MB"
    data = {"source": source, "file": str(written), "grid": [rows, columns], "bytes": size}
    terminal.answer(text, data | {"size": [lightfield.height, lightfield.width]})


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
