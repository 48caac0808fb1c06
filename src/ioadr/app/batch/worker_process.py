"""Set-up of every worker process on this machine."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Ignore Ctrl-C, which a terminal sends to all processes; the main process ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
