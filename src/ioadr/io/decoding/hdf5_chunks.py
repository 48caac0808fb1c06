"""Datasets of HDF5 files whose packed chunks are checked before the library unpacks them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ioadr.errors import InputError
from ioadr.io.decoding.packed import check_unpacked
from ioadr.io.safety.limits import DENSEST_PACKING, SMALL, check_memory

DEFLATE, SHUFFLE, CHECKSUM, LZF = 1, 2, 3, 32000
PACKINGS = (DEFLATE, 4, LZF)
"""HDF5's numbers of filters; 4 is szip."""


class Dataset:
    """An h5py dataset; chunks that a selection touches are checked once.

    `deflated` is the bit of the compression in a chunk's mask of omitted filters.
    """

    def __init__(self, path: Path, stored: Any) -> None:
        self.path, self.stored = path, stored
        self.shape, self.dtype, self.chunks = stored.shape, stored.dtype, stored.chunks
        self.declared = math.prod(self.chunks or (0,)) * self.dtype.itemsize
        check_memory(path, self.declared, f"chunks of shape {self.chunks}", "Store smaller ones")
        filters = _filters(path, stored)
        self.deflated = 1 << filters.index(DEFLATE) if DEFLATE in filters else 0
        self._checked: set[tuple[int, ...]] = set()

    def __getitem__(self, where: tuple[slice, ...]) -> Any:
        if self.deflated:
            # The oldest h5py needs both ends of every slice.
            complete = tuple(slice(*part.indices(n)) for part, n in zip(where, self.shape, strict=True))
            for chunk in self.stored.iter_chunks(complete):
                self._check(
                    tuple(part.start // length * length for part, length in zip(chunk, self.chunks, strict=True))
                )
        return self.stored[where]

    def _check(self, offset: tuple[int, ...]) -> None:
        if offset in self._checked:
            return
        self._checked.add(offset)
        stored = self.stored.id.get_chunk_info_by_coord(offset)
        if stored.byte_offset is not None and stored.size * DENSEST_PACKING > max(self.declared, SMALL // 4):
            left_out, data = self.stored.id.read_direct_chunk(offset)
            if not left_out & self.deflated:
                check_unpacked(self.path, "zlib", data, self.declared)


def _filters(path: Path, stored: Any) -> list[int]:
    """Numbers of the filters; data packed twice are refused, because only the outer packing can be checked."""
    plan = stored.id.get_create_plist()
    numbers = [plan.get_filter(number)[0] for number in range(plan.get_nfilters())]
    if sum(number in PACKINGS for number in numbers) > 1:
        raise InputError(
            f"{path}: the data are compressed more than once (filters {numbers}). Store them with one filter."
        )
    return numbers
