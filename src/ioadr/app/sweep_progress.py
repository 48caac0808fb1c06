"""Progress of one estimation: sweep, mean cost, time left."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ioadr.app.terminal import Terminal

if TYPE_CHECKING:
    from ioadr.result import SweepRecord

Callback = Callable[["SweepRecord", Any, int], None]

WORDS = {"view": "settling views", "synthesised": "synthesising views left out"}

WORTH_SAYING = 1.0
"""Shortest compilation, in seconds, that is reported."""


@contextmanager
def sweep_bar(terminal: Terminal, name: str) -> Iterator[Callback]:
    """Callback for `ioadr.estimate`; draws a bar on a terminal."""
    with _compilation(terminal), terminal.bar(states=True) as bar:
        task = bar.add_task(name, total=None, state="first map")

        def progress(record: SweepRecord, disparity: Any, total: int) -> None:
            bar.update(task, total=total, completed=done(record, total), state=state(record, total))
            terminal.detail(_line(record, total))

        yield progress


@contextmanager
def every_view_progress(terminal: Terminal) -> Iterator[Callable[[str, int, int], None]]:
    """Callback for `ioadr.estimate_views`: a bar for anchors, then one for views."""
    with _compilation(terminal), terminal.bar() as bar:
        tasks = {"anchor": bar.add_task("estimating anchor views", total=None)}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                bar.update(next(reversed(tasks.values())), visible=False)
                tasks[what] = bar.add_task(WORDS.get(what, what), total=total)
            bar.update(tasks[what], total=total, completed=done)
            terminal.detail(f"{what} {done}/{total}")

        yield progress


@contextmanager
def _compilation(terminal: Terminal) -> Iterator[None]:
    """Report if the block compiles kernels, and how long it took."""
    from ioadr._jit import compile_clock, compiled_before

    if not compiled_before():
        terminal.note("first run: compiling the inner loops (once; up to a minute on a free core)")
    with compile_clock() as seconds:
        yield
    if seconds() >= WORTH_SAYING:
        kept = "; later runs load the compiled loops from disk" if compiled_before() else ""
        terminal.note(f"compiling took {seconds():.0f} s{kept}")


def done(record: SweepRecord, total: int) -> int:
    """Number of finished sweeps and passes, without the first map."""
    return 0 if record.kind == "initialise" else min(record.sweep + 1, total)


def state(record: SweepRecord, total: int) -> str:
    """The step in words."""
    sweeps = done(record, total)
    if sweeps == total:
        return "finishing"
    return f"step {sweeps}/{total}{_cost(record, '  cost {:.2f}')}"


def _cost(record: SweepRecord, pattern: str) -> str:
    return pattern.format(record.mean_cost) if math.isfinite(record.mean_cost) else ""


def _line(record: SweepRecord, total: int) -> str:
    if record.kind == "initialise":
        return f"first map: {record.seconds:.2f} s"
    cost = _cost(record, "mean cost {:.3f}, ")
    return f"step {record.sweep + 1}/{total}, {record.kind}: {cost}{record.changed} px changed, {record.seconds:.2f} s"
