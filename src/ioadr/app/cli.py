"""The command `ioadr`: its subcommands and exit codes.

A new command is a module `ioadr.app.commands.<name>` that holds a click `command`, and one line in `COMMANDS`.
Modules are imported when their command is called, so that `ioadr --help` stays instant. A command returns
None, or its exit code.
"""

from __future__ import annotations

import errno
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import click
from click.shell_completion import CompletionItem

from ioadr import __version__
from ioadr.app.start import interrupts
from ioadr.app.start.exit_codes import BAD_INPUT, INTERNAL_ERROR, INTERRUPTED
from ioadr.app.terminal import remark
from ioadr.errors import IoadrError, meant

COMMANDS = {
    "estimate": "Estimate disparity, depth and normals of a light field.",
    "batch": "Estimate many light fields, large ones or videos, on one machine or a cluster.",
    "doctor": "Find out what is wrong with a light field and how to read it correctly.",
    "info": "Describe a light field without estimating anything.",
    "convert": "Convert a light field or a map to another format.",
    "export": "Write a result for Nerfstudio, COLMAP, Open3D, Blender or a light field display.",
    "render": "Render videos and pictures from new viewpoints.",
    "check": "Measure how well a result predicts the views; needs no ground truth.",
    "compare": "Show how two results differ.",
    "report": "Rebuild the HTML report of a result.",
    "explain": "Explain in words why a pixel of a result has its depth.",
    "explore": "Click a pixel in the browser and see why it has its depth.",
    "evaluate": "Score a map against the ground truth.",
    "benchmark": "Compare presets and published maps, scene by scene.",
    "research": "Compare parameter sets over scenes and seeds, with significance tests.",
    "paper": "Reproduce the paper's tables, next to the published figures.",
    "submission": "Make or check a zip for the 4D Light Field Benchmark.",
    "demo": "Estimate the built-in scene and compare it with its exact ground truth.",
    "bench": "Measure time and memory on this machine.",
    "presets": "List the presets or print one as TOML.",
    "completion": "Print a completion script for your shell.",
}


UNUSABLE = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP, errno.EROFS, errno.EIO, errno.ENOTDIR)
"""Errors caused by a file or folder that the user named, not by the program."""
LONGEST_NAME = 100

EXIT_CODES = """Exit codes: 0 success; 1 some items failed (they are named); 2 bad input, option or output folder;
3 finished, but the views do not agree with the map (with --strict); 70 internal error; 130 interrupted."""

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class LazyGroup(click.Group):
    """A group that imports its commands on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"ioadr.app.commands.{name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            hint = meant(args[0], COMMANDS) or f" Commands: {', '.join(COMMANDS)}."
            ctx.fail(f"no command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings=SETTINGS, epilog=EXIT_CODES)
@click.version_option(__version__, prog_name="ioadr", message="%(prog)s %(version)s")
def group() -> None:
    """Depth, surface normals and occlusions from 4D light fields.

    Start with `ioadr demo`, then `ioadr estimate SCENE --out DIR` on your own scene.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; errors become messages on stderr."""
    try:
        return int(group.main(arguments, prog_name="ioadr", standalone_mode=False) or 0)
    except click.Abort:
        return _interrupted()
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        remark(f"ioadr: {_ended(_worded(error))}" + (f" See {context.command_path} --help." if context else ""))
        return BAD_INPUT
    except IoadrError as error:
        remark(f"ioadr: {error.for_command_line()}")
        return error.exit_code
    except OSError as error:
        if error.filename is None or error.errno not in UNUSABLE:
            return _failed(error)
        name = str(error.filename)[:LONGEST_NAME]
        remark(f"ioadr: {name}: cannot be used: {error.strerror}.")
        return BAD_INPUT
    except MemoryError as error:
        remark(f"ioadr: not enough memory ({error}). Use fewer or smaller views, or close other programs.")
        return BAD_INPUT
    except Exception as error:
        return _failed(error)


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _worded(error: click.ClickException) -> str:
    """Click's message in our style, with a suggestion for a misspelt option or choice."""
    if isinstance(error, click.NoSuchOption):
        return f"no such option {error.option_name}.{meant(error.option_name, error.possibilities or ())}"
    text = error.format_message().removeprefix("Got ")
    kind = getattr(getattr(error, "param", None), "type", None)
    wrong = re.match("'([^']+)' is not one of", error.message)
    hint = meant(wrong[1], kind.choices) if wrong and isinstance(kind, click.Choice) else ""
    return text[:1].lower() + text[1:] + hint


def _failed(error: Exception) -> int:
    """Report an internal error, unless an interrupt caused it."""
    if interrupts.received() is not None:
        return _interrupted()
    from ioadr.app.start import internal_error

    remark(f"ioadr: {internal_error.told(error)}")
    return INTERNAL_ERROR


def main() -> NoReturn:
    """Entry point, called by `app.start`."""
    try:
        interrupts.install()
        code = run()
    except KeyboardInterrupt:  # struck again while the first one was being reported
        code = _interrupted()
    interrupts.release()
    if interrupts.received() is None:
        with suppress(OSError, ValueError):  # Python's own end says what is wrong with a stream
            sys.stdout.flush()
            sys.stderr.flush()
            interrupts.end(code)
        sys.exit(code)
    interrupts.end(code)


def _interrupted() -> int:
    """Exit code after a signal: 130 for Ctrl-C, as in shells."""
    interrupts.release()
    remark("ioadr: interrupted. Unfinished files have been removed.")
    number = interrupts.received()
    return INTERRUPTED if number is None else 128 + number
