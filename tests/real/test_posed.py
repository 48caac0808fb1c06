"""Hand-held photographs with a COLMAP model; a benchmark scene that was misaligned, or went through other formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr import LightField
from ioadr.io.poses.colmap_model import read_model
from ioadr.io.poses.photographs import photograph
from ioadr.io.readers.colmap import triangulated
from tests.unit.test_alignment import disturbed


@pytest.fixture(scope="module")
def cube(shared: Path) -> Path:
    folder = shared / "data" / "posed" / "cube"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder


def model_points(folder: Path) -> Any:
    """[P, 3]: what structure from motion says about the scene, which the estimation sees nothing of but the range."""
    model = read_model(folder / "sparse" / "0")
    taken = [
        photograph(shot.name, None, model.cameras[shot.camera], (shot.rotation, shot.translation), folder)
        for shot in model.shots
    ]
    return triangulated(model, taken)


def misses(lightfield: Any, disparity: Any, points: Any) -> Any:
    """px of disparity between a map and points in the world."""
    world, rays = np.array(lightfield.camera.world), lightfield.camera.pinhole(lightfield.part.window)
    local = (points - world[:, 3]) @ np.linalg.inv(world[:, :3]).T
    columns = np.rint(local[:, 0] / local[:, 2] / rays.pitch_x + rays.m0).astype(int)
    rows = np.rint(local[:, 1] / local[:, 2] / rays.pitch_y + rays.n0).astype(int)
    inside = (rows >= 0) & (columns >= 0) & (rows < lightfield.height) & (columns < lightfield.width)
    expected = (1.0 / local[:, 2] - rays.offset) / rays.slope
    return np.abs(disparity[rows[inside], columns[inside]] - expected[inside])


def test_all_photographs_of_the_cube_are_used(cube):
    lightfield = ioadr.read(cube)
    assert lightfield.view_count == 13
    assert lightfield.source.format == "colmap"
    assert min(lightfield.height, lightfield.width) > 300
    assert "2021-04-30_08.06.40.jpg" in " ".join(lightfield.source.notes)


@pytest.mark.slow
def test_the_cube_is_where_structure_from_motion_has_it(cube):
    lightfield = ioadr.align(ioadr.read(cube, scale=0.5), rounds=2).lightfield
    found = misses(lightfield, ioadr.estimate(lightfield, "fast").disparity, model_points(cube))
    assert len(found) > 2000
    assert np.median(found) < 0.25
    assert (found < 1.0).mean() > 0.86


@pytest.mark.slow
def test_misaligned_cotton_is_put_right(shared):
    from ioadr.evaluation.truth import load_truth

    folder = shared / "data" / "hci" / "cotton"
    truth = load_truth(folder).disparity

    def bad(lightfield: LightField) -> float:
        disparity = ioadr.estimate(lightfield, "fast").disparity
        return float((np.abs(disparity - truth)[15:-15, 15:-15] > 0.07).mean())

    clean = ioadr.read(folder)
    bent, put = disturbed(clean)
    found = ioadr.align(bent)
    assert np.abs(found.alignment.shifts - put.shifts).max() < 0.03
    assert bad(found.lightfield) < 1.3 * bad(clean)


@pytest.mark.slow
def test_cotton_comes_back_from_nerfstudio_and_colmap(shared, tmp_path):
    before: Any = ioadr.read(shared / "data" / "hci" / "cotton")
    found = ioadr.estimate(before, "fast")
    for program in ("nerfstudio", "colmap"):
        found.export(program, tmp_path / program, before)
        again: Any = ioadr.read(tmp_path / program, pose_unit=1.0)
        assert again.grid == before.grid
        np.testing.assert_allclose(again.offsets, before.offsets, atol=1e-4)
        np.testing.assert_allclose(again.views[::4, ::4] / 257.0, before.views[::4, ::4], atol=0.6)
        assert again.camera.pinhole().slope == pytest.approx(before.camera.pinhole().slope, rel=1e-3)
