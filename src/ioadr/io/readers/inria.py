"""INRIA's synthetic set: `lf_R_C.png` by row and column from 1, with true disparities `disparity_R_C.npy`."""

from __future__ import annotations

import re
from pathlib import Path

from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.file_places import matching, unique
from ioadr.io.options import ReadOptions
from ioadr.io.readers.folder import file_capture
from ioadr.io.registry import Format

VIEW = re.compile(r"lf_(\d{1,3})_(\d{1,3})\.\w+", re.IGNORECASE)


def recognise(path: Path, options: ReadOptions) -> bool:
    return path.is_dir() and options.pattern is None and bool(matching(path, VIEW))


def open_folder(path: Path, options: ReadOptions) -> Capture:
    """Open views by row and column; the true disparities are never read."""
    files = unique(path, (((int(match[1]), int(match[2])), file) for file, match in matching(path, VIEW).items()))
    if not files:
        raise InputError(f"{path}/: holds no views lf_1_1.png …. Give the file names with ⟦format folder⟧ ⟦pattern⟧.")
    capture = file_capture("inria", path, {(key[0], key[1]): file for key, file in files.items()}, options.grid)
    row, column = min(files)
    return capture.noted(f"rows of views counted from {row}, columns from {column}, as in the names")


FORMAT = Format("inria", "INRIA's synthetic folder (lf_R_C.png, disparity_R_C.npy)", recognise, open_folder)
