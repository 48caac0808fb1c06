"""What the project's own light field files say beside the samples: one JSON object.

Written by `ioadr convert` into NPZ and Zarr, so that everything a `LightField` knows reads back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.lightfield import DisparityRange, LightField

VIEWS = "views"
KIND = "ioadr light field"
VERSION = 1


def description(lightfield: LightField) -> dict[str, Any]:
    """Everything but the views."""
    assert lightfield.positions is not None
    assert lightfield.present is not None
    limits = lightfield.range
    return {
        "kind": KIND,
        "version": VERSION,
        "name": lightfield.name,
        "camera": asdict(lightfield.camera) if lightfield.camera else None,
        "reference": list(lightfield.reference or ()),
        "eta": list(lightfield.eta),
        "range": [limits.minimum, limits.maximum] if limits else None,
        "positions": lightfield.positions.tolist(),
        "present": lightfield.present.tolist(),
        "white": lightfield.white,
    }


def described(capture: Capture, data: Any) -> Capture:
    """The capture with what a description adds; refuses one that does not fit."""
    if not isinstance(data, Mapping) or data.get("kind") != KIND or data.get("version") != VERSION:
        refuse(capture.path, f'"kind": "{KIND}", "version": {VERSION}', data)
    rows, columns = capture.grid
    reference = numbers_in(capture.path, data, "reference", (2,))
    eta = numbers_in(capture.path, data, "eta", (2,))
    limits = numbers_in(capture.path, data, "range", (2,))
    present = numbers_in(capture.path, data, "present", (rows, columns))
    white = numbers_in(capture.path, data, "white", ())
    return capture.with_(
        available=capture.available if present is None else present.astype(bool),
        positions=numbers_in(capture.path, data, "positions", (rows, columns, 2)),
        reference=None if reference is None else _view_number(capture, reference),
        camera=camera_from(capture.path, data["camera"]) if data.get("camera") else None,
        range=None if limits is None else range_from(capture.path, limits),
        eta=None if eta is None else (float(eta[0]), float(eta[1])),
        white=None if white is None else float(white),
        name=str(data["name"]) if data.get("name") else None,
        trusted=True,
    )


def range_from(path: Path, limits: NDArray[np.float64]) -> DisparityRange:
    """A range of the file; what is wrong with it is said of the file."""
    try:
        return DisparityRange(float(limits[0]), float(limits[1]), "file")
    except InputError as error:
        raise InputError(f"{path}: {error.marked}") from error


def camera_from(path: Path, data: Any) -> Camera:
    """A camera from a table of its numbers."""
    if not isinstance(data, Mapping):
        refuse(path, "a table of camera numbers", data)
    values = dict(data)
    origin = values.pop("origin", (0.0, 0.0))
    names = ("focal_length_mm", "sensor_size_mm", "baseline_mm", "focus_distance_m", "width", "height")
    lacking = [name for name in names if not _is_number(values.get(name))]
    if lacking or set(values) - set(names):
        refuse(path, f"a camera with numbers for {', '.join(names)}", data)
    if not (isinstance(origin, Sequence) and len(origin) == 2 and all(map(_is_number, origin))):
        refuse(path, "a camera origin of two numbers", origin)
    sizes = {"width": int(values.pop("width")), "height": int(values.pop("height"))}
    try:
        return Camera(**values, **sizes, origin=(float(origin[0]), float(origin[1])))
    except InputError as error:
        raise InputError(f"{path}: {error.marked}") from error


def numbers_in(path: Path, data: Mapping[str, Any], key: str, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    """The numbers of a key, of this very shape, or None where it has none."""
    if data.get(key) is None:
        return None
    try:
        values = np.asarray(data[key], dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != shape or not np.isfinite(values).all():
        refuse(path, f"finite numbers of shape {shape} for {key}", data[key])
    return values


def _view_number(capture: Capture, reference: NDArray[np.float64]) -> int:
    row, column = (int(value) for value in reference)
    if not (0 <= row < capture.grid[0] and 0 <= column < capture.grid[1]):
        refuse(capture.path, f"a reference view of the {capture.grid[0]}×{capture.grid[1]} grid", [row, column])
    return int(capture.index[row, column])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def refuse(path: Path, expected: str, found: Any) -> NoReturn:
    """Says what a file should have held."""
    text = repr(found)
    raise InputError(
        f"{path}: expected {expected}, found {text[:80]}{' …' if len(text) > 80 else ''}. Correct it, or convert again."
    )
