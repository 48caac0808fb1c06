"""Files that are there completely or not at all.

A file is written under a hidden temporary name beside its target and renamed. A set of files is
written into a hidden folder and moved in when all of them are on disk; whatever goes wrong before
the last move, the earlier files are put back. What a killed process left goes when the next one writes there.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ioadr.errors import OutputError
from ioadr.io.safety.leftovers import LOCK, PREFIX, claimed, remove_leftovers, unfinished

EARLIER = ".earlier"
"""Where replaced files wait until all new ones are in place."""
MARKER = "provenance.json"
"""Written last: where it is, the folder's results are complete."""


def check_folder(path: str | os.PathLike[str], overwrite: bool = False, names: Iterable[str] = ()) -> Path:
    """The folder as a path, if results can be written to it, and nothing by the `names` is lost; touches nothing."""
    folder = Path(path)
    if not os.fspath(path):
        raise OutputError("⟦out⟧: expected a folder for the results, found an empty name. Name one; . is this folder.")
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: expected a folder for the results, found a file. Choose another with ⟦out⟧.")
    place = next(p for p in (folder, *folder.absolute().parents) if p.exists())
    if not place.is_dir():
        raise OutputError(f"{folder}: cannot be made, because {place} is a file. Choose another folder with ⟦out⟧.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise OutputError(
            f"{place}: expected a writable folder, found none. Change its rights or choose another ⟦out⟧."
        )
    if not overwrite and (folder / MARKER).exists():
        raise OutputError(f"{folder}: holds earlier results. Add ⟦overwrite⟧ to replace them, or choose another ⟦out⟧.")
    lost = [] if overwrite or _interrupted(folder) else [name for name in names if (folder / name).exists()]
    if lost:
        raise OutputError(
            f"{folder}: holds {lost[0]} already. Add ⟦overwrite⟧ to replace what is there, or choose another ⟦out⟧."
        )
    return folder


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A name to write to; becomes `path` when the block ends well, and nothing otherwise."""
    target = Path(path)
    temporary = target.with_name(unfinished(target.name))
    with _explained(target):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            remove_leftovers(target.parent)
            with claimed(temporary):
                yield temporary
                flush(temporary)
                os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        flush(target.parent)


@contextmanager
def atomic_folder(
    path: str | os.PathLike[str], overwrite: bool = False, replacing: Iterable[str] = (), names: Iterable[str] = ()
) -> Iterator[Path]:
    """An empty folder to write files into; they move to `path` together when the block ends well.

    `replacing` names earlier files that go even if no new one takes their place, `names` new ones that replace
    nothing unless told to.
    """
    folder = check_folder(path, overwrite, names)
    with _explained(folder):
        staging = _staging(folder)
        try:
            with claimed(staging / LOCK):
                yield staging
                for file in staging.iterdir():
                    flush(file)
                _commit(staging, folder, replacing)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


def flush(path: Path) -> None:
    """Ask the system to put a file, or the names in a folder, on the disk."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _staging(folder: Path) -> Path:
    """Inside the folder if it exists (its parent may be another disk), else beside it."""
    place = folder if folder.exists() else folder.parent
    for known in {place, folder.parent}:
        remove_leftovers(known)
    staging = place / unfinished()
    staging.mkdir(parents=True)
    return staging


def _commit(staging: Path, folder: Path, replacing: Iterable[str]) -> None:
    if not folder.exists():
        (staging / LOCK).unlink()
        os.rename(staging, folder)
        flush(folder.parent)
        return
    names = sorted((file.name for file in staging.iterdir() if file.name != LOCK), key=lambda name: name == MARKER)
    earlier = staging / EARLIER
    earlier.mkdir()
    try:
        for name in dict.fromkeys((MARKER, *names, *replacing)):
            if (folder / name).is_file():
                os.replace(folder / name, earlier / name)
        for name in names:
            os.replace(staging / name, folder / name)
    except BaseException:
        _restore(staging, folder, names)
        raise
    flush(folder)


def _interrupted(folder: Path) -> bool:
    """Whether somebody was killed between the moves of a commit: what lies there is ours."""
    return any(folder.glob(f"{PREFIX}*/{EARLIER}"))


def _restore(staging: Path, folder: Path, names: Iterable[str]) -> None:
    """Undo a commit from what lies where, since an interrupt may strike between any two moves."""
    for name in names:
        if not (staging / name).exists():
            (folder / name).unlink(missing_ok=True)
    for file in (staging / EARLIER).iterdir():
        os.replace(file, folder / file.name)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else error.strerror or str(error)
        raise OutputError(
            f"{target}: could not be written: {reason}. Nothing was changed there; "
            f"{'free some space or ' if full else ''}choose another place."
        ) from error
