"""With which code the command ends; 0 is done."""

from __future__ import annotations

PARTLY_FAILED = 1
DOUBTFUL = 3
"""The views do not agree with the map, with --strict."""
BAD_INPUT = 2
INTERNAL_ERROR = 70
INTERRUPTED = 130
"""By Ctrl-C, as shells have it."""
