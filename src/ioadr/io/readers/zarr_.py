"""Zarr: the project's own chunked light fields, or any array of views.

Only codecs that cannot run code are allowed: a Zarr array may name any installed codec, and one of them
unpickles.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ioadr.errors import InputError
from ioadr.io.array_layout import chosen_array, find_layout
from ioadr.io.axes import array_capture
from ioadr.io.capture import Capture
from ioadr.io.decoding.own_loop import awaited
from ioadr.io.description import KIND, VIEWS, described
from ioadr.io.options import ReadOptions
from ioadr.io.registry import Format
from ioadr.io.safety.doors import damage_explained, required
from ioadr.io.safety.limits import check_memory, check_packing

METADATA = ("zarr.json", ".zarray", ".zgroup")
LARGEST_METADATA = 10**7
SAFE_CODECS = {
    "bytes",
    "transpose",
    "gzip",
    "zstd",
    "blosc",
    "crc32c",
    "zlib",
    "lz4",
    "bz2",
    "lzma",
    "shuffle",
    "delta",
}
SAFE_CODECS |= {"sharding_indexed"}


def recognise(path: Path, options: ReadOptions) -> bool:
    return path.is_dir() and any((path / name).is_file() for name in METADATA)


def open_folder(path: Path, options: ReadOptions) -> Capture:
    """The array at `path`, or the largest in the group there."""
    with damage_explained(path, "a Zarr array of views"):
        folder, metadata, note = _views(path, options)
        _check(folder, metadata)
        files = list(_files(path, folder))
        check_packing(folder, math.prod(metadata["shape"]), sum(file.stat().st_size for file in files))
        array = _Array(required("zarr", path), folder)
        capture = array_capture(path, "zarr", array, find_layout(path, array.shape, options), options)
        capture = capture.with_(notes=(*capture.notes, *([note] if note else []), *_missing(metadata, files)))
        attributes = dict(array.stored.attrs)
    return described(capture, attributes) if attributes.get("kind") == KIND else capture


FORMAT = Format("zarr", "Zarr array of views", recognise, open_folder)


class _Array:
    """An array that is read in a separate event loop."""

    def __init__(self, library: Any, folder: Path) -> None:
        from ioadr.io.decoding.zarr_codecs import guarded

        # What was checked is what is opened.
        version = 3 if (folder / "zarr.json").is_file() else 2
        opening = library.api.asynchronous.open_array(store=str(folder), mode="r", zarr_format=version)
        self.stored: Any = guarded(awaited(opening), folder)
        self.shape, self.dtype, self.chunks = self.stored.shape, self.stored.dtype, self.stored.chunks

    def __getitem__(self, where: tuple[slice, ...]) -> Any:
        return awaited(self.stored.getitem(where))


def _views(path: Path, options: ReadOptions) -> tuple[Path, Mapping[str, Any], str | None]:
    """Folder and metadata of the array of views, and a note on others."""
    arrays = {folder.name: (folder, metadata) for folder, metadata in _arrays(path)}
    name, note = chosen_array(path, {name: data["shape"] for name, (_, data) in arrays.items()}, VIEWS, options)
    if name is None:
        raise InputError(f"{path}: a Zarr group without an array of views. Name the array's folder.")
    return *arrays[name], note


def _arrays(path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The array itself, or the arrays directly in the group."""
    for folder in (path, *sorted(child for child in path.iterdir() if child.is_dir() and not child.is_symlink())):
        files = [folder / name for name in ("zarr.json", ".zarray") if (folder / name).is_file()]
        if len(files) > 1:
            raise InputError(f"{folder}: holds both zarr.json and .zarray. Remove one of them.")
        metadata = _json(files[0]) if files else {}
        if isinstance(metadata.get("shape"), list):
            yield folder, metadata


def _files(path: Path, folder: Path) -> Iterator[Path]:
    """The files of an array; links to files outside it are refused."""
    inside = path.resolve()
    for entry in folder.rglob("*"):
        if entry.is_symlink() and not entry.resolve().is_relative_to(inside):
            raise InputError(
                f"{entry}: a link to {entry.resolve()}, outside {path}, which is not followed. Copy the data there."
            )
        if not (entry.is_file() or entry.is_dir()):
            raise InputError(f"{entry}: not a regular file; reading it could wait forever. Copy the array again.")
        if entry.is_file():
            yield entry


def _missing(metadata: Mapping[str, Any], files: Sequence[Path]) -> Iterator[str]:
    """Chunks without a file: legal, filled with the fill value, but perhaps lost."""
    sides = zip(metadata["shape"], _chunk_shape(metadata), strict=True)
    expected = math.prod(-(-length // chunk) for length, chunk in sides)
    chunks = sum(not file.name.startswith((".z", "zarr.json")) for file in files)
    if chunks < expected:
        filled = f"read as {metadata.get('fill_value')}, the fill value"
        yield f"{expected - chunks} of {expected} chunks have no file: {filled}"


def _json(file: Path) -> Mapping[str, Any]:
    if file.stat().st_size > LARGEST_METADATA:
        raise InputError(f"{file}: {file.stat().st_size} bytes are too many for metadata.")
    data = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(data, Mapping):
        raise InputError(f"{file}: expected a JSON object, found {type(data).__name__}. Write the array again.")
    return data


def _check(folder: Path, metadata: Mapping[str, Any]) -> None:
    """Refuse unsafe codecs and oversized chunks before the library opens the array."""
    codecs = set(_codecs(metadata))
    if not codecs <= SAFE_CODECS:
        raise InputError(
            f"{folder}: the codec {', '.join(sorted(codecs - SAFE_CODECS))} is not supported. Write the array with one "
            f"of these: {', '.join(sorted(SAFE_CODECS))}."
        )
    shape = _chunk_shape(metadata)
    check_memory(folder, 8 * math.prod(shape), f"chunks of shape {shape}")


def _chunk_shape(metadata: Mapping[str, Any]) -> list[int]:
    """Shape of the chunks, from metadata of version 2 or 3."""
    grid = metadata.get("chunk_grid", {}).get("configuration", {}).get("chunk_shape", metadata.get("chunks"))
    return [int(length) for length in grid or ()]


def _codecs(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Names of all codecs of version 2 and 3 metadata, also of those inside shards."""
    named = [metadata.get("compressor"), *(metadata.get("filters") or ()), *(metadata.get("codecs") or ())]
    for codec in named:
        if codec is None:
            continue
        if not isinstance(codec, Mapping):
            yield str(codec)
            continue
        # Either name may be the one that the library goes by.
        yield from (str(codec[key]) for key in ("id", "name") if key in codec)
        inner = codec.get("configuration") or {}
        yield from _codecs({"codecs": [*inner.get("codecs", ()), *inner.get("index_codecs", ())]})
