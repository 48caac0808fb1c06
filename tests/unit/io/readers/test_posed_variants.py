"""Variants of posed photographs: other folders, endings, sizes, orientation tags, lenses and several models."""

from __future__ import annotations

import json
import re
import shutil
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ioadr import InputError
from ioadr.evaluation.synthetic.posed import photographed, true_disparity
from ioadr.geometry.lens import Fisheye, Lens
from ioadr.geometry.synthesis import residuals
from ioadr.io import read
from ioadr.io.poses.canvas import fitted
from ioadr.io.poses.colmap_model import MODELS
from ioadr.io.poses.photographs import Photograph, PosedPhotographs
from ioadr.io.poses.rig import assembled
from tests.marks import some_quick
from tests.posed import SCENE, Shots, colmap_scene, numbers, shots, write_colmap, write_images, write_transforms


@pytest.fixture
def scene(tmp_path):
    return colmap_scene(tmp_path / "scene", shots())


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> Any:
    return read(colmap_scene(tmp_path_factory.mktemp("posed") / "scene", shots())).views


def notes(lightfield) -> str:
    return " | ".join(lightfield.source.notes)


def resaved(folder: Path, ending: str = ".png", **options: Any) -> None:
    for file in sorted(folder.iterdir()):
        image = Image.open(file)
        image.load()
        file.unlink()
        image.save(file.with_suffix(ending), **options)


def set_lenses(folder: Path, lenses: dict[int, str]) -> None:
    """A text model with other lens models for some cameras."""
    taken = shots().photographs
    lines = []
    for n, photo in enumerate(taken, 1):
        model = lenses.get(n, "OPENCV")
        values = (numbers(photo) + [0.0] * 8)[: MODELS[model]]
        lines.append(f"{n} {model} {photo.size[0]} {photo.size[1]} {' '.join(map(repr, map(float, values)))}\n")
    (folder / "cameras.txt").write_text("".join(lines))


PLACES = (".", "sparse", "sparse/0", "colmap/sparse/0", "dense/sparse")


class TestFolders:
    @pytest.mark.parametrize("place", some_quick(PLACES, [".", "sparse/0"]))
    def test_places_of_models(self, tmp_path, expected, place):
        taken = shots()
        write_images(tmp_path / "scene" / "images", taken.photographs, taken.pictures)
        write_colmap(tmp_path / "model", taken.photographs, taken.points, binary=False)
        shutil.copytree(tmp_path / "model", tmp_path / "scene" / place, dirs_exist_ok=True)
        np.testing.assert_array_equal(read(tmp_path / "scene").views, expected)

    def test_the_largest_of_several_models_is_read(self, scene, expected):
        shutil.move(scene / "sparse" / "0", scene / "sparse" / "1")
        write_colmap(scene / "sparse" / "0", shots().photographs[:3], shots().points)
        found = read(scene)
        np.testing.assert_array_equal(found.views, expected)
        assert "COLMAP model in sparse/1" in notes(found)
        assert "2 unconnected models: sparse/0 of 3 images, sparse/1 of 9 images" in notes(found)

    @pytest.mark.parametrize("folder", some_quick(["images_2", "images_4"], ["images_2"]))
    def test_smaller_images(self, scene, folder):
        (scene / "images").rename(scene / folder)
        for file in (scene / folder).iterdir():
            image = Image.open(file)
            image.resize((image.width // 2, image.height // 2)).save(file)
        found = read(scene)
        assert found.view_count == 9
        assert "9 images differ in size from their calibration" in notes(found)
        (scene / "sparse").rename(scene / "elsewhere")
        write_transforms(scene, shots().photographs)
        again = read(scene)
        assert again.source.format == "transforms"
        assert again.view_count == 9

    def test_images_of_another_ending(self, scene, expected):
        resaved(scene / "images", ".BMP")
        np.testing.assert_array_equal(read(scene).views, expected)

    def test_images_in_subfolders_with_backslashes(self, tmp_path, expected):
        taken = shots()
        named = [replace(photo, name=f"left\\{photo.name}") for photo in taken.photographs]
        write_images(tmp_path / "images" / "left", taken.photographs, taken.pictures)
        write_colmap(tmp_path / "sparse" / "0", named, taken.points)
        np.testing.assert_array_equal(read(tmp_path).views, expected)

    def test_synthetic_scenes_of_blender(self, tmp_path, expected):
        """`transforms_train.json`, names without ending, one angle for all, colours with transparency."""
        taken = shots()
        bare = [replace(photo, lens=type(photo.lens)()) for photo in taken.photographs]
        write_images(tmp_path / "train", taken.photographs, [_with_alpha(picture) for picture in taken.pictures])
        write_transforms(tmp_path, bare, images="./train")
        content = json.loads((tmp_path / "transforms.json").read_text())
        first = content["frames"][0]
        angle = 2 * np.arctan(0.5 * first["w"] / first["fl_x"])
        frames = [
            {
                "file_path": f["file_path"].removesuffix(".png"),
                "rotation": 0.1,
                "transform_matrix": f["transform_matrix"],
            }
            for f in content["frames"]
        ]
        (tmp_path / "transforms.json").unlink()
        (tmp_path / "transforms_train.json").write_text(json.dumps({"camera_angle_x": angle, "frames": frames}))
        (tmp_path / "transforms_test.json").write_text(json.dumps({"camera_angle_x": angle, "frames": frames[:2]}))
        found: Any = read(tmp_path)
        assert found.view_count == 9
        assert found.channels == 3
        assert "poses of transforms_train.json: name another file to read that" in notes(found)
        assert found.camera.pinhole().pitch_x == pytest.approx(1 / first["fl_x"], rel=1e-6)


def _with_alpha(picture: Any) -> Any:
    return np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)])


