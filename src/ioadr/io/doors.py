"""What all readers do at the door: look at the first bytes, import what is needed, explain damage."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ioadr.errors import InputError


def starts_with(path: Path, magic: bytes) -> bool:
    """Whether `path` is a file that begins with `magic`."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(magic)) == magic
    except OSError:
        return False


def required(module: str, path: Path, extra: str = "formats") -> Any:
    """An optional library, or the message how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise InputError(
            f"{path}: expected the library {package} to read it, found none. "
            f"Install it with: pip install 'ioadr[{extra}]'."
        ) from error


@contextmanager
def damage_explained(path: Path | str, expected: str, advice: str = "Copy or export the file again.") -> Iterator[None]:
    """Whatever a library raises on a damaged file becomes one InputError: its kinds are many and all mean the same."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError as error:
        raise InputError(f"{path}: expected {expected}, found no such file. Check the name.") from error
    except Exception as error:
        raise InputError(f"{path}: expected {expected}, found: {one_line(error)}. {advice}") from error


def one_line(error: Exception, longest: int = 200) -> str:
    text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return text if len(text) <= longest else text[:longest] + " …"
