"""Methods of a benchmark: our estimation with a parameter set, or published maps."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ioadr.errors import InputError, meant
from ioadr.estimation import Progress, estimate
from ioadr.evaluation.submission import read_runtime
from ioadr.io.results.map_files import StoredMap, read_map
from ioadr.io.safety.fingerprint import digest_files, work_key
from ioadr.lightfield import DisparityRange, LightField
from ioadr.parameter_files import load_parameters
from ioadr.parameters import Parameters
from ioadr.presets import FINISH_VARIATIONS, PRESETS, VARIATIONS, preset

NOT_INPUT = ("gt_", "mask_")
"""Files of a scene folder that no method may read."""


@dataclass(frozen=True)
class Ours:
    """Our estimation with one parameter set."""

    name: str
    parameters: Parameters
    seed: int = 0
    threads: int | None = None
    ours: bool = True

    def key(self, scene: Path) -> str:
        """Hash of everything the map depends on; a map with the same key is reused."""
        files = sorted(f for f in scene.iterdir() if f.is_file() and not f.name.startswith(NOT_INPUT))
        return work_key(self.parameters.to_dict(), digest_files(files, scene), self.seed)

    def make(self, lightfield: LightField, progress: Progress | None) -> StoredMap:
        begin = time.perf_counter()
        result = estimate(lightfield, self.parameters, self.seed, progress, self.threads)
        return StoredMap(result.disparity, time.perf_counter() - begin)

    def warm_up(self) -> None:
        """Compile or load the kernels on a tiny light field, so that the first scene is timed like the others."""
        random = np.random.default_rng(0)
        views = random.integers(0, 255, (5, 5, 48, 48, 3), np.uint8)
        estimate(LightField(views, range=DisparityRange(-1.0, 1.0)), self.parameters, self.seed, None, self.threads)


@dataclass(frozen=True)
class Published:
    """Maps in a folder: `<scene>.pfm`, or as in a submission, or a folder of results for each scene."""

    name: str
    folder: Path
    ours: bool = False

    def find(self, scene: str) -> Path | None:
        """The scene's map."""
        candidates = [self.folder / f"{scene}{suffix}" for suffix in (".pfm", ".npy", ".npz", "")]
        candidates += [self.folder / "disp_maps" / f"{scene}.pfm"]
        return next((path for path in candidates if path.exists()), None)

    def load(self, scene: str) -> StoredMap:
        path = self.find(scene)
        if path is None:
            raise InputError(f"{self.folder}: {scene}.pfm is missing.")
        stored = read_map(path)
        for text in (self.folder / "runtimes" / f"{scene}.txt", self.folder / f"{scene}.txt"):
            if stored.seconds is None and text.is_file():
                stored = stored._replace(seconds=read_runtime(text))
        return stored


@dataclass(frozen=True, eq=False)
class Given:
    """One given map."""

    name: str
    stored: StoredMap
    ours: bool = False

    def load(self, scene: str) -> StoredMap:
        return self.stored


Method = Ours | Published | Given


def parse_methods(
    texts: Iterable[str], scenes: Sequence[str], ablations: bool = False, seed: int = 0, threads: int | None = None
) -> list[Method]:
    """Methods by preset (`paper`, `paper/without-planar`), parameter file or folder of maps.

    `ablations` adds all variations of each preset.
    """
    methods: dict[str, Method] = {}
    for text in texts:
        for method in _parse(text, scenes, seed, threads):
            methods[_free_name(method.name, methods)] = method
    if ablations:
        for name, method in list(methods.items()):
            if isinstance(method, Ours) and "/" not in name:
                finish = FINISH_VARIATIONS if method.parameters.finish.passes else {}
                for variation, changes in {**VARIATIONS, **finish}.items():
                    varied = f"{name}/{variation}"
                    methods[varied] = Ours(varied, method.parameters.vary(changes), seed, threads)
    return list(methods.values())


def _parse(text: str, scenes: Sequence[str], seed: int, threads: int | None) -> list[Method]:
    path = Path(text)
    if text.partition("/")[0] in PRESETS:
        return [Ours(text, preset(text), seed, threads)]
    if path.suffix == ".toml" and path.is_file():
        return [Ours(path.stem, load_parameters(path), seed, threads)]
    if path.is_dir():
        return _folders(path, scenes)
    raise InputError(
        f"unknown method {text!r}.{meant(text, PRESETS)} A method is a preset ({', '.join(PRESETS)}), a variation "
        f"(paper/{next(iter(VARIATIONS))}), a parameter file (.toml) or a folder of maps."
    )


def _folders(path: Path, scenes: Sequence[str]) -> list[Method]:
    """One method, or one for each folder in it that has maps."""
    if any(Published("", path).find(scene) for scene in scenes):
        return [Published(path.absolute().name, path)]
    inner = [
        Published(folder.name, folder)
        for folder in sorted(path.iterdir())
        if folder.is_dir() and any(Published("", folder).find(scene) for scene in scenes)
    ]
    if not inner:
        raise InputError(f"{path}: there are no maps such as {scenes[0]}.pfm here, nor folders with such maps.")
    return list(inner)


def _free_name(name: str, taken: dict[str, Any]) -> str:
    if name in taken:
        raise InputError(f"methods: two are called {name}. Rename one of the folders.")
    return name
