"""Loaded by every worker process of this machine when it starts."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Ctrl-C in a terminal reaches all processes; the one that hands out the work ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
