"""Commands that stop before any one of their file operations: the earlier files or the new ones, whole.

Each is called as on the command line. The quick form stops four times.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ioadr import LightField
from ioadr.app.batch.storage import Store
from ioadr.app.cli import run
from ioadr.evaluation.submission import SCENES
from ioadr.io.results.film import write_film
from ioadr.io.results.pfm import write_pfm
from ioadr.io.safety.atomic import MARKER
from tests.builders import make_views, write_hci_scene
from tests.doors.maps import RAMP
from tests.fuzz_doors import small_views
from tests.marks import some_quick
from tests.scenes import make_estimate
from tests.stops import Work, enumerate_stops

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked in the POSIX way")

VIEWS = make_views(size=(12, 14))
LIGHTFIELD = LightField(VIEWS)


def called(*arguments: str) -> Work:
    """The command in a folder, quietly; {} stands for the folder."""

    def work(folder: Path) -> None:
        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            code = run([argument.replace("{}", str(folder)) for argument in arguments])
        assert code in (0, 1), quiet.getvalue()

    return work


@cache
def estimate(seed: int = 3):
    """Of the scene that `scene` writes."""
    row = np.linspace(-1, 1, 14, dtype=np.float32)
    return make_estimate(np.repeat(row[None], 12, axis=0), image=LIGHTFIELD.reference_view, seed=seed)


def scene(folder: Path) -> None:
    write_hci_scene(folder / "scene", VIEWS)


def result(folder: Path) -> None:
    scene(folder)
    estimate().save(folder / "result", formats=["npz"], report=False)
    estimate(4).save(folder / "other", formats=["npz"], report=False)


def exported(folder: Path) -> None:
    result(folder)
    (folder / "out").mkdir()
    (folder / "out" / MARKER).write_text('{"export": "colmap"}')
    (folder / "out" / "images").mkdir()
    (folder / "out" / "images" / "old.png").write_text("old")


def maps(folder: Path) -> None:
    for name in SCENES[:2]:
        write_pfm(folder / "maps" / f"{name}.pfm", RAMP)
        (folder / "maps" / f"{name}.txt").write_text("1.5\n")


def frames(folder: Path) -> None:
    result(folder)
    (folder / "result" / "frame_0000.png").write_text("old")
    (folder / "result" / "frame_0009.png").write_text("old")


def film(folder: Path) -> None:
    pictures = [np.full((4, 5, 3), value, np.uint8) for value in (0, 50, 100)]
    write_film(folder / "result", pictures, 10, overwrite=True)


def summaries(folder: Path) -> None:
    for name in ("summary.json", "summary.csv", "index.html", MARKER):
        (folder / name).write_text(f"old {name}")


def summarised(folder: Path) -> None:
    Store(str(folder)).write(dict.fromkeys(("summary.json", "summary.csv", "index.html"), b"new"))


def every_view(folder: Path) -> None:
    small_views().save(folder / "out", formats="npz,ply", report=False, overwrite=True)


def every_view_before(folder: Path) -> None:
    estimate().save(folder / "out", formats=["npz", "pfm"], report=False)


EXPORT = ("export", "{}/result", "--out", "{}/out", "--lightfield", "{}/scene", "--overwrite", "--to")
CASES: dict[str, tuple[Work, Callable[[Path], object]]] = {
    "convert to npz": (scene, called("convert", "{}/scene", "{}/lf.npz")),
    "convert to zarr": (scene, called("convert", "{}/scene", "{}/lf.zarr")),
    "convert to a folder": (scene, called("convert", "{}/scene", "{}/lf")),
    "convert a map": (result, called("convert", "{}/result", "{}/depth.tif", "--to", "depth")),
    "export to colmap": (exported, called(*EXPORT, "colmap")),
    "export to nerfstudio": (result, called(*EXPORT, "nerfstudio")),
    "export to open3d": (result, called(*EXPORT, "open3d", "--scale-to", "1")),
    "report": (result, called("report", "{}/result", "--overwrite")),
    "compare": (result, called("compare", "{}/result", "{}/other", "--html", "{}/page.html")),
    "doctor": (scene, called("doctor", "{}/scene", "--html", "{}/page.html")),
    "submission": (maps, called("submission", "{}/maps", "--out", "{}/mine.zip")),
    "render": (frames, film),
    "batch": (summaries, summarised),
    "every view": (every_view_before, every_view),
}
QUICK = ("convert to a folder", "export to colmap", "report", "compare", "submission", "render", "batch", "every view")
PLACES = ("", "out", "result", "lf", "lf.zarr")


@pytest.mark.parametrize("name", some_quick(CASES, QUICK))
def test_some_stops_leave_old_or_new(tmp_path, name):
    before, work = CASES[name]
    assert enumerate_stops(tmp_path, before, work, 4, PLACES) > 2


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_every_stop_leaves_old_or_new(tmp_path, name):
    before, work = CASES[name]
    assert enumerate_stops(tmp_path, before, work, places=PLACES) > 3


def test_pictures_in_the_folder_of_a_result_leave_it_complete(tmp_path):
    result(tmp_path)
    film(tmp_path)
    assert (tmp_path / "result" / MARKER).exists()
    assert len(list((tmp_path / "result").glob("frame_*.png"))) == 3
