"""Stops a process before any one of its operations on files, and looks at what it left.

The work runs in a forked process again and again. Python's audit hook announces every operation on files; the process
ends itself, as a kill would, before the first one, then before the second, until it runs to its end.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import time
import zipfile
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from pathlib import Path

from ioadr import _cache_folder
from ioadr.io.safety import leftovers
from ioadr.io.safety.leftovers import PREFIX, recover

OPERATIONS = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.rmtree"}
STOPPED = 99
LONG = 600.0
"""Seconds that no work takes, even on a busy machine."""
Work = Callable[[Path], object]


def writes(event: str, arguments: tuple[object, ...]) -> bool:
    """Whether an event changes files; the cache of compiled code is no result, and only a first run changes it."""
    if event == "open":
        flags = arguments[2]
        changes = isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    else:
        changes = event in OPERATIONS
    return changes and not str(arguments[0]).startswith(str(_cache_folder.FOLDER.parent))


def operations(work: Callable[[], object]) -> int:
    """How many operations the work takes, done to its end in a forked process."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as result:
        assert not stopped_before(10**6, work, writing)
        os.close(writing)
        return int(result.read())


def stopped_before(step: int, work: Callable[[], object], tell: int | None = None) -> bool:
    """Whether a forked process that does the work was stopped before its operation number `step`.

    The number of operations of one that was not is written to the pipe `tell`.
    """
    child = os.fork()
    if child == 0:
        operation = count()  # threads that write side by side never get the same number

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            if writes(event, arguments) and next(operation) == step:
                os._exit(STOPPED)

        gc.freeze()  # what other tests left behind may remove files of its own when it is collected
        sys.dont_write_bytecode = True  # no result either, and written by the first process that imports a module
        leftovers.SETTLED = LONG  # work of more than a second would look at its own lock, one operation more
        sys.addaudithook(hook)
        try:
            work()
        except BaseException:
            os._exit(1)
        if tell is not None:
            os.write(tell, str(next(operation)).encode())
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, STOPPED), f"step {step}: the work failed by itself"
    return code == STOPPED


def contents(folder: Path) -> dict[str, object]:
    """Of all files by name; of archives without the time at which they were made."""
    return {str(file.relative_to(folder)): _content(file) for file in sorted(folder.rglob("*")) if file.is_file()}


def _content(file: Path) -> object:
    if file.suffix in (".npz", ".zip") and zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            return [(member.filename, member.CRC) for member in archive.infolist()]
    return file.read_bytes()


def age(folder: Path) -> None:
    """Make leftovers so old that they count as abandoned."""
    for left in folder.rglob(f"{PREFIX}*"):
        os.utime(left, (time.time() - 2 * LONG,) * 2)


def enumerate_stops(base: Path, before: Work, work: Work, most: int = 1000, places: Iterable[str] = ("", "out")) -> int:
    """Checks that each stop leaves the earlier files or the new ones, and that the next run makes the new ones.

    At most so many stops are tried, evenly spread; `places` are where leftovers are looked for. Returns their number.
    """
    original, folder = base / "original", base / "folder"
    original.mkdir()
    before(original)
    old = contents(original)
    shutil.copytree(original, folder)
    steps = range(0, number := operations(partial(work, folder)), -(-number // most))
    new = contents(folder)
    for step in steps:
        shutil.rmtree(folder)
        shutil.copytree(original, folder)
        assert stopped_before(step, partial(work, folder))
        age(folder)
        for place in places:
            recover(folder / place)
        left = contents(folder)
        assert left in (old, new), f"stopped before operation {step}: {sorted(set(left) ^ set(new))}"
        if left == old:
            assert not stopped_before(10**6, partial(work, folder))
            assert contents(folder) == new, f"the next run after a stop before operation {step}"
    return len(steps)
