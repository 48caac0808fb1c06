"""Writers of light fields that share no code with our readers."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import h5py
import numpy as np
import tifffile
import zarr
from numpy.typing import NDArray
from PIL import Image
from zarr.codecs import Crc32cCodec

Views = NDArray[Any]
Written = tuple[Path, dict[str, Any]]
Writer = Callable[[Path, Views, random.Random], Written | None]
Picture = Callable[[Path, NDArray[Any], random.Random], None]
BYTE_ORDERS: tuple[Literal["<", ">"], ...] = ("<", ">")
ADAM7 = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
"""First row, first column, step of rows, step of columns of each pass of an interlaced PNG."""


def folder_of(extension: str, kinds: str, write: Picture) -> Writer:
    """A folder of pictures `R_C.ext`, all in one form, of sample types among `kinds` (of NumPy)."""

    def writer(folder: Path, views: Views, chance: random.Random) -> Written | None:
        if views.dtype.char not in kinds:
            return None
        form = chance.random()
        for row, column in np.ndindex(3, 3):
            view = views[row, column]
            image = view[..., 0] if view.shape[2] == 1 else view
            write(folder / f"{row}_{column}.{extension}", image, random.Random(form))
        return folder, {}

    return writer


def own_png(path: Path, image: NDArray[Any], chance: random.Random) -> None:
    """8 or 16 bits, any filter in each line, interlaced or not, data in pieces."""
    pixels = image if image.ndim == 3 else image[..., None]
    height, width, channels = pixels.shape
    interlaced = chance.random() < 0.4
    passes = [pixels[r::dr, c::dc] for r, c, dr, dc in ADAM7] if interlaced else [pixels]
    raw = b"".join(_filtered(part, chance) for part in passes if part.size)
    packed = zlib.compress(raw, chance.randint(0, 9))
    colour = {1: 0, 3: 2}[channels]
    head = struct.pack(">IIBBBBB", width, height, 8 * image.dtype.itemsize, colour, 0, 0, int(interlaced))
    cut = chance.randint(1, len(packed) - 1)
    chunks = [(b"IHDR", head), (b"IDAT", packed[:cut]), (b"IDAT", packed[cut:]), (b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _filtered(pixels: NDArray[Any], chance: random.Random) -> bytes:
    """Lines of bytes, each after the number of its filter (0 … 4)."""
    size = pixels.shape[2] * pixels.dtype.itemsize
    lines = pixels.astype(pixels.dtype.newbyteorder(">")).reshape(len(pixels), -1).view(np.uint8).astype(int)
    above, result = np.zeros_like(lines[0]), b""
    for line in lines:
        left, corner = (np.concatenate([np.zeros(size, int), values[:-size]]) for values in (line, above))
        estimate = left + above - corner
        gaps = np.abs(np.stack([left, above, corner]) - estimate)
        nearest = np.choose(gaps.argmin(axis=0), [left, above, corner])
        kind = chance.randint(0, 4)
        guess = (np.zeros_like(line), left, above, (left + above) // 2, nearest)[kind]
        result += bytes([kind]) + ((line - guess) % 256).astype(np.uint8).tobytes()
        above = line
    return result


def own_ppm(path: Path, image: NDArray[Any], chance: random.Random) -> None:
    """P5 or P6, with or without a comment; 16 bits have the large byte first."""
    space = chance.choice((b"\n", b" ", b"\n# made by hand\n"))
    most = str(np.iinfo(image.dtype).max).encode()
    size = f"{image.shape[1]} {image.shape[0]}".encode()
    samples = image.astype(image.dtype.newbyteorder(">")).tobytes()
    path.write_bytes((b"P6" if image.ndim == 3 else b"P5") + space + size + b"\n" + most + b"\n" + samples)


def pillow_png(path: Path, image: NDArray[Any], chance: random.Random) -> None:
    Image.fromarray(image).save(path, compress_level=chance.randint(0, 9), optimize=chance.random() < 0.3)


def pillow_bmp(path: Path, image: NDArray[Any], chance: random.Random) -> None:
    Image.fromarray(image).save(path)


def pillow_webp(path: Path, image: NDArray[Any], chance: random.Random) -> None:
    Image.fromarray(image).convert("RGB").save(path, lossless=True, exact=True, method=chance.randint(0, 4))


def pillow_tiff(path: Path, image: NDArray[Any], chance: random.Random) -> None:
    Image.fromarray(image).save(path, compression=chance.choice(("raw", "tiff_lzw", "tiff_deflate", "packbits")))


TURNED: dict[int, Callable[[NDArray[Any]], NDArray[Any]]] = {
    1: lambda image: image,
    2: lambda image: image[:, ::-1],
    3: lambda image: image[::-1, ::-1],
    4: lambda image: image[::-1],
    5: lambda image: image.swapaxes(0, 1),
    6: lambda image: image.swapaxes(0, 1)[::-1],
    7: lambda image: image.swapaxes(0, 1)[::-1, ::-1],
    8: lambda image: image.swapaxes(0, 1)[:, ::-1],
}
"""What is stored, by the tag Orientation, so that the picture to be seen is the same."""


def tifffile_tiff(path: Path, image: NDArray[Any], chance: random.Random) -> None:
    """Byte orders, tiles, strips, compressions, planes, BigTIFF, orientations."""
    turn = chance.choice((1, 1, 1, 2, 3, 4, 5, 6, 7, 8))
    colour = image.ndim == 3
    apart = colour and chance.random() < 0.3
    stored = np.ascontiguousarray(TURNED[turn](image))
    form: dict[str, Any] = {"tile": (16, 16)} if chance.random() < 0.3 else {"rowsperstrip": chance.randint(1, 9)}
    form |= {"planarconfig": "separate" if apart else "contig"} if colour else {}
    tifffile.imwrite(
        path,
        np.moveaxis(stored, 2, 0) if apart else stored,
        photometric="rgb" if colour else "minisblack",
        byteorder=chance.choice(BYTE_ORDERS),
        bigtiff=chance.random() < 0.2,
        compression=chance.choice((None, "zlib", "lzw", "packbits")),
        extratags=[(274, "H", 1, turn, True)] if turn != 1 else [],
        **form,
    )


def npy(folder: Path, views: Views, chance: random.Random) -> Written:
    """Either byte order, rows or columns first."""
    array = views.astype(views.dtype.newbyteorder(chance.choice(BYTE_ORDERS)))
    np.save(folder / "views.npy", np.asfortranarray(array) if chance.random() < 0.5 else array)
    return folder / "views.npy", {}


def npz(folder: Path, views: Views, chance: random.Random) -> Written:
    (np.savez_compressed if chance.random() < 0.5 else np.savez)(folder / "views.npz", views=views)
    return folder / "views.npz", {}


def hdf5(folder: Path, views: Views, chance: random.Random) -> Written:
    """Chunks, filters, checksums and byte orders."""
    chunks = tuple(chance.randint(1, length) for length in views.shape)
    form: dict[str, Any] = {}
    if chance.random() < 0.7:
        packing = chance.choice(("gzip", "lzf", None))
        form = {"chunks": chunks, "compression": packing, "shuffle": chance.random() < 0.5}
        form["fletcher32"] = chance.random() < 0.5
    with h5py.File(folder / "lf.h5", "w", libver=chance.choice(("earliest", "latest"))) as file:
        file.create_dataset("LF", data=views, dtype=views.dtype.newbyteorder(chance.choice(BYTE_ORDERS)), **form)
    return folder / "lf.h5", {}


def hdf5_checked(folder: Path, views: Views, chance: random.Random) -> Written:
    """A checksum over each chunk, and, in the latest form of the format, over all that describes them."""
    chunks = tuple(chance.randint(1, length) for length in views.shape)
    packing = chance.choice(("gzip", "lzf", None))
    with h5py.File(folder / "lf.h5", "w", libver="latest") as file:
        file.create_dataset("LF", data=views, chunks=chunks, compression=packing, fletcher32=True)
    return folder / "lf.h5", {}


def zarr_checked(folder: Path, views: Views, chance: random.Random) -> Written:
    """A checksum at the end of each chunk."""
    chunks = tuple(chance.randint(1, length) for length in views.shape)
    path = folder / "lf.zarr"
    zarr.create_array(path, data=views, chunks=chunks, zarr_format=3, compressors=[Crc32cCodec()])
    return path, {}


def zarr_array(folder: Path, views: Views, chance: random.Random) -> Written:
    """Both versions of the format, any chunks."""
    chunks = tuple(chance.randint(1, length) for length in views.shape)
    path = folder / "lf.zarr"
    zarr.create_array(path, data=views, chunks=chunks, zarr_format=chance.choice((2, 3)))
    return path, {}


FOLDERS: dict[str, Writer] = {
    "own_png": folder_of("png", "BH", own_png),
    "own_ppm": folder_of("ppm", "BH", own_ppm),
    "pillow_png": folder_of("png", "B", pillow_png),
    "pillow_bmp": folder_of("bmp", "B", pillow_bmp),
    "pillow_webp": folder_of("webp", "B", pillow_webp),
    "pillow_tiff": folder_of("tif", "B", pillow_tiff),
    "tifffile": folder_of("tif", "BHf", tifffile_tiff),
}
WRITERS: dict[str, Writer] = (
    FOLDERS
    | {"npy": npy, "npz": npz, "hdf5": hdf5, "zarr": zarr_array}
    | {
        "hdf5_checked": hdf5_checked,
        "zarr_checked": zarr_checked,
    }
)
