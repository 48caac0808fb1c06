"""Metadata of the project's own light field files: one JSON object.

`ioadr convert` writes it into NPZ and Zarr, so that all properties of a `LightField` can be read back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera, Matrix, matrix
from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.lightfield import DisparityRange, LightField
from ioadr.part import Part, Window

VIEWS = "views"
KIND = "ioadr light field"
VERSION = 1
KEYS = ("kind", "version", "name", "camera", "reference", "eta", "range", "positions", "present", "white", "part")


def describe(lightfield: LightField) -> dict[str, Any]:
    """Everything except the views."""
    limits = lightfield.range
    return {
        "kind": KIND,
        "version": VERSION,
        "name": lightfield.name,
        "camera": lightfield.camera.numbers if lightfield.camera else None,
        "reference": list(lightfield.reference),
        "eta": list(lightfield.eta),
        "range": [limits.minimum, limits.maximum] if limits else None,
        "positions": lightfield.layout.stored_positions.tolist(),
        "present": lightfield.present.tolist(),
        "white": lightfield.white,
        "part": None if lightfield.part.is_whole else part_numbers(lightfield.part),
    }


def part_numbers(part: Part) -> list[int]:
    """Top and left of a part, height and width of the whole."""
    return [part.window.top, part.window.left, part.height, part.width]


def described(capture: Capture, data: Any) -> Capture:
    """The capture, completed by a description; refused if it does not fit."""
    if not isinstance(data, Mapping) or data.get("kind") != KIND or data.get("version") != VERSION:
        refuse(capture.path, f'"kind": "{KIND}", "version": {VERSION}', data)
    unknown = sorted(str(key) for key in data if key not in KEYS)
    if unknown:
        capture = capture.noted(f"the file has unused entries: {', '.join(unknown[:6])}")
    rows, columns = capture.grid
    reference = numbers_in(capture.path, data, "reference", (2,))
    eta = numbers_in(capture.path, data, "eta", (2,))
    limits = numbers_in(capture.path, data, "range", (2,))
    present = numbers_in(capture.path, data, "present", (rows, columns))
    white = numbers_in(capture.path, data, "white", ())
    capture = with_camera(capture, data)
    return capture.with_(
        available=capture.available if present is None else present.astype(bool),
        positions=positions_in(capture.path, data, (rows, columns)),
        reference=None if reference is None else _view_number(capture, reference),
        range=None if limits is None else range_from(capture.path, limits),
        eta=None if eta is None else (float(eta[0]), float(eta[1])),
        white=None if white is None else float(white),
        name=str(data["name"]) if data.get("name") else None,
        trusted=True,
    )


def range_from(path: Path, limits: NDArray[np.float64]) -> DisparityRange:
    """A disparity range from a file; an error names the file."""
    try:
        return DisparityRange(float(limits[0]), float(limits[1]), "file")
    except InputError as error:
        raise InputError(f"{path}: {error.marked}") from error


def with_camera(capture: Capture, data: Mapping[str, Any]) -> Capture:
    """The capture with the camera of a description, and the part of the camera's image that it shows."""
    path, size = capture.path, (capture.height, capture.width)
    values, part = data.get("camera"), numbers_in(path, data, "part", (4,))
    if values and isinstance(values, Mapping) and "origin" in values:
        values, stored = without_origin(path, values, size)
    elif part is not None:
        top, left, height, width = (int(number) for number in part)
        stored = Part(Window(0, 0, *size).moved(top, left), height, width)
    else:
        stored = Part.whole(*size)
    window = stored.window
    if not (window.top >= 0 and window.bottom <= stored.height and window.left >= 0 and window.right <= stored.width):
        refuse(path, f"a part of {size[1]}×{size[0]} px inside its whole", part_numbers(stored))
    return capture.with_(camera=camera_from(path, values) if values else None, stored_part=stored)


def without_origin(path: Path, camera: Mapping[str, Any], size: tuple[int, int]) -> tuple[dict[str, Any], Part]:
    """Camera and part from a camera written by 0.1, which held the first pixel of the views."""
    values = dict(camera)
    origin = values.pop("origin")
    if not (isinstance(origin, Sequence) and len(origin) == 2 and all(map(_is_number, origin))):
        refuse(path, "a camera origin of two numbers", origin)
    if not all(_is_number(values.get(name)) for name in ("height", "width")):
        refuse(path, "a camera with numbers for width, height", camera)
    whole = [max(int(values["height"]), size[0]), max(int(values["width"]), size[1])]
    # What is left of a scaled image's origin does not come out even.
    top, left = (min(max(round(origin[axis]), 0), whole[axis] - size[axis]) for axis in (0, 1))
    values["axis_offset"] = [top - origin[0], left - origin[1]]
    return values, Part(Window(0, 0, *size).moved(top, left), whole[0], whole[1])


def camera_from(path: Path, data: Any) -> Camera:
    """A camera from a table of its numbers."""
    if not isinstance(data, Mapping):
        refuse(path, "a table of camera numbers", data)
    values = dict(data)
    offset = values.pop("axis_offset", (0.0, 0.0))
    metric, world = values.pop("metric", True), _world(path, values)
    names = ("focal_length_mm", "sensor_size_mm", "baseline_mm", "focus_distance_m", "width", "height")
    lacking = [name for name in names if not _is_number(values.get(name))]
    if lacking or set(values) - set(names):
        refuse(path, f"a camera with numbers for {', '.join(names)}", data)
    if not (isinstance(offset, Sequence) and len(offset) == 2 and all(map(_is_number, offset))):
        refuse(path, "an axis_offset of two numbers", offset)
    sizes = {"width": int(values.pop("width")), "height": int(values.pop("height"))}
    try:
        return Camera(
            **values, **sizes, axis_offset=(float(offset[0]), float(offset[1])), world=world, metric=bool(metric)
        )
    except InputError as error:
        raise InputError(f"{path}: {error.marked}") from error


def _world(path: Path, values: dict[str, Any]) -> Matrix | None:
    """The pose of a table of camera numbers, taken out of it."""
    rows = numbers_in(path, values, "world", (3, 4))
    values.pop("world", None)
    return None if rows is None else matrix(rows)


def numbers_in(path: Path, data: Mapping[str, Any], key: str, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    """The numbers of a key, which must have this shape; None if it is absent."""
    if data.get(key) is None:
        return None
    try:
        values = np.asarray(data[key], dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != shape or not np.isfinite(values).all():
        refuse(path, f"finite numbers of shape {shape} for {key}", data[key])
    return values


def positions_in(path: Path, data: Mapping[str, Any], shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    """[…, 2] (row, column), or […, 3] where the third is not 0 everywhere."""
    try:
        axes = np.shape(data.get("positions", ()))[-1:]
    except ValueError:
        axes = ()
    positions = numbers_in(path, data, "positions", (*shape, 3 if axes == (3,) else 2))
    return positions if positions is None or positions[..., 2:].any() else positions[..., :2]


def _view_number(capture: Capture, reference: NDArray[np.float64]) -> int:
    row, column = (int(value) for value in reference)
    if not (0 <= row < capture.grid[0] and 0 <= column < capture.grid[1]):
        refuse(capture.path, f"a reference view of the {capture.grid[0]}×{capture.grid[1]} grid", [row, column])
    return int(capture.index[row, column])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def refuse(path: Path, expected: str, found: Any) -> NoReturn:
    """Raise an error that says what the file should contain."""
    text = repr(found)
    raise InputError(
        f"{path}: expected {expected}, found {text[:80]}{' …' if len(text) > 80 else ''}. Correct it, or convert again."
    )
