"""A folder of images, one per view, placed by a file name pattern or by the numbers in the names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.capture import Capture, check_grid, numbered_grid
from ioadr.io.decoding.images import read_header, read_images
from ioadr.io.file_places import (
    Places,
    counted_grid,
    has_numbered_images,
    images_in,
    in_order,
    likely_grid,
    listed,
    placed_by_names,
    placed_by_pattern,
    regular,
)
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.registry import Format
from ioadr.part import Window

TEXTS = {".cfg", ".toml", ".txt", ".md", ".pdf", ".html", ""}
"""Kinds of files next to views that are not data."""
SCATTERED = 10
"""Numbers that extend over more than this many times the number of files do not count them."""


def recognise(path: Path, options: ReadOptions) -> bool:
    return path.is_dir() and (options.pattern is not None or has_numbered_images(path))


def open_folder(path: Path, options: ReadOptions) -> Capture:
    """Views placed by rows and columns in their names, or counted."""
    if not path.is_dir():
        raise InputError(f"{path}: a file, not a folder of images. Name its folder.")
    if options.pattern:
        return placed_capture("folder", path, placed_by_pattern(path, options.pattern, options.grid), options)
    return placed_capture("folder", path, placed_by_names(path, images_in(path), options.grid), options)


FORMAT = Format("folder", "folder of images, one per view, with numbers in their names", recognise, open_folder)


def placed_capture(name: str, path: Path, places: Places, options: ReadOptions) -> Capture:
    """A capture of placed files; a line is folded into the user's grid."""
    if places.grid and not (places.counted and options.grid):
        return _noted(file_capture(name, path, places.grid, options.grid), places.notes)
    return _noted(numbered_capture(name, path, places.counted, options), () if places.grid else places.notes)


def file_capture(name: str, path: Path, places: Mapping[Pair, Path], expected: Pair | None = None) -> Capture:
    """A capture of image files by (row, column), counted from the smallest of each; holes are absent views."""
    rows, columns = regular(row for row, _ in places), regular(column for _, column in places)
    grid = (max(rows.values()) + 1, max(columns.values()) + 1)
    check_grid(path, grid)
    if expected not in (None, grid):
        raise InputError(
            f"{path}: ⟦grid⟧ is {expected[0]}×{expected[1]}, but the file names have {grid[0]}×{grid[1]} views: rows "
            f"{min(rows)} … {max(rows)}, columns {min(columns)} … {max(columns)}. Leave ⟦grid⟧ out; to use fewer "
            f"views, give ⟦views {min(expected[0], grid[0])}x{min(expected[1], grid[1])}⟧."
        )
    files = {rows[row] * grid[1] + columns[column]: file for (row, column), file in places.items()}
    return image_capture(name, path, numbered_grid(grid, "row"), files)


def numbered_capture(name: str, path: Path, files: Mapping[int, Path], options: ReadOptions) -> Capture:
    """A capture of image files by the numbers in their names; gaps are refused unless declared as missing views."""
    numbers = _from_zero(files, options)
    if options.grid and options.skip != "missing" and math.prod(options.grid) == len(files) <= max(numbers.values()):
        ranked = dict(enumerate(files[number] for number in sorted(files)))
        return numbered_capture(name, path, ranked, options).noted(in_order([*ranked.values()]))
    count = max(numbers.values()) + 1
    if options.grid and options.skip == "missing" and 0 in files:
        count = max(count, options.grid[0] * options.grid[1])
    which = f", {files[min(files)].name} to {files[max(files)].name}"
    if options.grid is None and SCATTERED * len(files) < count:
        raise InputError(
            f"{path}: the numbers in the file names{which}, are neither positions nor a count. "
            f"⟦grid {likely_grid(len(files))}⟧ reads the {len(files)} files in the order of their numbers, "
            f"⟦grid 1x{len(files)}⟧ as a line."
        )
    if options.grid is None and len(files) < count:
        absent = sorted(set(range(count)) - set(numbers.values()))
        raise InputError(
            f"{path}: the file numbers have gaps: {len(files)} of {count} files{which}; missing number "
            f"{listed(_as_named(numbers, absent))}. Restore them, or continue without: "
            f"⟦grid {likely_grid(count)}⟧ ⟦skip missing⟧. If none is missing, ⟦grid {likely_grid(len(files))}⟧ reads "
            "them in the order of their numbers."
        )
    named = {numbers[number]: file for number, file in files.items()}
    return counted_capture(name, path, named, count, options, which).with_(required=np.array(True))


