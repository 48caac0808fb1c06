"""The table of light field formats."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.options import ReadOptions

# In the order in which they are asked: the most specific first.
MODULES = (
    "manifest",
    "hci",
    "stanford",
    "lytro",
    "zarr_",
    "matlab",
    "hdf5",
    "arrays",
    "mosaic",
    "folder",
)


@dataclass(frozen=True)
class Format:
    """One light field format."""

    name: str
    description: str
    recognise: Callable[[Path, ReadOptions], bool]
    """Whether the path holds this format, judged by its content."""
    open: Callable[[Path, ReadOptions], Capture]


def formats() -> tuple[Format, ...]:
    """All formats, in the order in which they are asked."""
    return tuple(importlib.import_module(f"ioadr.io.{module}").FORMAT for module in MODULES)


def find_format(path: Path, options: ReadOptions) -> Format:
    """The format that the user named, or the first that recognises the path."""
    known = formats()
    if options.format is not None:
        for candidate in known:
            if candidate.name == options.format:
                return candidate
        names = ", ".join(candidate.name for candidate in known)
        raise InputError(f"--format: expected one of {names}, found {options.format!r}.")
    if not path.exists():
        raise InputError(f"{path}: expected a light field, found no such file or folder. Check the path.")
    for candidate in known:
        if candidate.recognise(path, options):
            return candidate
    descriptions = "; ".join(candidate.description for candidate in known)
    raise InputError(
        f"{path}: expected a light field, found none of the formats known ({descriptions}). "
        "Name the format with --format, describe the files in a lightfield.toml, or see `ioadr info --help`."
    )
