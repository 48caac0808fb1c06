"""COLMAP's sparse models: cameras, images and points3D, as .bin or .txt."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.geometry.lens import Fisheye, Lens
from ioadr.io.safety.doors import damage_explained, small_text
from ioadr.io.safety.limits import check_memory

Part = TypeVar("Part")
LARGEST = 2 * 10**9
DENSEST = 10
"""Memory needed while reading, in bytes per byte of the file."""
MOST_MODELS = 10
MODELS = {
    "SIMPLE_PINHOLE": 3,
    "PINHOLE": 4,
    "SIMPLE_RADIAL": 4,
    "RADIAL": 5,
    "OPENCV": 8,
    "OPENCV_FISHEYE": 8,
    "FULL_OPENCV": 12,
    "FOV": 5,
    "SIMPLE_RADIAL_FISHEYE": 4,
    "RADIAL_FISHEYE": 5,
    "THIN_PRISM_FISHEYE": 12,
    "RAD_TAN_THIN_PRISM_FISHEYE": 16,
    "SIMPLE_DIVISION": 4,
    "DIVISION": 5,
    "SIMPLE_FISHEYE": 3,
    "FISHEYE": 4,
    "EUCM": 6,
    "EQUIRECTANGULAR": 2,
}
"""Camera models in the order of COLMAP's numbers, with their number of values."""
FISHEYES = ("OPENCV_FISHEYE", "SIMPLE_RADIAL_FISHEYE", "RADIAL_FISHEYE", "SIMPLE_FISHEYE", "FISHEYE")
UNDERSTOOD = ("SIMPLE_PINHOLE", "PINHOLE", "SIMPLE_RADIAL", "RADIAL", "OPENCV", "FULL_OPENCV", *FISHEYES)
SINGLE = ("SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL", "SIMPLE_RADIAL_FISHEYE", "RADIAL_FISHEYE", "SIMPLE_FISHEYE")
"""Models with one focal length for both directions."""
PLACES = (".", "sparse", "colmap/sparse", "dense/sparse")
"""Subfolders that may contain a model, or numbered folders with one each."""
OBSERVATION = np.dtype([("x", "<f8"), ("y", "<f8"), ("point", "<i8")])


Camera = tuple[Any, ...] | str
"""(width, height, fx, fy, cx, cy, lens), pixel centres at whole numbers; or the reason why it is not supported."""


@dataclass(frozen=True, eq=False)
class Shot:
    """One image of a model."""

    name: str
    camera: int
    rotation: NDArray[np.float64]
    translation: NDArray[np.float64]
    observations: NDArray[Any] = field(default_factory=lambda: np.empty(0, OBSERVATION))
    """Observations of points, with x and y from the corner of the first pixel."""


@dataclass(frozen=True, eq=False)
class Model:
    cameras: dict[int, Camera]
    """Cameras by number."""
    shots: list[Shot]
    points: NDArray[np.float64]
    """Points [P, 3]; empty if the model has no file of points."""


def model_folders(path: Path) -> list[Path]:
    """Folders of the models in or below a folder, in the order of their numbers."""
    for subfolder in PLACES:
        below = path / subfolder
        # Long numbers are no models, but folders of images.
        numbered = [below / str(number) for number in range(MOST_MODELS)] if below.is_dir() else []
        models = [folder for folder in (below, *numbered) if _ending(folder)]
        if models:
            return models
    return []


def _ending(folder: Path) -> str | None:
    """File ending of a model: binary if both forms exist, as in COLMAP."""
    there = (e for e in ENDINGS if all((folder / f"{name}{e}").is_file() for name in ("cameras", "images")))
    return next(there, None)


def read_model(folder: Path) -> Model:
    ending = _ending(folder)
    if ending is None:
        raise InputError(f"{folder}: holds no COLMAP model (cameras and images, .bin or .txt).")
    cameras, images, _ = ENDINGS[ending]
    file = next((folder / f"points3D{e}" for e in (ending, *ENDINGS) if (folder / f"points3D{e}").is_file()), None)
    points = np.empty((0, 3)) if file is None else _read(ENDINGS[file.suffix][2], file)
    shots = _read(images, folder / f"images{ending}")
    if not shots:
        raise InputError(f"{folder / f'images{ending}'}: has no images. Export the model again.")
    return Model(_read(cameras, folder / f"cameras{ending}"), shots, points)


def _read(reader: Callable[[Path], Part], path: Path) -> Part:
    with damage_explained(path, "part of a COLMAP model", "Export the model again."):
        check_memory(path, DENSEST * path.stat().st_size, "the model", "Export a smaller one")
        return reader(path)


