"""Time of single kernels and of their plain twins, from the table that tests compare them by.

`python -m tests.reference.bench FILE.json` adds them to the figures of `ioadr bench --out FILE.json`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ioadr.io.safety.atomic import atomic_file
from tests.reference.rows import Row
from tests.reference.scenes import random_problem
from tests.reference.table import TWINS

KERNELS = (
    "4D-PPI",
    "J_PD where all views see",
    "Algorithm 1",
    "J_oa",
    "d_s and J_coc",
    "J_pg",
    "all terms",
    "large normals",
    "robust planes",
    "ceiling",
    "structure tensor",
    "half deviation",
    "linearised data",
    "fitted surfaces",
    "first sweep",
    "sweep backwards",
    "planar sweep",
)
"""Rows whose time matters; the others are parts of these or take none."""
LARGE: dict[str, Any] = {"grid": (9, 9), "size": (96, 96), "count": 4096, "dtype": "uint8", "channels": 3}


def measured(row: Row, large: dict[str, Any]) -> dict[str, Any]:
    """Nanoseconds of one evaluation: of the kernel on a problem of real proportions, of the twin on a small one."""
    options = dict(row.options) | large
    options["changes"] = {
        k: v for k, v in options.get("changes", {}).items() if not k.startswith(("planar.", "finish."))
    }
    prepared = row.prepare(random_problem(0, **options))
    prepared.call()
    small = row.prepare(row.problem(0))
    skipped = np.isnan(prepared.result).mean() if prepared.result.ndim == 1 else 0.0
    return {
        "name": row.name,
        "nanoseconds": quickest(prepared.call, 5) / (prepared.evaluations * (1 - skipped)) * 1e9,
        "plain_nanoseconds": quickest(lambda: row.twin(row.problem(0), 0.0), 1) / small.evaluations * 1e9,
    }


def quickest(call: Callable[[], Any], times: int) -> float:
    """Seconds of processor time."""
    best = float("inf")
    for _ in range(times):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return best


def main(path: Path) -> None:
    figures = json.loads(path.read_text(encoding="utf-8"))
    figures["kernels"] = [measured(TWINS[name], LARGE) for name in KERNELS]
    with atomic_file(path) as temporary:
        temporary.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
