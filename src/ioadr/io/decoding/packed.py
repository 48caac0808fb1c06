"""Packed data: refused if they unpack to more than their file declares.

A few bytes may unpack to gigabytes, and libraries unpack all of them before they compare sizes.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable
from typing import Any

from ioadr.errors import InputError
from ioadr.io.safety.limits import SMALL, size

EITHER = 47
"""zlib's window size for its own header or that of gzip."""


def check_unpacked(path: object, packing: str, data: bytes, declared: int) -> None:
    """Refuse data that unpack to more than `declared` bytes; nothing beyond them is unpacked."""
    # Checksums and compressions inside others add a little.
    most = declared + declared // 8 + 4096
    if packing in LENGTHS and LENGTHS[packing](data, most) > most:
        raise InputError(
            f"{path}: packed data exceed the declared {size(declared)}. The file is damaged: copy or export it again."
        )


def _streamed(new: Callable[[], Any]) -> Callable[[bytes, int], int]:
    """Length by a decompressor of the standard library, at most a little more than `most`."""

    def length(data: bytes, most: int) -> int:
        total = 0
        while data and total <= most:
            stream = new()
            try:
                total += len(stream.decompress(data, most + 1 - total))
            except (zlib.error, lzma.LZMAError, OSError, EOFError):
                break  # damaged, or a checksum after the last stream: the library has its own words for it
            data = stream.unused_data  # streams may follow each other
        return total

    return length


def _zstd(data: bytes, most: int) -> int:
    import numpy as np
    from numcodecs import zstd

    try:
        zstd.decompress(data, np.empty(most, np.uint8))
    except (RuntimeError, ValueError) as error:
        return most + 1 if "too small" in str(error) else 0
    return most


def _told_at(offset: int) -> Callable[[bytes, int], int]:
    """Length from a header that the library respects."""

    def length(data: bytes, most: int) -> int:
        return int(struct.unpack_from("<I", data, offset)[0]) if len(data) >= offset + 4 else 0

    return length


LENGTHS: dict[str, Callable[[bytes, int], int]] = {
    "gzip": _streamed(lambda: zlib.decompressobj(EITHER)),
    "zlib": _streamed(lambda: zlib.decompressobj(EITHER)),
    "bz2": _streamed(bz2.BZ2Decompressor),
    "lzma": _streamed(lambda: lzma.LZMADecompressor(memlimit=SMALL)),
    "zstd": _zstd,
    "blosc": _told_at(4),
    "lz4": _told_at(0),
}
"""Functions that return the unpacked length, by compression."""
