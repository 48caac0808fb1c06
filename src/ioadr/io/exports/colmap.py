"""COLMAP: a sparse model with tracks (binary and text), the reference view's depth and normal map, a dense cloud.

Cameras have x right, y down and look along z; poses lead from the world to the camera. Pixel coordinates are
relative to the corner of the first pixel. The world is the reference camera's frame, or that of the poses that came
with the views.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import Note
from ioadr.io.exports.target import Target
from ioadr.io.posed import Scene, View
from ioadr.io.results.cloud import write_ply

PINHOLE = 1
"""COLMAP's number of the model with fx, fy, cx, cy."""
DOWN = (1.0, 1.0, 1.0)
OBSERVATION = np.dtype([("x", "<f8"), ("y", "<f8"), ("point", "<i8")])
SIGHTING = np.dtype([("image", "<i4"), ("observation", "<i4")])


@dataclass(frozen=True, eq=False)
class _Model:
    """Observations of seed points. Views and points are numbered from 1."""

    scene: Scene

    @cached_property
    def observations(self) -> list[NDArray[np.void]]:
        """By view: positions of the points visible in it."""
        return [self._seen(view) for view in self.scene.views]

    def _seen(self, view: View) -> NDArray[np.void]:
        seeds = self.scene.seeds
        points = np.flatnonzero(self.scene.estimate.seen_from(view.offset).reshape(-1)[seeds.pixels])
        observed = np.empty(len(points), OBSERVATION)
        observed["x"], observed["y"] = self.scene.project(seeds.cloud.positions[points], view).T + 0.5
        observed["point"] = points + 1
        return observed

    @cached_property
    def tracks(self) -> list[NDArray[np.void]]:
        """By point: the views that see it, and the index among their observations."""
        points = np.concatenate([observed["point"] for observed in self.observations])
        sightings = np.empty(len(points), SIGHTING)
        sightings["image"] = np.repeat(np.arange(len(self.observations)) + 1, [len(f) for f in self.observations])
        sightings["observation"] = np.concatenate([np.arange(len(observed)) for observed in self.observations])
        order = np.argsort(points, kind="stable")
        count = len(self.scene.seeds.pixels)
        bounds = np.searchsorted(points[order], np.arange(2, count + 1))
        return np.split(sightings[order], bounds)

    @property
    def cameras(self) -> Iterator[tuple[float, float, float, float]]:
        for view in self.scene.views:
            yield (*view.focal, view.principal[0] + 0.5, view.principal[1] + 0.5)


def write(scene: Scene, folder: Path) -> None:
    scene.write_images(folder / "images")
    sparse = folder / "sparse" / "0"
    sparse.mkdir(parents=True)
    model = _Model(scene)
    for name, parts in (("cameras", _cameras), ("images", _images), ("points3D", _points)):
        with (sparse / f"{name}.bin").open("wb") as binary, (sparse / f"{name}.txt").open("w", newline="\n") as text:
            for packed, line in parts(model):
                binary.write(packed)
                text.write(line)
    scene.write_masks(folder / "masks", ".png")
    for view in scene.mapped:
        depth = scene.depth if view.index == scene.reference.index else scene.depth_of(view)
        _write_map(folder / "stereo" / "depth_maps" / _stereo_name(view), depth[..., None])
    normals = np.where(scene.trusted[..., None], scene.estimate.normals, np.nan)
    _write_map(folder / "stereo" / "normal_maps" / _stereo_name(scene.reference), normals)
    frame = scene.frame("x right, y down, z away from the viewer")
    write_ply(folder / "fused.ply", scene.placed(scene.cloud, DOWN), scene.unit, "", frame)


def notes(scene: Scene) -> list[Note]:
    return [
        Note(
            "only the reference view has a normal map"
            if scene.every_view
            else "only the reference view has a depth and a normal map"
        ),
        Note("tracks and observations are computed from the disparity map, not detected in the images"),
    ]


