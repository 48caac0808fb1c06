"""Photographs of synthetic scenes written as COLMAP, Nerfstudio and OpenCV users have them."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ioadr.evaluation.synthetic import camera_for, random_scene
from ioadr.evaluation.synthetic.posed import Disorder, disordered, photographed, scene_points
from ioadr.geometry.lens import Lens
from ioadr.io.poses.photographs import Photograph

OPENCV = 4
SCENE = random_scene(1)
TURNED = Disorder(tilt=15.0, forward=0.1, lens=Lens(-0.1, 0.02, 0.001, -0.001), margin=1.5, seed=3)
"""Tilts to 15°, a tenth of the extent out of plane, distortion."""


@cache
def shots(size: tuple[int, int] = (72, 80), grid: tuple[int, int] = (3, 3), disorder: Disorder = TURNED) -> Shots:
    """Photographs of a scene, their pictures and some of its points."""
    photographs = disordered(camera_for(size, 2.0, 5.75, (-2.0, 2.0)), grid, disorder)
    middle = photographs[len(photographs) // 2]
    return Shots(photographs, photographed(SCENE, photographs), scene_points(SCENE, middle))


class Shots(NamedTuple):
    photographs: list[Photograph]
    pictures: list[NDArray[Any]]
    points: NDArray[np.float64]


def colmap_scene(folder: Path, taken: Shots, binary: bool = True) -> Path:
    write_images(folder / "images", taken.photographs, taken.pictures)
    write_colmap(folder / "sparse" / "0", taken.photographs, taken.points, binary)
    return folder


def write_images(folder: Path, photographs: Sequence[Photograph], pictures: Sequence[NDArray[Any]]) -> None:
    folder.mkdir(parents=True)
    for taken, picture in zip(photographs, pictures, strict=True):
        Image.fromarray(picture).save(folder / taken.name, compress_level=1)


def quaternion(rotation: NDArray[np.float64]) -> list[float]:
    """(w, x, y, z), by the eigenvector that belongs to a rotation's largest eigenvalue (Bar-Itzhack)."""
    r = rotation
    k = np.array(
        [
            [r[0, 0] - r[1, 1] - r[2, 2], 0, 0, 0],
            [r[0, 1] + r[1, 0], r[1, 1] - r[0, 0] - r[2, 2], 0, 0],
            [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], r[2, 2] - r[0, 0] - r[1, 1], 0],
            [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], np.trace(r)],
        ]
    )
    x, y, z, w = np.linalg.eigh(k)[1][:, -1]
    return [w, x, y, z]


def numbers(taken: Photograph) -> list[float]:
    """fx fy cx cy k1 k2 p1 p2, pixels from the corner of the first one."""
    return [*taken.focal, taken.principal[0] + 0.5, taken.principal[1] + 0.5, *taken.lens[:4]]


def write_colmap(folder: Path, photographs: Sequence[Photograph], points: Any, binary: bool = True) -> None:
    folder.mkdir(parents=True)
    if binary:
        count = struct.pack("<Q", len(photographs))
        cameras, images = [count], [count]
        for n, taken in enumerate(photographs, 1):
            cameras.append(struct.pack("<iiQQ8d", n, OPENCV, *taken.size, *numbers(taken)))
            pose = struct.pack("<I7dI", n, *quaternion(taken.rotation), *taken.translation, n)
            images.append(pose + taken.name.encode() + b"\0" + struct.pack("<Q", 0))
        places = [struct.pack("<Q", len(points))]
        places += [struct.pack("<Q3d3BdQii", n, *p, 1, 2, 3, 0.5, 1, 1, 0) for n, p in enumerate(points, 1)]
        for name, parts in (("cameras", cameras), ("images", images), ("points3D", places)):
            (folder / f"{name}.bin").write_bytes(b"".join(parts))
        return
    text = "# cameras\n"
    text += "".join(f"{n} OPENCV {t.size[0]} {t.size[1]} {_words(numbers(t))}\n" for n, t in enumerate(photographs, 1))
    (folder / "cameras.txt").write_text(text)
    poses = [_words([*quaternion(taken.rotation), *taken.translation]) for taken in photographs]
    lines = [f"{n} {pose} {n} {t.name}\n\n" for n, (pose, t) in enumerate(zip(poses, photographs, strict=True), 1)]
    (folder / "images.txt").write_text("# images\n" + "".join(lines))
    (folder / "points3D.txt").write_text("".join(f"{n} {_words(p)} 1 2 3 0.5 1 0\n" for n, p in enumerate(points, 1)))


def write_transforms(folder: Path, photographs: Sequence[Photograph], images: str = "images") -> None:
    """Camera to world, x right, y up, z towards the viewer."""
    frames = []
    for taken in photographs:
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = taken.rotation.T @ np.diag([1.0, -1.0, -1.0]), taken.centre
        fx, fy, cx, cy, k1, k2, p1, p2 = numbers(taken)
        values = {"fl_x": fx, "fl_y": fy, "cx": cx, "cy": cy, "k1": k1, "k2": k2, "p1": p1, "p2": p2}
        path = {"file_path": f"{images}/{taken.name}", "w": taken.size[0], "h": taken.size[1]}
        frames.append({**path, **values, "transform_matrix": pose.tolist()})
    (folder / "transforms.json").write_text(json.dumps({"camera_model": "OPENCV", "frames": frames}))


def opencv_cameras(photographs: Sequence[Photograph]) -> list[dict[str, Any]]:
    cameras = []
    for taken in photographs:
        matrix = [[taken.focal[0], 0.0, taken.principal[0]], [0.0, taken.focal[1], taken.principal[1]], [0.0, 0.0, 1.0]]
        values = {"K": matrix, "dist": list(taken.lens[:5]), "R": taken.rotation.tolist()}
        cameras.append({"image": taken.name, **values, "t": taken.translation.tolist()})
    return cameras


def yaml_matrix(values: Any) -> str:
    array = np.atleast_2d(np.asarray(values, np.float64))
    data = ", ".join(repr(float(number)).removesuffix("0") for number in array.ravel())
    lines = ["!!opencv-matrix", f"rows: {array.shape[0]}", f"cols: {array.shape[1]}", "dt: d", f"data: [ {data} ]"]
    return ("\n" + 9 * " ").join(lines)


def opencv_yaml(photographs: Sequence[Photograph]) -> str:
    """As cv::FileStorage writes a list of mappings."""
    text = "%YAML:1.0\n---\ncameras:\n"
    for camera in opencv_cameras(photographs):
        text += f'   -\n      image: "{camera["image"]}"\n'
        text += "".join(f"      {key}: {yaml_matrix(camera[key])}\n" for key in ("K", "dist", "R", "t"))
    return text


def _words(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
