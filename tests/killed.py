"""Kills `estimate`, `benchmark` and `batch` at random moments: results whole or absent, and the next run succeeds.

    python -m tests.killed --times 200 --seed 1

All processes of a run are killed (SIGKILL). After each kill, folders with a marker are whole; after the last one the
command is repeated undisturbed, leaves nothing hidden behind, and gives the same maps as an undisturbed one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ioadr.evaluation.synthetic import random_light_field, write_scene
from ioadr.io.results.pfm import read_pfm
from ioadr.io.safety.leftovers import PREFIX

PATIENCE = 300
"""Seconds; a run with an empty kernel cache compiles."""
QUICK = ("--set", "search.sweeps=3", "--no-report")
SEED = 10
SERIES = 25
"""Runs in a folder; then an undisturbed one."""


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
    """Seconds of an undisturbed run."""
    begin = time.monotonic()
    with start(base, arguments) as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out + err
    assert "Traceback" not in out + err
    return time.monotonic() - begin


def killed(base: Path, arguments: Sequence[str], after: float) -> bool:
    """With all the processes that it started; whether it had not ended before."""
    with start(base, arguments) as process:
        struck = False
        try:
            process.wait(timeout=after)
        except subprocess.TimeoutExpired:
            struck = True
        finally:
            os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
        _, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    return struck


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


def kill_and_repeat(name: str, tmp_path: Path, times: int, seed: int = SEED) -> int:
    """How many of the runs were killed; others ended before."""
    command, chance = COMMANDS[name], random.Random(seed)
    base, undisturbed = tmp_path / "killed", tmp_path / "undisturbed"
    for folder in (base, undisturbed):
        for number in range(1 if name == "estimate" else 2):
            write_scene(random_light_field(number, "mixed", (36, 40), (3, 3)), folder / "scenes" / f"s{number}")
    finished(undisturbed, command.arguments)
    seconds = finished(undisturbed, (*command.arguments, *REPEATED[name]))
    struck = 0
    for number in range(times):
        # Results are written near the end: every second kill falls there.
        share = chance.uniform(0.7, 1.05) if number % 2 else chance.uniform(0.0, 1.0)
        again = command.again if number else ()
        struck += killed(base, (*command.arguments, *again), share * seconds)
        for folder in command.results(base):
            check_whole(folder)
    time.sleep(1.1)  # a lock is looked at when it is settled
    finished(base, (*command.arguments, *command.again))
    assert hidden(base) == []
    assert maps(base, command) == maps(undisturbed, command)
    return struck


REPEATED = {"estimate": ("--overwrite",), "benchmark": ("--redo",), "batch": ("--overwrite",)}
"""What lets a finished run be done all over again."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args(arguments)
    total, series = Counter[str](), 0
    while total.total() < chosen.times:
        name, seed = list(COMMANDS)[series % len(COMMANDS)], chosen.seed + series
        with tempfile.TemporaryDirectory(prefix="ioadr-killed-") as folder:
            total[name] += kill_and_repeat(name, Path(folder), min(SERIES, chosen.times - total.total()), seed)
        series += 1
        sys.stderr.write(f"{dict(total)}\n")
    sys.stdout.write(json.dumps({"seed": chosen.seed, "kills": total}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
