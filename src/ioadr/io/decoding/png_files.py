"""PNG images decoded by imagecodecs: several times as fast as Pillow, with 16 bits per colour.

Its PNG decoder decompresses with zlib, which takes more than half of the time; libdeflate, also in imagecodecs, is
twice as fast. So libdeflate decompresses, and the decoder gets the same image with stored instead of compressed rows.
"""

from __future__ import annotations

import logging
import struct
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.io.decoding.header import Header, Opened, check_frames, orientation_in
from ioadr.io.safety.doors import required

MAGIC = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
"""Number of channels, by colour type; other types have a palette."""
LARGEST_CHUNK = 10**6
MOST_CHUNKS = 10**5
STORED, HEAD = 65535, 5
"""Largest number of bytes in a block of a zlib stream that is not compressed, and the size of the block's head."""
LARGEST = 1 << 25
"""Bytes of samples up to which this is done: each thread keeps two copies of them."""
END = b"\0\0\0\0IEND\xaeB`\x82"

_own = threading.local()


def kind_of_png(start: bytes) -> tuple[int, int]:
    """Bits per sample and colour type."""
    return start[24], start[25]


@contextmanager
def opened_png(path: Path, start: bytes) -> Iterator[Opened]:
    """An image of 8 or 16 bits without palette; `start` is its first 33 bytes. Animations are refused."""
    check_frames(path, _frames(path))
    width, height = struct.unpack(">II", start[16:24])
    depth, colour = kind_of_png(start)
    header = Header(height, width, CHANNELS[colour], np.dtype(f"uint{depth}"), *orientation_in(lambda: _exif(path)))
    yield header, lambda: _samples(path, header)


def _samples(path: Path, header: Header) -> NDArray[Any]:
    library = required("imagecodecs", path)
    # It warns of interlaced images, which it reads well.
    logging.getLogger("imagecodecs").addFilter(_silent)
    content = path.read_bytes()
    samples = None
    with suppress(ImportError, RuntimeError):  # what is wrong with the file is for the decoder to say
        stored = uncompressed(content, header, library)
        samples = None if stored is None else library.png_decode(stored)
    samples = np.asarray(library.png_decode(content) if samples is None else samples)
    samples = samples.reshape(header.height, header.width, -1)
    # One colour that is declared transparent adds a channel.
    return samples[..., : header.channels]


def uncompressed(content: bytes, header: Header, library: Any) -> NDArray[np.uint8] | None:
    """The same image with stored rows; None if it is interlaced, large or damaged, which is left to the decoder.

    It is in memory that the next image decoded by this thread overwrites: with new memory for each, nothing is gained.
    """
    size = header.height * (header.width * header.channels * header.dtype.itemsize + 1)
    packed, first = _compressed(content)
    interlaced = content[28]
    if interlaced or packed is None or size > LARGEST:
        return None
    length = 2 + size + HEAD * -(-size // STORED) + 4
    rows, file = _memory(size), _memory(first + 8 + length + 4 + len(END), 1)
    if len(library.deflate_decode(packed, out=rows)) != size:
        return None
    file[:first] = np.frombuffer(content, np.uint8, first)
    file[first : first + 8] = np.frombuffer(struct.pack(">I4s", length, b"IDAT"), np.uint8)
    _store(rows, packed[-4:], file[first + 8 : first + 8 + length])
    checksum = struct.pack(">I", zlib.crc32(file[first + 4 : first + 8 + length].data))
    file[first + 8 + length :] = np.frombuffer(checksum + END, np.uint8)
    return file


def _compressed(content: bytes) -> tuple[bytes | None, int]:
    """The compressed rows, None if their chunks are damaged, and the position of the first of these chunks."""
    parts, position, first = list[memoryview](), len(MAGIC), 0
    view = memoryview(content)
    while position + 12 <= len(content):
        length, name = struct.unpack_from(">I4s", content, position)
        end = position + 8 + length
        if name == b"IDAT":
            if content[end : end + 4] != struct.pack(">I", zlib.crc32(view[position + 4 : end])):
                return None, 0
            parts.append(view[position + 8 : end])
            first = first or position
        if name == b"IEND":
            break
        position = end + 4
    return (b"".join(parts) if parts else None), first


def _store(rows: NDArray[np.uint8], checksum: bytes, stream: NDArray[np.uint8]) -> None:
    """Write a zlib stream without compression. The checksum is that of the rows, and thus of any stream of them."""
    stream[:2] = 0x78, 0x01
    whole, rest = divmod(len(rows), STORED)
    for number in range(whole + (rest > 0)):
        block = rows[number * STORED : (number + 1) * STORED]
        start = 2 + number * (HEAD + STORED)
        head = struct.pack("<BHH", (number + 1) * STORED >= len(rows), len(block), STORED - len(block))
        stream[start : start + HEAD] = np.frombuffer(head, np.uint8)
        stream[start + HEAD : start + HEAD + len(block)] = block
    stream[-4:] = np.frombuffer(checksum, np.uint8)


def _memory(size: int, number: int = 0) -> NDArray[np.uint8]:
    """Memory of this thread, the same for images of the same size."""
    kept: dict[int, NDArray[np.uint8]] = _own.__dict__.setdefault("kept", {})
    if number not in kept or len(kept[number]) != size:
        kept[number] = np.empty(size, np.uint8)
    return kept[number]


def _exif(path: Path) -> Mapping[int, Any]:
    data = _chunk(path, b"eXIf", b"IEND")
    return _parsed(data) if data else {}


def _frames(path: Path) -> int:
    """Number of images; that of an animation stands before the first image."""
    data = _chunk(path, b"acTL", b"IDAT")
    return int.from_bytes(data[:4], "big") if len(data) >= 4 else 1


def _chunk(path: Path, wanted: bytes, last: bytes) -> bytes:
    """Content of the first chunk of that name before the chunk `last`; only the headers of others are read."""
    with path.open("rb") as stream:
        stream.seek(len(MAGIC))
        for _ in range(MOST_CHUNKS):
            head = stream.read(8)
            length, name = struct.unpack(">I4s", head) if len(head) == 8 else (0, last)
            if name == wanted and length <= LARGEST_CHUNK:
                return stream.read(length)
            if name in (last, b"IEND"):
                break
            stream.seek(length + 4, 1)
    return b""


def _parsed(data: bytes) -> Mapping[int, Any]:
    from PIL import Image

    exif = Image.Exif()
    exif.load(data)
    return exif


def _silent(record: logging.LogRecord) -> bool:
    return False
