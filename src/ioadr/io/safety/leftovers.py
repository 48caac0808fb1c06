"""Staging folders: files wait there until all are complete; leftovers of killed processes are recovered.

A staging folder is hidden, has a lock file next to it while its process runs, and contains a journal while its
files are moved. Without a living owner, a folder with a journal is rolled back (unless complete); others are removed.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ioadr.io.safety.doors import noted

PREFIX = ".ioadr-"
LOCK = ".lock"
"""Extension of the lock file next to a staging folder, locked while a process fills the folder."""
COMMIT = f"{PREFIX}commit{LOCK}"
"""File in a target folder, locked while a process moves files into it."""
JOURNAL = f"{PREFIX}journal"
"""File in a staging folder: the names that move, written before the first of them does."""
EARLIER = f"{PREFIX}earlier"
"""Folder in a staging folder, where replaced files wait until all new ones are in place."""
SETTLED, DAY = 1.0, 86400.0
"""Seconds within which a process takes its lock; age in seconds of a leftover, on systems without locks."""
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""Errors of file systems without locks; files are written anyway."""
PATIENCE = 60.0
"""Seconds to wait for another process that commits to the same folder; moving files takes far less."""


@contextmanager
def staging_folder(parent: Path) -> Iterator[Path]:
    """A new hidden folder in `parent`, locked until the block ends, then removed with its content."""
    folder = parent / f"{PREFIX}{secrets.token_hex(4)}"
    with locked(folder.with_suffix(LOCK), 0):
        try:
            folder.mkdir()
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def committing(folder: Path) -> Iterator[None]:
    """Lock the folder: only one process at a time moves files into it."""
    with locked(folder / COMMIT, PATIENCE):
        yield


@contextmanager
def locked(file: Path, patience: float) -> Iterator[None]:
    """Hold a lock file and remove it afterwards; a waiting process notices and makes a new one."""
    from filelock import FileLock  # 40 ms, and only who writes needs it

    lock = FileLock(file, timeout=patience)
    try:
        lock.acquire()
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise
    try:
        yield
    finally:
        with suppress(OSError):  # Windows keeps files that are open
            file.unlink()
        lock.release()


def move_all(staging: Path, folder: Path, names: Sequence[str], replaced: Sequence[str]) -> None:
    """Move files `names` from `staging` to `folder` and remove those in `replaced`: all or nothing.

    The last of the names to arrive makes the set complete.
    """
    earlier = staging / EARLIER
    earlier.mkdir()
    write_through(staging / JOURNAL, json.dumps(list(names)))
    flush(staging)
    try:
        for name in replaced:
            # A folder gives way to a new one only.
            if (folder / name).is_file() or ((folder / name).is_dir() and (staging / name).is_dir()):
                os.replace(folder / name, earlier / name)
        for name in names:
            os.replace(staging / name, folder / name)
    except BaseException:
        _roll_back(staging, folder, names)
        raise
    flush(folder)


def recover(folder: Path, alone: bool = False) -> None:
    """Recover after killed processes: undo half a commit, keep a whole one, remove the rest.

    `alone` means that no other process can be at work there. The folder may be untrusted: only plain names in real
    folders are followed.
    """
    for left in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if not (alone or _abandoned(left)):
                continue
            if left.is_dir() and not left.is_symlink():
                _settle(left, folder)
                shutil.rmtree(left)
            else:
                left.unlink()


def _settle(staging: Path, folder: Path) -> None:
    journal = noted(staging / JOURNAL)
    if not isinstance(journal, list):  # none, or cut off: no file had moved
        return
    names = [str(name) for name in journal]
    if (staging / EARLIER).is_symlink() or any(Path(name).name != name for name in names):
        return
    if any((staging / name).exists() for name in names):
        with committing(folder):
            _roll_back(staging, folder, names)


def _roll_back(staging: Path, folder: Path, names: Sequence[str]) -> None:
    """Undo moves by looking at where files are: the commit, and this roll-back, may stop at any point.

    New files move back to staging instead of being deleted, so that a second attempt can tell them from restored ones.
    """
    for name in names:
        if not (staging / name).exists() and (folder / name).exists():
            os.replace(folder / name, staging / name)
    for file in (staging / EARLIER).iterdir():
        os.replace(file, folder / file.name)
    flush(folder)


def flush(path: Path) -> None:
    """Flush a file, or the entries of a folder, to disk."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_through(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    flush(path)


def _abandoned(left: Path) -> bool:
    """Whether no living process owns a staging folder, lock file or unfinished file."""
    from filelock import FileLock, Timeout

    lock = left.with_suffix(LOCK) if left.is_dir() else left
    if _age(lock if lock.exists() else left) <= SETTLED:
        return False
    if not lock.exists():
        return True
    try:
        with FileLock(lock, timeout=0):
            return True
    except Timeout:
        return False
    except (NotImplementedError, OSError):
        return _age(lock) > DAY


def _age(path: Path) -> float:
    return time.time() - os.stat(path).st_mtime
