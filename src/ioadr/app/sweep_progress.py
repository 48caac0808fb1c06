"""Progress of one estimation: sweep, mean cost, time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ioadr.app.terminal import Terminal

if TYPE_CHECKING:
    from ioadr.result import SweepRecord

Callback = Callable[["SweepRecord", Any, int], None]


@contextmanager
def sweep_progress(terminal: Terminal, name: str) -> Iterator[Callback]:
    """The callback for `ioadr.estimate`; draws a bar where somebody watches."""
    from rich.progress import TextColumn

    with terminal.bar(TextColumn("{task.fields[state]}")) as bar:
        task = bar.add_task(name, total=None, state="first map")

        def progress(record: SweepRecord, disparity: Any, total: int) -> None:
            done = _done(record, total)
            bar.update(task, total=total, completed=done, state=f"sweep {done}/{total}  cost {record.mean_cost:.2f}")
            terminal.detail(_line(record, total))

        yield progress


def _done(record: SweepRecord, total: int) -> int:
    """Finished sweeps; the first map is none, and after the last come only finishing touches."""
    if record.kind == "initialise":
        return 0
    return total if record.kind == "finish" else min(record.sweep + 1, total)


def _line(record: SweepRecord, total: int) -> str:
    step = record.kind if record.kind in ("initialise", "finish") else f"sweep {record.sweep + 1}/{total} {record.kind}"
    return f"{step}: mean cost {record.mean_cost:.3f}, {record.changed} px changed, {record.seconds:.2f} s"
