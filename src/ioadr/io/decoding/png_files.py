"""PNG images decoded by imagecodecs: three times as fast as Pillow, with 16 bits per colour."""

from __future__ import annotations

import logging
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.io.decoding.header import Header, Opened, orientation_in
from ioadr.io.safety.doors import required

MAGIC = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
"""Number of channels, by colour type; other types have a palette."""
LARGEST_EXIF = 10**6
MOST_CHUNKS = 10**5


def kind_of_png(start: bytes) -> tuple[int, int]:
    """Bits per sample and colour type."""
    return start[24], start[25]


@contextmanager
def opened_png(path: Path, start: bytes) -> Iterator[Opened]:
    """An image of 8 or 16 bits without palette; `start` is its first 33 bytes."""
    width, height = struct.unpack(">II", start[16:24])
    depth, colour = kind_of_png(start)
    header = Header(height, width, CHANNELS[colour], np.dtype(f"uint{depth}"), *orientation_in(lambda: _exif(path)))
    yield header, lambda: _samples(path, header)


def _samples(path: Path, header: Header) -> NDArray[Any]:
    library = required("imagecodecs", path)
    # It warns of interlaced images, which it reads well.
    logging.getLogger("imagecodecs").addFilter(_silent)
    samples = np.asarray(library.png_decode(path.read_bytes())).reshape(header.height, header.width, -1)
    # One colour that is declared transparent adds a channel.
    return samples[..., : header.channels]


def _exif(path: Path) -> Mapping[int, Any]:
    """The eXIf chunk, at any position; only the headers of other chunks are read."""
    with path.open("rb") as stream:
        stream.seek(len(MAGIC))
        for _ in range(MOST_CHUNKS):
            head = stream.read(8)
            length, name = struct.unpack(">I4s", head) if len(head) == 8 else (0, b"IEND")
            if name == b"eXIf" and length <= LARGEST_EXIF:
                return _parsed(stream.read(length))
            if name == b"IEND":
                break
            stream.seek(length + 4, 1)
    return {}


def _parsed(data: bytes) -> Mapping[int, Any]:
    from PIL import Image

    exif = Image.Exif()
    exif.load(data)
    return exif


def _silent(record: logging.LogRecord) -> bool:
    return False
