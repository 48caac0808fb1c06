"""The progress of an estimation: a chart of its sweeps, and a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ioadr.result import Estimate, SweepRecord

FINISH = "finish"
WIDTH, HEIGHT = 1000, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 48, 24, 34
KINDS = {
    "data": "data term",
    "congruence": "+ congruence",
    "planar": "+ planar",
    "finish": "finish",
}


def sentence(estimate: Estimate) -> str:
    """Duration, and a caption of the chart."""
    total = estimate.seconds.get("total", sum(record.seconds for record in estimate.history))
    steps = Counter(record.kind for record in estimate.history)
    finish = steps[FINISH]
    sweeps = steps.total() - steps["initialise"] - finish
    later = f" and {finish} step{'s' * (finish != 1)} after them" if finish else ""
    done = f"{sweeps} sweep{'s' * (sweeps != 1)}{later}"
    return (
        f"{done} in {total:.1f} s. Bars show the share of pixels whose disparity moved by more than 0.001 px. The line "
        "shows the mean cost in grey levels; it rises where another term is added."
    )


def chart(estimate: Estimate) -> dict[str, Any] | None:
    """Positions of the parts of `course.svg.j2`, px."""
    records = [record for record in estimate.history if record.kind != "initialise"]
    if not records:
        return None
    step = (WIDTH - LEFT - RIGHT) / len(records)
    middles = [LEFT + (i + 0.5) * step for i in range(len(records))]
    costs = [(x, record.mean_cost) for x, record in zip(middles, records, strict=True)]
    costs = [(x, cost) for x, cost in costs if math.isfinite(cost)]
    top = max((cost for _, cost in costs), default=0.0) * 1.1 or 1.0
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "bottom": _height(0),
        "shares": {f"{100 * share:.0f} %": _height(share) for share in (0.0, 0.5, 1.0)},
        "wide": min(0.6 * step, 60),
        "bars": [
            (x, _height(record.changed / estimate.disparity.size)) for x, record in zip(middles, records, strict=True)
        ],
        "line": [(x, _height(cost / top)) for x, cost in costs],
        "last_cost": costs[-1][1] if costs else None,
        "kinds": _kinds(records, step),
    }


def sweeps(records: Sequence[SweepRecord]) -> list[tuple[str, ...]]:
    """Rows of the table: sweep, changed pixels, cost, time."""
    return [
        (
            _step(record),
            f"{record.changed:,}".replace(",", " "),
            "–" if math.isnan(record.mean_cost) else f"{record.mean_cost:.3f}",
            f"{record.seconds:.2f} s",
        )
        for record in records
    ]


def _step(record: SweepRecord) -> str:
    if record.kind == "initialise":
        return "first map"
    return f"step {record.sweep + 1}, finish" if record.kind == FINISH else f"sweep {record.sweep + 1}, {record.kind}"


def _height(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _kinds(records: Sequence[SweepRecord], step: float) -> list[tuple[float, str]]:
    """The first sweep of each term."""
    kinds = [None, *(record.kind for record in records)]
    return [
        (LEFT + i * step, KINDS.get(record.kind, record.kind))
        for i, record in enumerate(records)
        if record.kind != kinds[i]
    ]
