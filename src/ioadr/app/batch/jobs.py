"""The tasks of each item, and their order.

A job is a generator: it yields tasks that may run at the same time and receives their results. The loop that
hands tasks to workers does not need to know about items, tiles or videos.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ioadr.app.batch.items import Item, Outcome, Settings, failed
from ioadr.app.batch.sizing import Need
from ioadr.app.batch.tiles import Turn, Whole, do_tile, join_tiles, survey_item
from ioadr.app.batch.tiling import plan_tiles, tile_side
from ioadr.app.batch.work import do_item
from ioadr.errors import InputError
from ioadr.solver.reach import estimation_margin


@dataclass(frozen=True)
class Task:
    """A call for a worker."""

    name: str
    """Name of the item."""
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Lost:
    """Replaces the result of a failed task and says why it failed."""

    reason: str


Job = Generator[Sequence[Task], Sequence[Any], None]
Record = Callable[[Outcome], None]


def item_job(item: Item, key: str, settings: Settings, record: Record) -> Job:
    """One light field in one task."""
    [result] = yield [Task(item.name, do_item, (item, key, settings))]
    record(_outcome(item, key, result))


def tiled_job(item: Item, key: str, settings: Settings, need: Need, memory: int | None, record: Record) -> Job:
    """A survey, the tiles in parallel, and their join."""
    [whole] = yield [Task(item.name, survey_item, (item, key, settings))]
    if not isinstance(whole, Whole):
        record(_outcome(item, key, whole))
        return
    margin = estimation_margin(settings.parameters, whole.limits, whole.known.layout)
    try:
        side = tile_side(need, margin, memory, settings.tiles or 0)
    except InputError as error:
        record(failed(item, f"{item.path}: {error.for_command_line()}", key))
        return
    tiles = plan_tiles(whole.known.height, whole.known.width, side, margin)
    turns = [Turn(number, len(tiles)) for number in range(len(tiles))]
    results = yield [
        Task(item.name, do_tile, (item, key, settings, whole, tile, turn))
        for tile, turn in zip(tiles, turns, strict=True)
    ]
    bad = [result for result in results if not isinstance(result, str)]
    if bad:
        record(_outcome(item, key, bad[0]))
        return
    [result] = yield [Task(item.name, join_tiles, (item, key, settings, whole, tiles))]
    record(_outcome(item, key, result))


def video_job(
    frames: Sequence[Item], keys: Mapping[str, str], finished: Container[str], settings: Settings, record: Record
) -> Job:
    """Frames in order, each started from the map of the one before; `finished` ones are skipped."""
    before: str | None = None
    for frame in frames:
        if frame.name not in finished:
            key = keys[frame.name]
            [result] = yield [Task(frame.name, do_item, (frame, key, settings, before if settings.warm else None))]
            outcome = _outcome(frame, key, result)
            record(outcome)
            if not outcome.finished:
                before = None
                continue
        before = frame.name


def _outcome(item: Item, key: str, result: Outcome | Lost) -> Outcome:
    return result if isinstance(result, Outcome) else failed(item, result.reason, key)
