"""What killed processes left unfinished: known by its name, and by a lock that nobody holds any more."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

PREFIX = ".ioadr-"
LOCK = ".lock"
"""File in a folder that is being filled; a file that is being written is its own lock."""
SETTLED, DAY = 1.0, 86400.0
"""Seconds after which a lock is sure to be taken; after which nobody can still be at work where locks are unknown."""


def unfinished(name: str = "") -> str:
    """A hidden name that ends like `name`, by which writers choose their format."""
    return f"{PREFIX}{secrets.token_hex(4)}{'.' if name else ''}{name}"


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Make the file and lock it; the system unlocks it when the process ends, however it ends."""
    with path.open("xb") as stream:
        lock(stream.fileno())
        yield


def lock(handle: int) -> bool | None:
    """Whether the open file could be locked by this process; None where there are no locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


@cache
def remove_leftovers(folder: Path) -> None:
    """Once per process: remove what others began in the folder and nobody is at work on."""
    for found in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if _abandoned(found):
                shutil.rmtree(found) if found.is_dir() else found.unlink()


def _abandoned(found: Path) -> bool:
    own = found / LOCK if found.is_dir() else found
    if not own.exists():
        return _age(found) > DAY
    with own.open("r+b") as stream:
        free = lock(stream.fileno())
    return _age(own) > DAY if free is None else free and _age(own) > SETTLED


def _age(path: Path) -> float:
    return time.time() - os.stat(path).st_mtime
