"""Arrays of views as captures, for NumPy, HDF5, MATLAB and Zarr."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.array_layout import ArrayAxes
from ioadr.io.capture import Capture, check_grid, numbered_grid
from ioadr.io.file_places import counted_grid
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.safety.doors import damage_explained
from ioadr.io.safety.limits import check_memory
from ioadr.part import Window

SAMPLES = ("uint8", "uint16", "float16", "float32", "float64")


def array_capture(path: Path, name: str, array: Any, layout: ArrayAxes, options: ReadOptions) -> Capture:
    """A capture of any array with shape, dtype and slices: numpy, HDF5 or Zarr."""
    shape, dtype = tuple(int(length) for length in array.shape), np.dtype(array.dtype)
    _check_type(path, dtype)
    grid, note = _grid(path, [shape[axis] for axis in layout.views], options)
    channels = 1 if layout.channel is None else shape[layout.channel]
    height, width = (shape[axis] for axis in layout.image)
    if channels not in (1, 2, 3, 4) or min(height, width) < 1:
        raise InputError(
            f"{path}: expected images with 1 to 4 channels, found shape {shape} read as {height}×{width} px with "
            f"{channels} channels. Reorder the axes to [rows, columns, height, width, channels]."
        )
    index = numbered_grid(grid, options.counting if len(layout.views) == 1 else "row")
    return Capture(
        format=name,
        path=path,
        index=index,
        height=height,
        width=width,
        channels=channels,
        dtype=_sample_type(dtype),
        load=_ArrayViews(path, array, layout),
        names=[f"array element {number // grid[1]}, {number % grid[1]}" for number in range(index.size)],
        counted=len(layout.views) == 1,
        notes=tuple(text for text in (layout.note, note) if text),
    )


def _grid(path: Path, lengths: Sequence[int], options: ReadOptions) -> tuple[Pair, str | None]:
    """The grid, and notes about how it was chosen."""
    if len(lengths) == 1:
        return counted_grid(path, lengths[0], options)
    grid = (lengths[0], lengths[1])
    if options.grid not in (None, grid):
        raise InputError(
            f"{path}: expected the {options.grid[0]}×{options.grid[1]} views of ⟦grid⟧, found an array of "
            f"{grid[0]}×{grid[1]}. Leave ⟦grid⟧ out, or choose fewer with ⟦views⟧."
        )
    check_grid(path, grid)
    return grid, None


def _check_type(path: Path, dtype: np.dtype[Any]) -> None:
    if dtype.name not in SAMPLES:
        raise InputError(
            f"{path}: expected uint8, uint16 or float samples, found {dtype}. Convert the array to one of them."
        )


def _sample_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Native byte order; any float as float32."""
    return np.dtype(np.float32) if dtype.kind == "f" else dtype.newbyteorder("=")


@dataclass(frozen=True)
class _ArrayViews:
    """The `load` of a capture: view by view, or all together where a stored chunk holds several views."""

    path: Path
    array: Any
    layout: ArrayAxes

    def __call__(self, numbers: Sequence[int], window: Window) -> NDArray[Any]:
        with damage_explained(self.path, "an array of views"):
            return self._loaded(numbers, window)

    def _loaded(self, numbers: Sequence[int], window: Window) -> NDArray[Any]:
        if self._chunked_across_views():
            size = np.prod(self._counts) * window.height * window.width * self._channels * self.array.dtype.itemsize
            check_memory(self.path, int(size), "stored blocks of several views")
            block = self._part([slice(None)] * len(self._counts), window)
            return block[list(numbers)].astype(_sample_type(self.array.dtype), copy=False)
        shape = (len(numbers), window.height, window.width, self._channels)
        views = np.empty(shape, _sample_type(self.array.dtype))
        for target, number in zip(views, numbers, strict=True):
            counted = np.unravel_index(number, self._counts)
            target[:] = self._part([slice(int(i), int(i) + 1) for i in counted], window)[0]
        return views

    @property
    def _counts(self) -> tuple[int, ...]:
        return tuple(int(self.array.shape[axis]) for axis in self.layout.views)

    @property
    def _channels(self) -> int:
        return 1 if self.layout.channel is None else int(self.array.shape[self.layout.channel])

    def _chunked_across_views(self) -> bool:
        chunks = getattr(self.array, "chunks", None)
        return chunks is not None and any(chunks[axis] > 1 for axis in self.layout.views)

    def _part(self, views: Sequence[slice], window: Window) -> NDArray[Any]:
        """[V, n, m, c] of a range of views."""
        layout = self.layout
        where = [slice(None)] * len(self.array.shape)
        for axis, part in zip((*layout.views, *layout.image), (*views, *window.slices), strict=True):
            where[axis] = part
        order = (*layout.views, *layout.image, *(() if layout.channel is None else (layout.channel,)))
        samples = np.asarray(self.array[tuple(where)]).transpose(order)
        return samples.reshape(-1, window.height, window.width, self._channels)