Parts = Iterator[tuple[bytes, str]]


def _cameras(model: _Model) -> Parts:
    width, height = model.scene.size
    yield struct.pack("<Q", len(model.scene.views)), "# CAMERA_ID, MODEL, WIDTH, HEIGHT, fx, fy, cx, cy\n"
    for number, numbers in enumerate(model.cameras, 1):
        packed = struct.pack("<iiQQ4d", number, PINHOLE, width, height, *numbers)
        yield packed, f"{number} PINHOLE {width} {height} {_text(numbers)}\n"


def _images(model: _Model) -> Parts:
    first = "# IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME; in the next line X, Y, POINT3D_ID of each point\n"
    yield struct.pack("<Q", len(model.scene.views)), first
    turn, origin = model.scene.world(DOWN)
    turned = _quaternion(turn.T)
    for number, (view, seen) in enumerate(zip(model.scene.views, model.observations, strict=True), 1):
        pose = (*turned, *(0.0 - (turn.T @ origin + view.centre)).tolist())
        name = view.name.encode("ascii") + b"\0"
        packed = struct.pack("<I7dI", number, *pose, number) + name + struct.pack("<Q", len(seen)) + seen.tobytes()
        points = " ".join(f"{x:.4f} {y:.4f} {point}" for x, y, point in seen.tolist())
        yield packed, f"{number} {_text(pose)} {number} {view.name}\n{points}\n"


def _points(model: _Model) -> Parts:
    """The error is 0: observations are projections."""
    seeds = model.scene.placed(model.scene.seeds.cloud, DOWN)
    yield struct.pack("<Q", len(seeds.positions)), "# POINT3D_ID, X, Y, Z, R, G, B, ERROR, (IMAGE_ID, POINT2D_IDX) …\n"
    for number, (position, colour, track) in enumerate(
        zip(seeds.positions.tolist(), seeds.colours.tolist(), model.tracks, strict=True), 1
    ):
        packed = struct.pack("<Q3d3BdQ", number, *position, *colour, 0.0, len(track)) + track.tobytes()
        sightings = " ".join(f"{image} {observation}" for image, observation in track.tolist())
        yield packed, f"{number} {_text(position)} {' '.join(map(str, colour))} 0 {sightings}\n"


def _quaternion(turn: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Quaternion (w, x, y, z) with w ≥ 0."""
    (a, b, c), (d, e, f), (g, h, i) = turn
    squares = np.array([1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i])
    rows = np.array(
        [
            [squares[0], h - f, c - g, d - b],
            [h - f, squares[1], b + d, c + g],
            [c - g, b + d, squares[2], f + h],
            [d - b, c + g, f + h, squares[3]],
        ]
    )
    # Each row is the quaternion times another number; the longest is the most exact.
    row = rows[int(np.argmax(squares))] + 0.0
    w, x, y, z = row / np.linalg.norm(row) * (-1.0 if row[0] < 0 else 1.0)
    return float(w), float(x), float(y), float(z)


def _text(numbers: tuple[float, ...] | list[float]) -> str:
    return " ".join(map(repr, numbers))


def _stereo_name(view: View) -> str:
    return f"{view.name}.geometric.bin"


def _write_map(path: Path, values: NDArray[np.floating]) -> None:
    """`width&height&channels&`, then float32 samples, channel after channel, row by row; 0 is "no value"."""
    path.parent.mkdir(parents=True, exist_ok=True)
    height, width, channels = values.shape
    samples = np.nan_to_num(np.moveaxis(values, -1, 0)).astype("<f4")
    path.write_bytes(f"{width}&{height}&{channels}&".encode("ascii") + samples.tobytes())


TARGET = Target(
    "sparse model with tracks, all views, depth and normal map",
    ("images", "masks", "sparse", "stereo", "fused.ply"),
    write,
    notes,
    all_views=True,
    depth_of_views=True,
)
