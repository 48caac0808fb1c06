"""COLMAP models with their images: hand-held photographs, arrays calibrated by structure from motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.options import ReadOptions
from ioadr.io.poses.colmap_model import Model, model_folder, read_model
from ioadr.io.poses.photographs import Photograph, PosedPhotographs, inside, photograph
from ioadr.io.poses.posed_capture import posed_capture
from ioadr.io.registry import Format

IMAGES = ("images", "input", ".")
SIGHTINGS = 3
"""Views that must have seen a point before it is believed."""


def recognise(path: Path, options: ReadOptions) -> bool:
    return path.is_dir() and options.pattern is None and model_folder(path) is not None


def open_model(path: Path, options: ReadOptions) -> Capture:
    """The photographs of a model as a light field."""
    folder = model_folder(path)
    if folder is None:
        raise InputError(f"{path}/: holds no COLMAP model (cameras and images, .bin or .txt, in it or in sparse/0).")
    model = read_model(folder)
    images = _image_folder(path, folder, model)
    photographs = []
    for shot in sorted(model.shots, key=lambda shot: shot.name):
        if shot.camera not in model.cameras:
            raise InputError(f"{folder}: {shot.name} names camera {shot.camera}, which the model does not have.")
        numbers, pose = model.cameras[shot.camera], (shot.rotation, shot.translation)
        photographs.append(photograph(shot.name, inside(images, shot.name, folder), numbers, pose, folder))
    points = model.points if len(model.points) else triangulated(model, photographs)
    notes = () if folder == path else (f"COLMAP model in {folder.relative_to(path)}, images in {images.name}",)
    return posed_capture("colmap", PosedPhotographs(path, photographs, points, notes), options)


FORMAT = Format("colmap", "COLMAP model with images", recognise, open_model)


def _image_folder(path: Path, folder: Path, model: Model) -> Path:
    """The folder near the model that holds most of its images."""
    around = [path, folder, *list(folder.parents)[:2]]
    places = [place / name for place in around for name in IMAGES if (place / name).is_dir()]
    names = [shot.name for shot in model.shots]
    return max(places, key=lambda place: sum((place / name).is_file() for name in names), default=path)


def triangulated(model: Model, photographs: list[Photograph]) -> NDArray[np.float64]:
    """[P, 3] of the points that several images observed, for models without points."""
    by_name = {taken.name: taken for taken in photographs}
    numbers, origins, rays = [], [], []
    for shot in model.shots:
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
    known = (count >= SIGHTINGS) & (np.linalg.cond(normal) < 1e5)
    return np.asarray(np.linalg.solve(normal[known], target[known][:, :, None])[:, :, 0])
