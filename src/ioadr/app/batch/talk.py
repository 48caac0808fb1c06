"""Messages from a running task, and its check for cancellation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ioadr.result import SweepRecord

ANCHORS = 0.85
"""Share of the time of an estimation of every view that the anchors take."""
Progress = Callable[["SweepRecord", Any, int], None]


class Unwanted(Exception):
    """The task was cancelled."""


def tell(topic: str, name: str, state: str, share: float = 0.0) -> None:
    """Send a line about a running item to the client; do nothing outside a Dask worker."""
    worker = _worker()
    if worker is not None and topic:
        worker.log_event(topic, {"name": name, "state": state, "share": share})


def sweep_teller(topic: str, name: str, begin: float = 0.0, end: float = 1.0, what: str = "") -> Progress:
    """Callback for `ioadr.estimate`; its sweeps cover the item's progress from `begin` to `end`."""
    done = -1

    def progress(record: SweepRecord, disparity: Any, total: int) -> None:
        nonlocal done
        done += 1
        check_wanted()
        share = begin + (end - begin) * min((done + 1) / (total + 1), 1.0)
        tell(topic, name, f"{what}step {min(done, total)}/{total}", share)

    return progress


def view_teller(topic: str, name: str, begin: float, end: float, where: str = "") -> Callable[[str, int, int], None]:
    """Callback for `ioadr.estimate_views`: anchors take most of the time, views the rest."""

    def progress(what: str, done: int, total: int) -> None:
        check_wanted()
        share = ANCHORS * done / total if what == "anchor" else ANCHORS + (1.0 - ANCHORS) * done / total
        tell(topic, name, f"{where}{what} {done}/{total}", begin + (end - begin) * share)

    return progress


def check_wanted() -> None:
    """Stop the task if it was cancelled; a thread cannot be stopped from outside."""
    worker = _worker()
    if worker is None:
        return
    task = worker.state.tasks.get(worker.get_current_task())
    if task is None or task.state == "cancelled":
        raise Unwanted


def worker_name() -> str:
    """Address of the worker."""
    worker = _worker()
    return "" if worker is None else str(worker.address)


def own_memory() -> int | None:
    """Bytes that one task may use on this worker; None without a limit."""
    worker = _worker()
    limit = None if worker is None else worker.memory_manager.memory_limit
    return int(limit) // worker.state.nthreads if limit else None


def _worker() -> Any:
    try:
        from distributed import get_worker

        return get_worker()
    except (ImportError, ValueError):
        return None
