"""The table of light field formats: every module of `ioadr.io.readers` holds one `FORMAT`."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ioadr.errors import InputError, unknown
from ioadr.io.capture import Capture
from ioadr.io.decoding.images import SUFFIXES, read_header
from ioadr.io.file_numbers import NUMBER
from ioadr.io.file_places import FEWEST, images_in, listed, too_few
from ioadr.io.options import ReadOptions
from ioadr.io.safety.doors import absent

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
    """Whether the path holds this format, according to its content."""
    open: Callable[[Path, ReadOptions], Capture]


@cache
def formats() -> tuple[Format, ...]:
    """All formats, in the order in which they are tried."""
    return tuple(_in_turn())


def _in_turn() -> Iterator[Format]:
    """The same formats, each imported only when it is tried."""
    package = importlib.import_module("ioadr.io.readers")
    others = sorted({module.name for module in pkgutil.iter_modules(package.__path__)} - {*SPECIFIC, *GENERAL})
    for name in (*SPECIFIC, *others, *GENERAL):
        yield importlib.import_module(f"ioadr.io.readers.{name}").FORMAT


ARRAYS = ("numpy", "hdf5", "matlab", "zarr")
ONLY = {"pattern": ("folder",), "eslf": ("mosaic",), "quilt": ("mosaic",), "axes": ARRAYS, "array": ARRAYS}
"""Options that only these formats support."""
OTHER_IMAGES = {".gif", ".jp2", ".j2k", ".tga", ".hdr", ".pfm", ".heic", ".heif", ".avif", ".jxl", ".svg", ".psd"}
ARCHIVES = {".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz"}
FILMS = {".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v", ".gif"}
OTHER_IMAGES |= {".dng", ".cr2", ".cr3", ".nef", ".arw", ".raf", ".orf", ".rw2", ".raw"}
"""Kinds of images that are not supported; the message names them."""
MOST_CHILDREN = 200
"""Largest number of folder entries that are searched for light fields."""


def find_format(path: Path, options: ReadOptions) -> Format:
    """The user's format, or the first that recognises the path; options that it does not use are refused."""
    format_ = _named(options.format) if options.format is not None else _recognised(path, options)
    for option, names in ONLY.items():
        if getattr(options, option) is not None and format_.name not in names:
            raise InputError(
                f"{path}: ⟦{option}⟧ applies to the format {' or '.join(names)}; this is a {format_.description}. "
                f"Leave it out, or give ⟦format {names[0]}⟧."
            )
    return format_


def _named(name: str) -> Format:
    by_name = {candidate.name: candidate for candidate in formats()}
    if name not in by_name:
        raise unknown("format", name, by_name, "⟦format⟧: ")
    return by_name[name]


def _recognised(path: Path, options: ReadOptions) -> Format:
    if not path.exists():
        raise absent(path)
    for candidate in _in_turn():
        if candidate.recognise(path, options):
            return candidate
    raise _folder_refused(path, options) if path.is_dir() else _file_refused(path)


def _folder_refused(path: Path, options: ReadOptions) -> InputError:
    """Error for a folder that is not a light field: what it contains instead."""
    children = sorted(child for child in path.iterdir() if not child.name.startswith("."))
    inside = [child.name for child in children[:MOST_CHILDREN] if _is_light_field(child, options)]
    images = images_in(path)
    if len(inside) == 1:
        return InputError(f"{path}/: not a light field, but contains one: {inside[0]}. Name it: {path / inside[0]}")
    if inside:
        return InputError(
            f"{path}/: contains {len(inside)} light fields: {listed(inside)}. Name one of them. "
            f"If the folders hold the views of one light field, give ⟦pattern '{_rows(path, inside)}'⟧."
        )
    if 0 < len(images) < FEWEST:
        return too_few(path, len(images))
    apart = [found[0] for child in children if child.is_dir() and len(found := images_in(child)) == 1]
    if not images and len(apart) >= FEWEST:
        first = apart[0].relative_to(path)
        return InputError(
            f"{path}/: holds {len(apart)} folders with one image each, such as {first}. If they are the views of a "
            f"light field, give ⟦pattern '{_counted(first)}'⟧."
        )
    if images:
        return InputError(
            f"{path}/: cannot derive the positions of the views from the names of {len(images)} images, such as "
            f"{listed([image.name for image in images[:3]])}. Mark the numbers with ⟦pattern⟧, such as "
            "⟦pattern '{row}_{col}.png'⟧, or list the files in a lightfield.toml."
        )
    kind, count = Counter(child.suffix.lower() for child in children).most_common(1)[0] if children else ("", 0)
    if kind in OTHER_IMAGES and count >= FEWEST:
        return InputError(
            f"{path}/: holds {count} {kind} images, a type that ioadr cannot read. Convert them to PNG, TIFF or EXR."
        )
    return _unknown(
        path,
        "an empty folder"
        if not children
        else f"contains no light field in a known format, only {listed([c.name for c in children])}",
    )


def _counted(file: Path) -> str:
    """Pattern of images in numbered folders, one in each; an example if their names have no number."""
    folder = NUMBER.sub("{index}", str(file.parent), count=1) if NUMBER.search(str(file.parent)) else "view{index}"
    return f"{folder}/*{file.suffix}"


def _rows(path: Path, folders: list[str]) -> str:
    """Pattern of images in folders of one row each, if the folders are numbered; otherwise an example."""
    images = images_in(path / folders[0]) if (path / folders[0]).is_dir() else []
    numbered = len({NUMBER.sub("", name) for name in folders}) == 1 and NUMBER.search(folders[0])
    if not (numbered and images and NUMBER.search(images[0].stem)):
        return "{row}/{col}.png"
    *before, last = NUMBER.split(images[0].stem)
    return f"{NUMBER.sub('{row}', folders[0], count=1)}/{'*'.join(before)}{{col}}{last}{images[0].suffix}"


def _is_light_field(path: Path, options: ReadOptions) -> bool:
    try:
        return any(candidate.recognise(path, options) for candidate in formats())
    except OSError:
        return False


def _file_refused(path: Path) -> InputError:
    if path.suffix.lower() in SUFFIXES:
        read_header(path)  # refuses what is no image, or several in one file
        return InputError(
            f"{path}: one image. If it holds all views, give ⟦eslf ROWSxCOLUMNS⟧ (pixels of a lenslet) or "
            "⟦quilt ROWSxCOLUMNS⟧ (sub-images); otherwise name its folder."
        )
    if path.suffix.lower() in FILMS:
        return InputError(
            f"{path}: a video. Extract its frames as PNG files into a folder, and name the folder; the camera must "
            "move sideways in equal steps, and nothing else may move."
        )
    if path.suffix.lower() in ARCHIVES and path.stat().st_size:
        return InputError(f"{path}: an archive. Unpack it, and name the folder or file that it contains.")
    return _unknown(path, "an empty file" if path.stat().st_size == 0 else "not a light field in a known format")


def _unknown(path: Path, found: str) -> InputError:
    names = ", ".join(candidate.name for candidate in formats())
    return InputError(
        f"{path}: {found}. Known formats are {names}; docs/formats.md shows what they look like. "
        "Name one with ⟦format⟧, or describe the files in a lightfield.toml."
    )
