"""`lightfield.toml`: files, positions and camera of a light field in any other arrangement.

    files = "cam_{index:02d}.png"          # or {row} and {col}, or a list of names, "" where a view is missing
    grid = [3, 4]                          # rows, columns of the counted files; without it, positions are needed
    positions = [[0.0, 0.0], [0.0, 1.0]]   # (row, column) of each file, rows downwards, in baseline units …
                                           # a third number is towards the scene
                                           # files by {row} and {col} come row by row
    unit = 1.0                             # … or in another unit: how many of it make one baseline unit
    reference = 5                          # which file, from 0
    range = [-2.0, 2.0]                    # disparities, px per baseline unit

    [camera]                               # without it depth is relative
    focal_length_mm = 100.0
    sensor_size_mm = 35.0                  # of the larger image side
    baseline_mm = 25.0                     # one baseline unit
    focus_distance_m = 4.25                # where the disparity is zero

`name`, `eta`, `white` and `order` (of counting) may be given as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError, unknown
from ioadr.io.capture import MOST_VIEWS, Capture
from ioadr.io.description import numbers_in, positions_in, range_from, refuse, with_camera
from ioadr.io.file_places import Places, placed_by_pattern
from ioadr.io.options import ORDERS, ReadOptions
from ioadr.io.readers.folder import counted_capture, placed_capture
from ioadr.io.registry import Format
from ioadr.io.safety.doors import small_toml

FILE_NAME = "lightfield.toml"
KEYS = {"name", "files", "grid", "order", "positions", "unit", "reference", "range", "eta", "white", "camera", "part"}
SHORT_STEP = 0.2
"""Distance between neighbouring views, in baseline units, below which a note is given; and above its inverse. With 0.1
(mixed-7, 5×5 views, `fast`), the median error is 2.4 times that with 1."""


def recognise(path: Path, options: ReadOptions) -> bool:
    return (path.suffix == ".toml" and path.is_file()) or (path / FILE_NAME).is_file()


def open_manifest(path: Path, options: ReadOptions) -> Capture:
    """The light field that the manifest describes."""
    file = path / FILE_NAME if path.is_dir() else path
    data = _parsed(file)
    places = _places(file, data)
    options = _arranged(file, data, options)
    capture = _gridded(file, data, places, options) if places.grid else _counted(file, data, places, options)
    return _with_camera(_with_numbers(capture, data), data)


FORMAT = Format("manifest", "manifest (lightfield.toml)", recognise, open_manifest)


def _parsed(file: Path) -> Mapping[str, Any]:
    data = small_toml(file, "a TOML file", "Correct it; docs/formats.md shows the keys.")
    wrong = sorted(set(data) - KEYS)
    if wrong:
        raise unknown("key", wrong[0], sorted(KEYS), f"{file}: ")
    if "files" not in data:
        raise InputError(f'{file}: has no files. Name them, as in files = "cam_{{index:02d}}.png".')
    return data


def _places(file: Path, data: Mapping[str, Any]) -> Places:
    """Images by (row, column) or by number; none may lie outside the manifest's folder."""
    folder, named = file.parent, data["files"]
    if isinstance(named, str):
        places = placed_by_pattern(folder, named)
    elif isinstance(named, list) and 0 < len(named) <= MOST_VIEWS and all(isinstance(name, str) for name in named):
        places = Places({}, {number: folder / name for number, name in enumerate(named) if name})
    else:
        refuse(file, "files as a pattern or a list of names", named)
    images = [*places.grid.values(), *places.counted.values()]
    if not images:
        refuse(file, "at least one file", named)
    for image in images:
        if not image.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"{file}: {image} is outside the manifest's folder. Move the image or the manifest.")
    return places


