"""LLFF: `poses_bounds.npy` beside images."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ioadr import InputError
from ioadr.geometry.lens import Lens
from ioadr.io import read
from tests.posed import TURNED, shots, write_images, write_transforms


def table(photographs, points):
    """[V, 17] as LLFF's own script writes it: axes down, right and back, position, size and focal length, bounds."""
    rows = []
    for taken in photographs:
        right, down, away = taken.rotation
        camera = [taken.size[1], taken.size[0], taken.focal[0]]
        depth = (points @ taken.rotation.T + taken.translation)[:, 2]
        pose = np.stack([down, right, -away, taken.centre, camera], axis=1)
        rows.append([*pose.ravel(), *np.percentile(depth, (0.1, 99.9))])
    return np.array(rows)


@pytest.fixture(scope="module")
def taken():
    return shots(disorder=replace(TURNED, lens=Lens()))


@pytest.fixture
def scene(taken, tmp_path):
    write_images(tmp_path / "images", taken.photographs, taken.pictures)
    np.save(tmp_path / "poses_bounds.npy", table(taken.photographs, taken.points))
    return tmp_path


def test_views_are_those_of_the_same_poses_in_another_file(scene, taken):
    found: Any = read(scene)
    assert found.source.format == "llff"
    (scene / "poses_bounds.npy").unlink()
    write_transforms(scene, taken.photographs)
    expected: Any = read(scene)
    assert np.array_equal(found.present, expected.present)
    np.testing.assert_allclose(found.positions, expected.positions, atol=1e-6)
    np.testing.assert_allclose(found.camera.world, expected.camera.world, atol=1e-9)


def test_the_bounds_hold_the_scene(scene, taken):
    """In the range of disparities, which is not much wider than the scene."""
    found: Any = read(scene)
    world, rays = np.array(found.camera.world), found.camera.pinhole(found.part.window)
    depth = ((taken.points - world[:, 3]) @ np.linalg.inv(world[:, :3]).T)[:, 2]
    disparity = (1.0 / depth - rays.offset) / rays.slope
    assert found.range.origin == "file"
    assert np.mean((disparity > found.range.minimum) & (disparity < found.range.maximum)) > 0.99
    assert found.range.extent < 2.0 * np.ptp(disparity)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda values: values[:, :16], "expected 17 numbers"),
        (lambda values: values[1:], "has poses of 8 images, but there are 9 in images"),
        (lambda values: np.where(np.arange(17) == 15, -1.0, values), "depth bounds"),
        (lambda values: np.where(np.arange(17) == 4, np.nan, values), "not finite"),
        (lambda values: np.array(["a"]), "expected 17 numbers"),
    ],
)
def test_damage_is_named(scene, damage, words):
    file = scene / "poses_bounds.npy"
    np.save(file, damage(np.load(file)))
    with pytest.raises(InputError, match=words):
        read(scene)


def test_smaller_images_have_smaller_cameras(scene):
    whole: Any = read(scene)
    (scene / "images").rename(scene / "images_2")
    for file in (scene / "images_2").iterdir():
        with Image.open(file) as image:
            image.reduce(2).save(file)
    found: Any = read(scene)
    assert found.grid == whole.grid
    assert found.width == pytest.approx(whole.width / 2, abs=2)
    assert found.range.extent == pytest.approx(whole.range.extent / 2, rel=0.01)
