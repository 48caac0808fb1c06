"""One image that holds all views: lenslets (ESLF: a block of L×K pixels per image point) or a quilt of sub-images."""

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
from ioadr.io.decoding.image_decoders import Header
from ioadr.io.decoding.images import SUFFIXES, read_header, read_image
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.registry import Format
from ioadr.part import Window

ILLUM = (14, 14)
"""Pixels behind a lenslet in the ESLF images of Lytro's Power Tools."""


def recognise(path: Path, options: ReadOptions) -> bool:
    if not path.is_file() or path.suffix.lower() not in SUFFIXES:
        return False
    return bool(options.eslf or options.quilt or _is_named_eslf(path))


def open_file(path: Path, options: ReadOptions) -> Capture:
    """Views cut out of one image."""
    if options.eslf and options.quilt:
        raise InputError(f"{path}: expected ⟦eslf⟧ or ⟦quilt⟧, found both. Lenslets of pixels are eslf, else quilt.")
    if options.quilt:
        return _capture(path, options.quilt, _from_quilt, "⟦quilt⟧")
    if options.eslf or _is_named_eslf(path):
        capture = _capture(path, options.eslf or ILLUM, _from_lenslets, "⟦eslf⟧")
        return capture if options.eslf else capture.noted("lenslets of 14×14 px assumed, as of Lytro's Illum (⟦eslf⟧)")
    raise InputError(
        f"{path}: expected to know how one image holds the views, found no word about it. "
        "Give ⟦eslf ROWSxCOLUMNS⟧ (pixels of a lenslet) or ⟦quilt ROWSxCOLUMNS⟧ (sub-images)."
    )


FORMAT = Format("mosaic", "one image of all views: lenslets (eslf) or a quilt of sub-images", recognise, open_file)

Cut = Callable[[NDArray[Any], Pair], NDArray[Any]]


def _capture(path: Path, grid: Pair, cut: Cut, flag: str) -> Capture:
    check_grid(path, grid)
    header = read_header(path)
    if header.height % grid[0] or header.width % grid[1]:
        raise InputError(
            f"{path}: expected a size that {grid[0]}×{grid[1]} views divide ({flag}), "
            f"found {header.width}×{header.height} px. Correct the grid, or crop the image."
        )
    index = numbered_grid(grid, "row")
    return Capture(
        format="mosaic",
        path=path,
        index=index,
        height=header.height // grid[0],
        width=header.width // grid[1],
        channels=header.channels,
        dtype=header.dtype,
        load=_loader(path, header, grid, cut),
        names=[f"sub-image {number // grid[1]}, {number % grid[1]}" for number in range(index.size)],
    )


def _loader(path: Path, header: Header, grid: Pair, cut: Cut) -> Callable[[Sequence[int], Window], NDArray[Any]]:
    @cache
    def whole() -> NDArray[Any]:
        """[L, K, N, M, C], decoded once for all that ask."""
        return cut(read_image(path), grid)

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
