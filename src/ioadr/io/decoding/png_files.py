"""PNG images by imagecodecs: three times as fast as Pillow, and with 16 bits a colour."""

from __future__ import annotations

import logging
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.io.decoding.header import ORIENTATION, Header, Opened, valid_orientation
from ioadr.io.safety.doors import required

MAGIC = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
"""By colour type; others have a palette."""
LARGEST_EXIF = 10**6


def kind_of_png(start: bytes) -> tuple[int, int]:
    """Bits a sample and colour type."""
    return start[24], start[25]


@contextmanager
def opened_png(path: Path, start: bytes) -> Iterator[Opened]:
    """An image of 8 or 16 bits without palette; `start` is its first 33 bytes."""
    width, height = struct.unpack(">II", start[16:24])
    depth, colour = kind_of_png(start)
    header = Header(height, width, CHANNELS[colour], np.dtype(f"uint{depth}"), _orientation(path))
    yield header, lambda: _samples(path, header)


def _samples(path: Path, header: Header) -> NDArray[Any]:
    library = required("imagecodecs", path)
    # It warns of interlaced images, which it reads well.
    logging.getLogger("imagecodecs").addFilter(_silent)
    samples = np.asarray(library.png_decode(path.read_bytes())).reshape(header.height, header.width, -1)
    # One colour that is declared transparent adds a channel.
    return samples[..., : header.channels]


def _orientation(path: Path) -> int:
    """Of the eXIf chunk, wherever it is; only the heads of other chunks are read."""
    with path.open("rb") as stream:
        stream.seek(len(MAGIC))
        while len(head := stream.read(8)) == 8:
            length, name = struct.unpack(">I4s", head)
            if name == b"eXIf" and length <= LARGEST_EXIF:
                return _exif_orientation(stream.read(length))
            stream.seek(length + 4, 1)
    return 1


def _exif_orientation(data: bytes) -> int:
    from PIL import Image

    exif = Image.Exif()
    exif.load(data)
    return valid_orientation(exif.get(ORIENTATION, 1))


def _silent(record: logging.LogRecord) -> bool:
    return False
