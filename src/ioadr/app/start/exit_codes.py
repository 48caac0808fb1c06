"""Exit codes of the command; 0 is success."""

from __future__ import annotations

PARTLY_FAILED = 1
DOUBTFUL = 3
"""The views do not agree with the map, with --strict."""
BAD_INPUT = 2
INTERNAL_ERROR = 70
INTERRUPTED = 130
"""Interrupted by Ctrl-C, as in shells."""
