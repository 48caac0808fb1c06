"""OpenEXR images: float colours, with the data window placed in the display window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.decoding.header import Header, Opened
from ioadr.io.safety.doors import required
from ioadr.io.safety.limits import check_memory, check_packing

MAGIC = b"\x76\x2f\x31\x01"
SAMPLE_BYTES = 4
"""Largest number of bytes of a sample."""
Box = tuple[int, int, int, int]
"""Top, left, bottom, right; the last two are exclusive."""


@contextmanager
def opened_exr(path: Path) -> Iterator[Opened]:
    """Colours of the first part. Pixels of the display window without data are black, data outside it is not read."""
    library = required("OpenEXR", path, "exr")
    file = library.File(str(path), header_only=True)
    _check_size(path, [part.header for part in file.parts])
    declared = file.header()
    data, display = _box(declared["dataWindow"]), _box(declared["displayWindow"])
    names = {channel.name for channel in declared["channels"]}
    name = next((group for group in ("RGBA", "RGB", "Y") if set(group) <= names), None)
    if name is None:
        raise InputError(f"{path}: expected channels R, G, B or Y, found {', '.join(sorted(names))}. Export it again.")
    common = (*map(max, data[:2], display[:2]), *map(min, data[2:], display[2:]))
    if common[0] >= common[2] or common[1] >= common[3]:
        raise InputError(
            f"{path}: expected data in the display window {display}, found it at {data} (top, left, bottom, right). "
            "Export it again."
        )
    header = Header(
        display[2] - display[0],
        display[3] - display[1],
        len(name),
        np.dtype(np.float32),
        remarks=tuple(_remarks(data, display, names, name, len(file.parts))),
    )
    yield header, lambda: _samples(library, path, name, header, data, display, common)


def _check_size(path: Path, headers: Sequence[Mapping[str, Any]]) -> None:
    """Refuse files larger than memory: the library decodes all channels of all parts, also outside the window."""
    declared = 0
    for header in headers:
        if "deep" in str(header.get("type")):
            raise InputError(f"{path}: a deep image, with several samples per pixel. Export it flat.")
        top, left, bottom, right = _box(header["dataWindow"])
        declared += SAMPLE_BYTES * (bottom - top) * (right - left) * len(header["channels"])
    check_memory(path, declared, "an EXR file with all its channels", "Export fewer channels")
    check_packing(path, declared, path.stat().st_size)


def _samples(
    library: Any, path: Path, name: str, header: Header, data: Box, display: Box, common: tuple[int, ...]
) -> NDArray[Any]:
    stored = np.asarray(library.File(str(path)).channels()[name].pixels, dtype=np.float32)
    stored = stored.reshape(data[2] - data[0], data[3] - data[1], header.channels)
    if data == display:
        return stored
    samples = np.zeros(header.shape, np.float32)
    samples[_part(common, display)] = stored[_part(common, data)]
    return samples


def _part(box: tuple[int, ...], within: Box) -> tuple[slice, slice]:
    rows, columns = (slice(box[axis] - within[axis], box[axis + 2] - within[axis]) for axis in (0, 1))
    return rows, columns


def _box(window: Any) -> Box:
    low, high = window
    return int(low[1]), int(low[0]), int(high[1]) + 1, int(high[0]) + 1


def _remarks(data: Box, display: Box, names: set[str], name: str, parts: int) -> Iterator[str]:
    if data != display:
        yield f"EXR data window {data} placed in the display window {display} (top, left, bottom, right)"
    if name == "Y" and {"RY", "BY"} <= names:
        yield "EXR colours are luminance and chroma: read as grey"
    if parts > 1:
        yield f"the first of {parts} parts of the EXR files read"
