"""Quilts: tiles in the vendor's order, off-axis, and read back by our own reader of quilts."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import ioadr
from ioadr import InputError
from ioadr.io.exports import DEVICES, quilt
from ioadr.io.posed import Scene
from tests.builders import make_views

DISPARITY = 1.0
"""Of all that the views show, px."""
SMALL = replace(quilt.SETTINGS["portrait"], size=(1680, 1680))
"""A display of half as many pixels."""


@pytest.fixture(scope="module")
def views() -> Any:
    """A flat wall of one disparity."""
    return ioadr.estimate_views(
        ioadr.LightField(make_views((3, 5), (48, 64), disparity=DISPARITY), name="wall"), "fast"
    )


@pytest.fixture(scope="module")
def folder(views, tmp_path_factory):
    folder = tmp_path_factory.mktemp("quilt") / "out"
    views.quilt(folder)
    return folder


@pytest.fixture(scope="module")
def again(folder):
    return ioadr.read(folder / "quilt_qs8x6a0.75.png")


def notes(folder) -> str:
    return " | ".join(json.loads((folder / "provenance.json").read_text())["notes"])


def test_name_and_size_are_those_of_the_device(folder):
    assert sorted(path.name for path in folder.iterdir()) == ["provenance.json", "quilt_qs8x6a0.75.png"]
    with Image.open(folder / "quilt_qs8x6a0.75.png") as image:
        assert image.size == (3360, 3360)


def test_our_reader_reads_it_back(again):
    assert again.grid == (1, 48)
    assert (again.width, again.height) == (420, 560)


def test_the_focus_stands_still(folder, again):
    """The wall is the whole scene, so it lies in the screen: all tiles are the same."""
    tiles = again.views[0, :, 20:-20, 20:-20].astype(np.int16)
    inner = np.abs(tiles - tiles[24])
    assert np.median(inner) < 2.0
    assert "disparity 1 px lies in the screen" in notes(folder)


def test_tiles_go_from_the_left_to_the_right(views, tmp_path, monkeypatch):
    """Nearer than what lies in the screen, the wall moves to the left from tile to tile: the camera goes right."""
    monkeypatch.setattr(quilt, "_focus", lambda scene, middle: 0.0)
    monkeypatch.setitem(quilt.SETTINGS, "portrait", SMALL)
    views.quilt(tmp_path / "out")
    tiles = ioadr.read(tmp_path / "out" / "quilt_qs8x6a0.75.png").views[0].mean(axis=-1)
    whole = 4 * DISPARITY * SMALL.tile[1] / views.size[0]
    first, last = tiles[0], tiles[-1]
    errors = {}
    for shift in range(-40, 41):
        left, right = first[:, 45:-45], last[:, 45 + shift : tiles.shape[2] - 45 + shift]
        errors[shift] = float(np.abs(left - right).mean())
    assert min(errors, key=errors.__getitem__) == pytest.approx(-whole, abs=1.0)


def test_the_largest_window_of_the_aspect_ratio_is_shown(views):
    assert tuple(quilt.SETTINGS) == DEVICES
    for name, device in quilt.SETTINGS.items():
        cut = quilt.plan(Scene(views.estimate, None, 0.0, 1, every_view=views, device=name))
        left, top, right, bottom = cut.window
        assert (right - left) / (bottom - top) == pytest.approx(float(device.aspect))
        # Shifting by 2 px to either side, for the focus, costs 4 of 64 px.
        assert right - left == pytest.approx(60, abs=0.1) or bottom - top == pytest.approx(48)


def test_the_depth_budget_limits_how_far_cameras_go(views):
    """A scene as deep as to move by more than a quarter of the width is seen from nearer together."""
    deep = views.estimate.disparity.copy()
    deep[:, ::2], deep[:, 1::2] = -4.0, 4.0
    cut = quilt.plan(Scene(replace(views.estimate, disparity=deep), None, 0.0, 1, every_view=views, focus=0.0))
    assert cut.limited
    assert cut.window[2] - cut.window[0] == pytest.approx(36.0)  # 48 px high, 3:4
    assert cut.moves == pytest.approx(quilt.BUDGET)
    assert np.ptp(cut.columns) == pytest.approx(quilt.BUDGET * 36 / 4.0)


def test_what_cannot_be_is_refused(views, tmp_path):
    with pytest.raises(InputError, match=r"`device`: unknown display 'tv'\. Available: portrait, go"):
        views.quilt(tmp_path / "out", device="tv")
    with pytest.raises(InputError, match=r"`focus`: expected a disparity of the scene, 0.99.* found 12"):
        views.quilt(tmp_path / "out", focus=12.0)
    with pytest.raises(InputError, match="ioadr.estimate_views"):
        views.estimate.export("quilt", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_another_device_replaces_the_earlier_quilt(views, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "out")
    views.quilt(tmp_path / "out", "go", overwrite=True)
    assert [path.name for path in tmp_path.joinpath("out").glob("*.png")] == ["quilt_qs11x6a0.5625.png"]
