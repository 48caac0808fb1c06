"""Internal errors: one line that names a file with the details."""

from __future__ import annotations

import sys
import tempfile
import traceback

from ioadr import __version__
from ioadr.errors import printable


def told(error: Exception) -> str:
    """Store the traceback in a file; return the message."""
    summary = printable(" ".join(f"{type(error).__name__}: {error}".split()))
    details = f"ioadr {__version__}, Python {sys.version}\n{sys.argv}\n\n{''.join(traceback.format_exception(error))}"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="ioadr-error-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            file.write(details)
        remark = f"Details are in {file.name}; please report it with them."
    except OSError:
        remark = "Its details could not be written to the temporary folder."
    return f"internal error ({summary}). {remark}"
