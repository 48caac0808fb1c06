"""`poses_bounds.npy` with its images, as in LLFF and the forward-facing scenes of NeRF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.geometry.lens import Lens
from ioadr.io.capture import MOST_VIEWS, Capture
from ioadr.io.file_places import images_in
from ioadr.io.options import ReadOptions
from ioadr.io.poses.photographs import Photograph, PosedPhotographs, photograph
from ioadr.io.poses.posed_capture import read_posed
from ioadr.io.registry import Format

FILE_NAME = "poses_bounds.npy"
FOLDERS = ("images", "images_2", "images_4", "images_8")
"""Folders of images; the first one that exists is read."""
NUMBERS = 17
"""Number of values per image: 3×5 for pose and camera, then the nearest and the farthest depth."""
RAYS = 5
"""Points per image side, placed at the depth bounds, that stand for the scene."""


def recognise(path: Path, options: ReadOptions) -> bool:
    return path.is_dir() and (path / FILE_NAME).is_file()


def open_llff(path: Path, options: ReadOptions) -> Capture:
    """The images as a light field; depth bounds give the disparity range."""
    file = path / FILE_NAME
    table = _table(file)
    folder = next((path / name for name in FOLDERS if (path / name).is_dir()), None)
    images = images_in(folder) if folder else []
    if len(images) != len(table):
        raise InputError(
            f"{file}: has poses of {len(table)} images, but there are {len(images)} in "
            f"{folder.name if folder else FOLDERS[0]}. Restore the images, or make the poses again."
        )
    photographs = [_photograph(file, image, row[:15].reshape(3, 5)) for image, row in zip(images, table, strict=True)]
    points = np.concatenate([_bounds(taken, row[15:]) for taken, row in zip(photographs, table, strict=True)])
    notes = (f"poses of {FILE_NAME} for {len(images)} images in name order; its depth bounds give the disparity range",)
    return read_posed("llff", PosedPhotographs(path, photographs, points, notes), options)


FORMAT = Format("llff", "poses_bounds.npy of LLFF with images", recognise, open_llff)


def _table(file: Path) -> NDArray[np.float64]:
    table = np.load(file, mmap_mode="r", allow_pickle=False)
    if table.ndim != 2 or table.shape[1] != NUMBERS or table.dtype.kind != "f" or len(table) > MOST_VIEWS:
        raise InputError(
            f"{file}: expected {NUMBERS} numbers for each of at most {MOST_VIEWS} images, found an array of "
            f"{table.dtype} {table.shape}. Make the poses again."
        )
    if not np.isfinite(table).all() or not ((table[:, 15] > 0) & (table[:, 15] < table[:, 16])).all():
        raise InputError(
            f"{file}: has numbers that are not finite, or depth bounds that are not 0 < near < far. Make them again."
        )
    return table.astype(np.float64)


def _photograph(file: Path, image: Path, pose: NDArray[np.float64]) -> Photograph:
    """Photograph of one image. Columns: the camera's axes down, right and back, its position; height, width, focal."""
    down, right, back, centre, (height, width, focal) = pose.T
    rotation = np.stack([right, down, -back])
    camera = width, height, focal, focal, 0.5 * width - 0.5, 0.5 * height - 0.5, Lens()
    return photograph(image.name, image, camera, (rotation, -rotation @ centre), file)


def _bounds(taken: Photograph, depths: NDArray[np.float64]) -> NDArray[np.float64]:
    """[P, 3]: points on rays of a photograph at its nearest and farthest depth, in the world."""
    x, y = (np.linspace(0.0, side - 1.0, RAYS) for side in taken.size)
    rays = taken.rays(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2))
    local = np.concatenate([rays * depth for depth in depths])
    return np.asarray(local @ taken.rotation + taken.centre)
