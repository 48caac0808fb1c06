"""Depth and masks of all views, in the formats that take them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ioadr import LightField
from ioadr.alignment import Alignment, applied
from ioadr.io.exporting import export_estimate
from ioadr.io.valid_area import ValidArea
from ioadr.views.result import Views
from tests.exported import colmap_map
from tests.unit.io.exports.test_exports import estimate, lightfield

HOLE = np.s_[3:6, 7:11]
"""What no view saw."""


@pytest.fixture
def views() -> Views:
    """A different map for every view: that of the reference view, nearer from view to view."""
    taken = lightfield()
    found = estimate(taken)
    index = np.argwhere(taken.present)
    disparity = np.stack([found.disparity + np.float32(0.01 * number) for number in range(len(index))])
    disparity[7] = found.disparity
    source = np.zeros(disparity.shape, np.uint8)
    source[:, *HOLE] = 255
    confidence = np.ones(disparity.shape, np.float16)
    return Views(found, index, disparity, confidence, source, [], taken)


def expected(views: Views, number: int) -> Any:
    rays = views.estimate.rays
    depth = 1.0 / (rays.slope * views.disparity[number].astype(np.float64) + rays.offset)
    depth[HOLE] = 0.0
    return depth


def test_nerfstudio_gets_depth_of_every_frame(views: Views, tmp_path: Path) -> None:
    views.export("nerfstudio", tmp_path / "out", points=9)
    frames = json.loads((tmp_path / "out" / "transforms.json").read_text())["frames"]
    assert len(frames) == 15
    for number, frame in enumerate(frames):
        depth = np.asarray(Image.open(tmp_path / "out" / frame["depth_file_path"]))
        assert depth.dtype == np.uint16
        assert np.abs(depth - 1000.0 * expected(views, number)).max() <= 0.5 + 1e-3
        assert "mask_path" not in frame


def test_colmap_gets_depth_of_every_view(views: Views, tmp_path: Path) -> None:
    views.export("colmap", tmp_path / "out", points=9)
    maps = sorted((tmp_path / "out" / "stereo" / "depth_maps").iterdir())
    assert len(maps) == 15
    for number, file in enumerate(maps):
        depth, known = colmap_map(file)[..., 0], np.ones(expected(views, number).shape, bool)
        known[HOLE] = False
        np.testing.assert_allclose(depth[known], expected(views, number)[known], rtol=1e-5)


def test_open3d_gets_every_view_and_its_camera(views: Views, tmp_path: Path) -> None:
    views.export("open3d", tmp_path / "out")
    cameras = json.loads((tmp_path / "out" / "trajectory.json").read_text())["parameters"]
    names = sorted(file.name for file in (tmp_path / "out" / "depth").iterdir())
    assert names == sorted(file.name for file in (tmp_path / "out" / "color").iterdir())
    assert len(cameras) == len(names) == 15
    rays = views.estimate.rays
    for number, camera in enumerate(cameras):
        pose = np.array(camera["extrinsic"]).reshape(4, 4, order="F")
        matrix = np.array(camera["intrinsic"]["intrinsic_matrix"]).reshape(3, 3, order="F")
        down, right = views.layout.offsets[tuple(views.index[number])]
        # A point of disparity 0.5 px at (20, 30) of the reference view.
        depth = 1.0 / (rays.slope * 0.5 + rays.offset)
        point = np.array([(30 - rays.m0) * rays.pitch_x * depth, (20 - rays.n0) * rays.pitch_y * depth, depth, 1.0])
        seen = matrix @ (pose @ point)[:3]
        np.testing.assert_allclose(seen[:2] / seen[2], [30 - 0.5 * right, 20 - 0.5 * down], atol=1e-6)
        image = np.asarray(Image.open(tmp_path / "out" / "depth" / names[number]))
        assert np.abs(image - 1000.0 * expected(views, number)).max() <= 0.5 + 1e-3


def test_uncertain_depth_is_left_out(views: Views, tmp_path: Path) -> None:
    views.confidence[2, 30:] = 0.1
    views.export("nerfstudio", tmp_path / "out", min_confidence=0.5)
    depth = np.asarray(Image.open(tmp_path / "out" / "depth" / "view_00_02.png"))
    assert (depth[30:] == 0).all()
    assert (depth[10:30] > 0).all()


def vignetted(views: LightField) -> LightField:
    """No light in a corner of all views."""
    samples = views.views.copy()
    samples[:, :, :9, :8] = 0
    return views.replace(views=samples)


@pytest.mark.parametrize(("program", "ending"), [("nerfstudio", ""), ("colmap", ".png")])
def test_masks_leave_dark_corners_out(program: str, ending: str, tmp_path: Path) -> None:
    views = vignetted(lightfield())
    done = export_estimate(estimate(views), program, tmp_path / "out", views, points=9)
    lit = np.ones((views.height, views.width), np.uint8) * 255
    lit[:9, :8] = 0
    masks = sorted((tmp_path / "out" / "masks").iterdir())
    assert [mask.name for mask in masks] == [
        f"view_{row:02d}_{column:02d}.png{ending}" for row, column in np.ndindex(3, 5)
    ]
    for mask in masks:
        np.testing.assert_array_equal(np.asarray(Image.open(mask)), lit)
    if program == "nerfstudio":
        frames = json.loads((tmp_path / "out" / "transforms.json").read_text())["frames"]
        assert {frame["mask_path"] for frame in frames} == {f"masks/{mask.name}" for mask in masks}
        assert any(note.startswith("masks leave out 3.5 %") for note in done.notes)


def test_masks_leave_out_what_aligning_invents() -> None:
    views = lightfield()
    put = Alignment.none(views)
    put.shifts[0, 1] = (-2.0, 3.0)
    aligned = applied(views, put, 1)
    area = ValidArea(aligned.replace(source=replace(aligned.source, alignment=put.stored)))
    mask = np.zeros((views.height, views.width), bool)
    mask[2:, :-3] = True
    np.testing.assert_array_equal(area.mask((0, 1)), mask)
    assert area.mask((1, 1)).all()
    assert not area.complete
    assert ValidArea(views).complete
