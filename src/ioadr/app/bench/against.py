"""Compares two revisions in one run: the same commands in turn, under the same load."""

from __future__ import annotations

import io
import statistics
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ioadr.app.bench import processes
from ioadr.app.bench.processes import Timed
from ioadr.errors import InputError

Figures = dict[str, Any]
Watch = Callable[[str], None]
Rounds = Sequence[tuple[str, int]]
"""Presets, and how often each is run."""
SOURCE = Path(__file__).parents[3]
"""Folder of this package: src, in a checkout."""
REDUCED = "best with the steps of 0.1"
EARLIER_STEPS = {
    "initialise.method": "plane-sweep",
    "congruence.plain_weight": 0,
    "search.hole_sweeps": 0,
    "finish.high_pass": 0,
    "finish.scatter": 0,
    "finish.sharing": 0,
    "finish.region_passes": 0,
    "coverage.holes": "false",
    "coverage.contours": "false",
}
"""Values that reduce `best` to the steps it had in 0.1; settling borders replaced another treatment of them."""


@contextmanager
def revision(name: str) -> Iterator[Path]:
    """A folder with the sources of a revision of this checkout, for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="ioadr-base-") as folder:
        command = ["git", "-C", str(SOURCE.parent), "archive", "--format=zip", name, "src"]
        try:
            packed = subprocess.run(command, capture_output=True, check=True).stdout
        except FileNotFoundError as error:
            raise InputError("bench: --base needs git, which is not installed.") from error
        except subprocess.CalledProcessError as error:
            reason = (error.stderr.decode(errors="replace").strip() or "git failed").splitlines()[-1]
            raise InputError(
                f"bench: no sources of revision {name!r} in {SOURCE.parent} ({reason}). "
                "Name a commit, branch or tag in a checkout of ioadr."
            ) from error
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            archive.extractall(folder)
        yield Path(folder) / "src"


def compared(name: str, scenes: Sequence[Path], small: Path, rounds: Rounds, watch: Watch) -> list[Figures]:
    """CPU seconds of both revisions and their ratios in each round, for every scene and preset.

    The base comes first in each round. `small` is a scene on which kernels are compiled beforehand.
    """
    rows = []
    with revision(name) as base:
        for preset, repeats in rounds:
            variants = _variants(preset)
            for source, here in ((base, name), (SOURCE, "this revision")):
                watch(f"{preset}: compiling the kernels of {here}")
                for changes in variants.values() if source == SOURCE else ({},):
                    _run(source, small, preset, changes)
            for scene in scenes:
                before: list[Timed] = []
                after: dict[str, list[Timed]] = {label: [] for label in variants}
                for number in range(repeats):
                    watch(f"{scene.name}, {preset}: round {number + 1} of {repeats}")
                    before.append(_run(base, scene, preset, {}))
                    for label, changes in variants.items():
                        after[label].append(_run(SOURCE, scene, preset, changes))
                rows += [_figures(scene.name, label, before, times) for label, times in after.items()]
    return rows


def _variants(preset: str) -> dict[str, Mapping[str, object]]:
    """Runs of this revision to compare with a preset of the base, by label: values to replace in that preset."""
    return {preset: {}, **({REDUCED: EARLIER_STEPS} if preset == "best" else {})}


def _run(source: Path, scene: Path, preset: str, changes: Mapping[str, object]) -> Timed:
    """Time `ioadr estimate` of these sources, from command to files, with one thread: waiting threads use CPU time."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--preset", preset, "--quiet", "--threads", "1", "--out", f"{folder}/out"]
        replaced = [word for item in changes.items() for word in ("--set", "{}={}".format(*item))]
        return processes.ioadr("estimate", str(scene), *options, *replaced, environment={"PYTHONPATH": str(source)})


def _figures(scene: str, preset: str, before: Sequence[Timed], after: Sequence[Timed]) -> Figures:
    return {
        "scene": scene,
        "preset": preset,
        "base_cpu": [timed.cpu for timed in before],
        "cpu": [timed.cpu for timed in after],
        "ratios": [new.cpu / old.cpu for old, new in zip(before, after, strict=True)],
        "base_peak": statistics.median(timed.peak for timed in before),
        "peak": statistics.median(timed.peak for timed in after),
    }
