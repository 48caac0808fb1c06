"""Interrupts processes in their first seconds, by Ctrl-C, SIGTERM or SIGHUP, once or twice: each must end soon.

    python -m tests.interrupted --times 1000 --seed 1

Commands that only start, that read and that estimate and write are interrupted at random moments of their first three
seconds. A finding is a process that hangs, prints a traceback, ends with another code than those of success and of
the signal, or leaves something half-written.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from ioadr.io.safety.leftovers import PREFIX
from tests.builders import make_views, write_hci_scene

PATIENCE = 60.0
"""Seconds after which a process hangs."""
TOO_SOON = "ended by itself before it was struck"
COMMANDS = (
    ("--help",),
    ("presets",),
    ("info", "scene"),
    ("convert", "scene", "out/lf.npz"),
    ("estimate", "scene", "--out", "out/result", "--preset", "fast", "--set", "search.sweeps=40", "--threads", "1"),
)


def interrupted(base: Path, chance: random.Random, window: float) -> tuple[str, str]:
    """What was done, and what became of it."""
    shutil.rmtree(base / "out", ignore_errors=True)
    arguments, number = chance.choice(COMMANDS), chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    moment, twice = chance.uniform(0.0, window), chance.random() < 0.3
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-m", "ioadr", *arguments],
        cwd=base,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        process.communicate(timeout=moment)
        return arguments[0], TOO_SOON
    except subprocess.TimeoutExpired:
        for _ in range(1 + twice):
            process.send_signal(number)
            time.sleep(0.1 * twice)
    try:
        _, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)  # tells where
        return f"{arguments[0]}, {number.name} after {moment:.3f} s", f"finding: it hangs: {process.communicate()[1]}"
    return f"{arguments[0]}, {number.name} after {moment:.3f} s", _outcome(base, process.returncode, number, err)


def _outcome(base: Path, code: int, number: int, err: str) -> str:
    left = [str(path) for path in (base / "out").rglob(f"{PREFIX}*")]
    # Ctrl-C then ends with Python's own traceback; that is before the command can do anything about it.
    own = f"{os.sep}ioadr{os.sep}app{os.sep}cli" in err
    # It may also drop the exception with a word, where it strikes inside its import system.
    dropped = code == 0 and err.startswith("Exception ignored in")
    if "Traceback" in err and (code in (1, -number) or dropped) and not own and not left:
        return "while Python itself began"
    # Before the command takes over the signals, the system ends the process, as it ends any.
    if code not in (0, 128 + number, -number) or "Traceback" in err or (left and code != -number):
        return f"finding: code {code}, left {left}, said {err[-500:]!r}"
    return {0: "done", 128 + number: "interrupted", -number: "ended by the system"}[code]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--window", type=float, default=3.0, help="seconds in which interrupts fall")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    chance, counts = random.Random(chosen.seed), Counter[str]()
    base = Path(tempfile.mkdtemp(prefix="ioadr-interrupted-"))
    # In the background, shells let processes ignore Ctrl-C, and these would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    try:
        write_hci_scene(base / "scene", make_views(size=(64, 72)))
        while counts.total() < chosen.times:
            what, outcome = interrupted(base, chance, chosen.window)
            if outcome != TOO_SOON:
                counts[outcome.partition(":")[0]] += 1
            if outcome.startswith("finding"):
                sys.stderr.write(f"{what}: {outcome}\n")
                sys.stderr.flush()
    finally:
        shutil.rmtree(base, ignore_errors=True)
    sys.stdout.write(json.dumps({"seed": chosen.seed, "times": chosen.times, **counts}) + "\n")
    return 1 if counts["finding"] else 0


if __name__ == "__main__":
    sys.exit(main())
