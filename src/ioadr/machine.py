"""The machine that runs this process."""

from __future__ import annotations

import os


def cores() -> int:
    """Number of cores that this process may use; can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
