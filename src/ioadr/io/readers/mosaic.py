"""One image that holds all views: lenslets (ESLF: a block of L×K pixels per image point) or a quilt of sub-images.

A Looking Glass quilt is named `NAME_qs{columns}x{rows}a{aspect}.png` and is one row of views.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.capture import Capture, check_grid, numbered_grid
from ioadr.io.decoding.header import Header
from ioadr.io.decoding.images import SUFFIXES, read_header, read_image
from ioadr.io.gutters import pictures
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.registry import Format
from ioadr.io.repetition import repeats
from ioadr.part import Window

ILLUM = (14, 14)
"""Pixels behind a lenslet in the ESLF images of Lytro's Power Tools."""


LOOKING_GLASS = re.compile(r"_qs(\d{1,3})x(\d{1,3})a(\d+(?:\.\d+)?)$", re.IGNORECASE)
"""End of the name of a Looking Glass quilt: columns × rows and the aspect ratio of a view."""
ASPECT = 0.02
"""Relative difference of aspect ratios above which a note is given."""


def recognise(path: Path, options: ReadOptions) -> bool:
    if not path.is_file() or path.suffix.lower() not in SUFFIXES:
        return False
    return bool(options.eslf or options.quilt or _is_named_eslf(path) or LOOKING_GLASS.search(path.stem))


def open_file(path: Path, options: ReadOptions) -> Capture:
    """Views cut out of one image."""
    _check_options(path, options)
    display = LOOKING_GLASS.search(path.stem)
    if options.quilt:
        capture = _quilt(path, options.quilt)
        note = "the name is that of a Looking Glass quilt, but ⟦quilt⟧ says otherwise: sub-images from the top left"
        return capture.noted(note) if display else capture
    if options.eslf or (_is_named_eslf(path) and not display):
        capture = _capture(path, options.eslf or ILLUM, _from_lenslets, "⟦eslf⟧")
        return capture if options.eslf else capture.noted("lenslets of 14×14 px assumed, as of Lytro's Illum (⟦eslf⟧)")
    if display:
        return _looking_glass(path, (int(display[2]), int(display[1])), float(display[3]))
    raise InputError(
        f"{path}: cannot tell how the image is divided into views. "
        "Give ⟦eslf ROWSxCOLUMNS⟧ (pixels of a lenslet) or ⟦quilt ROWSxCOLUMNS⟧ (sub-images)."
    )


FORMAT = Format("mosaic", "one image of all views: lenslets (eslf) or a quilt of sub-images", recognise, open_file)

Cut = Callable[[NDArray[Any]], NDArray[Any]]


def _check_options(path: Path, options: ReadOptions) -> None:
    if options.eslf and options.quilt:
        raise InputError(
            f"{path}: ⟦eslf⟧ and ⟦quilt⟧ cannot be combined: eslf is for lenslets, quilt for views side by side."
        )
    if options.grid:
        raise InputError(f"{path}: ⟦grid⟧ does not apply to one image. Give the grid with ⟦eslf⟧ or ⟦quilt⟧.")


