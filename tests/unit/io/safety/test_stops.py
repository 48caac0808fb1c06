"""A process that stops before any one of its file operations leaves the earlier files or the new ones, whole.

Each case runs in a forked process again and again. Python's audit hook announces every operation on files; the
process ends itself, as a kill would, before the first one, then before the second, until it runs to its end.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ioadr.io import save_estimate, write_lightfield
from ioadr.io.results.pfm import write_pfm
from ioadr.io.safety.atomic import MARKER, atomic_file, atomic_folder
from ioadr.io.safety.leftovers import PREFIX, recover
from ioadr.result import Estimate
from tests.builders import make_lightfield
from tests.scenes import make_estimate

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked in the POSIX way")

OPERATIONS = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.rmtree"}
STOPPED = 99


def writes(event: str, arguments: tuple[object, ...]) -> bool:
    if event == "open":
        flags = arguments[2]
        return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    return event in OPERATIONS


def stopped_before(step: int, work: Callable[[], object]) -> bool:
    """Whether a forked process that does the work was stopped before its operation number `step`."""
    child = os.fork()
    if child == 0:
        count = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal count
            if writes(event, arguments):
                if count == step:
                    os._exit(STOPPED)
                count += 1

        sys.addaudithook(hook)
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, STOPPED), f"step {step}: the work failed by itself"
    return code == STOPPED


def contents(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def age(folder: Path) -> None:
    """Leftovers count as abandoned after a second."""
    for left in folder.rglob(f"{PREFIX}*"):
        os.utime(left, (time.time() - 10,) * 2)


def estimate_of(disparity: float) -> Estimate:
    return make_estimate(np.full((6, 7), disparity, np.float32))


def make_file(folder: Path) -> None:
    with atomic_file(folder / "a.txt") as name:
        name.write_text("new a")


def make_set(folder: Path) -> None:
    with atomic_folder(folder / "out", overwrite=True, replacing=["stale.txt"]) as staging:
        for name in ("a.txt", "c.txt", MARKER):
            (staging / name).write_text(f"new {name}")


def make_map(folder: Path) -> None:
    write_pfm(folder / "map.pfm", np.ones((3, 4), np.float32))


def make_result(folder: Path) -> None:
    save_estimate(estimate_of(1.0), folder / "out", ["npz", "pfm", "png"], overwrite=True)


def make_lightfield_files(folder: Path) -> None:
    write_lightfield(make_lightfield(grid=(3, 3), size=(8, 9)), folder / "lf")


def set_before(folder: Path) -> None:
    (folder / "out").mkdir()
    for name in ("a.txt", "b.txt", "stale.txt", MARKER):
        (folder / "out" / name).write_text(f"old {name}")


def nothing_before(folder: Path) -> None:
    pass


def file_before(folder: Path) -> None:
    (folder / "a.txt").write_text("old a")
    (folder / "map.pfm").write_text("old map")


def result_before(folder: Path) -> None:
    save_estimate(estimate_of(2.0), folder / "out", ["npz", "pfm"])


@pytest.mark.parametrize(
    ("before", "work"),
    [
        (nothing_before, make_file),
        (file_before, make_file),
        (nothing_before, make_set),
        (set_before, make_set),
        (file_before, make_map),
        (nothing_before, make_result),
        (result_before, make_result),
        (nothing_before, make_lightfield_files),
    ],
)
def test_every_stop_leaves_old_or_new(tmp_path, before, work):
    reference = tmp_path / "reference"
    reference.mkdir()
    before(reference)
    old = contents(reference)
    work(reference)
    new = contents(reference)
    for step in range(1000):
        folder = tmp_path / str(step)
        folder.mkdir()
        before(folder)
        was_stopped = stopped_before(step, partial(work, folder))
        age(folder)
        for place in (folder, folder / "out", folder / "lf"):
            recover(place)
        left = contents(folder)
        assert left in (old, new), f"stopped before operation {step}"
        if not was_stopped:
            assert left == new
            assert step > 3
            return
        if left == old:
            work(folder)
        assert contents(folder) == new, f"the next run after a stop before operation {step}"
    pytest.fail("the work never came to its end")
