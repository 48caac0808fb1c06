"""MATLAB files, v5 and v7.3; Light Field Toolbox's LF with its weight channel."""

from __future__ import annotations

import math
import struct
import zlib
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.array_layout import ArrayAxes, chosen_array, find_layout
from ioadr.io.axes import array_capture
from ioadr.io.capture import Capture
from ioadr.io.options import ReadOptions
from ioadr.io.readers.hdf5 import find_dataset
from ioadr.io.registry import Format
from ioadr.io.safety.doors import damage_explained, required, starts_with
from ioadr.io.safety.limits import check_memory, check_packing

V5, V73 = b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file"
PACKED, GLANCE = 15, 16384
"""Type of a compressed variable, and the number of bytes that are unpacked to read its size."""
WIDTHS = {"uint8": 1, "uint16": 2, "single": 4, "double": 8}


def recognise(path: Path, options: ReadOptions) -> bool:
    return starts_with(path, V5) or starts_with(path, V73)


def open_file(path: Path, options: ReadOptions) -> Capture:
    """The variable LF, or the largest array that can hold views."""
    with damage_explained(path, "a MATLAB file with views", "Save it again."):
        array, layout, note = _open_v73(path, options) if starts_with(path, V73) else _open_v5(path, options)
        capture = array_capture(path, "matlab", array, layout, options)
    capture = capture.noted(note) if note else capture
    return capture.with_(weighted=capture.channels in (2, 4))


FORMAT = Format("matlab", "MATLAB file (.mat v5 or v7.3, LF of the Light Field Toolbox)", recognise, open_file)


def _open_v73(path: Path, options: ReadOptions) -> tuple[Any, ArrayAxes, str | None]:
    """Open a v7.3 file; HDF5 stores MATLAB's axes in reverse order."""
    dataset, note = find_dataset(path, required("h5py", path).File(path, "r"), options, reverse=True)
    shape = tuple(reversed(dataset.shape))
    last = len(shape) - 1
    layout = find_layout(path, shape, options)
    channel = None if layout.channel is None else last - layout.channel
    image = (last - layout.image[0], last - layout.image[1])
    return dataset, ArrayAxes(tuple(last - axis for axis in layout.views), image, channel, layout.note), note


def _open_v5(path: Path, options: ReadOptions) -> tuple[Any, ArrayAxes, str | None]:
    matlab = required("scipy.io", path)
    _check_packed(path)
    candidates = {name: (shape, kind) for name, shape, kind in matlab.whosmat(path) if _holds_views(shape, kind)}
    name, note = chosen_array(path, {name: shape for name, (shape, _) in candidates.items()}, "LF", options)
    if name is None:
        raise InputError(
            f"{path}: holds no variable of 4 or 5 dimensions, such as LF. "
            "Save the views as LF(row, column, y, x, channel)."
        )
    shape, kind = candidates[name]
    size = math.prod(shape) * WIDTHS[kind]
    check_packing(path, size, path.stat().st_size)
    check_memory(path, size, f"variable {name} of size {shape}")
    return _Variable(path, name, shape, kind), find_layout(path, shape, options), note


def _check_packed(path: Path) -> None:
    """Refuse packed variables that are too large: SciPy unpacks much of each to read its name."""
    with path.open("rb") as stream:
        order = "<" if stream.read(128)[126:] == b"IM" else ">"
        while len(tag := stream.read(8)) == 8:
            kind, stored = struct.unpack(f"{order}2I", tag)
            following = stream.tell() + stored
            if kind == PACKED:
                start = stream.read(min(stored, GLANCE))
                content = zlib.decompressobj().decompress(start)
                declared = 8 + struct.unpack(f"{order}2I", content[:8])[1]
                if len(content) > declared:
                    raise InputError(
                        f"{path}: a variable is larger than the {declared} bytes it declares. Save it again."
                    )
                check_packing(path, declared, stored)
            stream.seek(following)


def _holds_views(shape: tuple[int, ...], kind: str) -> bool:
    return len(shape) in (3, 4, 5) and kind in WIDTHS and min(shape) > 0


class _Variable:
    """A variable, loaded at the first access."""

    def __init__(self, path: Path, name: str, shape: tuple[int, ...], kind: str) -> None:
        self.path, self.name, self.shape = path, name, shape
        self.dtype = np.dtype({"single": "float32", "double": "float64"}.get(kind, kind))

    def __getitem__(self, where: Any) -> NDArray[Any]:
        return self._array[where]

    @cached_property
    def _array(self) -> NDArray[Any]:
        matlab = required("scipy.io", self.path)
        with damage_explained(self.path, f"variable {self.name}", "Save it again."):
            array = np.asarray(matlab.loadmat(self.path, variable_names=[self.name])[self.name])
        if array.shape != self.shape or array.dtype != self.dtype:
            raise InputError(
                f"{self.path}: expected variable {self.name} of size {self.shape} and type {self.dtype}, "
                f"found {array.shape} and {array.dtype}. Save it again."
            )
        return array
