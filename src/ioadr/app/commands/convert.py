"""`ioadr convert`: the same light field in another form."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ioadr.app.reader_options import read_from_cli, reader_options
from ioadr.app.sections import SectionCommand
from ioadr.app.terminal import Terminal, output_options

if TYPE_CHECKING:
    from ioadr.io.options import ReadOptions


@click.command(cls=SectionCommand)
@click.argument("source", type=click.Path())
@click.argument("target", type=click.Path())
@output_options
@reader_options
def command(terminal: Terminal, source: str, target: str, reading: ReadOptions) -> None:
    """Write the light field SOURCE as TARGET: NAME.npz, NAME.zarr, or a folder of PNG views."""
    convert_lightfield(terminal, source, target, reading)


def convert_lightfield(terminal: Terminal, source: str, target: str, reading: ReadOptions) -> None:
    """Read, reduced and oriented as asked, and write."""
    from ioadr.io.write_lightfield import write_lightfield

    lightfield = read_from_cli(terminal, source, reading)
    for note in lightfield.source.get("notes", ()):
        terminal.note(f"  {note}")
    with terminal.busy(f"writing {target}"):
        written = write_lightfield(lightfield, target)
    rows, columns = lightfield.grid
    size = sum(file.stat().st_size for file in _files(written))
    text = f"wrote {written}: {rows}×{columns} views of {lightfield.width}×{lightfield.height} px, {size / 1e6:.1f} MB"
    data = {"source": source, "file": str(written), "grid": [rows, columns], "bytes": size}
    terminal.answer(text, data | {"size": [lightfield.height, lightfield.width]})


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