class TestOrientationTags:
    @pytest.mark.parametrize("orientation", some_quick([3, 6, 8], [6]))
    def test_poses_are_of_images_as_stored(self, scene, expected, orientation):
        """Structure from motion does not heed the tag: heeding it would turn photographs against their poses."""
        exif = Image.Exif()
        exif[274] = orientation
        resaved(scene / "images", exif=exif)
        found = read(scene)
        np.testing.assert_array_equal(found.views, expected)
        assert f"orientation tags ({orientation}) are ignored" in notes(found)

    def test_poses_of_images_that_were_turned(self, scene, expected):
        """A calibration for the size after turning tells that the tag was heeded."""
        exif = Image.Exif()
        exif[274] = 6
        for file in (scene / "images").iterdir():
            Image.open(file).transpose(Image.Transpose.ROTATE_90).save(file, exif=exif)
        found = read(scene)
        np.testing.assert_array_equal(found.views, expected)
        assert "images rotated according to their orientation tag (6)" in notes(found)


class TestLenses:
    def test_photographs_of_other_lenses_are_left_out(self, scene):
        shutil.rmtree(scene / "sparse")
        write_colmap(scene / "sparse" / "0", shots().photographs, shots().points, binary=False)
        set_lenses(scene / "sparse" / "0", {1: "THIN_PRISM_FISHEYE", 2: "FOV"})
        found = read(scene)
        assert found.view_count == 7
        assert "1 whose lens is THIN_PRISM_FISHEYE (photo_000.png); 1 whose lens is FOV (photo_001.png)" in notes(found)

    def test_only_lenses_that_are_not_understood_are_refused(self, scene):
        shutil.rmtree(scene / "sparse")
        write_colmap(scene / "sparse" / "0", shots().photographs, shots().points, binary=False)
        set_lenses(scene / "sparse" / "0", dict.fromkeys(range(1, 10), "EUCM"))
        with pytest.raises(InputError, match=r"9 of 9 .* lens is EUCM; supported are .*image_undist"):
            read(scene)

    @pytest.mark.parametrize("program", some_quick(["colmap", "transforms"], ["colmap"]))
    def test_fisheye_lenses(self, tmp_path, program):
        """Photographs through a fisheye lens become the views that straight lenses give."""
        plain = [replace(photo, lens=Lens()) for photo in shots().photographs]
        bent = [replace(photo, lens=Fisheye(0.05, -0.01, 0.002, 0.001)) for photo in plain]
        views = []
        for name, photographs in (("plain", plain), ("bent", bent)):
            write_images(tmp_path / name / "images", photographs, photographed(SCENE, photographs))
            write_colmap(tmp_path / name / "sparse" / "0", photographs, shots().points, binary=False)
            if program == "transforms":
                shutil.rmtree(tmp_path / name / "sparse")
                write_transforms(tmp_path / name, photographs)
        if program == "colmap":
            model = tmp_path / "bent" / "sparse" / "0" / "cameras.txt"
            model.write_text(model.read_text().replace("OPENCV", "OPENCV_FISHEYE"))
        else:
            file = tmp_path / "bent" / "transforms.json"
            file.write_text(
                file.read_text().replace('"OPENCV"', '"OPENCV_FISHEYE"').replace('"p1"', '"k3"').replace('"p2"', '"k4"')
            )
        for name in ("plain", "bent"):
            found = read(tmp_path / name)
            views.append((found, true_disparity(SCENE, found).disparity))
        # Areas differ by a few pixels: the lens draws the corners in.
        assert abs(views[0][0].width - views[1][0].width) < 20
        straight, curved = (residuals(found, truth.astype(np.float32), 1).mean for found, truth in views)
        assert curved < 1.2 * straight

    def test_binary_models_with_other_lenses(self, scene):
        """Lenses that are not understood have another number of values, which must be skipped."""
        taken = shots().photographs
        width, height = taken[0].size
        parts = [struct.pack("<Q", 10), struct.pack("<iiQQ16d", 99, 11, width, height, *range(16))]
        parts += [struct.pack("<iiQQ8d", n, 4, width, height, *numbers(photo)) for n, photo in enumerate(taken, 1)]
        (scene / "sparse" / "0" / "cameras.bin").write_bytes(b"".join(parts))
        assert read(scene).view_count == 9
        (scene / "sparse" / "0" / "cameras.bin").write_bytes(struct.pack("<QiiQQ", 1, 1, 77, width, height))
        with pytest.raises(InputError, match=r"camera 1 has COLMAP's lens model number 77, which is not known"):
            read(scene)

    def test_several_cameras(self, tmp_path):
        """A photograph of another camera: twice the size and focal length."""
        taken = shots()
        first = taken.photographs[0]
        larger = first.resized((2 * first.size[0], 2 * first.size[1]))
        picture = np.asarray(Image.fromarray(taken.pictures[0]).resize(larger.size, Image.Resampling.BICUBIC))
        mixed = Shots([larger, *taken.photographs[1:]], [picture, *taken.pictures[1:]], taken.points)
        found, usual = (read(colmap_scene(tmp_path / str(n), t)) for n, t in enumerate((mixed, taken)))
        difference = np.abs(found.views[0, 0] / 257.0 - usual.views[0, 0] / 257.0)
        assert np.median(difference) < 3.0


