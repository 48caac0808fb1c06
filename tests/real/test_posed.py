"""Hand-held photographs with a COLMAP model; a benchmark scene that was misaligned, or went through other formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import ioadr
from ioadr import LightField
from ioadr.alignment import Alignment, _without_disparity
from ioadr.io.poses.colmap_model import read_model
from ioadr.io.poses.photographs import photograph
from ioadr.io.readers.colmap import triangulated


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
    assert (found < 1.0).mean() > 0.96


def bent_by_splines(lightfield: LightField, seed: int = 7) -> tuple[LightField, Alignment]:
    """With shifts of 0.3 px, turns of 0.1° and gains of 3 % (σ), by splines of order 5: not by what `align` uses."""
    random, put = np.random.default_rng(seed), Alignment.none(lightfield)
    put.shifts[:] = random.normal(0, 0.3, put.shifts.shape)
    put.angles[:] = random.normal(0, 0.1, put.angles.shape)
    put.gains[:] = random.normal(1, 0.03, put.angles.shape)[..., None]
    put.shifts[lightfield.reference], put.angles[lightfield.reference], put.gains[lightfield.reference] = 0.0, 0.0, 1.0
    put = replace(put, shifts=_without_disparity(put.shifts, lightfield))
    middle = 0.5 * (np.array([lightfield.height, lightfield.width]) - 1)[:, None, None]
    views = lightfield.views.copy()
    for view in map(tuple, np.argwhere(lightfield.present)):
        angle = np.radians(put.angles[view])
        down, right = np.mgrid[: lightfield.height, : lightfield.width] - middle - put.shifts[view][:, None, None]
        places = np.array([np.cos(angle) * down - np.sin(angle) * right, np.sin(angle) * down + np.cos(angle) * right])
        for channel in range(lightfield.channels):
            samples = lightfield.views[view][..., channel].astype(np.float64)
            moved = ndimage.map_coordinates(samples, places + middle, order=5, mode="mirror")
            views[view][..., channel] = np.clip(np.rint(moved * put.gains[view][channel]), 0, 255)
    return lightfield.replace(views=views), put


@pytest.mark.slow
def test_misaligned_cotton_is_put_right(shared):
    from ioadr.evaluation.truth import load_truth

    folder = shared / "data" / "hci" / "cotton"
    truth = load_truth(folder).disparity

    def bad(lightfield: LightField) -> float:
        disparity = ioadr.estimate(lightfield, "fast").disparity
        return float((np.abs(disparity - truth)[15:-15, 15:-15] > 0.07).mean())

    clean = ioadr.read(folder)
    bent, put = bent_by_splines(clean)
    found = ioadr.align(bent)
    assert np.abs(found.alignment.shifts - put.shifts).max() < 0.03
    assert np.abs(found.alignment.angles - put.angles).max() < 0.02
    assert np.abs(found.alignment.gains / put.gains - 1).max() < 0.005
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
