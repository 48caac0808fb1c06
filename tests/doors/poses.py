"""Photographs with poses, and maps of every view."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests import posed
from tests.doors import files
from tests.doors.cases import Arguments, Case
from tests.doors.readers import BEYOND, BOMB, DECLARED, NAN, OUTSIDE
from tests.fuzz_doors import small_views

Damage = Callable[[bytes], bytes]
NAME = b"photo_000.png"


def cases() -> Iterator[Case]:
    for door, (write, name) in DOORS.items():
        for kind, damage in {**files.DAMAGES, **SPECIAL[door]}.items():
            yield Case(door, kind, partial(_damaged, write, name, damage))


def _photographs(folder: Path) -> posed.Shots:
    taken = posed.shots((20, 24), (3, 3))
    posed.write_images(folder / "array/images", taken.photographs, taken.pictures)
    return taken


def _colmap(folder: Path, binary: bool) -> Arguments:
    taken = _photographs(folder)
    posed.write_colmap(folder / "array/sparse", taken.photographs, taken.points, binary)
    return ["info", "array"]


def _transforms(folder: Path) -> Arguments:
    posed.write_transforms(folder / "array", _photographs(folder).photographs)
    return ["info", "array"]


def _opencv(folder: Path) -> Arguments:
    text = posed.opencv_yaml(_photographs(folder).photographs)
    (folder / "array/images/calibration.yml").write_text(text, encoding="utf-8")
    return ["info", "array/images/calibration.yml"]


def _every_view(folder: Path) -> Arguments:
    small_views().save(folder / "views", formats="npz", report=False)
    return ["render", "views", "--path", "orbit", "--out", "film.webp"]


def _damaged(write: Callable[[Path], Arguments], name: str, damage: Damage, folder: Path) -> Arguments:
    arguments = write(folder)
    file = folder / name
    file.write_bytes(damage(file.read_bytes()))
    return arguments


def _number(place: int, value: float) -> Damage:
    return lambda data: data[:place] + struct.pack("<d", value) + data[place + 8 :]


def _frame(**changes: Any) -> Damage:
    def damage(data: bytes) -> bytes:
        content = json.loads(data)
        content["frames"][0] |= changes
        return json.dumps(content).encode()

    return damage


def _replaced(old: bytes, new: bytes) -> Damage:
    return lambda data: data.replace(old, new, 1)


def _bomb(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("description.json", b" " * 30_000_000)
    return stream.getvalue()


DOORS: dict[str, tuple[Callable[[Path], Arguments], str]] = {
    "COLMAP model, images.bin": (partial(_colmap, binary=True), "array/sparse/images.bin"),
    "COLMAP model, cameras.bin": (partial(_colmap, binary=True), "array/sparse/cameras.bin"),
    "COLMAP model, images.txt": (partial(_colmap, binary=False), "array/sparse/images.txt"),
    "transforms.json": (_transforms, "array/transforms.json"),
    "OpenCV calibration": (_opencv, "array/images/calibration.yml"),
    "maps of every view": (_every_view, "views/views.npz"),
}
SPECIAL: dict[str, dict[str, Damage]] = {
    "COLMAP model, images.bin": {
        DECLARED: lambda data: struct.pack("<Q", 2**62) + data[8:],
        NAN: _number(8 + 4 + 32, float("nan")),
        BEYOND: _number(8 + 4 + 32, 1e300),
        OUTSIDE: _replaced(NAME, b"../../../x.png"),
    },
    "COLMAP model, cameras.bin": {
        DECLARED: lambda data: struct.pack("<Q", 2**62) + data[8:],
        NAN: _number(8 + 24, float("nan")),
        BEYOND: _number(8 + 24, 1e300),
    },
    "COLMAP model, images.txt": {OUTSIDE: _replaced(NAME, b"../../../x.png")},
    "transforms.json": {
        NAN: _frame(transform_matrix=[[float("nan")] * 4] * 4),
        BEYOND: _frame(cx=1e300),
        OUTSIDE: _frame(file_path="../../../etc/passwd"),
        "wrong type": _frame(transform_matrix="none"),
        "nested too deeply": lambda data: b"[" * 100_000,
    },
    "OpenCV calibration": {
        DECLARED: _replaced(b"rows: 3", b"rows: 99999999"),
        OUTSIDE: _replaced(NAME, b"../../../x.png"),
        NAN: _replaced(b"data: [ ", b"data: [ .nan, "),
    },
    "maps of every view": {BOMB: _bomb},
}
