"""The Stanford archive's folder: `out_RR_CC_<y>_<x>_.png`, rows running upwards, camera positions in the names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.decoding.images import SUFFIXES
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.readers.folder import file_capture
from ioadr.io.registry import Format

NUMBER = r"[-+]?\d{1,9}(?:\.\d{1,12})?"
VIEW = re.compile(rf"out_(\d{{1,4}})_(\d{{1,4}})_({NUMBER})_({NUMBER})_?(\.\w+)", re.IGNORECASE)


class Place(NamedTuple):
    file: Path
    y: float
    x: float


def recognise(path: Path, options: ReadOptions) -> bool:
    return path.is_dir() and options.pattern is None and bool(_places(path))


def open_folder(path: Path, options: ReadOptions) -> Capture:
    """Views in our order (row 0 on top), with positions in units of the horizontal camera spacing."""
    places = _places(path)
    if not places:
        raise InputError(
            f"{path}/: expected views out_RR_CC_<y>_<x>_.png, found none. "
            "Give the file names with ⟦format folder⟧ ⟦pattern⟧."
        )
    last = max(row for row, _ in places)
    upright = {(last - row, column): place for (row, column), place in places.items()}
    capture = file_capture("stanford", path, {spot: place.file for spot, place in upright.items()})
    capture = capture.with_(positions=_positions(path, upright, capture.grid))
    return capture.noted("Stanford archive: rows of views reversed on reading, camera positions from the file names")


FORMAT = Format("stanford", "Stanford archive folder (out_RR_CC_<y>_<x>_.png)", recognise, open_folder)


def _places(folder: Path) -> Mapping[Pair, Place]:
    """(row, column) as in the names → file and position."""
    found = {}
    for file in sorted(folder.iterdir()):
        match = VIEW.fullmatch(file.name)
        if match and match[5].lower() in SUFFIXES and file.is_file():
            found[int(match[1]), int(match[2])] = Place(file, float(match[3]), float(match[4]))
    return found


def _positions(path: Path, places: Mapping[Pair, Place], grid: Pair) -> NDArray[np.float64]:
    """[L, K, 2]: growing with the grid index, 0 at the first view, 1 between neighbouring columns.

    Where a view is missing its place is taken from the fit of the others.
    """
    first = (min(row for row, _ in places), min(column for _, column in places))
    spots = np.array([(row - first[0], column - first[1]) for row, column in places], dtype=float)
    measured = np.array([(place.y, place.x) for place in places.values()])
    design = np.column_stack([spots, np.ones(len(spots))])
    fit = np.linalg.lstsq(design, measured, rcond=None)[0]
    spacing = np.abs([fit[0, 0], fit[1, 1]])
    unit = spacing[1] if grid[1] > 1 else spacing[0]
    if not (np.isfinite(fit).all() and unit > 0):
        raise InputError(f"{path}/: expected camera positions that differ, found none in the file names. Correct them.")
    direction = np.where([fit[0, 0] < 0, fit[1, 1] < 0], -1.0, 1.0)
    index = np.stack(np.meshgrid(np.arange(grid[0]), np.arange(grid[1]), indexing="ij"), axis=-1)
    positions = np.concatenate([index, np.ones((*grid, 1))], axis=-1) @ fit
    rows, columns = spots.astype(int).T
    positions[rows, columns] = measured
    positions = positions * direction / unit
    return positions - positions.min(axis=(0, 1))
