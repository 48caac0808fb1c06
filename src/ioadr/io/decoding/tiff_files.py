"""TIFF images decoded by tifffile: any bit depth, floats, planar colours; thumbnails are skipped."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.decoding.header import ORIENTATION, Header, Opened, valid_orientation
from ioadr.io.safety.limits import check_memory, check_packing

STARTS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
SUBSAMPLING = 530
"""Tag for the subsampling of YCbCr colours; if it is missing, every second sample is stored."""
MOST_PAGES = 64
MOST_CHANNELS = 4
PACKINGS = ("NONE", "LZW", "DEFLATE", "ADOBE_DEFLATE", "PACKBITS", "LZMA", "ZSTD", "JPEG")
"""Compressions whose library stops at the declared size; Pillow decodes JPEG."""
BY_PILLOW = ("PALETTE", "SEPARATED", "YCBCR")
"""Colours of 8 bits that Pillow turns into RGB."""


@contextmanager
def opened_tiff(path: Path) -> Iterator[Opened | None]:
    """The picture; None if Pillow should read it."""
    import tifffile

    # What is wrong with a file is told by the error; the library's log would repeat it on stderr.
    logging.getLogger("tifffile").addFilter(_silent)
    with tifffile.TiffFile(path) as file:
        page, remarks = _picture(path, file)
        _check_packing(path, page)
        if page.dtype == np.bool_ or page.photometric.name in BY_PILLOW or page.compression.name == "JPEG":
            if page.index != 0 or page.bitspersample not in (1, 8) or _is_subsampled(page):
                raise _refused(path, page)
            if not _is_raw_ycbcr(page):
                yield None
                return
        header, planes = _header(path, page, remarks)
        yield header, lambda: _samples(page, header, planes)


def _check_packing(path: Path, page: Any) -> None:
    """Refuse tiles larger than memory, and tiles that are compressed pictures, which may have any size."""
    packing = getattr(page.compression, "name", str(page.compression))
    if packing not in PACKINGS and page.dtype != np.bool_:
        raise InputError(
            f"{path}: the compression {packing} is not supported. Export it with {', '.join(PACKINGS)}, or as PNG."
        )
    if page.is_tiled:
        piece = math.prod(page.chunks) * max(1, page.bitspersample // 8)
        check_memory(path, piece, f"tiles of {page.tilewidth}×{page.tilelength} px", "Export it with smaller tiles")
        check_packing(path, piece, path.stat().st_size)


def _picture(path: Path, file: Any) -> tuple[Any, tuple[str, ...]]:
    """The only page that is not a thumbnail or a mask; a page smaller than another is a thumbnail."""
    pages = [page for first in islice(file.pages, MOST_PAGES) for page in (first, *(first.pages or ()))]
    if not pages:
        raise InputError(f"{path}: holds no image. Copy or export the file again.")
    full = [page for page in pages if not (page.is_reduced or page.is_mask)] or pages[:1]
    largest = max(full, key=_pixels)
    alike = sum(_pixels(page) == _pixels(largest) for page in full)
    stacked = int((file.imagej_metadata or {}).get("images", 1)) if file.is_imagej else 1
    if max(alike, stacked) > 1:
        raise InputError(
            f"{path}: expected one image in a file, found {max(alike, stacked)} pages of {largest.imagewidth}×"
            f"{largest.imagelength} px. Export each view as its own file."
        )
    remark = "smaller pages of the files, such as thumbnails, not read"
    return largest, (remark,) if len(pages) > 1 else ()


def _pixels(page: Any) -> int:
    return int(page.imagewidth) * int(page.imagelength)


def _header(path: Path, page: Any, remarks: tuple[str, ...]) -> tuple[Header, bool]:
    """The page's header, and whether its colours are planar."""
    shape, dtype = tuple(page.shape), page.dtype
    planes = len(shape) == 3 and page.axes.startswith("S")
    if len(shape) == 2:
        shape = (*shape, 1)
    inverted = page.photometric.name == "MINISWHITE"
    grey_or_colour = inverted or page.photometric.name in ("MINISBLACK", "RGB") or _is_raw_ycbcr(page)
    if dtype is None or len(shape) != 3 or not grey_or_colour or (inverted and dtype.kind != "u"):
        raise _refused(path, page)
    height, width, channels = (shape[1], shape[2], shape[0]) if planes else shape
    if channels > MOST_CHANNELS:
        raise _refused(path, page)
    if inverted:
        remarks = (*remarks, "files store black as the largest value: inverted on reading")
    tag = page.tags.get(ORIENTATION)
    orientation = valid_orientation(tag.value if tag is not None else 1)
    target = np.dtype(np.float32) if dtype.kind == "f" else dtype.newbyteorder("=")
    return Header(height, width, channels, target, orientation, remarks), planes


def _samples(page: Any, header: Header, planes: bool) -> NDArray[Any]:
    samples = np.asarray(page.asarray())
    samples = np.moveaxis(samples, 0, -1) if planes else samples
    samples = np.ascontiguousarray(samples, dtype=header.dtype).reshape(header.shape)
    if page.photometric.name == "MINISWHITE":
        samples[..., 0] = (2**page.bitspersample - 1) - samples[..., 0]
    if _is_raw_ycbcr(page):
        from PIL import Image

        size = header.width, header.height
        samples = np.array(Image.frombuffer("YCbCr", size, samples, "raw", "YCbCr", 0, 1).convert("RGB"))
    return samples


def _is_raw_ycbcr(page: Any) -> bool:
    """Whether the page holds uncompressed YCbCr, which Pillow before 13 calls truncated."""
    return page.photometric.name == "YCBCR" and page.compression.name == "NONE"


def _is_subsampled(page: Any) -> bool:
    """Whether colour is stored uncompressed at a lower resolution, which Pillow does not notice."""
    tag = page.tags.get(SUBSAMPLING)
    return _is_raw_ycbcr(page) and (tag is None or tuple(tag.value) != (1, 1))


def _refused(path: Path, page: Any) -> InputError:
    shape = "×".join(map(str, page.shape))
    return InputError(
        f"{path}: expected grey or RGB samples, found {page.photometric.name} samples of {page.bitspersample} bits, "
        f"{shape} {page.axes}. Export it as RGB, for example as PNG."
    )


def _silent(record: logging.LogRecord) -> bool:
    return False
