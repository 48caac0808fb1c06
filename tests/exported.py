"""Exports read back by the formats' documentation alone, and where their numbers put the seed points."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import Estimate
from ioadr.geometry.off_plane import place_of

CLOSE = 0.05
"""px to which points must land where the light field has them."""
Landed = dict[str, NDArray[np.float64]]
"""By the names of views: [P, 2] column and row of every seed point, from the middle of the first pixel."""


def view_index(name: str) -> tuple[int, int]:
    """Row and column in the grid, from an image's name."""
    row, column = map(int, name.removesuffix(".png").split("_")[1:])
    return row, column


def expected(found: Estimate, name: str, pixels: NDArray[Any]) -> NDArray[np.float64]:
    """(column, row) of the pixels' points in the view of that name: n = n0 − d·o (§ IV-A), or as out of plane."""
    n, m = np.divmod(pixels, found.disparity.shape[1])
    d = found.disparity[n, m].astype(np.float64)
    if not found.layout.planar:
        rows, columns = place_of(view_index(name), found.layout, found.rays).seen(n, m, d)
        return np.stack([columns, rows], -1)
    down, right = found.layout.offsets[view_index(name)]
    return np.stack([m - d * right, n - d * down], -1)


def pixels_of(found: Estimate, landed: NDArray[Any]) -> NDArray[np.intp]:
    """The pixels of the reference view on which points land."""
    nearest = np.rint(landed).astype(np.intp)
    assert np.abs(landed - nearest).max() < CLOSE
    return nearest[:, 1] * found.disparity.shape[1] + nearest[:, 0]


def farthest_off(found: Estimate, landed: Landed) -> float:
    """px, over all points and views, from where the light field has them."""
    pixels = pixels_of(found, landed["view_{:02d}_{:02d}.png".format(*found.layout.reference)])
    assert len(set(pixels)) == len(pixels)
    return max(float(np.abs(place - expected(found, name, pixels)).max()) for name, place in landed.items())


def nerfstudio_landed(folder: Path) -> Landed:
    """docs.nerf.studio, data conventions: OpenGL cameras, camera-to-world, pixels from the corner of the first."""
    trimesh = pytest.importorskip("trimesh")
    content = json.loads((folder / "transforms.json").read_text())
    points = np.asarray(trimesh.load(folder / content["ply_file_path"]).vertices, np.float64)
    landed = {}
    for frame in content["frames"]:
        camera = np.linalg.inv(np.array(frame["transform_matrix"])) @ np.c_[points, np.ones(len(points))].T
        assert (camera[2] < 0).all()
        x = frame["fl_x"] * camera[0] / -camera[2] + frame["cx"]
        y = frame["fl_y"] * -camera[1] / -camera[2] + frame["cy"]
        landed[Path(frame["file_path"]).name] = np.stack([x, y], -1) - 0.5
    return landed


def read_colmap(folder: Path) -> tuple[dict[int, Any], dict[int, Any], dict[int, Any]]:
    """colmap.github.io/format.html, binary files."""

    def take(stream: Any, form: str) -> tuple[Any, ...]:
        return struct.unpack("<" + form, stream.read(struct.calcsize("<" + form)))

    cameras, images, points = {}, {}, {}
    with (folder / "cameras.bin").open("rb") as stream:
        for _ in range(take(stream, "Q")[0]):
            number, model, width, height = take(stream, "iiQQ")
            assert model == 1
            cameras[number] = (width, height, *take(stream, "dddd"))
        assert stream.read() == b""
    with (folder / "images.bin").open("rb") as stream:
        for _ in range(take(stream, "Q")[0]):
            number, *pose, camera = take(stream, "idddddddi")
            name = b"".join(iter(lambda: stream.read(1), b"\0")).decode()
            seen = [take(stream, "ddq") for _ in range(take(stream, "Q")[0])]
            images[number] = (pose, camera, name, seen)
        assert stream.read() == b""
    with (folder / "points3D.bin").open("rb") as stream:
        for _ in range(take(stream, "Q")[0]):
            number, x, y, z, *colour, error = take(stream, "QdddBBBd")
            points[number] = ((x, y, z), colour, error, [take(stream, "ii") for _ in range(take(stream, "Q")[0])])
        assert stream.read() == b""
    return cameras, images, points


def turned(quaternion: list[float]) -> NDArray[np.float64]:
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def colmap_landed(cameras: dict[int, Any], images: dict[int, Any], points: dict[int, Any]) -> Landed:
    """World-to-camera poses; pixels from the corner of the first."""
    places = np.array([points[number][0] for number in sorted(points)])
    landed = {}
    for pose, camera, name, _ in images.values():
        x, y, z = turned(pose[:4]) @ places.T + np.array(pose[4:])[:, None]
        _, _, fx, fy, cx, cy = cameras[camera]
        landed[name] = np.stack([fx * x / z + cx, fy * y / z + cy], -1) - 0.5
    return landed


def colmap_map(path: Path) -> NDArray[np.float32]:
    """As COLMAP's scripts read it: column-major width × height × channels."""
    content = path.read_bytes()
    width, height, channels = map(int, content.split(b"&", 3)[:3])
    samples = np.frombuffer(content.split(b"&", 3)[3], "<f4")
    return samples.reshape((width, height, channels), order="F").transpose(1, 0, 2)
