"""COLMAP models with their images: hand-held photographs, arrays calibrated by structure from motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.file_places import listed
from ioadr.io.options import ReadOptions
from ioadr.io.poses.colmap_model import UNDERSTOOD, Model, model_folders, read_model
from ioadr.io.poses.photographs import Photograph, PosedPhotographs, image_inside, photograph
from ioadr.io.poses.posed_capture import read_posed
from ioadr.io.poses.rig import FEWEST
from ioadr.io.registry import Format

IMAGES = ("images", "input", ".", "images_2", "images_4", "images_8")
SIGHTINGS = 3
"""Smallest number of views of a point that is used."""


def recognise(path: Path, options: ReadOptions) -> bool:
    return path.is_dir() and options.pattern is None and bool(model_folders(path))


def open_model(path: Path, options: ReadOptions) -> Capture:
    """The photographs of a model as a light field."""
    folders = model_folders(path)
    if not folders:
        raise InputError(f"{path}/: holds no COLMAP model (cameras and images, .bin or .txt, in it or in sparse/0).")
    models = {folder: read_model(folder) for folder in folders}
    folder = max(models, key=lambda folder: len(models[folder].shots))
    model = models[folder]
    images = _image_folder(path, folder, model)
    photographs, left_out = _photographs(folder, images, model)
    points = model.points if len(model.points) else triangulated(model, photographs)
    notes = [] if folder == path else [f"COLMAP model in {folder.relative_to(path)}, images in {images.name}"]
    if len(models) > 1:
        sizes = listed([f"{other.relative_to(path)} of {len(models[other].shots)} images" for other in models])
        notes.append(f"{len(models)} unconnected models: {sizes}; name another folder to read that")
    posed = PosedPhotographs(path, photographs, points, tuple(notes), left_out)
    return read_posed("colmap", posed, options)


FORMAT = Format("colmap", "COLMAP model with images", recognise, open_model)


def _photographs(folder: Path, images: Path, model: Model) -> tuple[list[Photograph], tuple[tuple[str, str], ...]]:
    """Photographs whose lens is supported, and the names of the others."""
    photographs, left_out = [], []
    for shot in sorted(model.shots, key=lambda shot: shot.name):
        if shot.camera not in model.cameras:
            raise InputError(f"{folder}: {shot.name} names camera {shot.camera}, which the model does not have.")
        numbers, pose = model.cameras[shot.camera], (shot.rotation, shot.translation)
        if isinstance(numbers, str):
            left_out.append((shot.name, numbers))
        else:
            photographs.append(photograph(shot.name, image_inside(images, shot.name, folder), numbers, pose, folder))
    if len(photographs) < FEWEST <= len(left_out):
        reasons = sorted({why for _, why in left_out})
        raise InputError(
            f"{folder}: {len(left_out)} of {len(model.shots)} photographs are of cameras {listed(reasons)}; supported "
            f"are {', '.join(UNDERSTOOD)}. Undistort the images first, with `colmap image_undistorter`."
        )
    return photographs, tuple(left_out)


def _image_folder(path: Path, folder: Path, model: Model) -> Path:
    """The folder near the model that holds most of its images."""
    around = [path, folder, *list(folder.parents)[:2]]
    folders = [parent / name for parent in around for name in IMAGES if (parent / name).is_dir()]

    def held(parent: Path) -> tuple[int, bool]:
        exact = sum((parent / shot.name).is_file() for shot in model.shots)
        return exact, exact > 0 or image_inside(parent, model.shots[0].name, folder) is not None

    return max(folders, key=held, default=path) if model.shots else path


def triangulated(model: Model, photographs: list[Photograph]) -> NDArray[np.float64]:
    """Points [P, 3] triangulated from the observations of several images, for models without points."""
    by_name = {taken.name: taken for taken in photographs}
    numbers, origins, rays = [], [], []
    for shot in model.shots:
        if shot.name not in by_name:
            continue
        seen, taken = shot.observations[shot.observations["point"] >= 0], by_name[shot.name]
        directions = taken.rays(np.stack([seen["x"] - 0.5, seen["y"] - 0.5], axis=1)) @ taken.rotation
        numbers.append(seen["point"])
        rays.append(directions / np.linalg.norm(directions, axis=1, keepdims=True))
        origins.append(np.broadcast_to(taken.centre, directions.shape))
    if not numbers:
        return np.empty((0, 3))
    _, point, count = np.unique(np.concatenate(numbers), return_inverse=True, return_counts=True)
    lines = np.concatenate(rays)
    across = np.eye(3) - lines[:, :, None] * lines[:, None, :]
    normal, target = np.zeros((len(count), 3, 3)), np.zeros((len(count), 3))
    np.add.at(normal, point, across)
    np.add.at(target, point, (across @ np.concatenate(origins)[:, :, None])[:, :, 0])
    placed = (count >= SIGHTINGS) & (np.linalg.cond(normal) < 1e5)
    return np.asarray(np.linalg.solve(normal[placed], target[placed][:, :, None])[:, :, 0])
