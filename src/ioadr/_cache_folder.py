"""Cache folder for compiled kernels and pages.

Its name is a hash of all compiled sources and of the compiler. Files are complete or absent. If the folder is full or
read-only, everything still works, but each process compiles again.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    from fcntl import LOCK_EX, LOCK_NB, flock

PACKAGE = Path(__file__).parent
ROOMS = ("geometry", "cost", "solver", "views")
SETUP = ("_cache_folder", "_compiler", "_jit", "_kernel_cache", "_lanes")
CHECKSUM = hashlib.sha256().digest_size
KEPT = 12
"""Number of folders for other sources or settings to keep when a new one is created; each takes a few megabytes."""

KERNEL = ".kernel"
"""File extension of compiled code."""
PATIENCE = 60.0
"""Seconds to wait for a kernel that another process compiles; it may have been suspended."""
HARMLESS = ("NUM_THREADS", "THREADING_LAYER", "THREADING_LAYER_PRIORITY", "CACHE_DIR", "WARNINGS", "FULL_TRACEBACKS")
"""numba settings (NUMBA_…) that do not affect compiled code: its own threads and files, unused here, and messages."""

logger = logging.getLogger(__name__)

when_missing: list[Callable[[], None]] = []
"""Called once when a kernel is not in the folder and must be compiled."""


def fingerprint(package: Path) -> str:
    """Hash of everything compiled code depends on: sources, Python, numba, LLVM and numba's settings."""
    digest = hashlib.sha256(f"{sys.version} {version('numba')} {version('llvmlite')}".encode())
    ignored = {f"NUMBA_{name}" for name in HARMLESS}
    settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_") and item[0] not in ignored)
    digest.update(repr(settings).encode())
    rooms = (path for room in ROOMS for path in sorted((package / room).glob("*.py")))
    for path in [*(package / f"{name}.py" for name in SETUP), *rooms]:
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
        _make(path.parent)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            temporary = Path(file.name)
            file.write(hashlib.sha256(payload).digest() + payload)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        _complain(str(path.parent), error.strerror or str(error))


class Claim:
    """Claim on a file: one process makes it, all others wait for it instead of making it as well.

    The claim ends with `release` or with the process. If files cannot be locked, every process gets the claim.
    """

    def __init__(self) -> None:
        self._file: IO[str] | None = None

    def take(self, path: Path) -> None:
        """Wait until no other process makes this file, and claim it."""
        self.release()
        with contextlib.suppress(OSError):
            _make(path.parent)
            self._file = path.with_suffix(".claim").open("w")
            end = time.monotonic() + PATIENCE
            while not _locked(self._file) and time.monotonic() < end:
                time.sleep(0.01)

    def release(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                Path(self._file.name).unlink()
            self._file.close()
            self._file = None


def _locked(file: IO[str]) -> bool:
    """Lock a file, unless another process has; on Windows nothing is locked, and all compile."""
    if sys.platform != "win32":
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _make(folder: Path) -> None:
    """Create the folder, and remove the oldest of the other folders."""
    if not folder.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget_oldest(folder.parent)


def _forget_oldest(base: Path) -> None:
    """Remove the oldest folders; a process that still needs one compiles again."""
    folders = sorted((item for item in base.iterdir() if item.is_dir()), key=lambda item: item.stat().st_mtime)
    for folder in folders[: -KEPT - 1]:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _complain(folder: str, reason: str) -> None:
    """Warn once that the next run will compile again, and why."""
    logger.warning(
        "kernel cache %s: cannot be written (%s), so every run compiles again. Name another folder in IOADR_CACHE.",
        folder,
        reason,
    )