def _capture(path: Path, grid: Pair, cut: Callable[[NDArray[Any], Pair], NDArray[Any]], flag: str) -> Capture:
    check_grid(path, grid)
    header = read_header(path)
    if header.height % grid[0] or header.width % grid[1]:
        raise InputError(
            f"{path}: {header.width}×{header.height} px cannot be divided into {grid[0]}×{grid[1]} views ({flag}). "
            "Correct the grid, or crop the image."
        )
    names = [f"sub-image {row}, {column}" for row, column in np.ndindex(*grid)]
    size = (header.height // grid[0], header.width // grid[1])
    return _cut_capture(path, header, grid, size, names, lambda image: cut(image, grid))


def _quilt(path: Path, grid: Pair) -> Capture:
    check_grid(path, grid)
    header, image = read_header(path), read_image(path)
    found = pictures(image, grid)
    if found is None:
        capture = _capture(path, grid, _from_quilt, "⟦quilt⟧")
        return _doubted(capture, _from_quilt(image, grid), grid)
    rows, columns = found
    size = (rows.length, columns.length)

    def cut(image: NDArray[Any]) -> NDArray[Any]:
        return _from_quilt(image[rows.lines.ravel()][:, columns.lines.ravel()], grid)

    names = [f"sub-image {row}, {column}" for row, column in np.ndindex(*grid)]
    gutters = f"lines of one colour around sub-images of {size[1]}×{size[0]} px left out"
    if rows.uncertain or columns.uncertain:
        gutters += (
            "; blur hides their exact edges, so disparities may be up to 1 px off: save each view as its own file"
        )
    return _doubted(_cut_capture(path, header, grid, size, names, cut).noted(gutters), cut(image), grid)


def _doubted(capture: Capture, views: NDArray[Any], grid: Pair) -> Capture:
    """The capture, with a note if a sub-image in the middle repeats itself: it then holds several views."""
    down, across = repeats(views[grid[0] // 2, grid[1] // 2])
    if down * across == 1:
        return capture
    return capture.noted(
        f"each sub-image repeats {down}× down and {across}× across, as if it held several views: "
        f"try ⟦quilt {grid[0] * down}x{grid[1] * across}⟧"
    )


def _looking_glass(path: Path, tiles: Pair, aspect: float) -> Capture:
    """A quilt of rows × columns sub-images, from the bottom left to the top right: one row of views, left to right."""
    header, count = read_header(path), tiles[0] * tiles[1]
    check_grid(path, (1, count))
    size = (header.height // max(tiles[0], 1), header.width // max(tiles[1], 1))
    if min(size) < 1:
        raise InputError(
            f"{path}: {header.width}×{header.height} px cannot be divided into {tiles[1]} columns and {tiles[0]} rows "
            "of sub-images, the numbers in its name. Correct the name, or give ⟦quilt ROWSxCOLUMNS⟧."
        )

    def cut(image: NDArray[Any]) -> NDArray[Any]:
        # What does not fill a sub-image is left over at the top and at the right.
        used = image[header.height - size[0] * tiles[0] :, : size[1] * tiles[1]]
        return _from_quilt(used, tiles)[::-1].reshape(1, count, *size, header.channels)

    names = [f"sub-image {number}" for number in range(count)]
    capture = (
        _cut_capture(path, header, (1, count), size, names, cut)
        .with_(trusted=True)
        .noted(
            f"Looking Glass quilt by its name: {tiles[1]} columns × {tiles[0]} rows from the bottom left, "
            f"one row of {count} views (⟦quilt ROWSxCOLUMNS⟧ reads a grid from the top left)"
        )
    )
    if aspect > 0 and abs(size[1] / size[0] / aspect - 1) > ASPECT:
        capture = capture.noted(f"views are {size[1]}×{size[0]} px, to be shown with the aspect ratio {aspect:g}")
    return capture


def _cut_capture(path: Path, header: Header, grid: Pair, size: Pair, names: Sequence[str], cut: Cut) -> Capture:
    return Capture(
        format="mosaic",
        path=path,
        index=numbered_grid(grid, "row"),
        height=size[0],
        width=size[1],
        channels=header.channels,
        dtype=header.dtype,
        load=_loader(path, header, grid, cut),
        names=names,
        notes=header.remarks,
    )


def _loader(path: Path, header: Header, grid: Pair, cut: Cut) -> Callable[[Sequence[int], Window], NDArray[Any]]:
    @cache
    def whole() -> NDArray[Any]:
        """All views [L, K, N, M, C], decoded once."""
        return cut(read_image(path))

    def load(numbers: Sequence[int], window: Window) -> NDArray[Any]:
        views = np.empty((len(numbers), window.height, window.width, header.channels), header.dtype)
        for target, number in zip(views, numbers, strict=True):
            target[:] = whole()[number // grid[1], number % grid[1]][window.slices]
        return views

    return load


def _from_lenslets(image: NDArray[Any], grid: Pair) -> NDArray[Any]:
    """Pixel (n·L + l, m·K + k) belongs to view (l, k)."""
    height, width, channels = image.shape
    blocks = image.reshape(height // grid[0], grid[0], width // grid[1], grid[1], channels)
    return blocks.transpose(1, 3, 0, 2, 4)


def _from_quilt(image: NDArray[Any], grid: Pair) -> NDArray[Any]:
    """Sub-image (l, k) is view (l, k)."""
    height, width, channels = image.shape
    blocks = image.reshape(grid[0], height // grid[0], grid[1], width // grid[1], channels)
    return blocks.transpose(0, 2, 1, 3, 4)


def _is_named_eslf(path: Path) -> bool:
    return re.search(r"eslf", path.stem, re.IGNORECASE) is not None
