"""Folds long lines between words, because terminals would break them inside words."""

from __future__ import annotations

import re
import shutil
import textwrap
from typing import TextIO

NARROWEST = 40
"""Smallest width, in columns, of terminals for which lines are folded."""
NAMED = re.compile(r"( +\S[^:]{0,20}?  +)\S")
"""A name, two spaces and a text: continuation lines are indented like the text."""
COMMAND = re.compile(r"\bioadr [a-z]+ \S+ ")
"""Lines with a command are not folded, so that they can be copied."""


def fitting(text: str, stream: TextIO) -> str:
    """The text as it should appear on a stream: folded on a terminal, unchanged in files and pipes."""
    width = shutil.get_terminal_size().columns
    return folded(text, width) if stream.isatty() and width >= NARROWEST else text


def folded(text: str, width: int) -> str:
    """Lines of at most `width` columns, where words allow it."""
    return "\n".join(line if COMMAND.search(line) else _folded(line, width) for line in text.split("\n"))


def _folded(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    named = NAMED.match(line)
    indent = len(named[1]) if named else len(line) - len(line.lstrip()) + 2
    first = named[1] if named else line[: indent - 2]
    return textwrap.fill(
        line[len(first) :],
        width,
        initial_indent=first,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
