"""`lightfield.toml`: files, positions and camera of a light field in any other arrangement.

    files = "cam_{index:02d}.png"          # or {row} and {col}, or a list of names, "" where a view is missing
    grid = [3, 4]                          # rows, columns of the counted files; without it positions place them
    positions = [[0.0, 0.0], [0.0, 1.0]]   # (row, column) of each file, rows downwards, in baseline units …
    unit = 1.0                             # … or in what this many of make one baseline unit
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

from ioadr.errors import InputError
from ioadr.io.capture import MOST_VIEWS, Capture
from ioadr.io.description import numbers_in, range_from, refuse, with_camera
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.readers.folder import counted_capture, file_capture, files_by_pattern
from ioadr.io.registry import Format
from ioadr.io.safety.doors import small_toml

FILE_NAME = "lightfield.toml"
KEYS = {"name", "files", "grid", "order", "positions", "unit", "reference", "range", "eta", "white", "camera", "part"}


def recognise(path: Path, options: ReadOptions) -> bool:
    return (path.suffix == ".toml" and path.is_file()) or (path / FILE_NAME).is_file()


def open_manifest(path: Path, options: ReadOptions) -> Capture:
    """The light field that the manifest describes."""
    file = path / FILE_NAME if path.is_dir() else path
    data = _parsed(file)
    files = _files(file, data)
    if len(next(iter(files))) == 2:
        capture = file_capture("manifest", file, {(key[0], key[1]): name for key, name in files.items()})
    else:
        count = len(data["files"]) if isinstance(data["files"], list) else len(files)
        capture = _listed(file, data, _numbered(files, data), count, options)
    return _with_camera(_with_numbers(capture, data), data)


FORMAT = Format("manifest", "manifest (lightfield.toml)", recognise, open_manifest)


def _parsed(file: Path) -> Mapping[str, Any]:
    data = small_toml(file, "a TOML file", "Correct it; docs/formats.md shows the keys.")
    unknown = sorted(set(data) - KEYS)
    if unknown or "files" not in data:
        refuse(file, f"files and any of {', '.join(sorted(KEYS - {'files'}))}", ", ".join(unknown) or "no files")
    return data


def _files(file: Path, data: Mapping[str, Any]) -> Mapping[tuple[int, ...], Path]:
    """(row, column) or (number,) → image; none may lie outside the manifest's folder."""
    folder, named = file.parent, data["files"]
    if isinstance(named, str):
        found = files_by_pattern(folder, named)
    elif isinstance(named, list) and 0 < len(named) <= MOST_VIEWS and all(isinstance(name, str) for name in named):
        found = {(number,): folder / name for number, name in enumerate(named) if name}
    else:
        refuse(file, "files as a pattern or a list of names", named)
    if not found:
        refuse(file, "at least one file", named)
    for image in found.values():
        if not image.resolve().is_relative_to(folder.resolve()):
            raise InputError(
                f"{file}: expected images in the manifest's folder, found {image}, which leads out of it. "
                "Move the image or the manifest."
            )
    return found


def _numbered(files: Mapping[tuple[int, ...], Path], data: Mapping[str, Any]) -> Mapping[int, Path]:
    """By place in the list, or in the order of the pattern's numbers."""
    if isinstance(data["files"], list):
        return {key[0]: file for key, file in files.items()}
    return {number: files[key] for number, key in enumerate(sorted(files))}


def _listed(
    file: Path, data: Mapping[str, Any], files: Mapping[int, Path], count: int, options: ReadOptions
) -> Capture:
    """Counted files: on the grid that is given, else in one row, placed by their positions."""
    grid: Pair | None = options.grid
    given = numbers_in(file, data, "grid", (2,))
    if grid is None and given is not None:
        grid = (int(given[0]), int(given[1]))
    positions = _positions(file, data, count)
    order = options.order if options.order != "row" else data.get("order", "row")
    if order not in ("row", "column"):
        refuse(file, 'order = "row" or "column"', order)
    if grid is None and positions is not None:
        grid, order = (1, count), "row"
    capture = counted_capture("manifest", file, files, count, replace(options, grid=grid, order=order))
    if positions is None:
        return capture
    # Who gives positions knows the order; and the test of the order expects a grid.
    return capture.with_(positions=positions[capture.index], trusted=True)


def _positions(file: Path, data: Mapping[str, Any], count: int) -> NDArray[np.float64] | None:
    positions, unit = numbers_in(file, data, "positions", (count, 2)), numbers_in(file, data, "unit", ())
    if positions is None or unit is None:
        return positions
    if not unit > 0:
        refuse(file, "a positive unit", data["unit"])
    return positions / unit


def _with_numbers(capture: Capture, data: Mapping[str, Any]) -> Capture:
    path = capture.path
    limits, eta = numbers_in(path, data, "range", (2,)), numbers_in(path, data, "eta", (2,))
    white, reference = numbers_in(path, data, "white", ()), numbers_in(path, data, "reference", ())
    if reference is not None and reference not in capture.index:
        refuse(path, f"reference as the number of a view, 0 … {capture.index.size - 1}", data["reference"])
    return capture.with_(
        range=None if limits is None else range_from(path, limits),
        eta=None if eta is None else (float(eta[0]), float(eta[1])),
        white=None if white is None else float(white),
        reference=None if reference is None else int(reference),
        name=str(data["name"]) if "name" in data else None,
    )


def _with_camera(capture: Capture, data: Mapping[str, Any]) -> Capture:
    numbers = data.get("camera")
    if isinstance(numbers, Mapping):
        numbers = {"width": capture.width, "height": capture.height} | dict(numbers)
    return with_camera(capture, {**data, "camera": numbers})
