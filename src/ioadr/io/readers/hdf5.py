"""HDF5: the old HCI archive's `lf.h5` (dataset LF, attributes dH, focalLength, shift …) and any array of views."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.io.array_layout import chosen_array, find_layout
from ioadr.io.axes import array_capture
from ioadr.io.capture import Capture
from ioadr.io.decoding.hdf5_chunks import Dataset
from ioadr.io.options import ReadOptions
from ioadr.io.registry import Format
from ioadr.io.safety.doors import damage_explained, required, starts_with
from ioadr.io.safety.limits import check_packing

MAGIC = b"\x89HDF\r\n\x1a\n"
MOST_NAMES = 10_000
"""Largest number of names that are examined; a file of views has a few."""
SENSOR_MM = 36.0
"""The archive gives the focal length in pixels; any sensor size expresses it."""


def recognise(path: Path, options: ReadOptions) -> bool:
    return starts_with(path, MAGIC)


def open_file(path: Path, options: ReadOptions) -> Capture:
    """The dataset LF, or the largest one that can hold views."""
    h5py = required("h5py", path)
    with damage_explained(path, "an HDF5 file with views"):
        file = h5py.File(path, "r")
        dataset, note = find_dataset(path, file, options)
        attributes = {key: _number(value) for key, value in file.attrs.items()}
        capture = array_capture(path, "hdf5", dataset, find_layout(path, dataset.shape, options), options)
    capture = capture.noted(note) if note else capture
    return _archive(capture, attributes) if attributes.get("dH") else capture


FORMAT = Format("hdf5", "HDF5 file (old HCI archive lf.h5, or an array of views)", recognise, open_file)


def find_dataset(path: Path, file: Any, options: ReadOptions, reverse: bool = False) -> tuple[Dataset, str | None]:
    """The dataset of views, stored in this file, and a note on others; MATLAB's axes are reversed."""
    shapes = {name: file[name].shape[:: -1 if reverse else 1] for name in _names(file) if _is_plain(file, name)}
    name, note = chosen_array(path, shapes, "LF", options)
    if name is None:
        raise InputError(
            f"{path}: has no dataset LF of views in the file itself (links and data in other files are not followed); "
            f"it holds {', '.join(list(file)[:8]) or 'nothing'}. "
            "Store the views as [rows, columns, height, width, channels]."
        )
    dataset = file[name]
    # A chunk is unpacked as a whole, and may be larger than the dataset.
    declared = max(dataset.size, math.prod(dataset.chunks or (1,))) * dataset.dtype.itemsize
    check_packing(path, declared, dataset.id.get_storage_size())
    return Dataset(path, dataset), note


def _names(file: Any) -> list[str]:
    """Names of everything in the file, also inside groups; MATLAB's group #refs# holds parts of other variables."""
    names: list[str] = []

    def visit(name: str) -> bool | None:
        names.append(name)
        return True if len(names) == MOST_NAMES else None

    file.visit(visit)  # follows no soft or external links, and visits each object once
    return [name for name in names if not name.startswith("#")]


def _is_plain(file: Any, name: str) -> bool:
    """Whether a dataset holds numbers in the file itself: links and external or virtual storage could lead anywhere."""
    import h5py

    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        return False
    item = file[name]
    if not isinstance(item, h5py.Dataset) or len(item.shape or ()) not in (3, 4, 5) or item.dtype.kind not in "uif":
        return False
    return not item.external and not item.is_virtual


def _archive(capture: Capture, attributes: dict[str, float | None]) -> Capture:
    """The old archive: columns run right to left; disparity = dH·focalLength / depth − shift, focalLength in px."""
    capture = capture.flipped(axis=1).noted("old HCI archive: columns of views reversed on reading")
    baseline, focal, shift = (attributes.get(key) for key in ("dH", "focalLength", "shift"))
    vertical = attributes.get("dV")
    if vertical is not None and baseline is not None and vertical != baseline:
        if not min(vertical, baseline) > 0:
            raise InputError(
                f"{capture.path}: expected positive camera distances dH and dV, found {baseline:g} and {vertical:g}. "
                "Correct the attributes, or convert the array alone."
            )
        capture = capture.with_(eta=(vertical / baseline, 1.0))
        capture = capture.noted(f"rows of views are dV = {vertical:g} apart, columns dH = {baseline:g} (⟦eta⟧)")
    if not (baseline and focal and shift and min(baseline, focal, shift) > 0):
        return capture.noted("no complete camera in dH, focalLength and shift: depth is relative")
    longer = max(capture.width, capture.height)
    camera = Camera(
        focal_length_mm=focal * SENSOR_MM / longer,
        sensor_size_mm=SENSOR_MM,
        baseline_mm=1000.0 * baseline,
        focus_distance_m=baseline * focal / shift,
        width=capture.width,
        height=capture.height,
    )
    return capture.with_(camera=camera).noted("depth in the unit of dH")


def _number(value: Any) -> float | None:
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "uif" or not np.isfinite(array).all():
        return None
    return float(array.reshape(()))
