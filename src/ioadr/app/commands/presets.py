"""`ioadr presets`: the named parameter sets."""

from __future__ import annotations

import click

from ioadr.app.estimation_options import preset_names
from ioadr.app.sections import SectionCommand
from ioadr.app.terminal import Terminal, output_options
from ioadr.parameters import DEFAULT, FINISH_VARIATIONS, PRESETS, VARIATIONS, preset

LISTING = """presets: {presets}
variations, as PRESET/VARIATION: {variations}

`ioadr presets NAME > mine.toml` writes one to a file; change it and use it with --parameters mine.toml."""


@click.command(cls=SectionCommand)
@click.argument("name", required=False, shell_complete=preset_names)
@output_options
def command(terminal: Terminal, name: str | None) -> None:
    """List the presets, or print NAME as a TOML file with the meaning of each value."""
    if name is None:
        variations = [*VARIATIONS, *FINISH_VARIATIONS]
        text = LISTING.format(
            presets=", ".join(n + " (default)" * (n == DEFAULT) for n in PRESETS), variations=", ".join(variations)
        )
        terminal.answer(text, {"presets": list(PRESETS), "variations": variations})
        return
    parameters = preset(name)
    terminal.answer(parameters.to_toml().rstrip(), parameters.to_dict())
