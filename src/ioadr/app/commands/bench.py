"""`ioadr bench`: time and memory on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ioadr.app.sections import SectionCommand, option
from ioadr.app.terminal import Terminal, output_options

if TYPE_CHECKING:
    from ioadr.app.bench.tables import Table


@click.command(cls=SectionCommand)
@option("Input", "--data", type=click.Path(), metavar="DIR", help="Also measure the benchmark scenes in this folder.")
@option("Input", "--full", is_flag=True, help="Measure all scenes, presets and sizes (about 15 minutes).")
@option("Input", "--base", metavar="REV", help="Only compare with this git revision, in alternating runs.")
@option("Results", "--out", type=click.Path(dir_okay=False), metavar="FILE", help="Write the figures as JSON.")
@output_options
def command(terminal: Terminal, data: str | None, full: bool, base: str | None, out: str | None) -> None:
    """Measure time by phase, memory, first and later runs, threads, and scaling with pixels and views.

    Run it on an idle machine. The number of free cores is measured before and after.
    """
    from ioadr.app.bench import suite
    from ioadr.app.bench.tables import figure_tables

    with terminal.busy("measuring") as status:

        def watch(text: str) -> None:
            terminal.detail(text)
            if terminal.live:
                status.update(f"measuring: {text}")

        folder, scope = None if data is None else Path(data), suite.FULL if full else suite.QUICK
        figures = suite.against(base, folder, scope, watch) if base else suite.run(folder, scope, watch)
    if out is not None:
        keep(figures, Path(out))
    terminal.answer("\n".join([rendered(table) for table in figure_tables(figures)] + [closing(figures)]), figures)


def keep(figures: dict[str, Any], path: Path) -> None:
    import json

    from ioadr.io.safety.atomic import atomic_file

    with atomic_file(path) as temporary:
        temporary.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def rendered(table: Table) -> str:
    """The tables, for the terminal."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table as RichTable

    rich = RichTable(*table.head, title=table.title, title_justify="left", box=SIMPLE)
    for column in rich.columns[1:]:
        column.justify = "right"
    for row in table.rows:
        rich.add_row(*row)
    console = Console(width=160)
    with console.capture() as capture:
        console.print(rich)
    return capture.get().rstrip()


def closing(figures: dict[str, Any]) -> str:
    """The machine, and how many of its cores were free: how reliable the figures are."""
    machine = figures["machine"]
    before, after = figures["free_cores"]
    return (
        f"{machine['processor']}, {machine['cores']} cores, {before:.1f} of them free before and {after:.1f} after; "
        f"measured in {figures['seconds']:.0f} s"
    )
