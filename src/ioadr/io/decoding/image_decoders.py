"""One image file: what its header declares, and its samples.

Pillow reads most kinds, but cuts colours of 16 bits down to 8: those, and floats, go to the libraries that keep
them. imagecodecs also decodes ordinary PNG files about three times as fast, so it is used for them where it is there.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.decoding.pillow_files import pillow_image
from ioadr.io.safety.doors import required

if TYPE_CHECKING:
    from PIL.Image import Image

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
TIFF_STARTS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
PNG_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


@dataclass(frozen=True)
class Header:
    """What a file says about its image."""

    height: int
    width: int
    channels: int
    dtype: np.dtype[Any]
    orientation: int = 1
    """Of EXIF and TIFF: how the samples are turned to stand upright; sizes are those before that."""
    remarks: tuple[str, ...] = field(default=(), compare=False)
    """What was done to the samples that a user may want to know."""

    def __str__(self) -> str:
        turned = f", orientation {self.orientation}" if self.orientation != 1 else ""
        return f"{self.width}×{self.height} px, {self.channels} × {self.dtype}{turned}"

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.height, self.width, self.channels

    @property
    def nbytes(self) -> int:
        return self.height * self.width * self.channels * self.dtype.itemsize


Opened = tuple[Header, Callable[[], NDArray[Any]]]
"""A header, and how to get the samples [N, M, C] that it declares."""


def opened(path: Path) -> AbstractContextManager[Opened]:
    """The image by the decoder that keeps all of it, told by the first bytes."""
    with path.open("rb") as stream:
        start = stream.read(33)
    if start.startswith(b"\x89PNG\r\n\x1a\n") and len(start) == 33:
        return _png(path, start)
    if start[:4] in TIFF_STARTS and _installed("tifffile"):
        return _tiff(path)
    if start.startswith(b"\x76\x2f\x31\x01"):
        return _exr(path)
    return _pillow(path)


@cache
def _installed(module: str) -> bool:
    return find_spec(module) is not None


@contextmanager
def _png(path: Path, start: bytes) -> Iterator[Opened]:
    """8 and 16 bits without palette by imagecodecs; the rest, and all of 8 bits where it is absent, by Pillow."""
    width, height, depth, colour = struct.unpack(">IIBB", start[16:26])
    plain = depth in (8, 16) and colour in PNG_CHANNELS
    if not plain or (depth == 8 and not _installed("imagecodecs")):
        with _pillow(path) as image:
            yield image
        return
    header = Header(height, width, PNG_CHANNELS[colour], np.dtype(f"uint{depth}"))

    def decode() -> NDArray[Any]:
        samples = np.asarray(required("imagecodecs", path).png_decode(path.read_bytes()))
        if samples.size != np.prod(header.shape):
            # Some chunk changed the image, such as a transparent colour: Pillow knows what the header meant.
            with _pillow(path) as (_, by_pillow):
                samples = by_pillow()
        return samples.reshape(header.shape)

    yield header, decode


def _silent(record: logging.LogRecord) -> bool:
    return False


@contextmanager
def _tiff(path: Path) -> Iterator[Opened]:
    """By tifffile: any depth, floats, colours in planes."""
    import tifffile

    # What is wrong with a file is told by the error; the library's log would repeat it on stderr.
    logging.getLogger("tifffile").addFilter(_silent)
    with tifffile.TiffFile(path) as file:
        if not len(file.pages):
            raise InputError(f"{path}: expected an image, found none in it. Copy or export the file again.")
        page = cast("tifffile.TiffPage", file.pages[0])
        shape, dtype = tuple(page.shape), page.dtype
        planes = len(shape) == 3 and page.axes.startswith("S")
        if len(shape) == 2:
            shape = (*shape, 1)
        if dtype is None or len(shape) != 3 or page.photometric == tifffile.PHOTOMETRIC.PALETTE:
            raise InputError(f"{path}: expected grey or colour samples, found {page.axes} {shape}. Export it as PNG.")
        height, width, channels = (shape[1], shape[2], shape[0]) if planes else shape
        target = np.dtype(np.float32) if dtype.kind == "f" else dtype.newbyteorder("=")

        def decode() -> NDArray[Any]:
            samples = np.asarray(page.asarray())
            samples = np.moveaxis(samples, 0, -1) if planes else samples
            return np.ascontiguousarray(samples, dtype=target).reshape(height, width, channels)

        yield Header(height, width, channels, target), decode


@contextmanager
def _exr(path: Path) -> Iterator[Opened]:
    """Float colours of the first part."""
    library = required("OpenEXR", path, "exr")
    declared = library.File(str(path), header_only=True).header()
    low, high = declared["dataWindow"]
    width, height = int(high[0]) - int(low[0]) + 1, int(high[1]) - int(low[1]) + 1
    names = {channel.name for channel in declared["channels"]}
    name = next((group for group in ("RGBA", "RGB", "Y") if set(group) <= names), None)
    if name is None:
        raise InputError(f"{path}: expected channels R, G, B or Y, found {', '.join(sorted(names))}. Export it again.")
    channels = len(name)

    def decode() -> NDArray[Any]:
        samples = library.File(str(path)).channels()[name].pixels
        return np.asarray(samples, dtype=np.float32).reshape(height, width, channels)

    yield Header(height, width, channels, np.dtype(np.float32)), decode


@contextmanager
def _pillow(path: Path) -> Iterator[Opened]:
    with pillow_image(path) as image:
        _check_depth(path, image)
        channels, dtype = MODES[_mode(image)]
        header = Header(image.height, image.width, channels, np.dtype(dtype))
        yield header, lambda: _pillow_samples(path, image).reshape(header.shape)


def _pillow_samples(path: Path, image: Image) -> NDArray[Any]:
    samples = np.asarray(image if image.mode in MODES else image.convert(_mode(image)))
    if image.mode != "I":
        return samples
    if samples.min() < 0 or samples.max() > 65535:
        raise InputError(
            f"{path}: expected at most 16 bits a sample, found values {samples.min()} … {samples.max()}. "
            "Export it with 8 or 16 bits, or as float TIFF."
        )
    return samples.astype(np.uint16)


def _check_depth(path: Path, image: Image) -> None:
    """Refuse what Pillow would silently reduce to 8 bits a colour."""
    tiles = getattr(image, "tile", ())
    arguments = tiles[0].args if tiles else ()
    details = (arguments,) if isinstance(arguments, str) else tuple(arguments or ())
    deep = any(";16" in str(detail) or (isinstance(detail, int) and 255 < detail <= 65535) for detail in details[:2])
    if deep and image.mode in ("RGB", "RGBA"):
        raise InputError(
            f"{path}: expected colours of 8 bits, or the libraries to read more, found 16 bits in {image.format}. "
            "Install them with: pip install 'ioadr[formats]', or export the views as PNG."
        )


def _mode(image: Image) -> str:
    """The mode in which the image is handed on."""
    mode = str(image.mode)
    if mode in MODES:
        return mode
    if mode == "P":
        return "RGBA" if "transparency" in image.info else "RGB"
    return CONVERSIONS.get(mode, "RGB")
