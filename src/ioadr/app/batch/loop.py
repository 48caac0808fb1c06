"""Hands tasks to workers, as many as can run, and returns results to the jobs.

Only tasks that can start immediately are submitted. A worker that dies therefore loses only its current task,
which Dask gives to another one, and an interrupt leaves nothing queued.
"""

from __future__ import annotations

import queue
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ioadr.app.batch.cluster import Team, TeamLost
from ioadr.app.batch.jobs import Job, Lost, Task

TICK = 0.5
"""Seconds between two checks of the number of workers."""
FETCH = 10
"""Seconds in which the small result of a finished task must arrive."""
AWAY = 180.0
"""Seconds without a worker after which this machine's workers are given up; Dask restarts them within one minute."""


@dataclass(eq=False)
class _Stage:
    """Tasks of a job that run at the same time."""

    job: Job
    tasks: list[Task]
    results: list[Any] = field(default_factory=list)
    open: int = 0


class Loop:
    """Runs jobs."""

    def __init__(self, team: Team, begun: Callable[[str], None], tick: Callable[[int], None]) -> None:
        self.team, self.begun, self.tick = team, begun, tick
        self.ready: deque[tuple[_Stage, int]] = deque()
        self.running: dict[Any, tuple[_Stage, int]] = {}
        self.done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.seen = time.monotonic()
        """When there last was a worker."""

    def run(self, jobs: Iterable[Job]) -> None:
        """Run until all jobs have ended."""
        for job in jobs:
            self._advance(job, None)
        try:
            while self.ready or self.running:
                capacity = self.team.capacity()
                self.tick(capacity)
                self._check_workers(capacity)
                while self.ready and len(self.running) < capacity:
                    self._submit(*self.ready.popleft())
                self._collect()
        except BaseException:
            with suppress(OSError):
                self.team.client.cancel(list(self.running), force=True)
            raise

    def _check_workers(self, capacity: int) -> None:
        """Give up if this machine's workers do not come back; another scheduler may get new ones at any time."""
        if capacity > 0 or not self.team.local:
            self.seen = time.monotonic()
        elif time.monotonic() - self.seen > AWAY:
            raise TeamLost(
                "the workers of this machine died and did not come back. Most often memory runs out: use fewer "
                "(--workers), or --tiles"
            )

    def _advance(self, job: Job, results: list[Any] | None) -> None:
        """Send a job its results, and queue its next tasks before the first tasks of other jobs."""
        try:
            tasks = list(next(job) if results is None else job.send(results))
        except StopIteration:
            return
        stage = _Stage(job, tasks, [None] * len(tasks), len(tasks))
        entries = [(stage, number) for number in range(len(tasks))]
        if results is None:
            self.ready.extend(entries)
        else:
            self.ready.extendleft(reversed(entries))

    def _submit(self, stage: _Stage, number: int) -> None:
        task = stage.tasks[number]
        self.begun(task.name)
        future = self.team.client.submit(
            task.function, *task.arguments, key=f"{task.name}-{secrets.token_hex(4)}", pure=False
        )
        self.running[future] = stage, number
        future.add_done_callback(self.done.put)

    def _collect(self) -> None:
        """Collect finished tasks; wait briefly if there are none."""
        try:
            future = self.done.get(timeout=TICK)
        except queue.Empty:
            return
        stage, number = self.running[future]
        try:
            stage.results[number] = _result(future, stage.tasks[number])
        except TimeoutError:
            # Its worker died before the result could be fetched: Dask has it made again.
            future.add_done_callback(self.done.put)
            return
        del self.running[future]
        stage.open -= 1
        if stage.open == 0:
            self._advance(stage.job, stage.results)


def _result(future: Any, task: Task) -> Any:
    """The task's result, or the reason why there is none; TimeoutError if it is still running.

    CancelledError or OSError means that the scheduler is gone; tasks themselves never raise these.
    """
    from distributed.scheduler import KilledWorker

    try:
        return future.result(timeout=FETCH)
    except KilledWorker as error:
        deaths = error.allowed_failures + 1
        who = f"{deaths} workers in a row" if deaths > 1 else "a worker"
        return Lost(
            f"{task.name}: given up, because {who} died processing it, the last one {error.last_worker.address}. "
            "Most often memory runs out: use --tiles, read less with --views or --scale, or give workers more "
            "memory (--memory, --workers)."
        )
    except (TimeoutError, CancelledError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and future.status != "error":
            raise
        return Lost(f"{task.name}: its worker failed: {type(error).__name__}: {error}.")
