"""One light field that is larger than memory: surveyed, estimated tile by tile, joined.

Tiles share the random numbers of the whole image and overlap as far as windows and disparities reach. Only their
cores are kept, so joining them means copying. (Exchanging borders after every sweep was tried: hardly fewer
differences, ten times the reading; decision 8.) Finished tiles are kept in a hidden folder of the output folder, where
an interrupted run finds them again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import ioadr
from ioadr.app.batch.items import Item, Outcome, Settings
from ioadr.app.batch.talk import sweep_teller, tell, view_teller
from ioadr.app.batch.tiled_views import PREFIX, join_views, views_core
from ioadr.app.batch.tiling import Tile
from ioadr.app.batch.work import ESTIMATED, Clock, guarded, outcome_of, save, truth_beside
from ioadr.errors import InputError
from ioadr.io.decoding.npz import DAMAGE
from ioadr.io.parts import Survey, read_part, survey
from ioadr.io.results.save import plain
from ioadr.io.safety.atomic import atomic_file
from ioadr.io.safety.fingerprint import digest_values
from ioadr.lightfield import DisparityRange, LightField
from ioadr.parameters import Parameters
from ioadr.result import Estimate, SweepRecord

WAITING = ".tiles"
"""Folder of finished tiles."""
PREVIEW = 384
"""Longer side, px, of the reduced light field from which an unknown range is estimated."""


class Turn(NamedTuple):
    """One tile of a series."""

    number: int
    of: int

    @property
    def share(self) -> float:
        """Share of the whole work that is done when this tile begins."""
        return ESTIMATED * self.number / self.of


@dataclass(frozen=True, eq=False)
class Whole:
    """Facts about the whole light field that all tiles need."""

    known: Survey
    limits: DisparityRange


def survey_item(item: Item, key: str, settings: Settings) -> Whole | Outcome:
    """Examine the whole light field without loading it."""
    return guarded(item, key, settings, lambda: _surveyed(item, settings))


def do_tile(item: Item, key: str, settings: Settings, whole: Whole, tile: Tile, turn: Turn) -> str | Outcome:
    """Estimate a tile and store its core; return the name of the file."""
    return guarded(item, key, settings, lambda: _estimated(item, key, settings, whole, tile, turn))


def join_tiles(item: Item, key: str, settings: Settings, whole: Whole, tiles: Sequence[Tile]) -> Outcome:
    """Join the tiles and save the result like any other."""
    return guarded(item, key, settings, lambda: _joined(item, key, settings, whole, tiles))


def _tile_file(settings: Settings, item: Item, number: int) -> Path:
    return tile_folder(settings, item) / f"{number:05d}.npz"


def tile_folder(settings: Settings, item: Item) -> Path:
    return Path(settings.out) / WAITING / item.name


def _surveyed(item: Item, settings: Settings) -> Whole:
    tell(settings.topic, item.name, "examining all views")
    surveyed = survey(item.path, item.reading)
    return Whole(surveyed, surveyed.range or _estimated_range(item, surveyed.height, surveyed.width))


def _estimated_range(item: Item, height: int, width: int) -> DisparityRange:
    """Estimate the range at a size that fits into memory."""
    scale = min(1.0, PREVIEW / max(height, width))
    small = ioadr.read(item.path, item.reading, scale=scale)
    return ioadr.estimate_range(small).scaled(1.0 / scale)


def _estimated(item: Item, key: str, settings: Settings, whole: Whole, tile: Tile, turn: Turn) -> str:
    file, mark = _tile_file(settings, item, turn.number), digest_values(key, asdict(tile))
    if _mark_of(file) == mark:
        return str(file)
    name, begin, end = f"tile {turn.number + 1}/{turn.of} ", turn.share, turn.share + ESTIMATED / turn.of
    tell(settings.topic, item.name, f"{name}reading", begin)
    lightfield = read_part(item.path, whole.known, tile.outer, whole.limits)
    views: dict[str, NDArray[Any]] = {}
    if settings.every_view:
        teller = view_teller(settings.topic, item.name, begin, end, name)
        every = ioadr.estimate_views(lightfield, parameters_of(settings), settings.seed, teller, settings.threads)
        estimate, views = every.estimate, views_core(every, _inner(tile))
    else:
        estimate = ioadr.estimate(
            lightfield,
            parameters_of(settings),
            seed=settings.seed,
            progress=sweep_teller(settings.topic, item.name, begin, end, name),
            threads=settings.threads,
        )
    with atomic_file(file) as temporary, temporary.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **_core(estimate, lightfield, tile, mark), **views)
    return str(file)


def parameters_of(settings: Settings) -> Parameters:
    """Parameters of tiles: each would stretch its own contrast, and they would not fit together."""
    return settings.parameters.replace({"data.least_span": 0.0})


def _inner(tile: Tile) -> tuple[slice, slice]:
    """Where the core is in a tile."""
    top, left = tile.core.top - tile.outer.top, tile.core.left - tile.outer.left
    return slice(top, top + tile.core.height), slice(left, left + tile.core.width)


def _core(estimate: Estimate, lightfield: LightField, tile: Tile, mark: str) -> dict[str, Any]:
    """The part of a tile that is kept."""
    inner = _inner(tile)
    about = {
        "white": estimate.white,
        "history": [asdict(record) for record in estimate.history],
        "seconds": estimate.seconds,
    }
    maps: dict[str, NDArray[Any]] = {f"cost_{name}": values for name, values in estimate.costs.items()}
    maps |= {"disparity": estimate.disparity, "visible": estimate.visible_views, "confidence": estimate.confidence}
    optional = {"coverage": estimate.coverage, "two_minima": estimate.two_minima}
    maps |= {name: values for name, values in optional.items() if values is not None}
    cores = {name: np.ascontiguousarray(values[inner]) for name, values in maps.items()}
    return cores | {"image": lightfield.reference_view[inner], "about": json.dumps(plain(about)), "mark": mark}


def _mark_of(file: Path) -> str | None:
    """Mark of an undamaged tile of an earlier run; None without one."""
    try:
        # Opened here, because numpy leaves damaged files open.
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as content:
            return str(content["mark"]) if content.zip.testzip() is None else None
    except DAMAGE:
        return None


def _joined(item: Item, key: str, settings: Settings, whole: Whole, tiles: Sequence[Tile]) -> Outcome:
    clock = Clock()
    tell(settings.topic, item.name, "joining tiles", ESTIMATED)
    estimate = join(_stored(settings, item, tiles), whole, settings, len(tiles))
    views = join_views(estimate, _stored(settings, item, tiles)) if settings.every_view else None
    estimate = estimate if views is None else views.estimate
    truth, notes = truth_beside(Path(item.path), (whole.known.height, whole.known.width))
    clock.lap("join")
    clock.seconds["estimate"] = round(estimate.seconds.get("total", 0.0), 3)
    outcome = outcome_of(item, key, settings, estimate, truth, clock, notes)
    outcome = replace(outcome, facts={**outcome.facts, "tiles": _seams(tiles)})
    save(outcome, settings, estimate, None, truth, views)
    clock.lap("save")
    shutil.rmtree(tile_folder(settings, item), ignore_errors=True)
    return replace(outcome, seconds=clock.seconds)


def _seams(tiles: Sequence[Tile]) -> dict[str, list[int]]:
    """First rows and columns of all tiles but the first."""
    return {
        "rows": sorted({tile.core.top for tile in tiles} - {0}),
        "columns": sorted({tile.core.left for tile in tiles} - {0}),
    }


def _stored(settings: Settings, item: Item, tiles: Sequence[Tile]) -> Iterator[tuple[Tile, Mapping[str, NDArray[Any]]]]:
    for number, tile in enumerate(tiles):
        file = _tile_file(settings, item, number)
        try:
            with file.open("rb") as stream, np.load(stream, allow_pickle=False) as content:
                yield tile, {name: content[name] for name in content.files}
        except DAMAGE as error:
            raise InputError(f"{file}: not a finished tile: {error}. Run again with --resume.") from error


def join(
    cores: Iterator[tuple[Tile, Mapping[str, NDArray[Any]]]], whole: Whole, settings: Settings, count: int
) -> Estimate:
    """One estimate from cores that cover the image."""
    maps: dict[str, NDArray[Any]] = {}
    about: list[Mapping[str, Any]] = []
    for tile, content in cores:
        for name in (name for name in content if name not in {"about", "mark"} and not name.startswith(PREFIX)):
            values = content[name]
            if name not in maps:
                maps[name] = np.zeros((whole.known.height, whole.known.width, *values.shape[2:]), values.dtype)
            maps[name][tile.core.slices] = values
        about.append(json.loads(str(content["about"])))
    return Estimate(
        disparity=maps["disparity"],
        costs={name.removeprefix("cost_"): values for name, values in maps.items() if name.startswith("cost_")},
        visible_views=maps["visible"],
        confidence=maps["confidence"],
        image=maps["image"],
        white=float(about[0]["white"]),
        camera=whole.known.camera,
        range=whole.limits,
        parameters=parameters_of(settings),
        seed=settings.seed,
        layout=whole.known.layout,
        part=whole.known.part,
        name=whole.known.name,
        history=tuple(_summed(records) for records in zip(*(part["history"] for part in about), strict=True)),
        seconds={name: sum(part["seconds"][name] for part in about) for name in about[0]["seconds"]},
        source=replace(whole.known.source, notes=(*whole.known.source.notes, f"estimated in {count} tiles")),
        coverage=maps.get("coverage"),
        two_minima=maps.get("two_minima"),
    )


def _summed(records: Sequence[Mapping[str, Any]]) -> SweepRecord:
    """The record of one sweep over all tiles; overlaps count twice in `changed`."""
    costs = [float("nan") if record["mean_cost"] is None else record["mean_cost"] for record in records]
    return SweepRecord(
        records[0]["sweep"],
        records[0]["kind"],
        sum(record["changed"] for record in records),
        float(np.mean(costs)),
        sum(record["seconds"] for record in records),
    )
