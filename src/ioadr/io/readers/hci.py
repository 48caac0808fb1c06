"""The HCI benchmark's folder: `input_Cam000.png` … counted along rows, and `parameters.cfg`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ioadr.errors import InputError
from ioadr.io.capture import Capture, check_grid, numbered_grid
from ioadr.io.file_places import FEWEST, listed, matching, too_few, unique
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.readers.folder import image_capture
from ioadr.io.registry import Format
from ioadr.io.scene_parameters import FILE_NAME, SceneParameters, read_scene_parameters

VIEW = re.compile(r"input_Cam(\d{1,5})(\.\w+)", re.IGNORECASE)


def recognise(path: Path, options: ReadOptions) -> bool:
    if path.name == FILE_NAME and path.is_file():
        return True
    return path.is_dir() and options.pattern is None and bool(matching(path, VIEW))


def open_folder(path: Path, options: ReadOptions) -> Capture:
    """The folder's views, camera and disparity range."""
    folder = path.parent if path.name == FILE_NAME else path
    files = _view_files(folder)
    if not files:
        raise InputError(
            f"{folder}/: holds no views input_Cam000.png …. Check the folder, "
            "or give the file names with ⟦format folder⟧ ⟦pattern⟧."
        )
    parameters = _parameters(folder, len(files), options)
    grid = options.grid or (parameters.grid if parameters else (1, len(files)))
    check_grid(folder, grid)
    first = 1 if 0 not in files and max(files) == grid[0] * grid[1] else 0
    _check_surplus(folder, files, grid, first)
    counted = {number - first: file for number, file in files.items()}
    capture = image_capture("hci", folder, numbered_grid(grid, options.counting), counted)
    if first:
        capture = capture.noted(f"views numbered from 1, as the last is {files[max(files)].name}")
    if parameters:
        _check_size(folder / FILE_NAME, parameters, capture)
    return capture.with_(
        names=[f"input_Cam{number + first:03d}{files[min(files)].suffix}" for number in range(capture.index.size)],
        required=np.array(True),
        declared_by=FILE_NAME if parameters and not options.grid else None,
        counted=True,
        camera=parameters.camera if parameters else None,
        range=parameters.range if parameters else None,
        notes=capture.notes if parameters else (*capture.notes, f"no {FILE_NAME}: depth is relative"),
    )


FORMAT = Format("hci", "HCI benchmark folder (input_Cam*.png, parameters.cfg)", recognise, open_folder)


def _view_files(folder: Path) -> Mapping[int, Path]:
    """View number → file, in order."""
    files = unique(folder, (((int(match[1]),), file) for file, match in matching(folder, VIEW).items()))
    return {key[0]: file for key, file in files.items()}


def _check_surplus(folder: Path, files: Mapping[int, Path], grid: Pair, first: int) -> None:
    """Refuse files beyond the grid: it is unknown which of them are its views."""
    count = grid[0] * grid[1]
    beyond = [file.name for number, file in files.items() if not first <= number < first + count]
    if beyond:
        raise InputError(
            f"{folder}/: views beyond the {grid[0]}×{grid[1]} grid ({first} … {first + count - 1}): {listed(beyond)}. "
            f"Move them elsewhere, or correct the grid in {FILE_NAME} or with ⟦grid⟧; then ⟦views⟧ can select the "
            "central views."
        )


def _parameters(folder: Path, count: int, options: ReadOptions) -> SceneParameters | None:
    """The folder's parameters.cfg; None if it is missing and the user gave the grid."""
    if (folder / FILE_NAME).is_file():
        return read_scene_parameters(folder)
    if count < FEWEST:
        raise too_few(folder, count)
    if options.grid is None:
        side = math.isqrt(count)
        likely = f"{side}x{side}" if side**2 == count else f"1x{count}"
        raise InputError(
            f"{folder}/: {FILE_NAME} is missing next to the {count} views. Restore it, "
            f"or give the grid with ⟦grid⟧, such as ⟦grid {likely}⟧ (then depth is relative)."
        )
    return None


def _check_size(path: Path, parameters: SceneParameters, capture: Capture) -> None:
    width, height = parameters.camera.width, parameters.camera.height
    if (capture.width, capture.height) != (width, height):
        raise InputError(
            f"{path}: image_resolution_x_px × image_resolution_y_px is {width}×{height}, but the views have "
            f"{capture.width}×{capture.height} px. Correct them, and disp_min and disp_max if the views were scaled."
        )
