"""Statistical comparison of parameter sets: every set on every scene with several seeds, in parallel processes.

Only figures are kept, in one small CSV file that belongs under version control. A row is computed again when the
method's source, the parameters or the scene change; rows of other scenes stay.
"""

from __future__ import annotations

import csv
import itertools
import math
import multiprocessing
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ioadr.errors import InputError, meant
from ioadr.evaluation.benchmark import find_scenes
from ioadr.evaluation.methods import NOT_INPUT, Ours
from ioadr.evaluation.scores import METRICS, score
from ioadr.evaluation.synthetic import FAMILIES, random_light_field
from ioadr.evaluation.truth import Truth, load_truth
from ioadr.io.reading import read
from ioadr.io.safety.atomic import atomic_file
from ioadr.io.safety.doors import check_file, small_toml
from ioadr.io.safety.fingerprint import digest_files, digest_values, work_key
from ioadr.lightfield import LightField
from ioadr.machine import end_with_parent
from ioadr.parameter_files import parameters_from
from ioadr.parameters import Parameters

ALL_FAMILIES = "synthetic"
STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""Standard errors by which a mean of 2, 3, … values must differ from zero to be significant (p < 0.05)."""
Crop = tuple[int, int, int, int]


@dataclass(frozen=True)
class Scene:
    """A folder with truth, or a synthetic scene by family and number."""

    name: str
    folder: Path | None = None
    crop: Crop | None = None
    """Part of the scene, px: top, left, height, width."""
    family: str = ""
    number: int = 0
    size: int = 0
    """Size of a synthetic scene, px."""

    def load(self) -> tuple[LightField, Truth]:
        if self.folder is None:
            made = random_light_field(self.number, self.family, (self.size, self.size))  # type: ignore[arg-type]
            return made.lightfield, made.truth
        return _part(self.folder, self.crop)

    @property
    def content(self) -> str:
        """Hash of the scene."""
        if self.folder is None:
            return digest_values(self.family, self.number, self.size)
        files = sorted(f for f in self.folder.iterdir() if f.is_file() and not f.name.startswith(NOT_INPUT))
        return digest_values(digest_files(files, self.folder), self.crop)


class Trial(NamedTuple):
    """One parameter set on one scene with one seed."""

    scene: Scene
    method: Ours


@dataclass(frozen=True)
class Row:
    """The figures of a trial."""

    method: str
    scene: str
    seed: int
    key: str
    """Hash of the method's source, the parameters and the scene: what the figures depend on."""
    values: Mapping[str, float]

    @property
    def identity(self) -> tuple[str, str, int]:
        """Key of the row within a table."""
        return self.method, self.scene, self.seed


class Difference(NamedTuple):
    """A method's mean, and its difference from the base on the same scenes and seeds."""

    mean: float
    change: float
    error: float
    """Standard error of the change, NaN for a single scene with a single seed."""
    scenes: int
    pairs: int
    """Number of differences behind the error: scenes, or seeds of a single scene."""

    @property
    def clear(self) -> bool:
        """Whether the difference is significant (p < 0.05, Student's t)."""
        return self.pairs > 1 and abs(self.change) > STUDENT[min(self.pairs - 2, len(STUDENT) - 1)] * self.error


def parse_scenes(texts: Sequence[str], size: int = 160, crop: Crop | None = None) -> list[Scene]:
    """Scenes by folder (or a folder of them), `FAMILY-NUMBER`, or `synthetic-NUMBER` for one of each family."""
    scenes: list[Scene] = []
    for text in texts:
        family, _, number = text.rpartition("-") if text[-1:].isdigit() else (text, "", "0")
        if family in (ALL_FAMILIES, *FAMILIES) and number.isdigit():
            named = FAMILIES if family == ALL_FAMILIES else (family,)
            scenes += [Scene(f"{name}-{number}@{size}", family=name, number=int(number), size=size) for name in named]
        elif Path(text).is_dir():
            suffix = "" if crop is None else "@" + "+".join(map(str, crop))
            scenes += [Scene(folder.name + suffix, folder, crop) for folder in find_scenes(text)]
        else:
            raise InputError(
                f"scene {text!r}: expected a folder with ground truth, {ALL_FAMILIES}[-NUMBER], or one of "
                f"{', '.join(FAMILIES)} with a number, such as {FAMILIES[0]}-0.{meant(family, FAMILIES)}"
            )
    return list(dict.fromkeys(scenes))


def grid(base: str, parameters: Parameters, variations: Sequence[str]) -> dict[str, Parameters]:
    """All combinations of `group.name=value,value,…`, named by what they change."""
    axes = []
    for text in variations:
        name, equals, values = text.partition("=")
        if not equals or not values.strip():
            raise InputError(f"⟦vary⟧: expected group.name=VALUE,VALUE,…, found {text!r}. See `ioadr presets paper`.")
        axes.append([(name.strip(), value.strip()) for value in values.split(",")])
    if not axes:
        return {}
    return {
        f"{base} {' '.join(f'{name}={value}' for name, value in changes)}": parameters.vary(dict(changes))
        for changes in itertools.product(*axes)
    }


