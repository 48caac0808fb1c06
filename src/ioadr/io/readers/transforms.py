"""`transforms.json` with its images, as Nerfstudio and instant-ngp write it."""

from __future__ import annotations

import json
import math
from collections import ChainMap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.geometry.lens import Fisheye, Lens
from ioadr.io.capture import MOST_VIEWS, Capture
from ioadr.io.decoding.images import read_header
from ioadr.io.options import ReadOptions
from ioadr.io.poses.photographs import Photograph, PosedPhotographs, image_inside, inside, photograph
from ioadr.io.poses.ply_points import read_points
from ioadr.io.poses.posed_capture import read_posed
from ioadr.io.registry import Format
from ioadr.io.safety.doors import damage_explained, small_text
from ioadr.io.safety.limits import check_memory

FILE_NAMES = ("transforms.json", "transforms_train.json")
"""File names; the second is the training set of Blender's synthetic scenes."""
REDUCED = ("images_2", "images_4", "images_8")
"""Folders of smaller images, if there is no `images`."""
FISHEYES = ("OPENCV_FISHEYE", "FISHEYE")
MODELS = ("OPENCV", "PINHOLE", "PERSPECTIVE", "SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL", *FISHEYES)
UPRIGHT = np.diag([1.0, -1.0, -1.0])
"""From axes x right, y up, z towards the viewer to x right, y down, z away."""
LARGEST, DENSEST = 10**8, 30
"""Largest size of a file, and memory needed while reading, in bytes per byte of the file."""


def recognise(path: Path, options: ReadOptions) -> bool:
    return _poses_in(path) is not None or (path.is_file() and path.suffix == ".json" and _has_frames(path))


def open_transforms(path: Path, options: ReadOptions) -> Capture:
    """The frames as a light field."""
    file = (_poses_in(path) or path / FILE_NAMES[0]) if path.is_dir() else path
    data = _parsed(file)
    if not isinstance(data, dict) or not isinstance(data.get("frames"), list):
        raise InputError(f'{file}: has no list of "frames". Export the poses again.')
    frames = data["frames"]
    if len(frames) > MOST_VIEWS or not all(isinstance(frame, Mapping) for frame in frames):
        raise InputError(f"{file}: frames must be at most {MOST_VIEWS} objects. Export the poses again.")
    photographs = [_photograph(file, number, ChainMap(frame, data)) for number, frame in enumerate(frames)]
    points, notes = _points(file, data)
    if path.is_dir() and file.name != FILE_NAMES[0]:
        notes = (f"poses of {file.name}: name another file to read that", *notes)
    return read_posed("transforms", PosedPhotographs(path, photographs, points, notes), options)


FORMAT = Format("transforms", "transforms.json of Nerfstudio with images", recognise, open_transforms)


def _poses_in(folder: Path) -> Path | None:
    return next((folder / name for name in FILE_NAMES if (folder / name).is_file()), None)


def _has_frames(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return b'"frames"' in stream.read() if path.stat().st_size < LARGEST else False
    except OSError:
        return False


def _parsed(file: Path) -> Any:
    if file.is_file():
        check_memory(file, DENSEST * file.stat().st_size, "its poses", "Export fewer")
    text = small_text(file, "a JSON file", "Export the poses again.", LARGEST)
    with damage_explained(file, "a JSON file", "Export the poses again."):
        return json.loads(text)


def _photograph(file: Path, number: int, frame: Mapping[str, Any]) -> Photograph:
    name = frame.get("file_path")
    if not isinstance(name, str):
        raise InputError(f'{file}: frame {number} has no "file_path". Export the poses again.')
    model = _model(frame)
    if model not in MODELS:
        raise InputError(
            f"{file}: the camera of {name} has the lens model {model}; supported are {', '.join(MODELS)}. "
            "Undistort the images first."
        )
    pose = np.asarray(frame.get("transform_matrix"), np.float64)
    if pose.shape not in ((4, 4), (3, 4)):
        raise InputError(f"{file}: the transform_matrix of {name} must have 4×4 numbers. Export the poses again.")
    image = _image(file, name)
    rotation = UPRIGHT @ pose[:3, :3].T
    return photograph(
        name.removeprefix("./"), image, _camera(file, name, frame, image), (rotation, -rotation @ pose[:3, 3]), file
    )


def _model(frame: Mapping[str, Any]) -> str:
    """Lens model by Nerfstudio's names; instant-ngp marks fisheye lenses by `is_fisheye`."""
    return FISHEYES[0] if frame.get("is_fisheye") else str(frame.get("camera_model") or MODELS[0]).upper()


def _image(file: Path, name: str) -> Path | None:
    found = image_inside(file.parent, name, file)
    folder, _, rest = name.replace("\\", "/").removeprefix("./").partition("/")
    if found is not None or folder != "images":
        return found
    smaller = (image_inside(file.parent, f"{other}/{rest}", file) for other in REDUCED)
    return next((image for image in smaller if image is not None), None)


def _camera(file: Path, name: str, frame: Mapping[str, Any], image: Path | None) -> tuple[Any, ...]:
    """Camera of a frame, or of all frames; coordinates are relative to the corner of the first pixel."""
    size = [_number(file, name, frame, key) for key in ("w", "h")]
    if None in size and image is not None:
        header = read_header(image, upright=False)
        size = [header.width, header.height]
    width, height = (number or 1.0 for number in size)
    fx = _number(file, name, frame, "fl_x") or _focal(file, name, frame, "camera_angle_x", width)
    fy = _number(file, name, frame, "fl_y") or _focal(file, name, frame, "camera_angle_y", height) or fx
    if fx is None or fy is None:
        raise InputError(f"{file}: {name} has neither fl_x nor camera_angle_x. Add its focal length in px.")
    cx, cy = _number(file, name, frame, "cx"), _number(file, name, frame, "cy")
    lens = _lens(file, name, frame)
    middle = 0.5 * width if cx is None else cx, 0.5 * height if cy is None else cy
    return width, height, fx, fy, middle[0] - 0.5, middle[1] - 0.5, lens


def _lens(file: Path, name: str, frame: Mapping[str, Any]) -> Lens | Fisheye:
    def values(*keys: str) -> dict[str, float]:
        return {key: _number(file, name, frame, key) or 0.0 for key in keys}

    if _model(frame) in FISHEYES:
        return Fisheye(**values("k1", "k2", "k3", "k4"))
    if _number(file, name, frame, "k4"):
        raise InputError(
            f"{file}: {name} has a distortion k4, as fisheye lenses do, but its camera_model is {_model(frame)}. "
            "Correct the model, or undistort the images first."
        )
    return Lens(**values("k1", "k2", "k3", "p1", "p2"))


def _focal(file: Path, name: str, frame: Mapping[str, Any], key: str, side: float) -> float | None:
    angle = _number(file, name, frame, key)
    return 0.5 * side / math.tan(0.5 * angle) if angle else None


def _number(file: Path, name: str, frame: Mapping[str, Any], key: str) -> float | None:
    value = frame.get(key)
    if value is None or (isinstance(value, int | float) and value is not True and math.isfinite(value)):
        return None if value is None else float(value)
    raise InputError(f"{file}: {key} of {name} is {value!r}, which is not a number. Correct it.")


def _points(file: Path, data: Mapping[str, Any]) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Points of the seed cloud, if it can be read."""
    named = data.get("ply_file_path")
    cloud = inside(file.parent, named, file) if isinstance(named, str) else None
    if cloud is None:
        return np.empty((0, 3)), ()
    try:
        return read_points(cloud), ()
    except InputError as error:
        return np.empty((0, 3)), (f"seed points not used: {error.marked}",)
