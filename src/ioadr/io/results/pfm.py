"""PFM maps: one channel, float32, rows bottom-up, the benchmark's format for disparities.

The header is checked against the size of the file before anything is allocated. The sign of the scale gives the
byte order; its magnitude is ignored, as by other readers, because writers disagree about its meaning.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ioadr.errors import InputError
from ioadr.io.safety.atomic import atomic_file
from ioadr.io.safety.limits import check_memory

HEADER = re.compile(rb"(P[fF])\s+(\d{1,9})\s+(\d{1,9})\s+([^\s]{1,32})(?:\r\n|\s)")
HEADER_BYTES = 128


def read_pfm(path: str | Path) -> NDArray[np.float32]:
    """[N, M], row 0 at the top, native byte order."""
    try:
        with open(path, "rb") as file:
            match = HEADER.match(file.read(HEADER_BYTES))
            header = _parse(match, str(path))
            file.seek(0, 2)
            _check_size(file.tell() - header.end, header, str(path))
            check_memory(path, file.tell(), f"a map of {header.width}×{header.height} px", "Give a smaller map")
            file.seek(header.end)
            return _decode(file.read(), header)
    except OSError as error:
        raise InputError(f"{path}: cannot read the PFM file: {error.strerror or error}.") from error


def decode_pfm(content: bytes, name: str = "PFM") -> NDArray[np.float32]:
    """The same from memory; messages call it `name`."""
    header = _parse(HEADER.match(content[:HEADER_BYTES]), name)
    _check_size(len(content) - header.end, header, name)
    return _decode(content[header.end :], header)


def write_pfm(path: str | Path, values: ArrayLike) -> None:
    """Write [N, M] completely or not at all."""
    content = encode_pfm(values)
    with atomic_file(path) as temporary:
        temporary.write_bytes(content)


def encode_pfm(values: ArrayLike) -> bytes:
    """Little-endian, scale −1, as the benchmark requires."""
    array = np.asarray(values, dtype="<f4")
    if array.ndim != 2 or array.size == 0:
        raise InputError(f"PFM: expected a map [height, width], found shape {array.shape}.")
    height, width = array.shape
    return f"Pf\n{width} {height}\n-1.0\n".encode("ascii") + array[::-1].tobytes()


class _Header:
    def __init__(self, width: int, height: int, order: str, end: int) -> None:
        self.width, self.height, self.order, self.end = width, height, order, end


def _parse(match: re.Match[bytes] | None, name: str) -> _Header:
    if match is None:
        raise InputError(
            f'{name}: not a PFM file. Its first lines should be "Pf", "width height" and a scale. '
            "Copy or export the file again."
        )
    kind, width, height, scale_text = match.groups()
    if kind == b"PF":
        raise InputError(f"{name}: a colour PFM (PF); a map has one channel (Pf). Save one channel.")
    try:
        scale = float(scale_text)
    except ValueError:
        scale = math.nan
    if not math.isfinite(scale) or scale == 0:
        raise InputError(
            f"{name}: expected a finite scale other than 0 in the PFM header, "
            f"found {scale_text.decode('ascii', 'replace')!r}. Write -1 for little-endian values."
        )
    if int(width) == 0 or int(height) == 0:
        raise InputError(f"{name}: expected a PFM of at least 1×1 px, found {int(width)}×{int(height)}.")
    return _Header(int(width), int(height), "<" if scale < 0 else ">", match.end())


def _check_size(available: int, header: _Header, name: str) -> None:
    expected = 4 * header.width * header.height
    if available != expected:
        raise InputError(
            f"{name}: expected {expected} bytes of values for {header.width}×{header.height} px, found {available}. "
            "The file is cut off or its header is wrong: write it again."
        )


def _decode(content: bytes, header: _Header) -> NDArray[np.float32]:
    rows = np.frombuffer(content, dtype=f"{header.order}f4").reshape(header.height, header.width)
    return rows[::-1].astype(np.float32)
