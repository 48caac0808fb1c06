"""Commands as a user starts them: wall time, CPU time and peak memory of the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ioadr.errors import InputError

# A small process measures the command: a child's peak memory includes that of the process it was forked from.
_STOPWATCH = """
import json, resource, subprocess, sys, time
begin = time.perf_counter()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
wall, used = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
scale = 1 if sys.platform == "darwin" else 1024
result = {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * scale}
print(json.dumps({**result, "code": done.returncode, "out": done.stdout, "err": done.stderr[-2000:]}))
"""


@dataclass(frozen=True)
class Timed:
    """Time and memory of one command."""

    wall: float
    """Wall time, seconds."""
    cpu: float
    """CPU time of all cores together, seconds."""
    peak: int
    """Peak memory, bytes."""
    out: str = ""

    def figures(self) -> dict[str, float]:
        return {name: value for name, value in asdict(self).items() if name != "out"}


def python(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Timed:
    """Run `python ARGUMENTS…` to its end."""
    if sys.platform == "win32":
        raise InputError("bench: Windows does not report the peak memory of a process. Use WSL.")
    command = [sys.executable, "-c", _STOPWATCH, sys.executable, *arguments]
    # Whoever starts a command a second time does not wait for Python to compile its modules.
    kept = {"PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(command, env={**os.environ, **kept, **(environment or {})}, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    if result["code"] != 0:
        raise InputError(f"bench: `{' '.join(arguments)}` failed: {result['err'].strip()}")
    return Timed(result["wall"], result["cpu"], result["peak"], result["out"])


def ioadr(*arguments: str, environment: Mapping[str, str] | None = None) -> Timed:
    """Run `ioadr ARGUMENTS…` to its end."""
    return python(["-m", "ioadr", *arguments], environment)
