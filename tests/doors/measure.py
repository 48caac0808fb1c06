"""By how much memory grows over start-up while bad files are refused."""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.doors.cases import call


def growth(calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Largest growth of the peak, in bytes, and by which call; libraries are loaded before."""
    import h5py
    import imagecodecs
    import numpy
    import PIL.Image
    import scipy.io
    import tifffile
    import zarr

    assert all((h5py, imagecodecs, numpy, PIL.Image, scipy.io, tifffile, zarr))
    before = last = peak()
    steps = {}
    for item in calls:
        outcome = call(item["arguments"], Path(item["folder"]))
        assert outcome.code in (1, 2), (item["name"], outcome)
        now = peak()
        if now > last:
            steps[item["name"]] = now - before
        last = now
    return {"growth": last - before, "steps": steps}


def peak() -> int:
    """Largest memory of this process so far, in bytes; what getrusage says begins with that of the parent process."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
