"""Methods over scenes: maps are made or loaded, scored, and kept so that an interrupted run can continue."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError, IoadrError
from ioadr.evaluation.methods import Method, Ours
from ioadr.evaluation.scores import METRICS, score
from ioadr.evaluation.truth import Truth, has_truth, load_truth
from ioadr.io.reading import read
from ioadr.io.results.map_files import StoredMap
from ioadr.io.results.pfm import encode_pfm, read_pfm
from ioadr.io.safety.atomic import atomic_folder
from ioadr.io.safety.doors import noted
from ioadr.lightfield import LightField
from ioadr.result import SweepRecord

RECORD, MAP, ITEMS = "provenance.json", "disparity.pfm", "maps"


@dataclass(frozen=True)
class Item:
    """One method on one scene."""

    scene: str
    method: str
    scores: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = None
    invalid: int = 0
    """Scored pixels without a finite value; each counts as wrong."""
    failure: str | None = None
    """Reason why there are no scores."""
    reused: bool = False
    """Whether the map comes from an earlier run."""


@dataclass(frozen=True, eq=False)
class Results:
    """All items, scene by scene; maps are loaded on demand."""

    scenes: Sequence[Path]
    methods: Sequence[Method]
    items: Sequence[Item]
    folder: Path

    @property
    def scene_names(self) -> list[str]:
        return [scene.name for scene in self.scenes]

    @property
    def method_names(self) -> list[str]:
        return [method.name for method in self.methods]

    @property
    def failures(self) -> list[Item]:
        return [item for item in self.items if item.failure]

    def item(self, scene: str, method: str) -> Item:
        return next(item for item in self.items if (item.scene, item.method) == (scene, method))

    def value(self, scene: str, method: str, metric: str) -> float:
        """A score, or NaN where there is none."""
        return self.item(scene, method).scores.get(metric, math.nan)

    def mean(self, method: str, metric: str) -> float:
        """Mean over the scenes with this metric; NaN if the method lacks it on one of them or failed."""
        if any(item.failure for item in self.items if item.method == method):
            return math.nan
        scenes = [s for s in self.scene_names if any(metric in i.scores for i in self.items if i.scene == s)]
        values = [self.value(scene, method, metric) for scene in scenes]
        return float(np.mean(values)) if values else math.nan

    @property
    def metrics(self) -> list[str]:
        """Metrics of any item, in order."""
        return [name for name in METRICS if any(name in item.scores for item in self.items)]

    def disparity(self, scene: str, method: str) -> NDArray[Any]:
        """The map of an item."""
        chosen = self.methods[self.method_names.index(method)]
        if isinstance(chosen, Ours):
            return read_pfm(item_folder(self.folder, method, scene) / MAP)
        return chosen.load(scene).values


@dataclass(frozen=True)
class Step:
    """Progress of a run, reported at the start and end of each item and after every sweep."""

    number: int
    """Items that are finished."""
    total: int
    estimations: int
    """Number of our estimations still to come, without the current one."""
    scene: str
    method: str
    share: float = 0.0
    """Finished share of the current item."""
    item: Item | None = None
    """Set when it is finished."""
    ours: bool = False
    """Whether it is an estimation and not a published map."""


Watch = Callable[[Step], None]


def find_scenes(dataset: str | Path, names: Sequence[str] = ()) -> list[Path]:
    """Folders with truth: the dataset itself, or those in it, in the order of `names` if any are given."""
    base = Path(dataset).absolute()
    if not base.is_dir():
        raise InputError(f"{base}: there is no such folder. Check the path.")
    folders = [base] if has_truth(base) else [folder for folder in sorted(base.iterdir()) if has_truth(folder)]
    by_name = {folder.name: folder for folder in folders}
    missing = [name for name in names if name not in by_name]
    if missing or not by_name:
        raise InputError(
            f"{base}: expected scenes with gt_disp_lowres.pfm{' called ' + ', '.join(missing) if missing else ''}, "
            f"found {', '.join(by_name) or 'none'}."
        )
    return [by_name[name] for name in names or by_name]


def run_benchmark(
    scenes: Sequence[Path], methods: Sequence[Method], folder: Path, watch: Watch | None = None, redo: bool = False
) -> Results:
    """Run every method on every scene; our maps go to `folder`/maps and are reused while their inputs are unchanged."""
    run = _Run(folder, watch or _ignore, redo, [isinstance(m, Ours) for m in methods] * len(scenes))
    for scene in scenes:
        truth = load_truth(scene)
        views = cache(partial(read, scene))
        for method in methods:
            run.add(scene, truth, method, views)
    return Results(scenes, methods, run.items, folder)


def item_folder(folder: Path, method: str, scene: str) -> Path:
    return folder / ITEMS / method.replace("/", "+") / scene


class _Run:
    """A running benchmark."""

    def __init__(self, folder: Path, watch: Watch, redo: bool, ours: Sequence[bool]) -> None:
        self.folder, self.watch, self.redo, self.ours = folder, watch, redo, ours
        self.items: list[Item] = []
        self.warm = False

    def add(self, scene: Path, truth: Truth, method: Method, views: Callable[[], LightField]) -> None:
        """Add one method on one scene; an error becomes an item with its reason."""
        number = len(self.items)
        step = Step(
            number, len(self.ours), sum(self.ours[number + 1 :]), scene.name, method.name, ours=self.ours[number]
        )
        self.watch(step)
        try:
            if isinstance(method, Ours):
                stored, reused = self._own(scene, method, views, step)
            else:
                stored, reused = method.load(scene.name), False
            scores = score(stored.values, truth, stored.seconds, allow_invalid=True)
            item = Item(scene.name, method.name, scores.values, stored.seconds, scores.invalid, None, reused)
        except InputError as error:
            item = Item(scene.name, method.name, failure=str(error))
        self.items.append(item)
        self.watch(replace(step, number=len(self.items), item=item))

    def _own(self, scene: Path, method: Ours, views: Callable[[], LightField], step: Step) -> tuple[StoredMap, bool]:
        """The map, and whether it was reused."""
        folder = item_folder(self.folder, method.name, scene.name)
        key = method.key(scene)
        stored = None if self.redo else _earlier(folder, key)
        if stored is not None:
            return stored, True
        lightfield = views()
        if not self.warm:
            method.warm_up()
            self.warm = True
        stored = method.make(lightfield, partial(self._sweep, step))
        _keep(folder, stored, key, method)
        return stored, False

    def _sweep(self, step: Step, record: SweepRecord, disparity: NDArray[np.float32], sweeps: int) -> None:
        self.watch(replace(step, share=min(record.sweep + 1, sweeps) / (sweeps + 1)))


def _earlier(folder: Path, key: str) -> StoredMap | None:
    """The map of an earlier run, if its inputs are unchanged."""
    try:
        record = noted(folder / RECORD)
        if record["key"] == key:
            return StoredMap(read_pfm(folder / MAP), float(record["seconds"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError, IoadrError):
        pass
    return None


def _keep(folder: Path, stored: StoredMap, key: str, method: Ours) -> None:
    record = {
        "key": key,
        "seconds": stored.seconds,
        "method": method.name,
        "seed": method.seed,
        "parameters": method.parameters.to_dict(),
    }
    with atomic_folder(folder, overwrite=True) as staging:
        (staging / MAP).write_bytes(encode_pfm(stored.values))
        (staging / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _ignore(step: Step) -> None:
    return None