def camera_numbers(path: Path, number: int, model: str, width: int, height: int, values: Any) -> Camera:
    """Camera numbers for `Model.cameras`. COLMAP's coordinates are relative to the corner of the first pixel."""
    if model not in UNDERSTOOD:
        return f"whose lens is {model}"
    values = tuple(float(value) for value in values)
    if len(values) != MODELS[model]:
        raise InputError(
            f"{path}: camera {number} is a {model} with {len(values)} numbers instead of {MODELS[model]}. "
            "Export the model again."
        )
    fx, fy, cx, cy, *lens = (values[0], *values) if model in SINGLE else values
    return width, height, fx, fy, cx - 0.5, cy - 0.5, (Fisheye if model in FISHEYES else Lens)(*lens)


def rotation(w: float, x: float, y: float, z: float) -> NDArray[np.float64]:
    """Rotation matrix [3, 3] of a quaternion of any length."""
    w, x, y, z = np.array([w, x, y, z]) / np.sqrt(w * w + x * x + y * y + z * z)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class _Bytes:
    """A binary file, read from front to back."""

    def __init__(self, path: Path) -> None:
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path}: {path.stat().st_size} bytes are too many for a model. Export a smaller one.")
        self.data, self.position = path.read_bytes(), 0

    def take(self, form: str) -> tuple[Any, ...]:
        if self.position + struct.calcsize(f"<{form}") > len(self.data):
            raise ValueError("it ends too soon")
        values = struct.unpack_from(f"<{form}", self.data, self.position)
        self.position += struct.calcsize(f"<{form}")
        return values

    def text(self) -> str:
        end = self.data.find(b"\0", self.position)
        if end < 0:
            raise ValueError("the name of an image does not end")
        value = self.data[self.position : end].decode("utf-8")
        self.position = end + 1
        return value

    def array(self, kind: Any, count: int) -> NDArray[Any]:
        if count * np.dtype(kind).itemsize > len(self.data) - self.position:
            raise ValueError("it ends too soon")
        values = np.frombuffer(self.data, kind, count, self.position)
        self.position += values.nbytes
        return values

    def skip(self, count: int) -> None:
        self.position += count


def _binary_cameras(path: Path) -> dict[int, Camera]:
    stream, cameras, names = _Bytes(path), dict[int, Camera](), tuple(MODELS)
    for _ in range(stream.take("Q")[0]):
        number, kind, width, height = stream.take("iiQQ")
        if not 0 <= kind < len(names):
            raise InputError(
                f"{path}: camera {number} has COLMAP's lens model number {kind}, which is not known. Undistort the "
                "images first, with `colmap image_undistorter`."
            )
        values = stream.take(f"{MODELS[names[kind]]}d")
        cameras[number] = camera_numbers(path, number, names[kind], width, height, values)
    return cameras


def _binary_images(path: Path) -> list[Shot]:
    stream, shots = _Bytes(path), []
    for _ in range(stream.take("Q")[0]):
        _, *pose, camera = stream.take("I7dI")
        name = stream.text()
        seen = stream.array(OBSERVATION, stream.take("Q")[0])
        shots.append(Shot(name, camera, rotation(*pose[:4]), np.array(pose[4:]), seen))
    return shots


def _binary_points(path: Path) -> NDArray[np.float64]:
    stream, points = _Bytes(path), []
    for _ in range(stream.take("Q")[0]):
        _, x, y, z, *_, track = stream.take("Q3d3BdQ")
        stream.skip(8 * track)
        points.append((x, y, z))
    return np.array(points).reshape(-1, 3)


def _lines(path: Path) -> Iterator[str]:
    """Lines without comments, but including empty lines: an image without points has one."""
    text = small_text(path, "a model of COLMAP", "Export it again.", LARGEST)
    return (line for line in text.splitlines() if not line.startswith("#"))


def _text_cameras(path: Path) -> dict[int, Camera]:
    cameras = dict[int, Camera]()
    for line in filter(str.strip, _lines(path)):
        number, model, width, height, *values = line.split()
        cameras[int(number)] = camera_numbers(path, int(number), model, int(width), int(height), values)
    return cameras


def _text_images(path: Path) -> list[Shot]:
    shots, lines = [], _lines(path)
    for line in lines:
        if not line.strip():
            continue
        _, *pose, camera, name = line.split(maxsplit=9)
        numbers = [float(number) for number in pose]
        seen = np.array(next(lines, "").split(), np.float64).reshape(-1, 3)
        observed = np.empty(len(seen), OBSERVATION)
        observed["x"], observed["y"], observed["point"] = seen.T
        shots.append(Shot(name.strip(), int(camera), rotation(*numbers[:4]), np.array(numbers[4:]), observed))
    return shots


def _text_points(path: Path) -> NDArray[np.float64]:
    return np.array([line.split()[1:4] for line in _lines(path) if line.strip()], np.float64).reshape(-1, 3)


ENDINGS = {
    ".bin": (_binary_cameras, _binary_images, _binary_points),
    ".txt": (_text_cameras, _text_images, _text_points),
}