def test_photographs_on_their_side_are_named(tmp_path):
    taken = shots()
    first, quarter = taken.photographs[0], np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turned = replace(first, rotation=quarter @ first.rotation, translation=quarter @ first.translation)
    photographs = [turned, *taken.photographs[1:]]
    found = read(colmap_scene(tmp_path / "scene", Shots(photographs, taken.pictures, taken.points)))
    assert "1 turned on their side (photo_000.png)" in notes(found)


def test_poses_say_where_views_stand(scene):
    assert read(scene).source.order.startswith(("given: the poses determine it", "agrees"))


def looking(centre: Any, target: Any, name: str) -> Photograph:
    """A photograph of 240×180 px from a place, towards another, upright."""
    away = np.asarray(target, np.float64) - centre
    away /= np.linalg.norm(away)
    right = np.cross([0.0, 1.0, 0.0], away)
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(away, right), away])
    return Photograph(name, None, (240, 180), (290.0, 290.0), (119.5, 89.5), Lens(), turn, -turn @ centre)


def test_an_arc_without_points_is_focused_where_gazes_meet():
    """Cameras on an arc stand about as far apart as away from what they look at."""
    angles = np.radians(np.linspace(-29, 29, 21))
    taken = [looking([2 * np.sin(a), 0.01 * n, 2 - 2 * np.cos(a)], [0, 0, 2], str(n)) for n, a in enumerate(angles)]
    rig, _, share = fitted(assembled(PosedPhotographs(Path("arc"), taken)))
    assert 1.5 < 1 / rig.inverse_focus < 2.5
    assert len(rig.photographs) == 21
    assert share > 0.6


