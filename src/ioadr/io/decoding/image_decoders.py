"""One image file: its header and its samples.

Pillow reads most kinds, but reduces 16-bit colours to 8 bits: those, and floats, go to libraries that keep them.
Orientation tags of all kinds of files are applied here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.extras import install
from ioadr.io.decoding import exr_files, png_files, tiff_files
from ioadr.io.decoding.header import Header, Opened, check_frames, orientation_in, turned
from ioadr.io.decoding.pillow_files import pillow_image

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


@contextmanager
def opened(path: Path, upright: bool = True) -> Iterator[Opened]:
    """Open an image with the decoder that keeps all of its data, chosen by the first bytes; upright, or as stored."""
    with path.open("rb") as stream:
        start = stream.read(33)
    with _stored(path, start) as (header, decode):
        if upright:
            yield header.upright(), lambda: turned(decode(), header.orientation)
        else:
            yield header, decode


@contextmanager
def _stored(path: Path, start: bytes) -> Iterator[Opened]:
    if _is_for_imagecodecs(start):
        with png_files.opened_png(path, start) as image:
            yield image
        return
    if start.startswith(exr_files.MAGIC):
        with exr_files.opened_exr(path) as image:
            yield image
        return
    if start[:4] in tiff_files.STARTS and _installed("tifffile"):
        with tiff_files.opened_tiff(path) as page:
            if page is not None:
                yield page
                return
    with _pillow(path) as image:
        yield image


def _is_for_imagecodecs(start: bytes) -> bool:
    """Whether imagecodecs decodes this PNG: 8 and 16 bits without palette. Pillow gets the rest."""
    if not start.startswith(png_files.MAGIC) or len(start) < 33:
        return False
    depth, colour = png_files.kind_of_png(start)
    return colour in png_files.CHANNELS and (depth == 16 or (depth == 8 and _installed("imagecodecs")))


@cache
def _installed(module: str) -> bool:
    return find_spec(module) is not None


@contextmanager
def _pillow(path: Path) -> Iterator[Opened]:
    with pillow_image(path) as image:
        _check_depth(path, image)
        channels, dtype = MODES[_mode(image)]
        orientation, damage = orientation_in(image.getexif)
        if orientation != 1 and image.format == "TIFF":
            # Pillow would rotate it silently.
            raise InputError(
                f"{path}: orientation {orientation} is not supported in a TIFF of {image.mode} samples. "
                "Export it upright, or as PNG."
            )
        header = Header(image.height, image.width, channels, np.dtype(dtype), orientation, (*damage, *_remarks(image)))
        yield header, lambda: _pillow_samples(path, image).reshape(header.shape)


def _pillow_samples(path: Path, image: Image) -> NDArray[Any]:
    samples = np.asarray(image if image.mode in MODES else image.convert(_mode(image)))
    if image.mode != "I":
        return samples
    if samples.min() < 0 or samples.max() > 65535:
        raise InputError(
            f"{path}: expected at most 16 bits per sample, found values {samples.min()} … {samples.max()}. "
            "Export it with 8 or 16 bits, or as float TIFF."
        )
    return samples.astype(np.uint16)


def _remarks(image: Image) -> tuple[str, ...]:
    cmyk = ("CMYK colours turned into RGB, without their profile",) if image.mode == "CMYK" else ()
    more = ("further images in the files, such as previews, not read",) if image.format == "MPO" else ()
    return cmyk + more


def _check_depth(path: Path, image: Image) -> None:
    """Refuse images that Pillow would silently reduce to 8 bits per colour or to the first of several."""
    tiles = getattr(image, "tile", ())
    arguments = tiles[0].args if tiles else ()
    details = (arguments,) if isinstance(arguments, str) else tuple(arguments or ())
    # The largest value of a PNM, the raw mode of a PNG or TIFF; a BMP has the length of its rows there.
    deep = any(isinstance(detail, int) and detail > 255 for detail in details[:2]) and image.format == "PPM"
    deep |= image.format in ("PNG", "TIFF") and any(";16" in str(detail) for detail in details[:2])
    if deep and image.mode in ("RGB", "RGBA"):
        if image.format == "PPM":
            raise InputError(f"{path}: cannot read 16-bit colours in PPM files. Export the views as PNG.")
        package = "tifffile" if image.format == "TIFF" else "imagecodecs"
        raise InputError(f"{path}: reading 16-bit colours needs the package {package}. {install('formats')}")
    if image.format in ("PNG", "TIFF", "WEBP"):
        check_frames(path, getattr(image, "n_frames", 1))


def _mode(image: Image) -> str:
    """The Pillow mode in which the image is decoded."""
    mode = str(image.mode)
    if mode in MODES:
        return mode
    if mode == "P":
        return "RGBA" if "transparency" in image.info else "RGB"
    return CONVERSIONS.get(mode, "RGB")
