"""`ioadr doctor`: what is wrong with a light field, and how to read it correctly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ioadr.app.reader_options import with_reader_options
from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options

if TYPE_CHECKING:
    from ioadr.io.options import ReadOptions


@click.command(cls=SectionCommand)
@click.argument("path", type=click.Path())
@option(
    "Results",
    "--html",
    type=click.Path(),
    metavar="FILE",
    help="Write a page with a contact sheet and a table of views.",
)
@option("Results", "--out", type=click.Path(), metavar="PNG", help="Write the contact sheet as a picture.")
@output_options
@with_reader_options
def command(terminal: Terminal, path: str, html: str | None, out: str | None, reading: ReadOptions) -> None:
    """Find out what is wrong with the light field PATH: order of views, single views, exposure.

    Prints how each decision was made, which option changes it, and the command that reads the data correctly, if there
    is one.
    """
    from ioadr.app.doctor import contact_sheet, diagnosis_html, findings
    from ioadr.app.pages import write_page
    from ioadr.io.diagnosis import diagnose
    from ioadr.io.safety.atomic import atomic_file

    with terminal.busy(f"examining {path}"):
        diagnosis = diagnose(path, **vars(reading))
    facts = findings(diagnosis)
    if html:
        write_page(html, diagnosis_html(diagnosis))
    if out:
        with atomic_file(out) as temporary, Path(temporary).open("wb") as stream:
            contact_sheet(diagnosis).save(stream, "PNG")
    lines = [f"  {name:<18} {text}" for name, text in facts.items()]
    lines += [f"wrote {file}" for file in (html, out) if file]
    data = facts | {
        "healthy": diagnosis.healthy,
        "odd": {f"{row},{column}": what for (row, column), what in diagnosis.odd.items()},
        "difference": {
            f"{row},{column}": round(float(value), 3)
            for (row, column), value in zip(diagnosis.places, diagnosis.examination.difference, strict=True)
        },
    }
    terminal.answer("\n".join([diagnosis.lightfield.name, *lines]), data, fold=True)
