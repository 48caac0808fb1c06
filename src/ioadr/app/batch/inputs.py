"""Inputs on the command line become items: folders, patterns, lists, manifests, URLs.

A list is a text file with one path, pattern or URL on each line, relative to the list; # begins a comment.
A manifest is a TOML file of items, each with a path and, if needed, a name and options of reading:

    [[items]]
    path = "captures/monday/0001"
    name = "monday-1"
    range = [-1.5, 2.0]
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Any

from ioadr.app.batch.items import Item
from ioadr.app.batch.storage import is_url, matches
from ioadr.app.batch.summary import CSV, JSON, PAGE
from ioadr.errors import InputError
from ioadr.io.decoding.images import SUFFIXES
from ioadr.io.options import ReadOptions
from ioadr.io.registry import formats
from ioadr.io.safety.atomic import MARKER
from ioadr.io.safety.doors import small_text, small_toml

LIST_SUFFIXES = (".txt", ".lst", ".list")
FILE_SUFFIXES = (".h5", ".hdf5", ".mat", ".npy", ".npz", ".zarr", ".zip", ".toml", *SUFFIXES)
"""Characters that are removed from names."""
DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{port}{number}" for port in ("COM", "LPT") for number in range(10))}
"""Names that Windows reserves, also with an extension."""
MOST_ITEMS = 100_000
DEEPEST = 6
"""Depth of nested folders that are searched for light fields."""


def find_items(inputs: Sequence[str], reading: ReadOptions, out: str, video: bool = False) -> list[Item]:
    """All light fields that `inputs` name, in order, each once and under a unique name.

    With `video` each input is a sequence, and its light fields are the frames.
    """
    all_items: list[Item] = []
    for text in inputs:
        items = list(_expanded(text, reading, _excluded(out)))
        if video:
            sequence = _safe(_last_name(text))
            items = [replace(item, video=sequence) for item in sorted(items, key=lambda item: natural(item.path))]
        all_items += items
        if len(all_items) > MOST_ITEMS:
            raise InputError(f"{text}: more than {MOST_ITEMS} light fields. Split the batch.")
    unique = list({(item.video, item.path, item.reading): item for item in all_items}.values())
    if not unique:
        raise InputError("INPUTS: no light fields were named.")
    return _named(unique)


def natural(text: str) -> list[Any]:
    """Sorts frame2 before frame10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


def _expanded(text: str, reading: ReadOptions, excluded: set[Path], base: Path | None = None) -> Iterator[Item]:
    """The items of one argument, or of one line of a list in the folder `base`."""
    if is_url(text):
        paths = matches(text) if _is_pattern(text) else [text]
        if not paths:
            raise InputError(f"{text}: no file or folder matches. Check the pattern.")
        yield from (Item("", url, reading) for url in paths)
        return
    path = (base or Path()) / _at_home(text)
    if _is_pattern(text) and not path.exists():
        yield from _globbed(str(path), reading, excluded)
    elif path.suffix == ".toml" and path.is_file() and "items" in _toml(path):
        yield from _manifest(path, reading)
    elif base is None and path.suffix in LIST_SUFFIXES and path.is_file():
        yield from _list(path, reading, excluded)
    elif path.exists():
        yield from _below(path, reading, excluded)
    elif base is None:
        raise InputError(f"{text}: there is no such file or folder. Check the path.")
    else:
        yield Item("", str(path), reading, problem=f"{path}: there is no such file or folder.")


def _at_home(text: str) -> Path:
    """A valid path, with ~ expanded."""
    if "\0" in text:
        raise InputError(f"{text!r}: a path cannot contain a null character. Correct it.")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise InputError(f"{text}: cannot find the home folder: {error} Write the whole path.") from error


def _globbed(pattern: str, reading: ReadOptions, excluded: set[Path]) -> Iterator[Item]:
    paths = sorted(glob.iglob(pattern, recursive=True), key=natural)
    items = [item for name in paths for item in _below(Path(name), reading, excluded, quiet=True)]
    if not items:
        raise InputError(f"{pattern}: no light field matches. Check the pattern.")
    yield from items


def _below(
    path: Path, reading: ReadOptions, excluded: set[Path], depth: int = 0, quiet: bool = False
) -> Iterator[Item]:
    """The light field at `path`, or all in the folder, except in results, hidden folders and links."""
    if _is_light_field(path, reading):
        yield Item("", str(path), reading)
        return
    any_below = False
    if path.is_dir() and depth < DEEPEST and path.resolve() not in excluded and not (path / MARKER).exists():
        for child in _children(path):
            for item in _below(child, reading, excluded, depth + 1, quiet=True):
                any_below = True
                yield item
    if not any_below and not quiet:
        raise InputError(
            f"{path}: neither a light field nor a folder of light fields. "
            "`ioadr info --formats` lists the formats; --format or --pattern may be needed."
        )


