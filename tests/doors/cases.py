"""Bad input by door and kind, and the message for each.

A case writes something bad into an empty folder and returns how `ioadr` is called there, or what the explorer is
asked. `python -m tests.doors` writes the messages into docs/reliability.md; tests/unit/test_doors.py provokes them
all again and compares.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ioadr.app.cli import run

LIMIT = "1G"
"""Memory limit under which the cases run, so that messages are the same everywhere."""

PATIENCE = 60
"""Seconds."""

Arguments = Sequence[str]


@dataclass(frozen=True)
class Request:
    """What a browser asks the explorer."""

    path: str
    method: str = "GET"
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Case:
    """One bad thing at one door."""

    door: str
    kind: str
    make: Callable[[Path], Arguments | Request]
    """Writes into the folder; names in what it returns are relative to it."""
    code: int = 2

    @property
    def name(self) -> str:
        return f"{self.door}: {self.kind}"


@dataclass(frozen=True)
class Outcome:
    code: int
    text: str


def call(arguments: Arguments, folder: Path) -> Outcome:
    """`ioadr` in this process, in the folder, with its words relative to it."""
    told = io.StringIO()
    told_here = contextlib.redirect_stderr(told), contextlib.redirect_stdout(told)
    with contextlib.chdir(folder), _memory_limit(), _patience(), told_here[0], told_here[1]:
        code = run(list(arguments))
    return Outcome(code, told.getvalue().replace(f"{folder}/", "").strip())


@contextlib.contextmanager
def _patience() -> Any:
    """A call that waits for ever becomes an internal error."""

    def give_up(number: int, frame: Any) -> None:
        raise TimeoutError(f"no answer in {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _memory_limit() -> Any:
    before = os.environ.get("IOADR_MEMORY_LIMIT")
    os.environ["IOADR_MEMORY_LIMIT"] = LIMIT
    try:
        yield
    finally:
        if before is None:
            del os.environ["IOADR_MEMORY_LIMIT"]
        else:
            os.environ["IOADR_MEMORY_LIMIT"] = before


def ask(request: Request, running: Any) -> Outcome:
    """The explorer's status and words."""
    answer = running.ask(request.path, request.method, request.body, **dict(request.headers))
    text = answer.json()["error"] if "json" in answer.headers["content-type"] else answer.body.decode()
    return Outcome(answer.status, text.strip())


def masked(text: str) -> str:
    """Without the words of libraries and the sizes of what they write, which change from one version to the next."""
    text = re.sub(r"(?<=a file of )[\d.]+ k?B(?= cannot hold)", "…", text)
    quoted = r"(found|cannot be read as [^:|]*|cannot read [^:|]*|implausibly large|not what `ioadr estimate` writes)"
    return re.sub(quoted + r": .*?(?=\. [A-Z]|\.? \||\.$)", r"\1: …", text)
