"""Progress of a batch: one bar for the whole, one line for each running item."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from ioadr.app.batch.items import Outcome
from ioadr.app.terminal import Terminal
from ioadr.app.words import duration

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Watch:
    """Updates the bar and the lines; workers' events arrive in another thread."""

    def __init__(self, terminal: Terminal, bar: Progress, total: int, kept: int) -> None:
        self.terminal, self.bar, self.total = terminal, bar, total
        self.finished, self.begin, self.kept = kept, time.monotonic(), kept
        self.lines: dict[str, TaskID] = {}
        self.shares: dict[str, float] = {}
        self.lock = Lock()
        self.waited = False
        self.whole = bar.add_task("batch", total=total, completed=kept, state=f"{kept}/{total}")

    def begun(self, name: str) -> None:
        with self.lock:
            if name not in self.lines:
                self.lines[name] = self.bar.add_task(f"  {name}", total=1.0, state="")
                self.shares[name] = 0.0

    def heard(self, event: tuple[float, Mapping[str, Any]]) -> None:
        """Handle an event from a worker."""
        _, message = event
        name = message["name"]
        with self.lock:
            if name in self.lines:
                # Tiles of one item run side by side and are heard in any order.
                self.shares[name] = max(self.shares[name], float(message["share"]))
                self.bar.update(self.lines[name], completed=self.shares[name], state=message["state"])
        self._update()

    def ended(self, outcome: Outcome) -> None:
        """Record an item that finished or was given up."""
        with self.lock:
            if outcome.name in self.lines:
                self.bar.remove_task(self.lines.pop(outcome.name))
                self.shares.pop(outcome.name)
            self.finished += 1
        self._update()
        self.terminal.note(f"[{self.finished}/{self.total}] {line(outcome)}{self._left()}")

    def tick(self, capacity: int) -> None:
        """Update regularly with the number of tasks that can run."""
        if capacity == 0 and not self.waited:
            self.terminal.note("waiting for workers")
        self.waited = capacity == 0

    def _update(self) -> None:
        with self.lock:
            done = self.finished + sum(self.shares.values())
            self.bar.update(self.whole, completed=done, state=f"{self.finished}/{self.total}{self._rate()}")

    def _rate(self) -> str:
        made = self.finished - self.kept
        if made <= 0:
            return ""
        per_minute = 60 * made / max(time.monotonic() - self.begin, 1e-3)
        return f"  {per_minute:.2g} per minute"

    def _left(self) -> str:
        """Time left, for logs; on a terminal the bar shows it."""
        made, todo = self.finished - self.kept, self.total - self.finished
        if self.terminal.live or made <= 0 or todo <= 0:
            return ""
        seconds = (time.monotonic() - self.begin) / made * todo
        return f"; about {duration(seconds)} left"


def line(outcome: Outcome) -> str:
    """An outcome in one line."""
    if not outcome.finished:
        return f"{outcome.name}: {outcome.state}: {outcome.reason}"
    scores = outcome.scores
    figures = f", BadPix 0.07 {scores['badpix_007']:.2f} %" if "badpix_007" in scores else ""
    return f"{outcome.name}: {outcome.total_seconds:.1f} s{figures}"


@contextmanager
def watching(terminal: Terminal, total: int, kept: int) -> Iterator[Watch]:
    with terminal.bar(states=True) as bar:
        yield Watch(terminal, bar, total, kept)