def _children(folder: Path) -> list[Path]:
    """Sorted content of a folder; empty if it cannot be read."""
    try:
        entries = [entry for entry in os.scandir(folder) if not entry.name.startswith(".")]
        kept = [Path(entry.path) for entry in entries if not (entry.is_symlink() and entry.is_dir())]
    except OSError:
        return []
    return sorted(kept, key=lambda child: natural(child.name))


def _is_light_field(path: Path, reading: ReadOptions) -> bool:
    """Whether a reader recognises the path; only the named format is tried, if there is one."""
    candidates = [f for f in formats() if reading.format in (None, f.name)]
    try:
        return any(candidate.recognise(path, reading) for candidate in candidates)
    except OSError:
        return False


def _list(path: Path, reading: ReadOptions, excluded: set[Path]) -> Iterator[Item]:
    for line in small_text(path, "a list of light fields, one on each line", "Correct it.").splitlines():
        text = line.partition("#")[0].strip() if not is_url(line) else line.strip()
        if text:
            yield from _expanded(text, reading, excluded, path.parent)


def _manifest(path: Path, reading: ReadOptions) -> Iterator[Item]:
    entries = _toml(path)["items"]
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise InputError(f"{path}: expected tables [[items]], found {type(entries).__name__}.")
    for number, entry in enumerate(entries):
        options = dict(entry)
        location, name = options.pop("path", None), options.pop("name", "")
        if not isinstance(location, str) or not isinstance(name, str):
            raise InputError(f"{path}: expected path (and name) as text in item {number + 1}, found {dict(entry)}.")
        try:
            chosen = ReadOptions.of(reading, **{key: _tuples(value) for key, value in options.items()})
        except InputError as error:
            raise InputError(f"{path}: item {number + 1}: {error.marked}") from error
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{path}: item {number + 1}: expected options of reading, as in `ioadr info --help`, found: {error}."
            ) from error
        yield Item(name, location if is_url(location) else str(path.parent / _at_home(location)), chosen)


def _toml(path: Path) -> Mapping[str, Any]:
    return small_toml(path, "a TOML file", "Correct it.")


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _is_pattern(text: str) -> bool:
    return any(sign in text for sign in "*?[")


def _excluded(out: str) -> set[Path]:
    """Whether the path is the output folder, which is never an input."""
    return set() if is_url(out) else {Path(out).resolve()}


def _named(items: Iterable[Item]) -> list[Item]:
    """The shortest folder names that differ from each other and from the summary's; frames lie below their video."""
    items = list(items)
    for levels in (1, 2, 3):
        names = [_safe(item.name) if item.name else _path_name(item.path, levels) for item in items]
        full = [f"{item.video}/{name}" if item.video else name for item, name in zip(items, names, strict=True)]
        if len({name.lower() for name in full}) == len(full):
            break
    taken, result = {JSON, CSV, PAGE}, []
    for item, name in zip(items, full, strict=True):
        numbered = chain([name], (f"{name}~{number}" for number in count(2)))
        free = next(candidate for candidate in numbered if candidate.lower() not in taken)
        taken.add(free.lower())
        result.append(replace(item, name=free))
    return result


def _path_name(path: str, levels: int) -> str:
    """The last parts of a path, without the suffix of a file; a manifest is called like its folder."""
    unnamed = PurePosixPath(path.partition("://")[2].partition("::")[0]) if is_url(path) else Path(path).absolute()
    if unnamed.name in ("lightfield.toml", "parameters.cfg"):
        unnamed = unnamed.parent
    if unnamed.suffix.lower() in FILE_SUFFIXES:
        unnamed = unnamed.with_suffix("")
    parts = [part for part in unnamed.parts[-levels:] if part.strip("/\\")]
    return _safe("-".join(parts))


def _last_name(text: str) -> str:
    return Path(text).absolute().stem if not is_url(text) else PurePosixPath(text).name


def _safe(name: str) -> str:
    """A folder name that is valid on every system: no separators, outer dots, unusual letters or Windows devices."""
    safe = re.sub(r"[^\w.+-]+", "_", name).strip("._ ")[:100].rstrip("._ ") or "item"
    return f"_{safe}" if safe.partition(".")[0].upper() in DEVICES else safe
