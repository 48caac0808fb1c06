"""Calibrated arrays: camera matrix, distortion, R and t of each camera, as OpenCV's functions return them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.geometry.lens import Fisheye, Lens
from ioadr.io.capture import MOST_VIEWS, Capture
from ioadr.io.decoding.images import read_header
from ioadr.io.file_places import images_in, listed
from ioadr.io.options import ReadOptions
from ioadr.io.poses.opencv_storage import read_storage
from ioadr.io.poses.photographs import Photograph, PosedPhotographs, image_inside, photograph
from ioadr.io.poses.posed_capture import read_posed
from ioadr.io.registry import Format
from ioadr.io.safety.doors import LARGEST_TEXT

ENDINGS = (".yml", ".yaml", ".json")
NAMES = ("calibration", "calib", "cameras", "extrinsics")
"""Names of a calibration file in a folder."""
MATRIX = ("K", "M", "camera_matrix", "cameraMatrix", "intrinsic_matrix", "mtx")
DISTORTION = ("dist", "D", "distortion_coefficients", "distortion", "dist_coeffs", "distCoeffs")
ROTATION = ("R", "rotation", "rvec", "rotation_matrix")
TRANSLATION = ("t", "T", "tvec", "translation")
IMAGE = ("image", "file", "filename", "image_name", "file_path", "img")
TITLE = ("name", "id", "camera", "serial", "camera_name")
LENS = ("distortion_model", "lens_model", "camera_model", "model")
STRAIGHT = ("", "opencv", "pinhole", "plumb_bob", "radtan", "rational_polynomial", "brown", "none")
FISHEYES = ("fisheye", "equidistant", "opencv_fisheye", "kannala_brandt")
"""Names of lens models in OpenCV, ROS and Kalibr."""
MOST_COEFFICIENTS = 8


def recognise(path: Path, options: ReadOptions) -> bool:
    return options.pattern is None and _calibration(path) is not None


def open_calibration(path: Path, options: ReadOptions) -> Capture:
    """The images of calibrated cameras as a light field."""
    file = _calibration(path) or path
    cameras = _cameras(file)
    if len(cameras) > MOST_VIEWS:
        raise InputError(f"{file}: {len(cameras)} cameras are too many.")
    images = _images(file, cameras)
    taken = [_photograph(file, name, values, images[name]) for name, values in cameras.items()]
    notes = (f"cameras as {file.name} has them: x_camera = R·x_world + t",)
    return read_posed("opencv", PosedPhotographs(path, taken, notes=notes, upright=True), options)


FORMAT = Format("opencv", "OpenCV calibration of an array (K, dist, R, t) with images", recognise, open_calibration)


def _calibration(path: Path) -> Path | None:
    """The calibration file, recognised by a camera matrix and a rotation."""
    if path.is_dir():
        inside_ = [path / f"{name}{ending}" for name in NAMES for ending in ENDINGS]
        return next((file for file in inside_ if file.is_file() and _calibration(file)), None)
    if path.suffix.lower() not in ENDINGS or not path.is_file() or path.stat().st_size > LARGEST_TEXT:
        return None
    text = path.read_text(encoding="utf-8", errors="replace")
    present = [any(re.search(rf"""\b{name}_?\d*["']?\s*:""", text) for name in names) for names in (MATRIX, ROTATION)]
    return path if all(present) else None


def _cameras(file: Path) -> dict[str, Mapping[str, Any]]:
    """Cameras by name, at any nesting of the file."""
    data = read_storage(file)
    inner = data.get("cameras") if isinstance(data, Mapping) else data
    entries = inner if isinstance(inner, Mapping | list) else data
    if isinstance(entries, list):
        named = {str(_first(c, TITLE) if _first(c, TITLE) is not None else n): c for n, c in enumerate(entries)}
        cameras = named if len(named) == len(entries) else {str(n): camera for n, camera in enumerate(entries)}
    else:
        cameras = {key: value for key, value in entries.items() if isinstance(value, Mapping)} or _by_suffix(entries)
        shared = {key: value for key, value in data.items() if key in ("image_size", "width", "height")}
        cameras = {key: {**shared, **value} for key, value in cameras.items()}
    cameras = {key: value for key, value in cameras.items() if _first(value, MATRIX) is not None}
    if not cameras:
        raise InputError(
            f"{file}: holds no cameras. Each needs a camera matrix (K), R and t, in a list or mapping of `cameras`; "
            "docs/formats.md shows an example."
        )
    return cameras


