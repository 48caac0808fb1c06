"""Fingerprints: whether a result's inputs are unchanged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ioadr.errors import InputError

BLOCK = 1 << 20
DIGITS = 32
"""Hexadecimal digits of a hash that are kept."""
NOT_METHOD = ("app", "evaluation")
"""Rooms that do not affect results."""


def digest_path(path: str | Path) -> str:
    """Hash of a file, or of the names and contents of all files in a folder and below it."""
    path = Path(path)
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return digest_files(files, path)


def digest_files(files: Iterable[Path], base: Path) -> str:
    """Hash of names (relative to `base`) and contents; modification times do not count."""
    digest = hashlib.sha256()  # processors have instructions for it: half the time of BLAKE2
    try:
        for file in files:
            name = file.relative_to(base).as_posix() if file != base else file.name
            digest.update(f"{len(name)} {name} {file.stat().st_size}\n".encode())
            with file.open("rb") as stream:
                while block := stream.read(BLOCK):
                    digest.update(block)
    except OSError as error:
        raise InputError(f"{base}: cannot be read: {error}.") from error
    return digest.hexdigest()[:DIGITS]


@cache
def method_digest() -> str:
    """Hash of the sources that determine an estimate: all except evaluation and app."""
    package = Path(__file__).parents[2]
    files = [file for file in sorted(package.rglob("*.py")) if file.relative_to(package).parts[0] not in NOT_METHOD]
    return digest_files(files, package)


def work_key(parameters: Mapping[str, Any], content: str, *more: Any) -> str:
    """Hash of everything a stored result depends on: the method's source, parameters, input, and `more`.

    Benchmark, research and batch reuse a result only while its key is unchanged.
    """
    return digest_values(method_digest(), parameters, content, *more)


def digest_content(name: str, content: bytes) -> str:
    """The same hash as `digest_files` gives a single file."""
    return hashlib.sha256(f"{len(name)} {name} {len(content)}\n".encode() + content).hexdigest()[:DIGITS]


def digest_values(*values: Any) -> str:
    """Hash of JSON-compatible values."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
