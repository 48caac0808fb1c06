"""ioadr's two exceptions, and the wording of their remedies.

A message says what is wrong, with the value, and the next step. Where the next step is an argument, the text
marks it: `⟦skip ROW,COL⟧`. A Python user reads `skip="ROW,COL"`; the command line shows `--skip ROW,COL`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

LONGEST = 1500
"""Largest length of a message, in characters; it may list any number of names."""
MARK = re.compile(r"⟦([a-z][a-z-]*)(?: ([^⟧]*))?⟧")
FLAGS = {
    *("overwrite", "resume", "allow-invalid", "flip-both"),
    *("transpose", "no-transpose", "flip-rows", "no-flip-rows", "flip-columns", "no-flip-columns"),
}
"""Options that take no value."""
ARGUMENTS = {"out": "folder", "init": "initialise.method"}
"""Arguments whose name differs from that of their option."""


class IoadrError(Exception):
    """Base class of ioadr's errors: an unusable file, option or folder.

    Examples
    --------
    >>> try:
    ...     ioadr.read("nowhere")
    ... except ioadr.IoadrError as error:
    ...     print(type(error).__name__)
    InputError
    """

    exit_code = 2

    @property
    def marked(self) -> str:
        """The text with its marks, for use in another error."""
        return super().__str__()

    def __str__(self) -> str:
        """One line without control characters: names in it may come from untrusted files."""
        return self._line(as_arguments)

    def for_command_line(self) -> str:
        """The same line with options instead of arguments."""
        return self._line(as_options)

    def _line(self, worded: Callable[[str], str]) -> str:
        text = printable(worded(self.marked))
        return text if len(text) <= LONGEST else f"{text[: LONGEST * 2 // 3]} … {text[-LONGEST // 3 :]}"


class InputError(IoadrError, ValueError):
    """An unusable light field, map or parameter; the message says what to do. Also a ValueError.

    Examples
    --------
    >>> ioadr.DisparityRange(2, -2)
    Traceback (most recent call last):
    ioadr.errors.InputError: disparity range: expected finite MIN < MAX, found 2 -2. ...
    """


class OutputError(IoadrError, OSError):
    """A result that cannot be written; existing files are left untouched. Also an OSError.

    Examples
    --------
    >>> files = estimate.save("out", overwrite=True)
    >>> estimate.save("out")
    Traceback (most recent call last):
    ioadr.errors.OutputError: out: ... overwrite=True...
    """


class Note(str):
    """A remark for the user: worded for Python, with the marks from which the command line makes options."""

    marked: str

    def __new__(cls, text: str) -> Note:
        note = super().__new__(cls, as_arguments(text))
        note.marked = text
        return note

    def __reduce__(self) -> tuple[type[Note], tuple[str]]:
        return Note, (self.marked,)


def as_options(text: str) -> str:
    """The text with its marks turned into command-line options."""
    return MARK.sub(lambda mark: f"--{mark[1]}" + (f" {mark[2]}" if mark[2] else ""), getattr(text, "marked", text))


def as_arguments(text: str) -> str:
    """The text with its marks turned into Python arguments."""
    return MARK.sub(lambda mark: _argument(mark[1], mark[2]), text)


def _argument(name: str, value: str | None) -> str:
    if name in FLAGS:
        return f"{name.removeprefix('no-').replace('-', '_')}={not name.startswith('no-')}"
    if name == "set" and value:
        key, _, number = value.partition("=")
        return f'parameters={{"{key}": {number}}}'
    name = ARGUMENTS.get(name, name.replace("-", "_"))
    if not value:
        return f"`{name}`"
    # Quotes are for the shell, and hold one value.
    words = [value.strip("'")] if value.startswith("'") else value.split()
    return f"{name}=({', '.join(words)})" if len(words) > 1 else f'{name}="{words[0]}"'


def printable(text: str) -> str:
    """The text with control characters, line breaks and undecodable bytes escaped, as in \\x1b."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def unknown(kind: str, name: object, known: Iterable[str], where: str = "") -> InputError:
    """Error for a name that is not among the known ones: suggests the closest, then lists all."""
    names = list(known)
    hint = meant(str(name), names)
    return InputError(f"{where}unknown {kind} {name!r}.{hint} Available: {', '.join(names)}.")


def meant(name: str, known: Iterable[str]) -> str:
    """ " Did you mean 'best'?" if a known name is close to the misspelt one, else nothing."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
