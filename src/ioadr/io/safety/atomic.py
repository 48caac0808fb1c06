"""Atomic writing: files exist completely or not at all.

Files are written into a hidden staging folder next to their target and moved when all of them are on disk. After a
failure before the last move, the earlier files are restored: immediately, or, after a kill, by the next process that
writes or reads there.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from ioadr.errors import OutputError
from ioadr.io.safety.leftovers import committing, flush, move_all, recover, staging_folder

MARKER = "provenance.json"
"""File that is written last: it marks the results of a folder as complete."""


def check_folder(path: str | os.PathLike[str], overwrite: bool = False, names: Iterable[str] = ()) -> Path:
    """The folder as a path; refused if it cannot be written to or has files with these `names`."""
    folder = Path(path)
    recover(folder)
    if not os.fspath(path):
        raise OutputError("⟦out⟧: the name is empty. Name a folder; . is this folder.")
    if folder.is_symlink() and not folder.exists():
        raise OutputError(f"{folder}: a broken link. Choose another with ⟦out⟧.")
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: a file, not a folder. Choose another with ⟦out⟧.")
    existing = next(p for p in (folder, *folder.absolute().parents) if p.exists())
    if not existing.is_dir():
        raise OutputError(f"{folder}: cannot be created: {existing} is a file. Choose another folder with ⟦out⟧.")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise OutputError(f"{existing}: not writable. Change its permissions or choose another ⟦out⟧.")
    if not overwrite and (folder / MARKER).exists():
        raise OutputError(f"{folder}: holds earlier results. Add ⟦overwrite⟧ to replace them, or choose another ⟦out⟧.")
    lost = [] if overwrite else [name for name in names if (folder / name).exists()]
    if lost:
        raise OutputError(f"{folder}: already holds {lost[0]}. Add ⟦overwrite⟧ to replace it, or choose another ⟦out⟧.")
    return folder


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path that becomes `path` when the block succeeds and disappears otherwise."""
    target = Path(path)
    if target.exists() and not (target.is_file() or target.is_dir()):  # a file would take the place of the device
        raise OutputError(f"{target}: a device or pipe, not a file. Name a file.")
    with _explained(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        _recover_once(target.parent)
        with staging_folder(target.parent) as staging:
            yield staging / target.name
            flush(staging / target.name)
            os.replace(staging / target.name, target)
        flush(target.parent)


@contextmanager
def atomic_folder(
    path: str | os.PathLike[str], overwrite: bool = False, replacing: Iterable[str] = (), names: Iterable[str] = ()
) -> Iterator[Path]:
    """An empty folder to write files into; they move to `path` together when the block succeeds.

    `replacing` names earlier files to remove even if no new file replaces them; `names` are new files, which replace
    nothing unless allowed to. The folder is checked again before the first move, because another process may have
    written there meanwhile.
    """
    names = list(names)
    folder = check_folder(path, overwrite, names)
    with _explained(folder):
        # Inside the folder if it exists (its parent may be another disk), else beside it.
        parent = folder if folder.exists() else folder.parent
        parent.mkdir(parents=True, exist_ok=True)
        _recover_once(parent)
        with staging_folder(parent) as staging:
            yield staging
            written = sorted(file.name for file in staging.iterdir())
            for name in written:
                flush(staging / name)
            if not _became(staging, folder):
                with committing(folder):
                    check_folder(folder, overwrite, names)
                    written.sort(key=lambda name: name == MARKER)
                    # The marker leaves first, if these files have one; another result's is none of their business.
                    marked = [name for name in written if name == MARKER]
                    move_all(staging, folder, written, list(dict.fromkeys((*marked, *written, *replacing))))


def _became(staging: Path, folder: Path) -> bool:
    """Rename the staging folder to the target in one step, if there is no such folder; return whether it worked."""
    try:
        if not folder.exists():
            os.rename(staging, folder)
            flush(folder.parent)
            return True
    except OSError:
        if not folder.is_dir():
            raise
    return False  # it was there, or somebody was quicker


@cache
def _recover_once(folder: Path) -> None:
    """Recover leftovers once per process and folder: the search is slow where many files are written."""
    recover(folder)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else (error.strerror or str(error)).rstrip(".")
        raise OutputError(
            f"{target}: could not be written: {reason}. Nothing was changed there; "
            f"{'free some space or ' if full else ''}choose another place."
        ) from error
