"""Compares two revisions in one run: the same commands in turn, under the same load."""

from __future__ import annotations

import io
import statistics
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ioadr.app.bench import processes
from ioadr.errors import InputError

Figures = dict[str, Any]
Watch = Callable[[str], None]
SOURCE = Path(__file__).parents[3]
"""Folder of this package: src, in a checkout."""


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


def compared(name: str, scenes: Sequence[Path], presets: Sequence[str], repeats: int, watch: Watch) -> list[Figures]:
    """CPU seconds of both revisions and their ratios in each round, for every scene and preset; this one's first."""
    rows = []
    with revision(name) as base:
        for preset in presets:
            for source in (base, SOURCE):
                watch(f"{preset}: compiling the kernels of {'this revision' if source == SOURCE else name}")
                _run(source, scenes[0], preset)
            for scene in scenes:
                rounds = []
                for number in range(repeats):
                    watch(f"{scene.name}, {preset}: round {number + 1} of {repeats}")
                    rounds.append((_run(base, scene, preset), _run(SOURCE, scene, preset)))
                rows.append(_figures(scene.name, preset, rounds))
    return rows


def _run(source: Path, scene: Path, preset: str) -> processes.Timed:
    """Time `ioadr estimate` of these sources, from command to files, with one thread: waiting threads use CPU time."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--preset", preset, "--quiet", "--threads", "1", "--out", f"{folder}/out"]
        return processes.ioadr("estimate", str(scene), *options, environment={"PYTHONPATH": str(source)})


def _figures(scene: str, preset: str, rounds: Sequence[tuple[processes.Timed, processes.Timed]]) -> Figures:
    return {
        "scene": scene,
        "preset": preset,
        "base_cpu": [before.cpu for before, _ in rounds],
        "cpu": [after.cpu for _, after in rounds],
        "ratios": [after.cpu / before.cpu for before, after in rounds],
        "base_peak": statistics.median(before.peak for before, _ in rounds),
        "peak": statistics.median(after.peak for _, after in rounds),
    }