def _arranged(file: Path, data: Mapping[str, Any], options: ReadOptions) -> ReadOptions:
    """The options, completed by the manifest's grid and order."""
    given, order = numbers_in(file, data, "grid", (2,)), data.get("order", "row")
    if given is not None and not np.array_equal(given, np.maximum(given // 1, 1)):
        refuse(file, "whole rows and columns for grid", data["grid"])
    if order not in ORDERS:
        refuse(file, f"order as one of {', '.join(ORDERS)}", order)
    grid = options.grid or (None if given is None else (int(given[0]), int(given[1])))
    return replace(options, grid=grid, order=options.order or order)


def _gridded(file: Path, data: Mapping[str, Any], places: Places, options: ReadOptions) -> Capture:
    """Files by row and column; positions are given in the order of rows, then columns."""
    if places.counted and options.grid:
        return _counted(file, data, Places({}, places.counted, places.notes), options)
    if data.get("order", "row") != "row":
        refuse(file, "no order, because the file names have {row} and {col}", data["order"])
    capture = placed_capture("manifest", file, places, options)
    return _positioned(capture, _positions(file, data, len(places.grid)), capture.available)


def _counted(file: Path, data: Mapping[str, Any], places: Places, options: ReadOptions) -> Capture:
    """Counted files: on the grid that is given, else in one row, placed by their positions."""
    is_list = isinstance(data["files"], list)
    count = len(data["files"]) if is_list else len(places.counted)
    positions = _positions(file, data, count)
    if options.grid is None and positions is not None:
        if options.counting != "row":
            refuse(file, "a grid for the order, because positions alone arrange the views", options.order)
        options = replace(options, grid=(1, count))
    if is_list or positions is not None:
        files = dict(enumerate(places.counted[number] for number in sorted(places.counted)))
        capture = counted_capture("manifest", file, places.counted if is_list else files, count, options)
    else:
        capture = placed_capture("manifest", file, places, options)
    return _positioned(capture, positions, np.ones(capture.grid, bool))


def _positioned(capture: Capture, positions: NDArray[np.float64] | None, where: NDArray[np.bool_]) -> Capture:
    """The capture with the positions of its files in the order of their numbers."""
    if positions is None:
        return capture
    placed = np.zeros((*capture.grid, positions.shape[1]))
    placed[where] = positions[np.argsort(np.argsort(capture.index[where]))]
    # Who gives positions knows the order; and the test of the order expects a grid.
    return _in_steps(capture.with_(positions=placed, trusted=True), positions[:, :2])


def _in_steps(capture: Capture, positions: NDArray[np.float64]) -> Capture:
    """The capture, with a note if the positions [V, 2] are in a unit far from the distance between neighbours."""
    away = np.hypot(*(positions[:, None] - positions).transpose(2, 0, 1))
    step = float(np.median(np.where(away > 0, away, np.inf).min(axis=1)))
    if not np.isfinite(step) or SHORT_STEP <= step <= 1 / SHORT_STEP:
        return capture
    return capture.noted(
        f"neighbouring views are {step:.3g} baseline units apart, but the method and its confidence suit steps of "
        "about 1: give the distance between neighbours as `unit` in the manifest (disparities then count per step)"
    )


def _positions(file: Path, data: Mapping[str, Any], count: int) -> NDArray[np.float64] | None:
    positions, unit = positions_in(file, data, (count,)), numbers_in(file, data, "unit", ())
    if unit is None:
        return positions
    if positions is None or not unit > 0:
        refuse(file, "a positive unit, together with positions", data["unit"])
    return positions / unit


def _with_numbers(capture: Capture, data: Mapping[str, Any]) -> Capture:
    path = capture.path
    limits, eta = numbers_in(path, data, "range", (2,)), numbers_in(path, data, "eta", (2,))
    white, reference = numbers_in(path, data, "white", ()), numbers_in(path, data, "reference", ())
    # Of files by row and column those that are there are counted.
    numbers = capture.index[capture.available] if not capture.counted else np.arange(capture.index.size)
    if reference is not None and reference not in range(len(numbers)):
        refuse(path, f"reference as the number of a file, 0 … {len(numbers) - 1}", data["reference"])
    return capture.with_(
        range=None if limits is None else range_from(path, limits),
        eta=None if eta is None else (float(eta[0]), float(eta[1])),
        white=None if white is None else float(white),
        reference=None if reference is None else int(numbers[int(reference)]),
        name=str(data["name"]) if "name" in data else path.resolve().parent.name if path.name == FILE_NAME else None,
    )


def _with_camera(capture: Capture, data: Mapping[str, Any]) -> Capture:
    numbers = data.get("camera")
    if isinstance(numbers, Mapping):
        numbers = {"width": capture.width, "height": capture.height} | dict(numbers)
    return with_camera(capture, {**data, "camera": numbers})
