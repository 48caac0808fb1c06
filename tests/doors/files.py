"""Bad bytes: what files are damaged by, and headers that promise too much."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 24 20\n(%pipe%id) (w) file\n%%EOF\n"
"""Pillow would hand it to Ghostscript."""
TEXT = b"no such thing in here\n" * 20
HUGE = (9, 9, 9000, 9000, 3)
"""Views larger than any memory: 20 GB."""


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


DAMAGES: Mapping[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut off": cut,
    "a text file instead": lambda data: TEXT,
    "PostScript instead": lambda data: POSTSCRIPT,
}


PIPE = "a pipe instead of the file"


def pipe(path: Path) -> None:
    """A pipe instead of the file: reading it waits forever."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def png_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def bomb_png(path: Path, width: int, height: int, depth: int = 8, rows: int | None = None, **texts: str) -> Path:
    """A valid grey PNG of zeros, or one that holds fewer rows than it declares."""
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0))
    said = b"".join(png_chunk(b"tEXt", f"{name}\0{text}".encode("latin-1")) for name, text in texts.items())
    data = png_chunk(b"IDAT", _zeros(1 + width * depth // 8, height if rows is None else rows))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + header + said + data + png_chunk(b"IEND", b""))
    return path


@cache
def _zeros(length: int, count: int) -> bytes:
    packer = zlib.compressobj(1 if length * count > 1 << 20 else 6)
    return b"".join(packer.compress(bytes(length)) for _ in range(count)) + packer.flush()


def npy_header(shape: tuple[int, ...], kind: str = "|u1") -> bytes:
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def packed_zeros(path: Path, members: Mapping[str, tuple[bytes, int]]) -> Path:
    """A zip whose members are a start and so many zeros; written without holding them."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, (start, zeros) in members.items():
            with archive.open(name, "w", force_zip64=True) as stream:
                stream.write(start)
                for done in range(0, zeros, 1 << 20):
                    stream.write(bytes(min(1 << 20, zeros - done)))
    return path


def sparse(path: Path, start: bytes, size: int) -> Path:
    """A file that claims a size and holds nothing."""
    path.write_bytes(start)
    with path.open("r+b") as stream:
        stream.truncate(size)
    return path


def tiff(path: Path, width: int, height: int) -> Path:
    """A float TIFF of one strip whose values are not there."""
    entries = [(256, 4, width), (257, 4, height), (258, 3, 32), (259, 3, 1), (262, 3, 1), (273, 4, 200), (277, 3, 1)]
    entries += [(278, 4, height), (279, 4, min(4 * width * height, 2**32 - 1)), (339, 3, 3)]
    directory = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in entries)
    path.write_bytes(b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + directory + b"\0\0\0\0" + bytes(400))
    return path


def packed_tiff(path: Path, packing: int, data: bytes, tile: int) -> Path:
    """A grey TIFF of 24×20 px with one piece of packed samples: a strip, or a tile of any size."""
    entries = [(256, 4, 24), (257, 4, 20), (258, 3, 8), (259, 3, packing), (262, 3, 1), (277, 3, 1)]
    strip = [(273, 4, 200), (278, 4, 20), (279, 4, len(data))]
    entries += [(322, 4, tile), (323, 4, tile), (324, 4, 200), (325, 4, len(data))] if tile else strip
    directory = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in sorted(entries))
    start = b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + directory + b"\0\0\0\0"
    path.write_bytes(start.ljust(200, b"\0") + data)
    return path


class Trap:
    """Fails loudly if anybody unpickles it."""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return exec, ("raise SystemExit('a pickle was opened')",)


def pickled(count: int = 9) -> bytes:
    """An .npy of objects."""
    stream = io.BytesIO()
    np.save(stream, np.array([Trap()] * count, dtype=object), allow_pickle=True)
    return stream.getvalue()
