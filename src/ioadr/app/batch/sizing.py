"""Memory and time of an item, and the number of workers and threads for a machine.

While there are enough items, several processes with few threads each do more than one with many; for few
items, more threads each are better. Memory bounds the number of processes.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from ioadr.app.words.expectation import OVERHEAD, USUAL_SPREAD, core_seconds, working_bytes
from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.options import ReadOptions
from ioadr.io.reading import open_capture
from ioadr.io.safety.limits import size
from ioadr.io.subset import chosen_window, remaining_scale, scaled_size
from ioadr.lightfield import DisparityRange
from ioadr.machine import cores
from ioadr.parameters import Parameters

PIECES = 8
"""Assumed number of tasks of a tiled item when workers are planned."""
SERIAL = 0.07
"""Share of an item's time that more threads do not shorten: mostly writing."""
CLIENT, WORKER = 250_000_000, 80_000_000
"""Bytes of the process that hands out the work, with Dask's scheduler in it, and of Dask in each worker."""
BYTES_PER_RESULT_PIXEL = 200
"""Bytes per pixel while a whole result is joined and written."""
BYTES_PER_VIEW_PIXEL = 25
"""Bytes per pixel and view of all views' maps: disparity, confidence and source, before and after the border step."""


@dataclass(frozen=True)
class Need:
    """Memory and time of one item."""

    views: int
    height: int
    width: int
    sample_bytes: int
    """Bytes of one pixel of one view, as stored."""
    parameters: Parameters
    shifts: float
    """Spread over the disparity range in the outermost view, px."""
    more: int = 0
    """Bytes of one pixel of the reference view, beyond those of its estimation."""

    @property
    def bytes(self) -> int:
        """Peak of a worker."""
        return self.part(self.height, self.width)

    @property
    def seconds(self) -> float:
        """CPU time on one core."""
        return core_seconds(self.views, self.height, self.width)

    def part(self, height: int, width: int) -> int:
        """Bytes that a part of the views takes."""
        stored = self.views * height * width * self.sample_bytes
        working = working_bytes(self.views, height * width, self.parameters, self.shifts)
        return WORKER + OVERHEAD + stored + working + self.more * height * width

    @property
    def result(self) -> int:
        """Bytes that joining and writing the whole result takes."""
        return WORKER + OVERHEAD + BYTES_PER_RESULT_PIXEL * self.height * self.width


def need_of(path: str, reading: ReadOptions, parameters: Parameters, every_view: bool = False) -> Need:
    """Estimate the need from headers alone; raise what reading would raise."""
    capture = open_capture(path, reading, judge=False)
    height, width = scaled_size(chosen_window(capture, reading), remaining_scale(capture, reading))
    views = int(capture.available.sum())
    sample = capture.channels * capture.dtype.itemsize
    more = BYTES_PER_VIEW_PIXEL * views if every_view else 0
    return Need(views, height, width, sample, parameters, _shifts(capture, reading), more)


def _shifts(capture: Capture, reading: ReadOptions) -> float:
    """Spread of the shifts over the disparity range in the outermost view of a regular grid, px."""
    stored = capture.range and capture.range.scaled(remaining_scale(capture, reading))
    limits = DisparityRange(*reading.range) if reading.range else stored
    return limits.extent * (max(capture.grid) // 2) if limits else USUAL_SPREAD


@dataclass(frozen=True)
class Crew:
    """Workers of one machine."""

    workers: int
    threads: int
    memory: int
    """Bytes for each worker."""


def choose_crew(
    seconds: Sequence[float],
    largest: int,
    budget: int,
    workers: int | None = None,
    threads: int | None = None,
    machine: int | None = None,
) -> Crew:
    """Workers and threads that finish items of these lengths soonest; each item takes at most `largest` bytes."""
    machine = machine or cores()
    room = max(budget - CLIENT, 0)
    most = max(1, min(len(seconds), room // max(largest, 1), workers or machine))
    counts = [most] if workers else range(1, most + 1)
    crews = [Crew(n, threads or max(1, machine // n), room // n) for n in counts]
    return min(crews, key=lambda crew: (round(makespan(seconds, crew, machine), 3), -crew.workers))


def makespan(seconds: Sequence[float], crew: Crew, machine: int) -> float:
    """Time until the last item is finished if each free worker takes the longest one left."""
    share = min(1.0, machine / (crew.workers * crew.threads))
    speed = share / (SERIAL + (1.0 - SERIAL) / crew.threads)
    free = [0.0] * crew.workers
    for length in sorted(seconds, reverse=True):
        heapq.heapreplace(free, free[0] + length / speed)
    return max(free)


def check_need(path: str, need: int, memory: int | None) -> None:
    """Refuse an item that does not fit into a worker's memory, before trying it."""
    if memory is not None and need > memory:
        raise InputError(
            f"{path}: needs about {size(need)}; {size(max(memory, 0))} is available for one item. "
            "Split it with --tiles, read less with --views, --every, --crop or --scale, "
            "or give workers more memory (--memory, --workers)."
        )


def machine_memory() -> int:
    """Bytes that a batch may use: most of the free memory, within a container's limit."""
    import psutil
    from distributed.system import MEMORY_LIMIT

    return int(0.8 * min(psutil.virtual_memory().available, MEMORY_LIMIT))