def load_sets(path: str | Path) -> dict[str, Parameters]:
    """Named parameter sets: a TOML file whose tables are each like a parameter file."""
    content = small_toml(Path(path), "a TOML file of parameter sets", "Correct it.")
    wrong = [name for name, values in content.items() if not isinstance(values, dict)]
    if wrong or not content:
        raise InputError(f'{path}: expected tables such as [mine] with preset = "best", found {wrong or "none"}.')
    return {name: parameters_from(values, f"{path} [{name}]") for name, values in content.items()}


def run_trials(
    trials: Sequence[Trial], table: Path, jobs: int, watch: Callable[[Row, int, int], None] | None = None
) -> list[Row]:
    """The rows of all trials; those missing from `table` are computed by `jobs` processes and added one by one."""
    kept = {row.identity: row for row in read_table(table)}
    keys = [_key(trial) for trial in trials]
    wanted = [(trial.method.name, trial.scene.name, trial.method.seed) for trial in trials]
    missing = [i for i, trial_key in enumerate(wanted) if trial_key not in kept or kept[trial_key].key != keys[i]]
    with closing(_made([trials[i] for i in missing], jobs)) as made:
        for count, (order, figures) in enumerate(made, 1):
            i = missing[order]
            row = Row(*wanted[i], keys[i], figures)
            kept[row.identity] = row
            write_table(table, kept.values())
            if watch is not None:
                watch(row, count, len(missing))
    return [kept[trial_key] for trial_key in wanted]


def _made(trials: Sequence[Trial], jobs: int) -> Generator[tuple[int, dict[str, float]], None, None]:
    """Figures as they arrive, each with its trial's index; trials not yet started are dropped when the caller stops."""
    if jobs == 1 or len(trials) < 2:
        yield from ((i, _figures(trial)) for i, trial in enumerate(trials))
        return
    trials[0].method.warm_up()  # compiled once, not by every process
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), end_with_parent) as pool:
        pending = {pool.submit(_figures, trial): i for i, trial in enumerate(trials)}
        try:
            yield from ((pending[future], future.result()) for future in as_completed(pending))
        finally:
            pool.shutdown(cancel_futures=True)


def compare(rows: Sequence[Row], base: str, method: str, metric: str) -> Difference:
    """Compare with the base; seeds are averaged first, so that the standard error is over scenes, if several."""
    values = {row.identity: row.values[metric] for row in rows if metric in row.values}
    pairs: dict[str, list[tuple[float, float]]] = {}
    for (name, scene, seed), value in values.items():
        if name == method and (base, scene, seed) in values:
            pairs.setdefault(scene, []).append((value, values[base, scene, seed]))
    if not pairs:
        return Difference(math.nan, math.nan, math.nan, 0, 0)
    means = np.array([np.mean(pair, axis=0) for pair in pairs.values()])
    single = np.array(next(iter(pairs.values())))
    sample = means if len(means) > 1 else single
    changes = sample[:, 0] - sample[:, 1]
    error = float(changes.std(ddof=1) / math.sqrt(len(changes))) if len(changes) > 1 else math.nan
    change = float((means[:, 0] - means[:, 1]).mean())
    return Difference(float(means[:, 0].mean()), change, error, len(means), len(changes))


def read_table(path: Path) -> list[Row]:
    """Rows of an earlier run; none without a file."""
    if not path.exists():
        return []
    check_file(path, "a table of `ioadr research`", "Name another file.")
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [_row(line) for line in csv.DictReader(file)]
    except (OSError, UnicodeDecodeError, csv.Error, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: not a table of `ioadr research`: {error!r}. Name another file.") from error


def write_table(path: Path, rows: Iterable[Row]) -> None:
    """Write all rows in a fixed order, so that diffs are readable."""
    ordered = sorted(rows, key=lambda row: (row.scene, row.method, row.seed))
    metrics = [name for name in METRICS if any(name in row.values for row in ordered)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as staging, staging.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["method", "scene", "seed", "key", *metrics])
        for row in ordered:
            figures = [f"{row.values[name]:.5g}" if name in row.values else "" for name in metrics]
            writer.writerow([row.method, row.scene, row.seed, row.key, *figures])


def _row(line: Mapping[str, str]) -> Row:
    values = {name: float(line[name]) for name in METRICS if line.get(name)}
    return Row(line["method"], line["scene"], int(line["seed"]), line["key"], values)


def _part(folder: Path, crop: Crop | None) -> tuple[LightField, Truth]:
    """A scene or a part of it. Only the image's own border is unreliable, so a part is scored like a whole image."""
    lightfield, truth = read(folder, crop=crop), load_truth(folder)
    if crop is None:
        return lightfield, truth
    return lightfield, truth.crop(lightfield.part.window)


@lru_cache(maxsize=1)
def _loaded(scene: Scene) -> tuple[LightField, Truth]:
    """The scene, loaded once per process: its trials follow each other."""
    return scene.load()


def _figures(trial: Trial) -> dict[str, float]:
    lightfield, truth = _loaded(trial.scene)
    stored = trial.method.make(lightfield, None)
    return dict(score(stored.values, truth, stored.seconds, allow_invalid=True).values)


def _key(trial: Trial) -> str:
    return work_key(trial.method.parameters.to_dict(), _content(trial.scene))[:12]


@cache
def _content(scene: Scene) -> str:
    return scene.content
