"""The two errors that ioadr raises on purpose.

A message states what was expected, what was found and the next step; the command line prints it
as it is and ends with the class's exit code.
"""

LONGEST = 1500
"""Characters of a message; a file may hold any number of names."""


class IoadrError(Exception):
    """Something the caller gave cannot be used: a file, an option, a folder."""

    exit_code = 2

    def __str__(self) -> str:
        """One line without control characters, whatever the names in it: they come from files of others."""
        text = printable(super().__str__())
        return text if len(text) <= LONGEST else f"{text[: LONGEST * 2 // 3]} … {text[-LONGEST // 3 :]}"


class InputError(IoadrError, ValueError):
    """A light field, map or parameter that does not fit; says what would."""


class OutputError(IoadrError, OSError):
    """A result that could not be written; says what was left untouched."""


def printable(text: str) -> str:
    """Control characters, line breaks and bytes of no encoding as escapes such as \\x1b."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
