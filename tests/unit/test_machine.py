"""Processes of a pool end with the process that started them."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

KILLED = """
import multiprocessing, os, signal
from concurrent.futures import ProcessPoolExecutor
from ioadr.machine import end_with_parent
pool = ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), end_with_parent)
pids = {pool.submit(os.getpid).result() for _ in range(9)}
print(*pids, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked for in /proc")
def test_the_pool_of_a_killed_process_ends():
    done = subprocess.run([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True, timeout=60)
    workers, end = [int(word) for word in done.stdout.split()], time.monotonic() + 20
    assert workers
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < end, "they wait for ever"
        time.sleep(0.05)
