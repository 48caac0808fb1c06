"""The machine that runs this process, and the process that started this one."""

from __future__ import annotations

import multiprocessing
import os
import threading


def cores() -> int:
    """Number of cores that this process may use; can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def end_with_parent() -> None:
    """End this process if its parent dies: a pool's worker would otherwise wait for work forever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, name="ioadr parent", daemon=True).start()
