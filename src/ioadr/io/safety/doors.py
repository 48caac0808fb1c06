"""Common steps of all readers: check the first bytes, import libraries, explain damage."""

from __future__ import annotations

import importlib
import json
import os
import re
import tomllib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from ioadr.errors import InputError, meant
from ioadr.extras import install

LARGEST_TEXT = 10**7
TOO_SHORT = re.compile(r"truncated|too small|not enough (image )?data|(unexpected|premature) (end|eof)", re.IGNORECASE)
"""What libraries say of files that were not copied to their end."""
MOST_NAMES = 1000
"""Largest number of files that are compared with a misspelt name."""


def starts_with(path: Path, magic: bytes) -> bool:
    """Whether `path` is a file that begins with `magic`."""
    try:
        # Reading a pipe could wait forever.
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(len(magic)) == magic
    except OSError:
        return False


def absent(path: Path, kind: str = "file or folder") -> InputError:
    """Error for a path that does not exist, with the closest name in its folder."""
    try:
        with os.scandir(path.parent) as entries:
            beside = [entry.name for entry in islice(entries, MOST_NAMES)]
    except OSError:
        beside = []
    return InputError(f"{path}: there is no such {kind}.{meant(path.name, beside) or ' Check the path.'}")


def required(module: str, path: Path, extra: str = "formats") -> Any:
    """Import an optional library, or raise an error that says how to install it.

    What libraries warn their developers about while they are imported is not shown.
    """
    try:
        with warnings.catch_warnings(record=True):
            return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise InputError(f"{path}: reading it needs the package {package}. {install(extra)}") from error


def check_file(path: Path, expected: str, advice: str = "Copy or export the file again.") -> None:
    """Refuse folders, devices and pipes: reading one might never end."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: not a file; {expected} was expected. {advice}")


def small_text(path: Path, expected: str, advice: str, largest: int = LARGEST_TEXT) -> str:
    """Content of a small, hand-written text file, without the byte order mark that Windows editors write."""
    with damage_explained(path, expected, advice):
        check_file(path, expected, advice)
        if path.stat().st_size > largest:
            raise InputError(f"{path}: {path.stat().st_size} bytes are too many for {expected}. Split or shorten it.")
        return path.read_text(encoding="utf-8-sig")


def small_toml(path: Path, expected: str, advice: str) -> dict[str, Any]:
    text = small_text(path, expected, advice)
    with damage_explained(path, expected, advice):
        return tomllib.loads(text)


def noted(path: Path) -> Any:
    """Content of a small JSON file that `ioadr` wrote; None if it is missing or not such a file."""
    try:
        # Reading a pipe could wait forever.
        if not path.is_file() or path.stat().st_size > LARGEST_TEXT:
            return None
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


@contextmanager
def damage_explained(path: Path | str, expected: str, advice: str = "Copy or export the file again.") -> Iterator[None]:
    """Turn every exception of a library on a damaged file into one InputError."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file. Check the name.") from error
    except Exception as error:
        reason = "it ends too early" if TOO_SHORT.search(str(error)) else one_line(error)
        raise InputError(f"{path}: cannot be read as {expected}: {reason}. {advice}") from error


def one_line(error: BaseException, longest: int = 200) -> str:
    text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return text if len(text) <= longest else text[:longest] + " …"
