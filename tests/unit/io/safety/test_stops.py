"""A process that stops before any one of its file operations leaves the earlier files or the new ones, whole."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from ioadr.io import save_estimate, write_lightfield
from ioadr.io.results.pfm import write_pfm
from ioadr.io.safety.atomic import MARKER, atomic_file, atomic_folder
from ioadr.result import Estimate
from tests.builders import make_lightfield
from tests.marks import some_quick
from tests.scenes import make_estimate
from tests.stops import enumerate_stops

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked in the POSIX way")


def estimate_of(disparity: float) -> Estimate:
    return make_estimate(np.full((6, 7), disparity, np.float32))


def make_file(folder: Path) -> None:
    with atomic_file(folder / "a.txt") as name:
        name.write_text("new a")


def make_set(folder: Path) -> None:
    with atomic_folder(folder / "out", overwrite=True, replacing=["stale.txt"]) as staging:
        for name in ("a.txt", "c.txt", MARKER):
            (staging / name).write_text(f"new {name}")


def make_map(folder: Path) -> None:
    write_pfm(folder / "map.pfm", np.ones((3, 4), np.float32))


def make_result(folder: Path) -> None:
    save_estimate(estimate_of(1.0), folder / "out", ["npz"], overwrite=True)


def make_lightfield_files(folder: Path) -> None:
    write_lightfield(make_lightfield(grid=(3, 3), size=(8, 9)), folder / "lf")


def set_before(folder: Path) -> None:
    (folder / "out").mkdir()
    for name in ("a.txt", "b.txt", "stale.txt", MARKER):
        (folder / "out" / name).write_text(f"old {name}")


def nothing_before(folder: Path) -> None:
    pass


def file_before(folder: Path) -> None:
    (folder / "a.txt").write_text("old a")
    (folder / "map.pfm").write_text("old map")


def result_before(folder: Path) -> None:
    save_estimate(estimate_of(2.0), folder / "out", ["npz", "ply"])


@pytest.mark.parametrize(
    ("before", "work"),
    some_quick(
        [
            (nothing_before, make_file),
            (file_before, make_file),
            (nothing_before, make_set),
            (set_before, make_set),
            (file_before, make_map),
            (nothing_before, make_result),
            (result_before, make_result),
            (nothing_before, make_lightfield_files),
        ],
        [(file_before, make_file), (set_before, make_set), (result_before, make_result)],
    ),
)
def test_every_stop_leaves_old_or_new(tmp_path, before, work):
    assert enumerate_stops(tmp_path, before, work, places=("", "out", "lf")) > 3