def ring(count: int) -> list[Photograph]:
    """Photographs from all around an object."""
    angles = np.arange(count) * 2 * np.pi / count
    return [looking([2 * np.sin(a), 0.0, -2 * np.cos(a)], [0, 0, 0], f"{n:03d}.jpg") for n, a in enumerate(angles)]


@pytest.mark.parametrize("points", [0, 300])
def test_photographs_from_all_around_are_no_light_field(points):
    """With the reason and the largest set that looks in one direction, whether or not points of the scene are known."""
    scene = np.random.default_rng(0).uniform(-0.4, 0.4, (points, 3))
    with pytest.raises(InputError) as refused:
        assembled(PosedPhotographs(Path("ring"), ring(12), scene))
    assert re.search(
        r"not form a light field. Of 12, .* has 3 \(.{7}, .{7}, .{7}\); its neighbours are 2[678]° apart",
        str(refused.value),
    )


def test_of_a_dense_ring_the_largest_usable_set_is_taken():
    rig = assembled(PosedPhotographs(Path("ring"), ring(120)))
    assert len(rig.photographs) == 21
    assert 2 < rig.apart < 4
    assert len(rig.left_out) == 99


@pytest.mark.slow
def test_many_photographs_are_given_up_for_a_larger_area():
    """The rectangle that all of 120 see is small; further views than some dozens add little."""
    random = np.random.default_rng(0)
    taken = [
        looking([*random.uniform(-0.5, 0.5, 2), 0.0], [*random.uniform(-0.5, 0.5, 2), 3.0], str(number))
        for number in range(120)
    ]
    rig, _, share = fitted(assembled(PosedPhotographs(Path("many"), taken)))
    assert 30 <= len(rig.photographs) < 110
    assert share > 0.4


def test_photographs_are_reduced_before_they_are_resampled(scene):
    """Much less to compute for large photographs; the views are those that resampling first gives, except for blur."""
    small: Any = read(scene, scale=0.5)
    whole: Any = read(scene)
    assert (small.height, small.width) == (whole.height // 2, whole.width // 2)
    cropped: Any = read(scene, scale=0.5, crop=(0, 0, whole.height, whole.width))
    assert np.abs(small.views.astype(np.float64) - cropped.views).mean() < 0.01 * 65535
    np.testing.assert_allclose(small.positions, cropped.positions)
    for name, value in cropped.camera.pinhole()._asdict().items():
        assert getattr(small.camera.pinhole(), name) == pytest.approx(value, rel=1e-6), name
    assert small.range.extent == pytest.approx(0.5 * whole.range.extent)
    from ioadr.app.batch.sizing import need_of
    from ioadr.io.options import ReadOptions
    from ioadr.presets import preset

    need = need_of(str(scene), ReadOptions(scale=0.5), preset("fast"))
    assert (need.height, need.width) == (small.height, small.width)


def test_a_larger_photograph_does_not_alias():
    """One that is resampled to half its size is reduced first, so that nothing finer than its pixels remains."""
    taken = looking([0.0, 0.0, 0.0], [0.0, 0.0, 2.0], "a")
    reduced = taken.reduced(0.5)
    assert (reduced.size, reduced.scale) == ((120, 90), 0.5)
    rays = np.array([[0.1, -0.05, 1.0]])
    np.testing.assert_allclose(reduced.pixels(rays) + 0.5, 0.5 * (taken.pixels(rays) + 0.5))
