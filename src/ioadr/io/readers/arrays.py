"""NumPy files: `.npy` with one array, `.npz` as `ioadr convert` writes it or with an array of views."""

from __future__ import annotations

import json
import zipfile
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.array_layout import chosen_array, find_layout
from ioadr.io.axes import array_capture
from ioadr.io.capture import Capture
from ioadr.io.decoding.npz import array_header, array_members, declared_array, load_array
from ioadr.io.description import VIEWS, described
from ioadr.io.file_places import listed
from ioadr.io.options import ReadOptions
from ioadr.io.registry import Format
from ioadr.io.safety.doors import damage_explained, starts_with

LARGEST_DESCRIPTION = 10**7


def recognise(path: Path, options: ReadOptions) -> bool:
    if starts_with(path, b"\x93NUMPY"):
        return True
    return starts_with(path, b"PK\x03\x04") and path.suffix.lower() == ".npz"


def open_file(path: Path, options: ReadOptions) -> Capture:
    """Open the largest array of the file, with the metadata of `ioadr convert`."""
    with damage_explained(path, "a NumPy file", "Save it again."):
        # By the first bytes: NumPy itself leaves a damaged archive open.
        return _open_npz(path, options) if starts_with(path, b"PK") else _open_npy(path, options)


FORMAT = Format("numpy", "NumPy array (.npy, .npz)", recognise, open_file)


def _open_npy(path: Path, options: ReadOptions) -> Capture:
    # Mapped, not loaded: numpy checks the declared size against the file's, and only wanted views are read.
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    return array_capture(path, "numpy", array, find_layout(path, array.shape, options), options)


def _open_npz(path: Path, options: ReadOptions) -> Capture:
    with zipfile.ZipFile(path) as archive:
        members = array_members(path, archive)
        if not members:
            raise InputError(f"{path}: the archive holds no arrays. Save the views with numpy.savez.")
        shapes = {name: array_header(archive, member)[0] for name, member in members.items()}
        name, note = chosen_array(path, shapes, VIEWS, options)
        if name is None:
            for member in members.values():
                declared_array(path, archive, member)  # refuses what is never opened
            raise InputError(
                f"{path}: no array of 3 to 5 axes, found {listed([*members])}. Save the views with numpy.savez."
            )
        shape, dtype = declared_array(path, archive, members[name])
        text = _text(path, archive)
    array = _Lazy(path, members[name], shape, dtype)
    capture = array_capture(path, "numpy", array, find_layout(path, shape, options), options)
    capture = capture.noted(note) if note else capture
    return described(capture, json.loads(text)) if text else capture


def _text(path: Path, archive: zipfile.ZipFile) -> str | None:
    if "description.json" not in archive.namelist():
        return None
    member = archive.getinfo("description.json")
    if member.file_size > LARGEST_DESCRIPTION:
        raise InputError(f"{path}: {member.file_size} bytes are too many for description.json.")
    return archive.read(member).decode("utf-8")


class _Lazy:
    """An array of an archive, unpacked at the first access."""

    def __init__(self, path: Path, member: zipfile.ZipInfo, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.path, self.member, self.shape, self.dtype = path, member, shape, dtype

    @cached_property
    def _array(self) -> NDArray[Any]:
        with (
            damage_explained(self.path, f"array {self.member.filename}", "Save it again."),
            zipfile.ZipFile(self.path) as archive,
        ):
            # The entry that was checked, not another of the same name.
            return load_array(archive, self.member)

    def __getitem__(self, where: Any) -> NDArray[Any]:
        return self._array[where]
