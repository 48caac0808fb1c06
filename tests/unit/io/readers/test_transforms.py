"""`transforms.json` as Nerfstudio, instant-ngp and our own export write it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from ioadr import InputError
from ioadr.io import read
from ioadr.io.poses.ply_points import read_points
from ioadr.part import Window
from tests.posed import colmap_scene, shots, write_images, write_transforms
from tests.unit.io.exports.test_exports import estimate, lightfield


@pytest.fixture
def folder(tmp_path):
    taken = shots()
    write_images(tmp_path / "images", taken.photographs, taken.pictures)
    write_transforms(tmp_path, taken.photographs)
    return tmp_path


def changed(folder, change) -> None:
    file = folder / "transforms.json"
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def test_the_same_views_as_from_colmap(folder, tmp_path_factory):
    """Without points the focus is where gazes meet, so positions differ; all that does not depend on it is compared."""
    found: Any = read(folder)
    other: Any = read(colmap_scene(tmp_path_factory.mktemp("posed") / "scene", shots()))
    assert found.source.format == "transforms"
    assert found.range is None
    np.testing.assert_allclose(found.layout.positions, other.layout.positions, atol=1e-9)
    np.testing.assert_allclose(np.array(found.camera.world), np.array(other.camera.world), atol=1e-9)
    assert any("without scene points" in note for note in found.source.notes)


def test_the_file_itself_may_be_named(folder):
    assert read(folder / "transforms.json").view_count == 9


def test_shared_numbers_angles_and_names_without_ending(folder):
    whole = read(folder)

    def change(content):
        first = content["frames"][0]
        content |= {"camera_angle_x": 2 * np.arctan(0.5 * first["w"] / first["fl_x"]), "k1": first["k1"]}
        for frame in content["frames"]:
            frame["file_path"] = "./" + frame["file_path"].removesuffix(".png")
            for key in ("fl_x", "fl_y", "cx", "cy", "w", "h", "k1"):
                del frame[key]

    changed(folder, change)
    np.testing.assert_allclose(read(folder).views, whole.views, atol=2)


def test_seed_points_tell_the_range(folder):
    points = shots().points
    header = "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n"
    lines = [" ".join(map(repr, point.tolist())) for point in points]
    (folder / "seeds.ply").write_text(header.format(len(points)) + "end_header\n" + "\n".join(lines) + "\n")
    np.testing.assert_array_equal(read_points(folder / "seeds.ply"), points)
    changed(folder, lambda content: content.update(ply_file_path="seeds.ply"))
    assert read(folder).range is not None
    (folder / "seeds.ply").write_text("no cloud")
    found = read(folder)
    assert found.range is None
    assert any("seed points not used" in note for note in found.source.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda c: c.update(camera_model="EQUIRECTANGULAR"),
            r"has the lens model EQUIRECTANGULAR; supported are OPENCV, PI",
        ),
        (lambda c: c["frames"][2].update(k4=0.1), r"photo_002.png has a distortion k4"),
        (lambda c: c["frames"][2].pop("file_path"), r'frame 2 has no "file_path"'),
        (lambda c: c["frames"][2].update(transform_matrix=[1, 2]), r"transform_matrix of .* must have 4×4 numbers"),
        (lambda c: c["frames"][2].update(fl_x="wide"), r"fl_x of images/photo_002.png is 'wide', .* not a number"),
        (lambda c: c["frames"][2].update(file_path="../x.png"), r"names an image outside its folder"),
        (lambda c: c["frames"][2].update(transform_matrix=(2 * np.eye(4)).tolist()), r"rotation without scale"),
        (lambda c: c.update(frames=3), r'has no list of "frames"'),
    ],
)
def test_what_is_not_understood_is_refused(folder, change, message):
    changed(folder, change)
    with pytest.raises(InputError, match=message):
        read(folder)


@pytest.mark.parametrize("program", ["nerfstudio", "colmap"])
@pytest.mark.parametrize("window", [None, Window(7, 11, 47, 63)])
def test_our_own_exports_read_back(tmp_path, program, window):
    """Views, places and camera of a light field that was exported and read again are the same."""
    before: Any = lightfield(window=window)
    estimate(before).export(program, tmp_path / "out", before)
    again: Any = read(tmp_path / "out", pose_unit=1.0)
    assert again.grid == before.grid
    np.testing.assert_array_equal(again.views, before.views.astype(np.uint16) * 257)
    np.testing.assert_allclose(again.offsets, before.offsets, atol=1e-6)
    assert again.layout.planar
    for name, value in before.camera.pinhole(before.part.window)._asdict().items():
        assert getattr(again.camera.pinhole(), name) == pytest.approx(value, rel=1e-6), name