def counted_capture(
    name: str, path: Path, files: Mapping[int, Path], count: int, options: ReadOptions, which: str = ""
) -> Capture:
    """A capture of image files counted from 0, along rows or columns of the given grid, or of a square one."""
    grid, note = counted_grid(path, count, options, which)
    capture = image_capture(name, path, numbered_grid(grid, options.counting), files).with_(counted=True)
    return _noted(capture, (note,) if note else ())


def image_capture(name: str, path: Path, index: NDArray[np.intp], files: Mapping[int, Path]) -> Capture:
    """A capture of image files by the numbers in `index`; numbers without a file are absent views."""
    header = read_header(files[min(files)])
    used = [files[number] for number in sorted(files)]

    def load(numbers: Sequence[int], window: Window) -> NDArray[Any]:
        return read_images([files[number] for number in numbers], header, window)

    available = np.isin(index, list(files))
    return Capture(
        format=name,
        path=path,
        index=index,
        height=header.height,
        width=header.width,
        channels=header.channels,
        dtype=header.dtype,
        load=load,
        names=[files[number].name if number in files else f"view {number}" for number in range(index.size)],
        available=available,
        notes=(*header.remarks, *_notes(path, available, used)),
    )


def _notes(path: Path, available: NDArray[np.bool_], files: Sequence[Path]) -> Iterator[str]:
    """Notes about unexpected files and followed links."""
    holes = [f"{row},{column}" for row, column in np.argwhere(~np.atleast_2d(available))]
    if holes:
        yield f"{len(holes)} of {available.size} views {'has' if len(holes) == 1 else 'have'} no file: {listed(holes)}"
    folder = (path if path.is_dir() else path.parent).resolve()
    outside = [file for file in files if file.is_symlink() and not file.resolve().is_relative_to(folder)]
    if outside:
        example = f"such as {outside[0].name} to {outside[0].resolve()}"
        yield f"{len(outside)} of {available.size} views are links to files outside the folder, {example}"
    others = _passed_over(files)
    if others:
        yield f"{len(others)} other {'file' if len(others) == 1 else 'files'} in the folder not read: {listed(others)}"


def _passed_over(files: Iterable[Path]) -> list[str]:
    """Names of the other files in the folder, except texts."""
    used = set(files)
    beside = [file for folder in sorted({file.parent for file in used}) for file in sorted(folder.iterdir())]
    data = [file for file in beside if file.suffix.lower() not in TEXTS and not file.name.startswith(".")]
    return [file.name for file in data if file not in used and file.is_file()]


def _from_zero(files: Mapping[int, Path], options: ReadOptions) -> Mapping[int, int]:
    """Numbers counted from 0; the first file is 0 unless the user declares missing views."""
    numbers = regular(files)
    count = options.grid[0] * options.grid[1] if options.grid and options.skip == "missing" else 0
    if max(files) == count and 0 not in files:
        return {number: number - 1 for number in files}
    return {number: number for number in files} if min(files) == 0 and max(files) < count else numbers


def _as_named(numbers: Mapping[int, int], absent: Sequence[int]) -> list[int]:
    (low, first), (high, last) = min(numbers.items()), max(numbers.items())
    step = (high - low) // max(last - first, 1)
    return [low + step * number for number in absent]


def _noted(capture: Capture, notes: Iterable[str]) -> Capture:
    return capture.with_(notes=(*capture.notes, *notes))
