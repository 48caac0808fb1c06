"""Image files as arrays [height, width, channels], decoded by several threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ioadr import spilled
from ioadr.errors import InputError
from ioadr.io.decoding.header import Header, Opened
from ioadr.io.decoding.image_decoders import opened
from ioadr.io.decoding.pillow_files import without_warnings
from ioadr.io.safety.doors import damage_explained
from ioadr.io.safety.limits import LESS, check_memory, check_packing
from ioadr.lightfield import WHITE
from ioadr.machine import cores
from ioadr.part import Window

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".exr", ".bmp", ".ppm", ".pgm", ".webp")


def read_header(path: Path, upright: bool = True) -> Header:
    """Size and type of an image without decoding it; upright, or as stored regardless of its orientation tag."""
    with without_warnings(), _checked(path, upright=upright) as (header, _):
        _check_type(path, header)
        return header


def read_image(path: Path, advice: str = LESS, upright: bool = True) -> NDArray[Any]:
    """Samples [N, M, C] of an image file; `advice` tells the user what to do if it is too large."""
    with without_warnings(), _checked(path, advice, upright) as (_, decode):
        return decode()


def read_images(paths: Sequence[Path], header: Header, window: Window) -> NDArray[Any]:
    """The window of every image, [V, N, M, C], decoded by one thread per core."""
    views = spilled.empty((len(paths), window.height, window.width, header.channels), header.dtype)

    def decode(number: int) -> None:
        views[number] = _decoded(paths[number], header)[window.slices]

    # One thread more than cores: reading files and copying pixels overlap with decoding, which runs without the GIL.
    with without_warnings(), ThreadPoolExecutor(cores() + 1) as pool:
        try:
            list(pool.map(decode, range(len(paths))))
        finally:
            pool.shutdown(cancel_futures=True)
    return views


def _decoded(path: Path, expected: Header) -> NDArray[Any]:
    """One image [N, M, C]; refused if it differs from `expected`."""
    with _checked(path) as (header, decode):
        if header != expected:
            tags = f"{header.orientation}, not {expected.orientation}"
            turned = f": their orientation tags differ ({tags})" if header.orientation != expected.orientation else ""
            raise InputError(
                f"{path}: expected {expected} as in the other views, found {header}{turned}. "
                "Export all views in the same way, or leave this one out with ⟦skip ROW,COL⟧."
            )
        return decode()


def _check_type(path: Path, header: Header) -> None:
    if header.dtype.name not in WHITE:
        raise InputError(
            f"{path}: expected unsigned 8- or 16-bit samples or floats, found {header.dtype}. "
            "Convert them, for example to 16 bits."
        )


@contextmanager
def _checked(path: Path, advice: str = LESS, upright: bool = True) -> Iterator[Opened]:
    """An opened image whose declared size fits into memory."""
    with damage_explained(path, "an image"), opened(path, upright) as (header, decode):
        check_memory(path, header.nbytes, f"an image of {header}", advice)
        check_packing(path, header.nbytes, path.stat().st_size)
        yield header, decode
