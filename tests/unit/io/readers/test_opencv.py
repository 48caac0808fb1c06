"""OpenCV calibrations of arrays: K, dist, R, t of each camera, in YAML or JSON, however they are nested."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ioadr import InputError
from ioadr.geometry.lens import Fisheye
from ioadr.io import read
from ioadr.io.poses.opencv_storage import read_storage
from tests.posed import opencv_cameras, opencv_yaml, shots, write_images, write_transforms


@pytest.fixture
def folder(tmp_path):
    taken = shots()
    write_images(tmp_path / "array", taken.photographs, taken.pictures)
    return tmp_path / "array"


@pytest.fixture
def expected(folder, tmp_path):
    """The same cameras in Nerfstudio's form."""
    write_transforms(tmp_path, shots().photographs, images="array")
    return read(tmp_path)


def stored(folder, content):
    (folder / "calibration.json").write_text(json.dumps(content))
    return folder


def test_json_lists_mappings_and_numbered_keys(folder, expected):
    cameras = opencv_cameras(shots().photographs)
    lists = {"cameras": cameras}
    mappings = {f"cam{n}": camera for n, camera in enumerate(cameras)}
    keys = {f"{key}_{n}": value for n, camera in enumerate(cameras) for key, value in camera.items() if key != "image"}
    for content in (lists, mappings, cameras, keys):
        found = read(stored(folder, content))
        assert found.source.format == "opencv"
        np.testing.assert_allclose(found.layout.positions, expected.layout.positions, atol=1e-9)
        np.testing.assert_array_equal(found.views, expected.views)


def test_yaml_as_opencv_writes_it(folder, expected):
    (folder / "calib.yml").write_text(opencv_yaml(shots().photographs))
    np.testing.assert_array_equal(read(folder).views, expected.views)
    np.testing.assert_array_equal(read(folder / "calib.yml").views, expected.views)


def test_yaml_by_opencv_itself(tmp_path):
    cv2 = pytest.importorskip("cv2")
    matrix = np.array([[500.0, 0, 0.5], [0, 501.25, -1e-7], [0, 0, 1]])
    for name in ("storage.yml", "storage.json"):
        storage = cv2.FileStorage(str(tmp_path / name), cv2.FILE_STORAGE_WRITE)
        storage.write("count", 3)
        storage.write("title", "my array")
        storage.write("K", matrix)
        storage.write("long", np.arange(40.0)[None])
        storage.release()
        found = read_storage(tmp_path / name)
        assert (found["count"], found["title"]) == (3, "my array")
        np.testing.assert_array_equal(found["K"], matrix)
        np.testing.assert_array_equal(found["long"], np.arange(40.0)[None])


def test_rotation_vectors(folder, expected):
    cv2 = pytest.importorskip("cv2")
    cameras = opencv_cameras(shots().photographs)
    for camera in cameras:
        camera["rvec"] = cv2.Rodrigues(np.array(camera.pop("R")))[0].ravel().tolist()
    np.testing.assert_allclose(read(stored(folder, cameras)).views, expected.views, atol=1)


def test_fisheye_lenses_are_opencvs(folder):
    cv2 = pytest.importorskip("cv2")
    photo = replace(shots().photographs[0], lens=Fisheye(0.05, -0.02, 0.01, 0.002))
    rays = np.random.default_rng(0).uniform(-0.6, 0.6, (50, 2))
    matrix = np.array([[photo.focal[0], 0, photo.principal[0]], [0, photo.focal[1], photo.principal[1]], [0, 0, 1]])
    bent = cv2.fisheye.distortPoints(rays[:, None], matrix, np.array(photo.lens))[:, 0]
    np.testing.assert_allclose(photo.pixels(np.c_[rays, np.ones(50)]), bent, atol=1e-6)
    cameras = [{**c, "dist": [0.05, 0.0, 0.0, 0.0]} for c in opencv_cameras(shots().photographs)]
    usual = read(stored(folder, cameras)).views
    named = [
        read(stored(folder, [{**c, **words} for c in cameras]))
        for words in ({"distortion_model": "equidistant"}, {"fisheye": True})
    ]
    np.testing.assert_array_equal(named[0].views, named[1].views)
    assert named[0].views.shape != usual.shape or not np.array_equal(named[0].views, usual)


def test_distortion_is_opencvs():
    cv2 = pytest.importorskip("cv2")
    photo = shots().photographs[0]
    rays = np.random.default_rng(0).uniform(-0.4, 0.4, (50, 3)) + np.array([0, 0, 1.0])
    matrix = np.array([[photo.focal[0], 0, photo.principal[0]], [0, photo.focal[1], photo.principal[1]], [0, 0, 1]])
    expected = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), matrix, np.array(photo.lens))[0][:, 0]
    np.testing.assert_allclose(photo.pixels(rays), expected, atol=1e-9)
    np.testing.assert_allclose(photo.rays(expected), rays / rays[:, 2:], atol=1e-7)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("t"), r"camera 0: t needs 3 numbers, but has"),
        (lambda c: c.update(K=[1, 2]), r"camera 0: camera matrix needs 9 numbers, but has 2"),
        (lambda c: c["K"][0].__setitem__(1, 3.0), r"camera 0 has skewed pixels"),
        (lambda c: c.update(dist=[0] * 9 + [1]), r"camera 0 has a thin prism or tilted sensor"),
        (lambda c: c.update(distortion_model="omni"), r"camera 0 has the lens model omni, which is not supported"),
        (lambda c: c.update(R=np.diag([1, 1, -1]).tolist()), r"rotation without scale or mirroring"),
        (lambda c: c.update(image="../x.png"), r"names an image outside its folder"),
    ],
)
def test_what_is_not_understood_is_refused(folder, change, message):
    cameras = opencv_cameras(shots().photographs)
    change(cameras[0])
    with pytest.raises(InputError, match=message):
        read(stored(folder, cameras), format="opencv")


def test_images_must_be_told_apart(folder):
    cameras = [{k: v for k, v in camera.items() if k != "image"} for camera in opencv_cameras(shots().photographs)]
    assert read(stored(folder, cameras)).view_count == 9
    with pytest.raises(InputError, match=r"8 cameras, but its folder has 9 images"):
        read(stored(folder, cameras[:-1]))


def test_broken_storage_is_refused(folder):
    for text in ("cameras: [1, 2\nK: R:", "- a\nb: c\nK: 1\nR: 2", "K:\n      R: {"):
        (folder / "calib.yml").write_text(text)
        with pytest.raises(InputError, match=r"calib.yml"):
            read(folder / "calib.yml", format="opencv")


@pytest.mark.parametrize(
    ("key", "value"),
    [("t", [1e300, 0, 0]), ("K", [1e300, 0, 5, 0, 1e300, 5, 0, 0, 1]), ("K", [9, 0, 1e300, 0, 9, 5, 0, 0, 1])],
)
def test_numbers_beyond_reason_are_refused(folder, key, value):
    cameras = opencv_cameras(shots().photographs)
    cameras[0][key] = value
    with pytest.raises(InputError, match="has implausible numbers"):
        read(stored(folder, cameras))


@pytest.mark.parametrize("rows", ["-3", "0", "9999"])
def test_a_matrix_whose_size_is_wrong_is_refused(folder, rows):
    (folder / "calibration.yml").write_text(opencv_yaml(shots().photographs).replace("rows: 3", f"rows: {rows}", 1))
    with pytest.raises(InputError, match=r"calibration\.yml: cannot be read .*: a matrix of"):
        read(folder)
