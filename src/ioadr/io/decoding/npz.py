"""NumPy archives: declared sizes are checked before anything is allocated."""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.safety.limits import LESS, check_memory, check_packing

MOST_ARRAYS = 1000
SUFFIX = ".npy"
BLOCK = 1 << 20
LOCAL_HEADER = 30
"""Bytes of a zip entry's header before its name."""
DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
"""What `numpy.load` raises for archives that are missing, cut or changed."""


@contextmanager
def npz_arrays(path: Path, what: str, advice: str = LESS) -> Iterator[Arrays]:
    """The arrays by name, after checking that they fit into memory and into the file."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > MOST_ARRAYS:
            raise InputError(f"{path}: {len(members)} arrays are more than the {MOST_ARRAYS} allowed. Save fewer.")
        declared = sum(member.file_size for member in members)
        check_packing(path, declared, path.stat().st_size)
        check_memory(path, declared, what, advice)
        arrays = array_members(path, archive)
        for member in arrays.values():
            declared_array(path, archive, member)
        yield Arrays(archive, arrays)


class Arrays:
    """Arrays of an archive by name, each read from the entry that was checked."""

    def __init__(self, archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo]) -> None:
        self._archive, self._members = archive, members
        self.files = list(members)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return load_array(self._archive, self._members[name])


def array_members(path: Path, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Name → entry, for the entries NAME.npy; the same name twice is refused."""
    members: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        if member.filename.endswith(SUFFIX):
            name = member.filename.removesuffix(SUFFIX)
            if name in members:
                raise InputError(f"{path}: two arrays are called {name}. Save it again.")
            members[name] = member
    return members


def load_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """The array of one entry."""
    with archive.open(member) as stream:
        return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def array_header(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type from the array's header."""
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = reader(stream)
    return shape, dtype


def declared_array(
    path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo
) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type from the array's header, checked against the member's size before it is unpacked."""
    shape, dtype = array_header(archive, member)
    size = math.prod(shape) * dtype.itemsize
    check_packing(path, size, member.compress_size)
    check_memory(path, max(size, member.file_size), f"array {Path(member.filename).stem} of shape {shape}")
    if dtype.hasobject:
        raise InputError(f"{path}: holds Python objects, which are never opened. Save an array of numbers.")
    if size > member.file_size:
        raise InputError(
            f"{path}: expected {size} bytes for an array of shape {shape} and type {dtype}, "
            f"found {member.file_size}. The file is damaged: save it again."
        )
    return shape, dtype


def mapped_array(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """An entry's array, memory-mapped; a compressed entry is read instead."""
    shape, dtype = declared_array(path, archive, member)
    if member.compress_type != zipfile.ZIP_STORED or not math.prod(shape):
        return load_array(archive, member)
    _check_sum(archive, member)
    with path.open("rb") as file:
        file.seek(member.header_offset)
        head = file.read(LOCAL_HEADER)
        lengths = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        file.seek(member.header_offset + LOCAL_HEADER + lengths)
        version = np.lib.format.read_magic(file)
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        _, fortran, _ = reader(file)
        # Copied on writing: for arrays that must not be written to, kernels would be compiled once more.
        return np.memmap(path, dtype, "c", file.tell(), shape, "F" if fortran else "C")


def _check_sum(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Check the entry's checksum, which zipfile cannot do for a mapped array."""
    with archive.open(member) as stream:
        while stream.read(BLOCK):
            pass
