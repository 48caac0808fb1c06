"""The table of light field formats: every module of `ioadr.io.readers` holds one `FORMAT`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.options import ReadOptions

# In the order in which they are asked: the most specific first, and last those that take what nobody else wants.
# A format that is in neither list is asked between them, so that a new one is a single file.
SPECIFIC = ("manifest", "hci", "stanford", "lytro", "zarr_", "matlab", "hdf5", "arrays")
GENERAL = ("mosaic", "folder")


@dataclass(frozen=True)
class Format:
    """One light field format."""

    name: str
    description: str
    recognise: Callable[[Path, ReadOptions], bool]
    """Whether the path holds this format, judged by its content."""
    open: Callable[[Path, ReadOptions], Capture]


@cache
def formats() -> tuple[Format, ...]:
    """All formats, in the order in which they are asked."""
    package = importlib.import_module("ioadr.io.readers")
    others = sorted({module.name for module in pkgutil.iter_modules(package.__path__)} - {*SPECIFIC, *GENERAL})
    modules = [importlib.import_module(f"ioadr.io.readers.{name}") for name in (*SPECIFIC, *others, *GENERAL)]
    return tuple(module.FORMAT for module in modules)


def find_format(path: Path, options: ReadOptions) -> Format:
    """The format that the user named, or the first that recognises the path."""
    known = formats()
    if options.format is not None:
        for candidate in known:
            if candidate.name == options.format:
                return candidate
        names = ", ".join(candidate.name for candidate in known)
        raise InputError(f"⟦format⟧: expected one of {names}, found {options.format!r}.")
    if not path.exists():
        raise InputError(f"{path}: expected a light field, found no such file or folder. Check the path.")
    for candidate in known:
        if candidate.recognise(path, options):
            return candidate
    names = ", ".join(candidate.name for candidate in known)
    empty = path.is_file() and path.stat().st_size == 0
    raise InputError(
        f"{path}: expected a light field ({names}), found {'an empty file' if empty else 'none of the formats known'}. "
        "docs/formats.md shows what they look like; name one with ⟦format⟧, or describe the files in a "
        "lightfield.toml."
    )
