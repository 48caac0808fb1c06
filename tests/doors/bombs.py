"""Light fields that unpack, or decode, to more than their header declares."""

from __future__ import annotations

import bz2
import gzip
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import imagecodecs
import numcodecs
import numpy as np
import OpenEXR
import zarr
from zarr.codecs import GzipCodec, ShardingCodec, ZstdCodec

from tests import layouts
from tests.builders import make_views
from tests.doors import files
from tests.doors.cases import Arguments, Case

SIZE = 6 * 10**8
"""Bytes of zeros; three times what a refused file may cost."""
STEP = 10**7
VIEWS = make_views()
CHUNK = (1, 1, *VIEWS.shape[2:])


def cases() -> Iterator[Case]:
    for name, write in ZARR.items():
        yield Case("Zarr, a chunk", f"unpacks to more than it declares, {name}", partial(_zarr, write))
    yield Case("HDF5", "a chunk unpacks to more than it declares", _hdf5)
    yield Case("HDF5", "packed twice", _hdf5_twice)
    tiff = "folder of TIFF views, a view"
    yield Case(tiff, "a picture of another size inside", partial(_tiff, packing=34933))
    yield Case(tiff, "tiles larger than memory", partial(_tiff, packing=8, tile=30_000))
    exr = "folder of EXR views, a view"
    yield Case(exr, "data window larger than the display window", partial(_exr, side=7000))
    yield Case(exr, "more data than memory", partial(_exr, side=30_000))


def deflated() -> bytes:
    """zlib's form; every part of it is the same."""
    packer = zlib.compressobj(1)
    start = packer.compress(bytes(STEP)) + packer.flush(zlib.Z_FULL_FLUSH)
    part = packer.compress(bytes(STEP)) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + part * (SIZE // STEP)


def zstd() -> bytes:
    """One frame of blocks that repeat a byte; a block holds 128 kB."""
    block = 1 << 17
    parts = [struct.pack("<I", block << 3 | 2)[:3] + b"\0"] * (SIZE // block)
    parts.append(struct.pack("<I", block << 3 | 3)[:3] + b"\0")
    return struct.pack("<IBI", 0xFD2FB528, 0xA0, block * len(parts)) + b"".join(parts)


def _zarr(write: Callable[[Path], bytes], folder: Path) -> Arguments:
    path = folder / "lf.zarr"
    content = write(path)
    for file in path.rglob("*"):
        if file.is_file() and not file.name.startswith((".z", "zarr")):
            file.write_bytes(content)
    return ["info", path.name]


def _version_2(path: Path, compressor: Any, content: bytes) -> bytes:
    zarr.create_array(str(path), shape=VIEWS.shape, chunks=CHUNK, dtype="u1", compressors=compressor, zarr_format=2)[
        :
    ] = VIEWS
    return content


def _version_3(path: Path, compressor: Any, content: bytes) -> bytes:
    zarr.create_array(str(path), shape=VIEWS.shape, chunks=CHUNK, dtype="u1", compressors=compressor)[:] = VIEWS
    return content


def _sharded(path: Path) -> bytes:
    """Each shard has one chunk, and behind it where that is."""
    codec = ShardingCodec(chunk_shape=CHUNK, codecs=[zarr.codecs.BytesCodec(), ZstdCodec()], index_codecs=INDEX)
    array = zarr.create_array(
        str(path), shape=VIEWS.shape, chunks=CHUNK, dtype="u1", serializer=codec, compressors=None, filters=None
    )
    array[:] = VIEWS
    return zstd() + struct.pack("<QQ", 0, len(zstd()))


INDEX = [zarr.codecs.BytesCodec()]
ZARR: dict[str, Callable[[Path], bytes]] = {
    "gzip": lambda path: _version_3(path, GzipCodec(), gzip.compress(bytes(STEP), 1) * (SIZE // STEP)),
    "zstd": lambda path: _version_3(path, ZstdCodec(), zstd()),
    "a shard": _sharded,
    "zlib": lambda path: _version_2(path, numcodecs.Zlib(), deflated()),
    "bz2": lambda path: _version_2(path, numcodecs.BZ2(), bz2.compress(bytes(STEP), 1) * (SIZE // STEP)),
    "lz4": lambda path: _version_2(path, numcodecs.LZ4(), struct.pack("<I", SIZE) + b"\x10\0" * 10),
}


def _hdf5(folder: Path) -> Arguments:
    with h5py.File(folder / "lf.h5", "w") as file:
        made = file.create_dataset("LF", shape=VIEWS.shape, dtype="u1", chunks=CHUNK, compression="gzip")
        for place in np.ndindex(3, 3):
            made.id.write_direct_chunk((*place, 0, 0, 0), deflated())
    return ["info", "lf.h5"]


def _hdf5_twice(folder: Path) -> Arguments:
    with h5py.File(folder / "lf.h5", "w") as file:
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk(CHUNK)
        plan.set_deflate(9)
        plan.set_filter(h5py.h5z.FILTER_LZF, h5py.h5z.FLAG_OPTIONAL)
        space = h5py.h5s.create_simple(VIEWS.shape)
        h5py.Dataset(h5py.h5d.create(file.id, b"LF", h5py.h5t.STD_U8LE, space, plan))[:] = VIEWS
    return ["info", "lf.h5"]


def _tiff(folder: Path, packing: int, tile: int = 0) -> Arguments:
    path, _ = layouts.tiff_folder(folder, VIEWS)
    data = imagecodecs.png_encode(np.zeros((2000, 2000, 3), np.uint8), level=1) if packing == 34933 else deflated()
    for file in path.iterdir():
        files.packed_tiff(file, packing, bytes(data), tile)
    return ["info", path.name]


def _exr(folder: Path, side: int) -> Arguments:
    (folder / "exr").mkdir()
    header = {"compression": OpenEXR.ZIPS_COMPRESSION, "type": OpenEXR.scanlineimage}
    file = folder / "exr/v_0_0.exr"
    OpenEXR.File(header, {"RGB": VIEWS[0, 0].astype(np.float16)}).write(str(file))
    content, name = bytearray(file.read_bytes()), b"dataWindow\0box2i\0"
    start = content.index(name) + len(name) + 4
    content[start : start + 16] = struct.pack("<4i", 0, 0, side, side)
    for row, column in np.ndindex(3, 3):
        (folder / f"exr/v_{row}_{column}.exr").write_bytes(content)
    return ["info", "exr"]
