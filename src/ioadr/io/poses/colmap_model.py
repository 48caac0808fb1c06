"""COLMAP's sparse models: cameras, images and points3D, as .bin or .txt."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.geometry.lens import Lens
from ioadr.io.safety.doors import small_text

LARGEST = 2 * 10**9
MODELS = (
    *("SIMPLE_PINHOLE", "PINHOLE", "SIMPLE_RADIAL", "RADIAL", "OPENCV", "OPENCV_FISHEYE", "FULL_OPENCV"),
    *("FOV", "SIMPLE_RADIAL_FISHEYE", "RADIAL_FISHEYE", "THIN_PRISM_FISHEYE"),
)
"""By COLMAP's numbers."""
COUNTS = {"SIMPLE_PINHOLE": 3, "PINHOLE": 4, "SIMPLE_RADIAL": 4, "RADIAL": 5, "OPENCV": 8, "FULL_OPENCV": 12}
"""How many numbers a model has, of those that are understood."""
OBSERVATION = np.dtype([("x", "<f8"), ("y", "<f8"), ("point", "<i8")])


@dataclass(frozen=True, eq=False)
class Shot:
    """One image of a model."""

    name: str
    camera: int
    rotation: NDArray[np.float64]
    translation: NDArray[np.float64]
    observations: NDArray[Any] = field(default_factory=lambda: np.empty(0, OBSERVATION))
    """Of points, with x and y from the corner of the first pixel."""


@dataclass(frozen=True, eq=False)
class Model:
    cameras: dict[int, tuple[Any, ...]]
    """(width, height, fx, fy, cx, cy, lens) by number; the middle of the first pixel is (0, 0)."""
    shots: list[Shot]
    points: NDArray[np.float64]
    """[P, 3]; none where the model has no file of them."""


def model_folder(path: Path) -> Path | None:
    """Where the model lies in or below a folder."""
    for folder in (path, path / "sparse" / "0", path / "sparse", path / "colmap" / "sparse" / "0"):
        if any(all((folder / f"{name}{ending}").is_file() for name in ("cameras", "images")) for ending in ENDINGS):
            return folder
    return None


def read_model(folder: Path) -> Model:
    """The binary files where both forms are there, as COLMAP does."""
    ending = next(e for e in ENDINGS if all((folder / f"{name}{e}").is_file() for name in ("cameras", "images")))
    cameras, images, _ = ENDINGS[ending]
    found = next((folder / f"points3D{e}" for e in (ending, *ENDINGS) if (folder / f"points3D{e}").is_file()), None)
    places = np.empty((0, 3)) if found is None else ENDINGS[found.suffix][2](found)
    return Model(cameras(folder / f"cameras{ending}"), images(folder / f"images{ending}"), places)


def camera_numbers(path: Path, number: int, model: str, width: int, height: int, values: Any) -> tuple[Any, ...]:
    """As `Model.cameras` wants them. COLMAP counts pixels from the corner of the first one."""
    if model not in COUNTS:
        raise InputError(
            f"{path}: camera {number} is a {model}; understood are {', '.join(COUNTS)}. Undistort the images first, "
            "with `colmap image_undistorter`."
        )
    values = tuple(float(value) for value in values)
    if len(values) != COUNTS[model]:
        raise InputError(
            f"{path}: camera {number} is a {model} with {len(values)} numbers instead of {COUNTS[model]}. "
            "Export the model again."
        )
    single = model in ("SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL")
    fx, fy, cx, cy, *lens = (values[0], *values) if single else values
    return width, height, fx, fy, cx - 0.5, cy - 0.5, Lens(*lens)


def rotation(w: float, x: float, y: float, z: float) -> NDArray[np.float64]:
    """[3, 3] of a quaternion of any length."""
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
        self.data, self.place = path.read_bytes(), 0

    def take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self.data, self.place)
        self.place += struct.calcsize(f"<{form}")
        return found

    def text(self) -> str:
        end = self.data.index(b"\0", self.place)
        found = self.data[self.place : end].decode("utf-8")
        self.place = end + 1
        return found

    def array(self, kind: Any, count: int) -> NDArray[Any]:
        found = np.frombuffer(self.data, kind, count, self.place)
        self.place += found.nbytes
        return found

    def skip(self, count: int) -> None:
        self.place += count


def _binary_cameras(path: Path) -> dict[int, tuple[Any, ...]]:
    stream, cameras = _Bytes(path), {}
    for _ in range(stream.take("Q")[0]):
        number, kind, width, height = stream.take("iiQQ")
        model = MODELS[kind] if 0 <= kind < len(MODELS) else f"model {kind}"
        values = stream.take(f"{COUNTS.get(model, 0)}d")
        cameras[number] = camera_numbers(path, number, model, width, height, values)
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
    """Without comments, but with empty lines: an image without points has one."""
    text = small_text(path, "a model of COLMAP", "Export it again.", LARGEST)
    return (line for line in text.splitlines() if not line.startswith("#"))


def _text_cameras(path: Path) -> dict[int, tuple[Any, ...]]:
    cameras = {}
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
        found = np.empty(len(seen), OBSERVATION)
        found["x"], found["y"], found["point"] = seen.T
        shots.append(Shot(name.strip(), int(camera), rotation(*numbers[:4]), np.array(numbers[4:]), found))
    return shots


def _text_points(path: Path) -> NDArray[np.float64]:
    return np.array([line.split()[1:4] for line in _lines(path) if line.strip()], np.float64).reshape(-1, 3)


ENDINGS = {
    ".bin": (_binary_cameras, _binary_images, _binary_points),
    ".txt": (_text_cameras, _text_images, _text_points),
}