def _by_suffix(entries: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Cameras from numbered keys: K1, D1, R1, T1, K2 … or K_0, dist_0 …"""
    cameras: dict[str, dict[str, Any]] = {}
    for key, value in entries.items():
        match = re.fullmatch(r"([A-Za-z_]*[A-Za-z])_?(\d+)", key)
        if match:
            cameras.setdefault(match[2], {})[match[1]] = value
    return cameras


def _first(values: Any, names: tuple[str, ...]) -> Any:
    if not isinstance(values, Mapping):
        return None
    return next((values[name] for name in names if values.get(name) is not None), None)


def _images(file: Path, cameras: Mapping[str, Any]) -> dict[str, tuple[str, Path | None]]:
    """Name and file of each camera's image: given in the file, by the camera's name, or in order."""
    said = {name: _first(values, IMAGE) for name, values in cameras.items()}
    if all(isinstance(image, str) for image in said.values()):
        return {name: (str(image), image_inside(file.parent, str(image), file)) for name, image in said.items()}
    there = images_in(file.parent) or (images_in(file.parent / "images") if (file.parent / "images").is_dir() else [])
    by_stem = {image.stem: image for image in there}
    if set(cameras) <= set(by_stem):
        return {name: (by_stem[name].name, by_stem[name]) for name in cameras}
    if len(there) != len(cameras):
        raise InputError(
            f"{file}: has {len(cameras)} cameras, but its folder has {len(there)} images, and their names do not match "
            f"({listed(list(cameras))}; {listed([image.name for image in there])}). Give each camera its `image`."
        )
    ordered = sorted(there, key=lambda image: [int(w) if w.isdigit() else w for w in re.split(r"(\d+)", image.name)])
    return {name: (image.name, image) for name, image in zip(cameras, ordered, strict=True)}


def _photograph(file: Path, name: str, values: Mapping[str, Any], image: tuple[str, Path | None]) -> Photograph:
    matrix = _array(file, name, "camera matrix", _first(values, MATRIX), 9).reshape(3, 3)
    lens = _lens(file, name, values)
    translation = _array(file, name, "t", _first(values, TRANSLATION), 3)
    if abs(matrix[0, 1]) > 1e-6 * abs(matrix[0, 0]):
        raise InputError(f"{file}: camera {name} has skewed pixels, which are not supported. Calibrate without skew.")
    size = _size(values, image[1])
    numbers = (*size, matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2], lens)
    pose = (_rotation(file, name, _first(values, ROTATION)), translation)
    return photograph(image[0], image[1], numbers, pose, file)


def _size(values: Mapping[str, Any], image: Path | None) -> tuple[float, float]:
    """Size of the calibration; without one, the image's size."""
    given = values.get("image_size", values.get("size"))
    if given is not None and np.size(given) == 2:
        width, height = np.ravel(np.asarray(given, np.float64))
        return float(width), float(height)
    if "width" in values and "height" in values:
        return float(values["width"]), float(values["height"])
    if image is None:
        return 1.0, 1.0
    header = read_header(image)
    return header.width, header.height


def _lens(file: Path, name: str, values: Mapping[str, Any]) -> Lens | Fisheye:
    """Lens by its coefficients, and by its model if one is named; the default is OpenCV's usual model."""
    given = _first(values, DISTORTION)
    numbers = np.ravel(np.asarray([] if given is None else given, np.float64))
    named = _first(values, LENS)
    model = "fisheye" if values.get("fisheye") is True or values.get("is_fisheye") is True else str(named or "").lower()
    if model not in (*STRAIGHT, *FISHEYES):
        raise InputError(
            f"{file}: camera {name} has the lens model {named}, which is not supported; "
            f"{', '.join((*STRAIGHT[1:], *FISHEYES))} are. Undistort its images."
        )
    most = 4 if model in FISHEYES else MOST_COEFFICIENTS
    if numbers[most:].any():
        raise InputError(
            f"{file}: camera {name} has a thin prism or tilted sensor (more than {most} coefficients of distortion), "
            "which is not supported. Undistort its images."
        )
    coefficients = [float(number) for number in numbers[:most]]
    return Fisheye(*coefficients) if model in FISHEYES else Lens(*coefficients)


def _rotation(file: Path, name: str, value: Any) -> NDArray[np.float64]:
    """Rotation [3, 3] from a matrix or a rotation vector."""
    if np.size(value) != 3:
        return _array(file, name, "R", value, 9).reshape(3, 3)
    vector = _array(file, name, "R", value, 3)
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


def _array(file: Path, name: str, what: str, value: Any, count: int) -> NDArray[np.float64]:
    try:
        values = np.ravel(np.asarray(value, np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.size != count:
        raise InputError(f"{file}: camera {name}: {what} needs {count} numbers, but has {values.size}. Correct it.")
    return values
