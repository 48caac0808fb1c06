"""Progress of one estimation: sweep, mean cost, time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ioadr.app.terminal import Terminal

if TYPE_CHECKING:
    from ioadr.result import SweepRecord

Callback = Callable[["SweepRecord", Any, int], None]

WORTH_SAYING = 1.0
"""Seconds of compilation."""


@contextmanager
def sweep_progress(terminal: Terminal, name: str) -> Iterator[Callback]:
    """The callback for `ioadr.estimate`; draws a bar where somebody watches."""
    from rich.progress import TextColumn

    with _compilation(terminal), terminal.bar(TextColumn("{task.fields[state]}")) as bar:
        task = bar.add_task(name, total=None, state="first map")

        def progress(record: SweepRecord, disparity: Any, total: int) -> None:
            bar.update(task, total=total, completed=_done(record, total), state=_state(record, total))
            terminal.detail(_line(record, total))

        yield progress


@contextmanager
def _compilation(terminal: Terminal) -> Iterator[None]:
    """Say that the block compiles, if it does, and how long it took."""
    from ioadr._jit import compile_clock, compiled_before

    if not compiled_before():
        terminal.note("first run: compiling the inner loops, which takes about 20 s of a free core and happens once")
    with compile_clock() as seconds:
        yield
    if seconds() >= WORTH_SAYING:
        kept = "; from now on the compiled loops are loaded from disk" if compiled_before() else ""
        terminal.note(f"compiling took {seconds():.0f} s{kept}")


def _done(record: SweepRecord, total: int) -> int:
    """Finished sweeps; the first map is none, and after the last come only finishing touches."""
    if record.kind == "initialise":
        return 0
    return total if record.kind == "finish" else min(record.sweep + 1, total)


def _state(record: SweepRecord, total: int) -> str:
    done = _done(record, total)
    if done == total:
        return "finishing"
    return f"sweep {done}/{total}  cost {record.mean_cost:.2f}" if done else f"sweep 0/{total}"


def _line(record: SweepRecord, total: int) -> str:
    if record.kind == "initialise":
        return f"first map: {record.seconds:.2f} s"
    step = record.kind if record.kind == "finish" else f"sweep {record.sweep + 1}/{total} {record.kind}"
    return f"{step}: mean cost {record.mean_cost:.3f}, {record.changed} px changed, {record.seconds:.2f} s"
