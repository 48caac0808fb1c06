"""The machine on which figures were measured, and how much of it was free."""

from __future__ import annotations

import hashlib
import platform
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ioadr import __version__
from ioadr.machine import cores


def machine_facts() -> dict[str, Any]:
    """Processor, cores, and the versions that matter."""
    return {
        "processor": _processor(),
        "cores": cores(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "ioadr": __version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def free_cores(seconds: float = 0.4) -> float:
    """Number of cores that are free for this process; equals `cores()` on an idle machine."""
    block = bytes(1 << 20)
    begin, used = time.perf_counter(), time.process_time()

    def work(_: int) -> None:
        while time.perf_counter() < begin + seconds:
            hashlib.sha256(block).digest()

    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(work, range(cores())))
    return (time.process_time() - used) / (time.perf_counter() - begin)


def numpy_nanoseconds(views: int = 81, size: int = 128) -> float:
    """CPU time of J_PD per pixel, computed for all pixels together in numpy: a known reference."""
    images = np.random.default_rng(0).integers(0, 256, (views, size + 1, size + 1, 3)).astype(np.float32)
    shifts = np.linspace(0.05, 0.95, views, dtype=np.float32)
    reference = images[0, :size, :size]
    begin = time.process_time()
    total = np.zeros((size, size), np.float32)
    for image, t in zip(images, shifts, strict=True):
        rows = image[:-1] + t * (image[1:] - image[:-1])
        sample = rows[:, :-1] + t * (rows[:, 1:] - rows[:, :-1])
        total += np.abs(sample - reference).sum(axis=-1)
    return (time.process_time() - begin) / size**2 * 1e9
