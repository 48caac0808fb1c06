"""Writers for maps: PFM, NPY, previews and 16-bit PNG, float TIFF, EXR.

Each takes a path, the values and a `Label` with their meaning, which is stored if the format can hold it. TIFF is
written by Pillow, which every installation has; EXR needs the extra `exr`.
"""

from __future__ import annotations

import errno
import io
import os
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.extras import install
from ioadr.io.decoding.pillow_files import pillow_image, without_warnings
from ioadr.io.decoding.png_files import MAGIC
from ioadr.io.results.pfm import encode_pfm
from ioadr.io.safety.doors import one_line

if TYPE_CHECKING:
    from PIL.PngImagePlugin import PngInfo

UP, RGB = 2, 2
"""Numbers of a filter and of a colour type in PNG."""
FULL = 65535
"""Largest 16-bit sample; 0 is kept for "no value"."""


@dataclass(frozen=True)
class Label:
    """Meaning of a map."""

    name: str
    unit: str
    """Unit: px, m, relative, …"""
    provenance: str
    """JSON, the same as in provenance.json."""

    @property
    def description(self) -> str:
        return f"{self.name} [{self.unit}], ioadr"


def write_pfm(path: Path, values: NDArray[Any], label: Label) -> None:
    """Write PFM, which cannot hold a label."""
    path.write_bytes(encode_pfm(values))


def write_npy(path: Path, values: NDArray[Any], label: Label) -> None:
    np.save(path, values, allow_pickle=False)


def write_picture(path: Path, picture: NDArray[np.uint8], label: Label) -> None:
    """Write an 8-bit RGB PNG, quickly: each row as its difference from the one above; Pillow tries all filters."""
    height, width, _ = picture.shape
    rows = np.empty((height, 1 + 3 * width), np.uint8)
    rows[:, 0], rows[:, 1:] = UP, picture.reshape(height, -1)
    rows[1:, 1:] -= picture[:-1].reshape(height - 1, -1)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, RGB, 0, 0, 0)),
        *(_text_chunk(name, text) for name, text in _texts(label).items()),
        (b"IDAT", deflated(rows.tobytes())),
        (b"IEND", b""),
    ]
    with path.open("wb") as file:
        file.write(MAGIC)
        for name, content in chunks:
            file.write(struct.pack(">I", len(content)) + name)
            file.write(content)
            file.write(struct.pack(">I", zlib.crc32(content, zlib.crc32(name))))


def deflated(content: bytes) -> bytes:
    """Compress in zlib's format, with libdeflate if it is installed, which takes two thirds of the time."""
    with suppress(ImportError):
        from imagecodecs import deflate_encode

        return bytes(deflate_encode(content, level=1))
    # Differences hold runs and noise but no phrases: looking only for runs packs better, and twice as fast.
    packer = zlib.compressobj(strategy=zlib.Z_RLE)
    return packer.compress(content) + packer.flush()


def quantised(values: NDArray[Any]) -> tuple[NDArray[np.uint16], float, float]:
    """Samples, scale and offset: value = offset + scale · sample; sample 0 is "no value"."""
    known = np.isfinite(values)
    complete = bool(known.all())  # as most maps are: a mask takes longer than the rest
    finite = values if complete else values[known]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    scale = (high - low) / (FULL - 1) or 1.0
    samples = (values if complete else np.where(known, values, 0.0)).astype(np.float64)
    samples -= low
    samples /= scale
    np.rint(samples, out=samples)
    samples += 1
    return (samples if complete else np.where(known, samples, 0.0)).astype(np.uint16), scale, low - scale


def write_png16(path: Path, values: NDArray[Any], label: Label) -> None:
    """Quantised to 16 bits; scale and offset are in the metadata."""
    from PIL import Image

    samples, scale, offset = quantised(values)
    texts = _texts(label, scale=repr(scale), offset=repr(offset), value="offset + scale * sample", empty="0")
    Image.fromarray(samples).save(path, format="PNG", pnginfo=_png_texts(texts), compress_level=3)


def read_png16(path: str | Path) -> NDArray[np.float32]:
    """Values of a map written by `write_png16`; NaN where there is none."""
    with without_warnings(), pillow_image(Path(path), "a PNG map", ["PNG"]) as picture:
        try:
            scale, offset = float(picture.info["scale"]), float(picture.info["offset"])
        except (KeyError, ValueError) as error:
            raise InputError(
                f"{path}: a picture, not a map: the PNG texts scale and offset are missing. "
                "Give a map that ⟦save png16⟧ wrote, or one of another format."
            ) from error
        samples = np.asarray(picture, np.float64)
    return np.where(samples > 0, offset + scale * samples, np.nan).astype(np.float32)


def write_tiff(path: Path, values: NDArray[Any], label: Label) -> None:
    """Write one float32 channel, compressed without loss; description and provenance in the tags."""
    from PIL import Image, TiffImagePlugin

    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[TiffImagePlugin.IMAGEDESCRIPTION] = f"{label.description}\n{label.provenance}"
    tags[TiffImagePlugin.SOFTWARE] = "ioadr"
    # In memory first: on a full disk, libtiff prints several lines and Pillow raises other errors than the system's.
    stream = io.BytesIO()
    Image.fromarray(values.astype(np.float32)).save(stream, format="TIFF", tiffinfo=tags, compression="tiff_deflate")
    path.write_bytes(stream.getvalue())


def write_exr(path: Path, channels: Mapping[str, NDArray[Any]], label: Label) -> None:
    """One file with a float32 channel for each map."""
    try:
        import OpenEXR
    except ImportError as error:
        raise InputError(f"EXR files need the package OpenEXR. {install('exr')}") from error
    header = {
        "compression": OpenEXR.ZIP_COMPRESSION,
        "type": OpenEXR.scanlineimage,
        "comments": f"{label.description}\n{label.provenance}",
    }
    planes = {name: np.ascontiguousarray(values, np.float32) for name, values in channels.items()}
    try:
        OpenEXR.File(header, dict(planes)).write(str(path))  # it replaces values of its mapping
        # The library says nothing if the disk is full when it closes the file.
        if path.stat().st_size == 0 or not _same(OpenEXR.File(str(path), separate_channels=True).channels(), planes):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except RuntimeError as error:
        # For a full disk as for all else; the text ends with the system's.
        full = os.strerror(errno.ENOSPC) in str(error)
        raise OSError(errno.ENOSPC if full else errno.EIO, one_line(error)) from error


def _same(stored: Mapping[str, Any], planes: Mapping[str, NDArray[Any]]) -> bool:
    return all(np.array_equal(stored[name].pixels, values, equal_nan=True) for name, values in planes.items())


def _texts(label: Label, **more: str) -> dict[str, str]:
    """Texts of a PNG by keyword."""
    ours = {"Software": "ioadr", "Description": label.description, "unit": label.unit}
    return {**ours, **more, "provenance": label.provenance}


def _text_chunk(name: str, text: str) -> tuple[bytes, bytes]:
    """Type and content of a chunk: Latin-1 if possible, else UTF-8."""
    try:
        return b"tEXt", f"{name}\0{text}".encode("latin-1")
    except UnicodeEncodeError:
        return b"iTXt", f"{name}\0\0\0\0\0{text}".encode()


def _png_texts(texts: Mapping[str, str]) -> PngInfo:
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    for name, text in texts.items():
        info.add_text(name, text)
    return info
