"""Progress of a benchmark: a bar with the time left, or a line for each finished item."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ioadr.app.terminal import Terminal
from ioadr.app.words import duration
from ioadr.evaluation.benchmark import Item, Step, Watch


@contextmanager
def watching(terminal: Terminal) -> Iterator[Watch]:
    """Callback that shows the steps of `run_benchmark`."""
    clock = _Clock()
    with terminal.bar() as bar:
        task = bar.add_task("", total=None)

        def watch(step: Step) -> None:
            done = step.number + step.share
            bar.update(task, total=step.total, completed=done, description=f"{step.scene} · {step.method}")
            if step.item is not None:
                clock.add(step.item, step.ours)
                terminal.note(f"[{step.number}/{step.total}] {_line(step.item)}{clock.left(step.estimations)}")

        yield watch


class _Clock:
    """Times of the estimations that were not reused."""

    def __init__(self) -> None:
        self.last = time.monotonic()
        self.spent = 0.0
        self.made = 0

    def add(self, item: Item, ours: bool) -> None:
        now = time.monotonic()
        if ours and not item.reused:
            self.spent += now - self.last
            self.made += 1
        self.last = now

    def left(self, estimations: int) -> str:
        if not estimations or not self.made:
            return ""
        seconds = self.spent / self.made * estimations
        return f"; about {duration(seconds)} left"


def _line(item: Item) -> str:
    if item.failure:
        return f"{item.scene} · {item.method}: {item.failure}"
    figures = f"MSE×100 {item.scores['mse']:.3f}, BadPix 0.07 {item.scores['badpix_007']:.2f} %"
    pace = (
        "from an earlier run" if item.reused else f"{item.seconds:.1f} s" if item.seconds is not None else "published"
    )
    return f"{item.scene} · {item.method}: {figures} ({pace})"
