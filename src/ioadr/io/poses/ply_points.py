"""Points of a PLY file, as in the sparse clouds that come with poses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.safety.doors import damage_explained
from ioadr.io.safety.limits import check_memory

LONGEST_HEADER = 100_000
DENSEST = 20
"""Memory needed while reading, in bytes per byte of the file, for numbers of one digit written as text."""
KINDS = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">", "ascii": ""}


def read_points(path: Path) -> NDArray[np.float64]:
    """Finite points [P, 3] of a PLY file that begins with vertices."""
    with damage_explained(path, "a PLY file of points"):
        check_memory(path, DENSEST * path.stat().st_size, "its points", "Thin it out")
        content = path.read_bytes()
        end = content.index(b"end_header", 0, LONGEST_HEADER)
        body = content[content.index(b"\n", end) + 1 :]
        order, count, fields = _header(path, content[:end].decode("ascii", "replace").split("\n"))
        names = [name for name, _ in fields]
        if order == "":
            rows = body.split(b"\n", count)[:count]
            table = np.array([row.split()[: len(names)] for row in rows], np.float64)
            points = table[:, [names.index(axis) for axis in "xyz"]]
        else:
            vertices = np.frombuffer(body, np.dtype([(name, order + kind) for name, kind in fields]), count)
            points = np.stack([vertices[axis].astype(np.float64) for axis in "xyz"], axis=1)
        return points[np.isfinite(points).all(axis=1)]


def _header(path: Path, lines: list[str]) -> tuple[str, int, list[tuple[str, str]]]:
    """Byte order, number of vertices, and their properties."""
    words = [line.split() for line in lines if line.strip()]
    order = ORDERS[next(word[1] for word in words if word[0] == "format")]
    elements = [number for number, word in enumerate(words) if word[0] == "element"]
    first, last = elements[0], (elements[1:2] or [len(words)])[0]
    if words[0] != ["ply"] or words[first][1] != "vertex":
        raise InputError(f"{path}: not a PLY file that begins with vertices.")
    properties = [word for word in words[first + 1 : last] if word[0] == "property"]
    return order, int(words[first][2]), [(word[-1], KINDS[word[1]]) for word in properties]
