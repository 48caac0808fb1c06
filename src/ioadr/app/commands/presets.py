"""`ioadr presets`: the named parameter sets."""

from __future__ import annotations

import textwrap

import click

from ioadr.app.estimation_options import preset_names
from ioadr.app.sections import SectionCommand
from ioadr.app.terminal import Terminal, output_options
from ioadr.presets import FINISH_VARIATIONS, PRESETS, VARIATIONS, preset

PURPOSES = {
    "best": "the most accurate map; the default",
    "fast": "a preview in a quarter of the time",
    "paper": "the published method; reproduces the paper's tables",
    "text": "the method as the paper's text describes it, which differs from the program behind its tables",
}
LISTING = """{presets}

To see what a part of the method contributes, switch it off with PRESET/VARIATION:
{variations}

`ioadr presets NAME > mine.toml` writes a preset to a file. Edit it and use it with --parameters mine.toml."""


@click.command(cls=SectionCommand)
@click.argument("name", required=False, shell_complete=preset_names)
@output_options
def command(terminal: Terminal, name: str | None) -> None:
    """List the presets, or print NAME as a TOML file with the meaning of each value."""
    if name is None:
        variations = [*VARIATIONS, *FINISH_VARIATIONS]
        presets = "\n".join(f"  {preset_:<6} {PURPOSES[preset_]}" for preset_ in PURPOSES)
        listed = textwrap.fill(
            ", ".join(variations), 78, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        )
        text = LISTING.format(presets=presets, variations=listed)
        terminal.answer(text, {"presets": list(PRESETS), "purposes": PURPOSES, "variations": variations})
        return
    parameters = preset(name)
    terminal.answer(parameters.to_toml().rstrip(), parameters.to_dict())
