"""The two errors that ioadr raises on purpose.

A message states what was expected, what was found and the next step; the command line prints it
as it is and ends with the class's exit code.
"""


class IoadrError(Exception):
    """Something the caller gave cannot be used: a file, an option, a folder."""

    exit_code = 2


class InputError(IoadrError, ValueError):
    """A light field, map or parameter that does not fit; says what would."""


class OutputError(IoadrError, OSError):
    """A result that could not be written; says what was left untouched."""
