"""What takes minutes: a huge light field in tiles under a memory limit, a video, throughput on real scenes."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ioadr
from ioadr import preset
from ioadr.evaluation.synthetic import demo
from ioadr.evaluation.synthetic.folder import write_scene
from ioadr.io.lightfield_files import write_lightfield
from ioadr.io.results.pfm import read_pfm
from tests.unit.app.batch.conftest import batch, command, summary

psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.slow

LIMIT = 1.5e9
SIDE = 2048
PATIENCE = 1800


def peak_memory(arguments: list[str]) -> float:
    """Bytes of a process and all below it at their peak, shared pages counted once."""
    peak = 0.0
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                family = [watched, *watched.children(recursive=True)]
                peak = max(peak, sum(member.memory_full_info().pss for member in family))
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
            time.sleep(0.2)
        assert process.stderr is not None
        assert process.returncode == 0, process.stderr.read()
    return peak


def test_a_huge_light_field_in_tiles(tmp_path):
    """9×9×2048×2048 with 1.5 GB: under the limit, hardly a difference, and none that shows the seams."""
    quick = ("--preset", "fast", "--no-report", "--save", "pfm")
    rendered = demo(size=(SIDE, SIDE))
    write_lightfield(rendered.lightfield, tmp_path / "huge.zarr")
    whole = ioadr.estimate(rendered.lightfield, preset("fast")).disparity
    del rendered
    out = tmp_path / "out"
    assert peak_memory(command(tmp_path / "huge.zarr", "--out", out, "--tiles", "--memory", "1.5G", *quick)) < LIMIT
    difference = np.abs(read_pfm(out / "huge" / "disparity.pfm") - whole)
    assert np.mean(difference > 0.01) <= 0.005
    seams = seam_mask(difference.shape, summary(out)["items"][0]["facts"]["tiles"])
    assert np.mean(difference[seams] > 0.01) <= 2 * np.mean(difference > 0.01) + 0.001


def seam_mask(shape: tuple[int, ...], tiles: dict[str, list[int]]) -> NDArray[np.bool_]:
    """8 px on either side of where tiles meet."""
    mask = np.zeros(shape, bool)
    for row in tiles["rows"]:
        mask[row - 8 : row + 8] = True
    for column in tiles["columns"]:
        mask[:, column - 8 : column + 8] = True
    return mask


def test_a_video_is_quicker_from_frame_to_frame(tmp_path):
    """At least 1.8 times as fast as frame by frame, with no more bad pixels (5 %), and no more flicker."""
    for number in range(10):
        write_scene(demo(frame=number, size=(192, 192)), tmp_path / "walk" / f"frame{number}")
    found = {}
    for every in (1, 24):
        out = tmp_path / f"out{every}"
        single = ("--workers", 1, "--threads", 1)
        done = batch(tmp_path / "walk", "--video", "--keyframes", every, "--out", out, *single, patience=PATIENCE)
        assert done.returncode == 0, done.stderr
        found[every] = summary(out)
    cold, warm = (figures(found[every]) for every in (1, 24))
    assert cold["estimate"] / warm["estimate"] >= 1.8
    assert warm["badpix_007"] <= 1.05 * cold["badpix_007"]
    assert found[24]["videos"][0]["flicker_warm"] <= 1.1 * found[1]["videos"][0]["flicker_from_scratch"]


def figures(content: dict[str, Any]) -> dict[str, float]:
    """Means over all frames but the first, which both runs estimate alike."""
    items = content["items"][1:]
    seconds = float(np.mean([item["seconds"]["estimate"] for item in items]))
    return {"estimate": seconds, "badpix_007": float(np.mean([item["scores"]["badpix_007"] for item in items]))}


@pytest.mark.real
def test_the_default_is_as_quick_as_the_best(shared: Path, tmp_path):
    """Four real scenes: within 10 % of two processes of one thread, or one of two, whichever is quicker."""
    seconds = {}
    for name, options in {
        "default": (),
        "processes": ("--workers", 2, "--threads", 1),
        "threads": ("--workers", 1, "--threads", 2),
    }.items():
        out = tmp_path / name
        assert batch(shared / "data" / "hci", "--out", out, *options, patience=PATIENCE).returncode == 0
        seconds[name] = summary(out)["seconds"]
    assert seconds["default"] <= 1.1 * min(seconds["processes"], seconds["threads"]), seconds
