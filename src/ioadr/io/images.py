"""Image files of any kind as arrays [height, width, channels], decoded by several threads."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.capture import Window
from ioadr.io.doors import damage_explained, one_line
from ioadr.io.limits import check_memory, check_packing

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".ppm", ".pgm", ".webp")
# Pillow mode → channels and sample type as they are handed on; other modes are converted to one of these.
MODES = {
    "L": (1, "uint8"),
    "LA": (2, "uint8"),
    "RGB": (3, "uint8"),
    "RGBA": (4, "uint8"),
    "I;16": (1, "uint16"),
    "I": (1, "uint16"),
    "F": (1, "float32"),
}
CONVERSIONS = {"1": "L", "La": "LA", "RGBa": "RGBA", "PA": "RGBA", "I;16L": "I;16", "I;16B": "I;16", "I;16N": "I;16"}


@dataclass(frozen=True)
class Header:
    """What a file says about its image."""

    height: int
    width: int
    channels: int
    dtype: np.dtype[Any]

    def __str__(self) -> str:
        return f"{self.width}×{self.height} px, {self.channels} × {self.dtype}"

    @property
    def nbytes(self) -> int:
        return self.height * self.width * self.channels * self.dtype.itemsize


def read_header(path: Path) -> Header:
    """Size and type of an image without decoding it."""
    with _large_images(), _opened(path) as image:
        return _header(image)


def read_image(path: Path) -> NDArray[Any]:
    """[N, M, C] of one image file."""
    with _large_images():
        return _decoded(path, None)


def read_images(paths: Sequence[Path], header: Header, window: Window) -> NDArray[Any]:
    """[V, N, M, C]: the window of every image, decoded by as many threads as there are cores."""
    views = np.empty((len(paths), window.height, window.width, header.channels), header.dtype)

    def decode(number: int) -> None:
        views[number] = _decoded(paths[number], header)[window.slices]

    # One thread more than cores: reading files and copying pixels overlap with decoding, which runs without the GIL.
    with _large_images(), ThreadPoolExecutor(cores() + 1) as pool:
        try:
            list(pool.map(decode, range(len(paths))))
        finally:
            pool.shutdown(cancel_futures=True)
    return views


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _decoded(path: Path, expected: Header | None) -> NDArray[Any]:
    """[N, M, C]; refuses an image that differs from `expected`."""
    with _opened(path) as image:
        header = _header(image)
        if expected is not None and header != expected:
            raise InputError(
                f"{path}: expected {expected} as in the other views, found {header}. "
                "Export all views alike, or leave this one out with --skip ROW,COL."
            )
        array = np.asarray(image if image.mode in MODES else image.convert(_mode(image)))
    if image.mode == "I":
        array = _as_uint16(path, array)
    return array.reshape(header.height, header.width, header.channels)


@contextmanager
def _large_images() -> Iterator[None]:
    """Without Pillow's warning: the memory limit decides about large images. Not per thread, as filters are global."""
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        yield


@contextmanager
def _opened(path: Path) -> Iterator[Image]:
    """An image file whose declared size was checked; whatever Pillow raises becomes an InputError."""
    from PIL import Image, UnidentifiedImageError

    with damage_explained(path, "a readable image"):
        try:
            with Image.open(path) as image:
                header = _header(image)
                check_memory(path, header.nbytes, f"an image of {header}")
                check_packing(path, header.nbytes, path.stat().st_size)
                yield image
        except UnidentifiedImageError as error:
            raise InputError(
                f"{path}: expected an image, found no format that is known. Copy or export the file again."
            ) from error
        except Image.DecompressionBombError as error:
            raise InputError(
                f"{path}: expected an image of a plausible size, found: {one_line(error)}. "
                "Split it into views of their own."
            ) from error


def _as_uint16(path: Path, array: NDArray[Any]) -> NDArray[np.uint16]:
    if array.min() < 0 or array.max() > 65535:
        raise InputError(
            f"{path}: expected at most 16 bits a sample, found values {array.min()} … {array.max()}. "
            "Export it with 8 or 16 bits, or as float TIFF."
        )
    return array.astype(np.uint16)


def _header(image: Image) -> Header:
    channels, dtype = MODES[_mode(image)]
    return Header(image.height, image.width, channels, np.dtype(dtype))


def _mode(image: Image) -> str:
    """The mode in which the image is handed on."""
    mode = str(image.mode)
    if mode in MODES:
        return mode
    if mode == "P":
        return "RGBA" if "transparency" in image.info else "RGB"
    return CONVERSIONS.get(mode, "RGB")
