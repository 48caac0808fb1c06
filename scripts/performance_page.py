"""Put the figures of a benchmark run into docs/performance.md, between its two marks.

python scripts/performance_page.py out/bench.json docs/performance.md
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ioadr.app.bench.tables import figure_tables

BEGIN, END = "<!-- figures: made by scripts/performance_page.py -->", "<!-- end of figures -->"


def page(text: str, figures: dict[str, Any]) -> str:
    """`text` with what stands between the marks replaced."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    parts = [BEGIN, "", provenance(figures), "", *(table.markdown() for table in figure_tables(figures)), END]
    return before + "\n".join(parts) + after


def provenance(figures: dict[str, Any]) -> str:
    machine = figures["machine"]
    before, after = figures["free_cores"]
    return (
        f"ioadr {machine['ioadr']} on {machine['processor']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {machine['python']}, numpy {machine['numpy']}, numba {machine['numba']}. "
        f"{before:.2f} of the {machine['cores']} cores were free before the run, {after:.2f} after it. J_PD per "
        f"pixel in numpy, for all pixels together: {figures['numpy_nanoseconds']:,.0f} ns."
    )


if __name__ == "__main__":
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.write_text(page(target.read_text(encoding="utf-8"), json.loads(source.read_text())), encoding="utf-8")
