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
from ioadr.io.file_places import matching, regular, unique
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.readers.folder import file_capture
from ioadr.io.registry import Format

NUMBER = r"[-+]?\d{1,9}(?:\.\d{1,12})?"
VIEW = re.compile(rf"out_(\d{{1,4}})_(\d{{1,4}})_({NUMBER})_({NUMBER})_?(\.\w+)", re.IGNORECASE)


class PositionedFile(NamedTuple):
    file: Path
    y: float
    x: float


def recognise(path: Path, options: ReadOptions) -> bool:
    return path.is_dir() and options.pattern is None and bool(matching(path, VIEW))


def open_folder(path: Path, options: ReadOptions) -> Capture:
    """Views in our order (row 0 on top), with positions in units of the horizontal camera spacing."""
    positioned = _positioned_files(path)
    if not positioned:
        raise InputError(
            f"{path}/: holds no views out_RR_CC_<y>_<x>_.png. Give the file names with ⟦format folder⟧ ⟦pattern⟧."
        )
    last = max(row for row, _ in positioned)
    upright = {(last - row, column): item for (row, column), item in positioned.items()}
    capture = file_capture("stanford", path, {spot: item.file for spot, item in upright.items()}, options.grid)
    capture = capture.with_(positions=_positions(path, upright, capture.grid))
    return capture.noted("Stanford archive: rows of views reversed on reading, camera positions from the file names")


FORMAT = Format("stanford", "Stanford archive folder (out_RR_CC_<y>_<x>_.png)", recognise, open_folder)


def _positioned_files(folder: Path) -> Mapping[Pair, PositionedFile]:
    """(row, column) as in the names → file and position."""
    matched = matching(folder, VIEW)
    files = unique(folder, (((int(match[1]), int(match[2])), file) for file, match in matched.items()))
    return {
        (key[0], key[1]): PositionedFile(file, float(matched[file][3]), float(matched[file][4]))
        for key, file in files.items()
    }


def _positions(path: Path, positioned: Mapping[Pair, PositionedFile], grid: Pair) -> NDArray[np.float64]:
    """[L, K, 2]: growing with the grid index, 0 at the first view, 1 between neighbouring columns.

    Where a view is missing, its position is taken from the fit of the others.
    """
    rows, columns = regular(row for row, _ in positioned), regular(column for _, column in positioned)
    spots = np.array([(rows[row], columns[column]) for row, column in positioned], dtype=np.intp)
    measured = np.array([(item.y, item.x) for item in positioned.values()])
    design = np.column_stack([spots, np.ones(len(spots))])
    fit = np.linalg.lstsq(design, measured, rcond=None)[0]
    spacing = np.abs([fit[0, 0], fit[1, 1]])
    unit = spacing[1] if grid[1] > 1 else spacing[0]
    if not (np.isfinite(fit).all() and unit > 0):
        raise InputError(f"{path}/: all file names hold the same camera position. Correct them.")
    direction = np.where([fit[0, 0] < 0, fit[1, 1] < 0], -1.0, 1.0)
    index = np.stack(np.meshgrid(np.arange(grid[0]), np.arange(grid[1]), indexing="ij"), axis=-1)
    positions = np.concatenate([index, np.ones((*grid, 1))], axis=-1) @ fit
    positions[spots[:, 0], spots[:, 1]] = measured
    positions = positions * direction / unit
    return positions - positions.min(axis=(0, 1))
