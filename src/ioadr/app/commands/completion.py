"""`ioadr completion`: shell completion."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ioadr.app.cli import group
from ioadr.errors import unknown

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print a script that completes `ioadr` commands, options and values in your shell.

    \b
    bash: add to ~/.bashrc    eval "$(ioadr completion bash)"
    zsh:  add to ~/.zshrc     eval "$(ioadr completion zsh)"
    fish: ioadr completion fish > ~/.config/fish/completions/ioadr.fish
    """
    completion = get_completion_class(shell)
    if completion is None:
        raise unknown("shell", shell, SHELLS)
    click.echo(completion(group, {}, "ioadr", "_IOADR_COMPLETE").source())
