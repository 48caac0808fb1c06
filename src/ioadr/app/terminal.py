"""Output of a running command, for people and programs.

Results go to stdout, as text or, with --json, as one JSON object; everything else goes to stderr.
Bars and spinners appear only where stderr is a terminal.
"""

from __future__ import annotations

import errno
import functools
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

import click

from ioadr.app.folding import fitting
from ioadr.app.sections import option
from ioadr.errors import IoadrError, OutputError, as_options

if TYPE_CHECKING:
    from rich.progress import Progress


def say(text: str) -> None:
    """Print to stdout, or raise an error that says why not; a closed pipe (`| head`) is no error."""
    try:
        click.echo(text)
        sys.stdout.flush()
    except OSError as error:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())  # what is left in the buffer must not fail again
        if error.errno != errno.EPIPE:
            raise OutputError(
                f"standard output: could not be written: {error.strerror}. Files that the command wrote are complete."
            ) from error


def remark(text: str) -> None:
    """Print to stderr; ignore failures."""
    with suppress(OSError):
        # `click.echo` would write past the spinner or bar that stands in for stderr, into its line.
        sys.stderr.write(f"{fitting(text, sys.stderr)}\n")
        sys.stderr.flush()


class Terminal:
    """The output of a command; nothing else prints."""

    def __init__(self, quiet: bool = False, verbose: bool = False, as_json: bool = False) -> None:
        self.quiet = quiet
        self.verbose = verbose
        self.as_json = as_json

    @property
    def live(self) -> bool:
        """Whether stderr is a terminal and may be drawn on."""
        return sys.stderr.isatty() and not self.quiet

    def note(self, text: str) -> None:
        """Print a remark."""
        if not self.quiet:
            remark(as_options(text))

    def detail(self, text: str) -> None:
        """Print a remark with --verbose only."""
        if self.verbose:
            remark(text)

    def answer(self, text: str, data: Mapping[str, Any], fold: bool = False) -> None:
        """Print the command's result: `data` with --json, otherwise `text`; `fold` is for prose, not for tables."""
        if self.as_json:
            say(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
        elif not self.quiet:
            say(fitting(text, sys.stdout) if fold else text)

    def bar(self, states: bool = False) -> Progress:
        """A rich progress bar with the time left and, if asked, the tasks' `state`; draws nothing unless `live`."""
        if not self.live:
            return cast("Progress", NoProgress())
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, Task, TextColumn, TimeRemainingColumn
        from rich.text import Text

        class TimeLeft(TimeRemainingColumn):
            def render(self, task: Task) -> Text:
                running = task.time_remaining is not None and not task.finished
                return super().render(task) + Text(" left", "progress.remaining") if running else Text("")

        standard = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(bar_width=30))
        return Progress(
            *standard,
            *([TextColumn("{task.fields[state]}")] if states else []),
            TimeLeft(compact=True),
            console=Console(stderr=True),
            transient=True,
        )

    def busy(self, text: str) -> AbstractContextManager[Any]:
        """Show a spinner with `text` while the block runs, if `live`."""
        if not self.live:
            return NoProgress()
        from rich.console import Console
        from rich.text import Text

        return Console(stderr=True).status(Text(text))

    @contextmanager
    def hearing(self) -> Iterator[None]:
        """Print the package's log as notes while the block runs."""
        logger = logging.getLogger("ioadr")
        handler = _Notes(self)
        level = logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG if self.verbose else logging.INFO)
        try:
            yield
        finally:
            logger.setLevel(level)
            logger.removeHandler(handler)


class NoProgress:
    """Replaces bars and spinners where there is no terminal: rich takes 0.1 s to load."""

    def __enter__(self) -> NoProgress:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, *_: object, **__: object) -> None:
        pass

    remove_task = advance = update

    def add_task(self, *_: object, **__: object) -> int:
        return 0


class _Notes(logging.Handler):
    def __init__(self, terminal: Terminal) -> None:
        super().__init__()
        self.terminal = terminal

    def emit(self, record: logging.LogRecord) -> None:
        self.terminal.note(self.format(record))


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --quiet, --verbose and --json; the command receives a `Terminal` as its first argument."""

    @option("Messages", "-q", "--quiet", is_flag=True, help="Print only errors.")
    @option("Messages", "-v", "--verbose", is_flag=True, help="Print details of each step.")
    @option("Messages", "--json", "as_json", is_flag=True, help="Print the result, or the error, as one JSON object.")
    @functools.wraps(command)
    def run(*args: Any, quiet: bool, verbose: bool, as_json: bool, **options: Any) -> Any:
        if quiet and verbose:
            raise click.UsageError("--quiet and --verbose cannot be combined. Leave one out.")
        terminal = Terminal(quiet, verbose, as_json)
        try:
            with terminal.hearing():
                return command(terminal, *args, **options)
        except IoadrError as error:
            if as_json:
                terminal.answer("", {"error": error.for_command_line(), "exit_code": error.exit_code})
            raise

    return run
