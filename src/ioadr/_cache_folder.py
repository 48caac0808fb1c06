"""A folder for what is quicker to load than to make again: compiled kernels and pages.

Its name is a hash of all compiled sources and of what compiles them. Files appear whole or not at all, and a folder
that is full or read-only only costs time.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).parent
ROOMS = ("geometry", "cost", "solver", "views")
CHECKSUM = hashlib.sha256().digest_size
KEPT = 12
"""Folders of other sources or settings that are kept when a new one is made; each holds some megabytes."""

logger = logging.getLogger(__name__)

when_missing: list[Callable[[], None]] = []
"""Called once when a kernel is not in the folder and must be compiled."""


def fingerprint(package: Path) -> str:
    """Hash of everything compiled code depends on: sources, Python, numba, LLVM and numba's settings."""
    digest = hashlib.sha256(f"{sys.version} {version('numba')} {version('llvmlite')}".encode())
    settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    digest.update(repr(settings).encode())
    rooms = (path for room in ROOMS for path in sorted((package / room).glob("*.py")))
    for path in [*(package / f"{name}.py" for name in ("_cache_folder", "_jit", "_kernel_cache", "_lanes")), *rooms]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _folder() -> Path:
    base = os.environ.get("IOADR_CACHE") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "ioadr" / fingerprint(PACKAGE)


FOLDER = _folder()
"""Folder of the kernels of these sources; computed before they are imported, because files may change later."""


def read(path: Path) -> bytes | None:
    """Content of a file; None if it is missing, damaged or was written by another user."""
    try:
        with path.open("rb") as file:
            if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid not in (0, os.getuid()):
                return None
            content = file.read()
    except OSError:
        return None
    payload = content[CHECKSUM:]
    return payload if content[:CHECKSUM] == hashlib.sha256(payload).digest() else None


def write(path: Path, payload: bytes) -> None:
    """Write a file as a whole, or not at all."""
    temporary = None
    try:
        if not path.parent.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _forget_oldest(path.parent.parent)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            temporary = Path(file.name)
            file.write(hashlib.sha256(payload).digest() + payload)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        _complain(str(path.parent), error.strerror or str(error))


def _forget_oldest(base: Path) -> None:
    """Remove the oldest folders; a process that still needs one compiles again."""
    folders = sorted((item for item in base.iterdir() if item.is_dir()), key=lambda item: item.stat().st_mtime)
    for folder in folders[: -KEPT - 1]:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _complain(folder: str, reason: str) -> None:
    """Say once why the next run will compile again."""
    logger.warning(
        "kernel cache %s: cannot be written (%s), so every run compiles again. Name another folder in IOADR_CACHE.",
        folder,
        reason,
    )
