"""`estimate`, `benchmark` and `batch` killed at random moments: results whole or absent, and the next run succeeds."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ioadr import _cache_folder, _kernel_cache
from ioadr.evaluation.synthetic import random_light_field, write_scene
from ioadr.io.results.pfm import read_pfm
from ioadr.io.safety.leftovers import PREFIX

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are sent in the POSIX way")

PATIENCE = 300
"""Seconds; a run with an empty kernel cache compiles."""
QUICK = ("--set", "search.sweeps=3", "--no-report")
SEED = 10


@dataclass(frozen=True)
class Command:
    """A command, how it is repeated after a kill, and which folders below its output hold a result each."""

    arguments: Sequence[str]
    again: Sequence[str]
    results: Callable[[Path], list[Path]]


COMMANDS = {
    "estimate": Command(
        ("estimate", "scenes/s0", "--out", "out", *QUICK), ("--overwrite",), lambda base: [base / "out"]
    ),
    "benchmark": Command(
        ("benchmark", "scenes", "--out", "out", "--methods", "fast"),
        (),
        lambda base: list(base.glob("out/maps/fast/*")),
    ),
    "batch": Command(
        ("batch", "scenes", "--out", "out", "--workers", "1", *QUICK),
        ("--resume",),
        lambda base: list(base.glob("out/s[0-9]")),
    ),
}


def start(base: Path, arguments: Sequence[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ioadr", *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(
        command,
        cwd=base,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(base: Path, arguments: Sequence[str]) -> float:
    """Seconds of a run that nobody disturbs."""
    begin = time.monotonic()
    with start(base, arguments) as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out + err
    assert "Traceback" not in out + err
    return time.monotonic() - begin


def killed(base: Path, arguments: Sequence[str], after: float) -> None:
    """With all the processes that it started."""
    with start(base, arguments) as process:
        try:
            process.wait(timeout=after)
        except subprocess.TimeoutExpired:
            pass
        finally:
            os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
        _, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err


def check_whole(folder: Path) -> None:
    """A folder with a marker has everything that belongs to it, readable to the end."""
    if not (folder / "provenance.json").exists():
        return
    told = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    for name in told.get("files", ["disparity.pfm"]):
        assert (folder / name).is_file(), f"{folder.name}/{name}"
    assert read_pfm(folder / "disparity.pfm").shape == (36, 40)


def hidden(base: Path) -> list[str]:
    return [str(path.relative_to(base)) for path in base.rglob(f"{PREFIX}*")]


def maps(base: Path, command: Command) -> dict[str, bytes]:
    return {folder.name: (folder / "disparity.pfm").read_bytes() for folder in command.results(base)}


def kill_and_repeat(name: str, tmp_path: Path, times: int) -> None:
    command, chance = COMMANDS[name], random.Random(SEED)
    base, undisturbed = tmp_path / "killed", tmp_path / "undisturbed"
    for folder in (base, undisturbed):
        for seed in range(1 if name == "estimate" else 2):
            write_scene(random_light_field(seed, "mixed", (36, 40), (3, 3)), folder / "scenes" / f"s{seed}")
    finished(undisturbed, command.arguments)
    seconds = finished(undisturbed, (*command.arguments, *REPEATED[name]))
    for number in range(times):
        # Results are written near the end: every second kill falls there.
        share = chance.uniform(0.7, 1.05) if number % 2 else chance.uniform(0.0, 1.0)
        killed(base, (*command.arguments, *command.again) if number else command.arguments, share * seconds)
        for folder in command.results(base):
            check_whole(folder)
    time.sleep(1.1)  # a lock is looked at when it is settled
    finished(base, (*command.arguments, *command.again))
    assert hidden(base) == []
    assert maps(base, command) == maps(undisturbed, command)


REPEATED = {"estimate": ("--overwrite",), "benchmark": ("--redo",), "batch": ("--overwrite",)}
"""What lets a finished run be done all over again."""


def test_killed_twice(tmp_path):
    """The small form of the next test; `test_stops.py` stops all commands at chosen points, and batches are killed in
    `batch/test_faults.py`."""
    kill_and_repeat("estimate", tmp_path, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_ten_times(name, tmp_path):
    kill_and_repeat(name, tmp_path, 10)


@pytest.mark.slow
def test_killed_while_the_kernel_cache_is_filled(tmp_path, monkeypatch):
    """Two processes at once fill an empty cache; one of them is killed, again and again. No file is ever damaged."""
    monkeypatch.setenv("IOADR_CACHE", str(tmp_path / "cache"))
    write_scene(random_light_field(0, "mixed", (36, 40), (3, 3)), tmp_path / "scenes" / "s0")
    chance = random.Random(SEED)
    with start(tmp_path, ("estimate", "scenes/s0", "--out", "other", *QUICK)) as other:
        for number in range(4):
            killed(tmp_path, ("estimate", "scenes/s0", "--out", f"out{number}", *QUICK), chance.uniform(2, 12))
            check_cache(tmp_path / "cache")
        _, err = other.communicate(timeout=PATIENCE)
    assert other.returncode == 0, err
    finished(tmp_path, ("estimate", "scenes/s0", "--out", "last", *QUICK))
    assert check_cache(tmp_path / "cache") > 10
    assert (tmp_path / "last/disparity.pfm").read_bytes() == (tmp_path / "other/disparity.pfm").read_bytes()


def check_cache(folder: Path) -> int:
    """How many kernels it holds, all of them whole."""
    files = list(folder.rglob(f"*{_kernel_cache.SUFFIX}"))
    assert all(_cache_folder.read(file) is not None for file in files)
    return len(files)
