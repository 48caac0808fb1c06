"""The two errors that ioadr raises on purpose, and how their remedies are worded.

A message says what is wrong, with the value, and the next step. Where the next step is an argument, the text
marks it: `⟦skip ROW,COL⟧`. A Python user reads `skip="ROW,COL"`; the command line shows `--skip ROW,COL`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

LONGEST = 1500
"""Characters of a message; a file may hold any number of names."""
MARK = re.compile(r"⟦([a-z][a-z-]*)(?: ([^⟧]*))?⟧")
FLAGS = {"overwrite", "resume", "allow-invalid", "flip-rows", "flip-columns", "no-flip-rows", "no-flip-columns"}
"""Options that take no value."""
ARGUMENTS = {"out": "folder", "init": "initialise.method"}
"""Arguments that are not called like their option."""


class IoadrError(Exception):
    """Something the caller gave cannot be used: a file, an option, a folder."""

    exit_code = 2

    @property
    def marked(self) -> str:
        """The text with its marks, to be quoted in another error."""
        return super().__str__()

    def __str__(self) -> str:
        """One line without control characters, whatever the names in it: they come from files of others."""
        return self._line(as_arguments)

    def for_command_line(self) -> str:
        """The same line with options instead of arguments."""
        return self._line(as_options)

    def _line(self, worded: Callable[[str], str]) -> str:
        text = printable(worded(self.marked))
        return text if len(text) <= LONGEST else f"{text[: LONGEST * 2 // 3]} … {text[-LONGEST // 3 :]}"


class InputError(IoadrError, ValueError):
    """A light field, map or parameter that does not fit; says what would."""


class OutputError(IoadrError, OSError):
    """A result that could not be written; says what was left untouched."""


class Note(str):
    """A remark for the user: a string worded for Python that remembers its marks for the command line."""

    marked: str

    def __new__(cls, text: str) -> Note:
        note = super().__new__(cls, as_arguments(text))
        note.marked = text
        return note

    def __reduce__(self) -> tuple[type[Note], tuple[str]]:
        return Note, (self.marked,)


def as_options(text: str) -> str:
    """Marks worded as options of the command line."""
    return MARK.sub(lambda mark: f"--{mark[1]}" + (f" {mark[2]}" if mark[2] else ""), getattr(text, "marked", text))


def as_arguments(text: str) -> str:
    """Marks worded as Python arguments."""
    return MARK.sub(lambda mark: _argument(mark[1], mark[2]), text)


def _argument(name: str, value: str | None) -> str:
    if name in FLAGS:
        return f"{name.removeprefix('no-').replace('-', '_')}={not name.startswith('no-')}"
    name = ARGUMENTS.get(name, name.replace("-", "_"))
    if not value:
        return f"`{name}`"
    # Quotes are for the shell.
    value = value.strip("'")
    words = value.split()
    return f"{name}=({', '.join(words)})" if len(words) > 1 else f'{name}="{value}"'


def printable(text: str) -> str:
    """Control characters, line breaks and bytes of no encoding as escapes such as \\x1b."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
