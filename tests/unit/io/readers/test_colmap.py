"""COLMAP models, binary and text, with photographs that are tilted, out of plane and distorted."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ioadr import InputError
from ioadr.evaluation.synthetic.posed import idealised, true_disparity
from ioadr.geometry.lens import Lens
from ioadr.io import read
from ioadr.io.lightfield_files import write_lightfield
from ioadr.io.poses.colmap_model import OBSERVATION, Model, Shot, camera_numbers, read_model, rotation
from ioadr.io.readers.colmap import triangulated
from tests.posed import SCENE, Shots, colmap_scene, quaternion, shots, write_colmap


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    return colmap_scene(tmp_path_factory.mktemp("posed") / "scene", shots())


@pytest.fixture(scope="module")
def lightfield(scene) -> Any:
    return read(scene)


def test_binary_and_text_say_the_same(tmp_path):
    taken = shots()
    write_colmap(tmp_path / "bin", taken.photographs, taken.points, binary=True)
    write_colmap(tmp_path / "txt", taken.photographs, taken.points, binary=False)
    binary, text = read_model(tmp_path / "bin"), read_model(tmp_path / "txt")
    assert binary.cameras == text.cameras
    np.testing.assert_allclose(binary.points, taken.points)
    np.testing.assert_allclose(text.points, taken.points)
    for one, other, photo in zip(binary.shots, text.shots, taken.photographs, strict=True):
        assert one.name == other.name == photo.name
        np.testing.assert_allclose(one.rotation, photo.rotation, atol=1e-12)
        np.testing.assert_allclose(other.rotation, photo.rotation, atol=1e-12)
        np.testing.assert_array_equal(one.translation, other.translation)


def test_views_are_what_ideal_cameras_would_have_taken(lightfield):
    """At the reference view; the others, out of the plane, differ by what `geometry.off_plane` says."""
    ideal = idealised(lightfield, SCENE)
    view = lightfield.reference
    difference = np.abs(lightfield.views[view] / 257.0 - ideal.views[view].astype(np.float64))
    assert np.median(difference) < 1.0
    # A wrong half pixel, quaternion or sign of the lens would move edges.
    assert np.percentile(difference, 99) < 25.0


def test_places_range_and_unit_come_from_the_poses(lightfield):
    truth = true_disparity(SCENE, lightfield, border=2)
    assert lightfield.grid == (3, 3)
    assert lightfield.reference == (1, 1)
    assert not lightfield.layout.planar
    assert lightfield.range.minimum < truth.disparity.min()
    assert truth.disparity.max() < lightfield.range.maximum
    assert not lightfield.camera.metric
    np.testing.assert_allclose(np.diff(lightfield.positions[1, :, 1]), 1.0, atol=0.1)


def test_what_was_decided_is_said(lightfield):
    notes = " | ".join(lightfield.source.notes)
    assert "9 photographs undistorted and rotated by" in notes
    assert "% of the cameras' extent out of one plane" in notes
    assert "% of the reference photograph, the area that all views share, is used" in notes
    assert 'pose_unit="METRES"' in notes


def test_the_unit_of_the_poses_makes_depth_metric(scene, lightfield):
    metric: Any = read(scene, pose_unit=0.01)
    assert metric.camera.metric
    assert metric.camera.baseline_mm == pytest.approx(lightfield.camera.baseline_mm * 0.01)
    point = np.array([0.1, 0.2, 3.0])
    world, small = np.array(lightfield.camera.world), np.array(metric.camera.world)
    np.testing.assert_allclose(world @ [*point, 1], small @ [*(point * 0.01), 1])


def test_another_reference_view(scene):
    other: Any = read(scene, reference=(1, 0))
    assert other.reference == (1, 0)
    centre = np.array(other.camera.world)[:, 3]
    np.testing.assert_allclose(centre, shots().photographs[3].centre, atol=1e-9)
    with pytest.raises(InputError, match=r"view 7 7 cannot be the reference: the grid has 3×3 places"):
        read(scene, reference=(7, 7))


def test_the_camera_is_that_of_the_poses(scene):
    with pytest.raises(InputError, match=r"the poses already determine baseline_mm"):
        read(scene, baseline_mm=3.0)
    with pytest.raises(InputError, match=r"metres above 0"):
        read(scene, pose_unit=-1.0)


def test_missing_images_are_named(scene, tmp_path):
    shutil.copytree(scene, tmp_path / "scene")
    (tmp_path / "scene" / "images" / "photo_003.png").unlink()
    with pytest.raises(InputError, match=r"1 of 9 images with poses are missing: photo_003.png.*skip"):
        read(tmp_path / "scene")
    found = read(tmp_path / "scene", skip="missing")
    assert "1 images with poses are missing and left out" in found.source.notes
    assert found.reference_view.shape == (found.height, found.width, 3)


def test_views_that_look_elsewhere_are_left_out_and_named(tmp_path):
    taken = shots()
    back = np.diag([-1.0, 1.0, -1.0])
    first = taken.photographs[0]
    turned = replace(first, rotation=back @ first.rotation, translation=back @ first.translation)
    photographs = [turned, *taken.photographs[1:]]
    found = read(colmap_scene(tmp_path / "scene", Shots(photographs, taken.pictures, taken.points)))
    assert found.view_count == 8
    assert any("1 photograph left out: 1 looking elsewhere (photo_000.png)" in note for note in found.source.notes)


def test_too_few_that_look_alike_are_refused(tmp_path):
    taken = shots()
    photographs = [
        replace(photo, rotation=rotation(np.cos(angle), 0, np.sin(angle), 0) @ photo.rotation)
        for photo, angle in zip(taken.photographs, np.arange(9) * np.pi / 9, strict=True)
    ]
    with pytest.raises(InputError, match=r"only [12] of 9 photographs \(photo_.*\) have similar viewing directions"):
        read(colmap_scene(tmp_path / "scene", Shots(photographs, taken.pictures, taken.points)))


def test_images_scaled_after_the_calibration(scene, tmp_path):
    from PIL import Image

    shutil.copytree(scene, tmp_path / "scene")
    for file in (tmp_path / "scene" / "images").iterdir():
        image = Image.open(file)
        image.resize((image.width // 2, image.height // 2)).save(file)
    half: Any = read(tmp_path / "scene")
    whole: Any = read(scene)
    assert any("9 images differ in size from their calibration" in note for note in half.source.notes)
    assert half.range.maximum == pytest.approx(whole.range.maximum / 2, rel=0.02)


def test_other_sizes_are_refused(scene, tmp_path):
    from PIL import Image

    shutil.copytree(scene, tmp_path / "scene")
    file = tmp_path / "scene" / "images" / "photo_002.png"
    Image.open(file).crop((0, 0, 60, 100)).save(file)
    with pytest.raises(InputError, match=r"photo_002.png has 60×100 px, but its camera was calibrated for 120×108"):
        read(tmp_path / "scene")


def test_cameras_of_other_numbers_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"camera 3 is a RADIAL with 4 numbers instead of 5"):
        camera_numbers(tmp_path, 3, "RADIAL", 10, 10, range(4))


@pytest.mark.parametrize(
    ("model", "values", "expected"),
    [
        ("SIMPLE_PINHOLE", (9, 5, 4), (9, 9, 4.5, 3.5, Lens())),
        ("PINHOLE", (9, 8, 5, 4), (9, 8, 4.5, 3.5, Lens())),
        ("SIMPLE_RADIAL", (9, 5, 4, 0.1), (9, 9, 4.5, 3.5, Lens(0.1))),
        ("RADIAL", (9, 5, 4, 0.1, 0.2), (9, 9, 4.5, 3.5, Lens(0.1, 0.2))),
        ("OPENCV", (9, 8, 5, 4, 1, 2, 3, 4), (9, 8, 4.5, 3.5, Lens(1, 2, 3, 4))),
    ],
)
def test_camera_models(tmp_path, model, values, expected):
    assert camera_numbers(tmp_path, 1, model, 10, 8, values) == (10, 8, *expected)


def test_points_are_triangulated_where_the_model_has_none(tmp_path):
    taken = shots()
    model = Model({}, [], np.empty((0, 3)))
    for photo in taken.photographs:
        pixels = photo.pixels((taken.points @ photo.rotation.T) + photo.translation)
        seen = np.flatnonzero(np.isfinite(pixels).all(axis=1))
        found = np.empty(len(seen), OBSERVATION)
        found["x"], found["y"], found["point"] = pixels[seen, 0] + 0.5, pixels[seen, 1] + 0.5, seen
        model.shots.append(Shot(photo.name, 1, photo.rotation, photo.translation, found))
    np.testing.assert_allclose(triangulated(model, taken.photographs), taken.points, atol=1e-6)


def test_quaternions_of_any_length():
    turn = shots().photographs[4].rotation
    np.testing.assert_allclose(rotation(*(3.0 * np.array(quaternion(turn)))), turn, atol=1e-12)


@pytest.mark.parametrize("name", ["again.npz", "again"])
def test_what_is_converted_keeps_poses(lightfield, tmp_path, name):
    write_lightfield(lightfield, tmp_path / name)
    again = read(tmp_path / name)
    assert again.camera == lightfield.camera
    np.testing.assert_allclose(again.layout.positions, lightfield.layout.positions)


def test_damaged_models_are_refused(scene, tmp_path):
    shutil.copytree(scene, tmp_path / "scene")
    file = tmp_path / "scene" / "sparse" / "0" / "images.bin"
    for cut in (3, 40, 200):
        file.write_bytes(file.read_bytes()[:-cut])
        with pytest.raises(InputError, match=r"cannot be read as part of a COLMAP model"):
            read(tmp_path / "scene")


def test_names_must_not_lead_out_of_the_folder(tmp_path):
    taken = shots()
    photographs = [replace(taken.photographs[0], name="../secret.png"), *taken.photographs[1:]]
    (tmp_path / "scene").mkdir()
    write_colmap(tmp_path / "scene" / "sparse" / "0", photographs, taken.points)
    with pytest.raises(InputError, match=r"names an image outside its folder, '../secret.png'"):
        read(tmp_path / "scene")


def test_out_of_plane_needs_a_camera(lightfield):
    with pytest.raises(InputError, match=r"positions out of the plane of the cameras need a camera"):
        lightfield.replace(camera=None)
