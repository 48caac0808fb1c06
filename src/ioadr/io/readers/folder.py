"""A folder of images in a grid, by a pattern of file names or by what the numbers in them suggest."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.capture import Capture, check_grid, numbered_grid
from ioadr.io.decoding.images import SUFFIXES, read_header, read_images
from ioadr.io.file_pattern import FilePattern
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.registry import Format
from ioadr.part import Window

FEWEST = 3


def recognise(path: Path, options: ReadOptions) -> bool:
    return path.is_dir() and (options.pattern is not None or len(_alike(path)) >= FEWEST)


def open_folder(path: Path, options: ReadOptions) -> Capture:
    """Views placed by the pattern's {row} and {col}, or counted by its {index}."""
    if not path.is_dir():
        raise InputError(f"{path}: expected a folder of images, found a file. Name its folder.")
    files = files_by_pattern(path, options.pattern) if options.pattern else _by_numbers(path)
    if len(next(iter(files))) == 2:
        places = {(key[0], key[1]): file for key, file in files.items()}
        return file_capture("folder", path, places)
    numbered = {number: files[key] for number, key in enumerate(sorted(files))}
    return counted_capture("folder", path, numbered, len(numbered), options)


FORMAT = Format("folder", "folder of images, one per view, with numbers in their names", recognise, open_folder)


def file_capture(name: str, path: Path, places: Mapping[Pair, Path]) -> Capture:
    """A capture of image files by (row, column), counted from the smallest of each; holes are absent views."""
    rows, columns = _regular([row for row, _ in places]), _regular([column for _, column in places])
    grid = (max(rows.values()) + 1, max(columns.values()) + 1)
    check_grid(path, grid)
    files = {rows[row] * grid[1] + columns[column]: file for (row, column), file in places.items()}
    return image_capture(name, path, numbered_grid(grid, "row"), files)


def counted_capture(name: str, path: Path, files: Mapping[int, Path], count: int, options: ReadOptions) -> Capture:
    """A capture of image files by number, counted along rows or columns of the given grid, or of a square one."""
    side = math.isqrt(count)
    grid = options.grid or (side, side)
    if grid[0] * grid[1] != count:
        raise InputError(
            f"{path}: expected {'a square number of' if options.grid is None else grid[0] * grid[1]} views, "
            f"found {count}, from {files[min(files)].name} to {files[max(files)].name}. "
            "Give the grid with ⟦grid ROWSxCOLUMNS⟧, or the files with ⟦pattern⟧."
        )
    check_grid(path, grid)
    capture = image_capture(name, path, numbered_grid(grid, options.order), files)
    return capture.with_(counted=True)


def image_capture(name: str, path: Path, index: NDArray[np.intp], files: Mapping[int, Path]) -> Capture:
    """A capture of image files by the number at their place in `index`; places without a file are absent views."""
    header = read_header(files[min(files)])

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
        notes=tuple(_notes(path, available, files.values())),
    )


def _notes(path: Path, available: NDArray[np.bool_], files: Iterable[Path]) -> Iterator[str]:
    """What may surprise about the files; links are followed, but not in silence."""
    holes = int(available.size - np.count_nonzero(available))
    if holes:
        yield f"{holes} of {available.size} views have no file"
    folder = (path if path.is_dir() else path.parent).resolve()
    outside = [file for file in files if file.is_symlink() and not file.resolve().is_relative_to(folder)]
    if outside:
        example = f"such as {outside[0].name} to {outside[0].resolve()}"
        yield f"{len(outside)} of {available.size} views are links out of the folder, {example}"


def files_by_pattern(path: Path, text: str) -> Mapping[tuple[int, ...], Path]:
    """(row, column) or (index,) → file."""
    pattern = FilePattern(text)
    found = {}
    for file in sorted(path.glob(pattern.glob)):
        place = pattern.place(file.relative_to(path).as_posix())
        if place is not None and file.is_file():
            found[place] = file
    if not found:
        examples = ", ".join(sorted(file.name for file in path.iterdir())[:3]) or "an empty folder"
        raise InputError(
            f"{path}/: expected files like ⟦pattern {text}⟧, found none (but {examples}). "
            "Write {row}, {col} or {index} where the numbers are."
        )
    return found


def _by_numbers(path: Path) -> Mapping[tuple[int, ...], Path]:
    """The images whose names differ only in numbers: two of them change → row and column, one → index."""
    names = _alike(path)
    if len(names) < FEWEST:
        raise InputError(
            f"{path}/: expected images whose names differ in their numbers, found none. "
            "Describe them with ⟦pattern⟧, such as ⟦pattern '{row}_{col}.png'⟧."
        )
    table = np.array(list(names), dtype=object)
    changing = [column for column in range(table.shape[1]) if len(set(table[:, column])) > 1]
    if len(changing) not in (1, 2):
        example = next(iter(names.values())).name
        raise InputError(
            f"{path}/: expected one or two numbers that change from file to file, found {len(changing)} in names "
            f"like {example}. Say which they are with ⟦pattern⟧."
        )
    return {tuple(numbers[column] for column in changing): file for numbers, file in names.items()}


def _alike(path: Path) -> Mapping[tuple[int, ...], Path]:
    """Numbers in the name → file, for the largest group of images whose names agree in all but the numbers."""
    groups: dict[str, dict[tuple[int, ...], Path]] = defaultdict(dict)
    for file in sorted(path.iterdir()):
        if file.suffix.lower() in SUFFIXES and file.is_file():
            numbers = tuple(int(digits) for digits in re.findall(r"\d{1,9}", file.stem))
            groups[re.sub(r"\d+", "#", file.name)][numbers] = file
    return max(groups.values(), key=len, default={})


def _regular(numbers: Sequence[int]) -> Mapping[int, int]:
    """Numbers in the file names → grid index from 0; a common step, as in 0, 10, 20, counts as one."""
    values = sorted(set(numbers))
    step = math.gcd(*(value - values[0] for value in values)) or 1
    return {value: (value - values[0]) // step for value in values}
