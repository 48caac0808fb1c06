"""The course of an estimation: a chart of its sweeps, and a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ioadr.app.report.markup import number_row, table
from ioadr.result import Estimate, SweepRecord

WIDTH, HEIGHT = 1000, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 48, 24, 34
KINDS = {
    "data": "data term",
    "congruence": "+ congruence",
    "planar": "+ planar",
    "finish": "finish",
}


def sentence(estimate: Estimate) -> str:
    """How long it took and what the chart shows."""
    total = estimate.seconds.get("total", sum(record.seconds for record in estimate.history))
    sweeps = sum(record.kind != "initialise" for record in estimate.history)
    return (
        f"{sweeps} sweeps in {total:.1f} s. Bars are the share of pixels whose disparity moved by more than 0.001 px, "
        "the line is the mean cost in grey levels; it rises where another term begins to count."
    )


def chart(estimate: Estimate) -> str:
    """Changed pixels as bars, mean cost as a line, one step per sweep; SVG."""
    records = [record for record in estimate.history if record.kind != "initialise"]
    if not records:
        return ""
    step = (WIDTH - LEFT - RIGHT) / len(records)
    middles = [LEFT + (i + 0.5) * step for i in range(len(records))]
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Changed pixels and cost by sweep">'
        f"{_frame()}{_bars(records, middles, step, estimate.disparity.size)}{_line(records, middles)}"
        f"{_kinds(records, step)}</svg>"
    )


def history_table(records: Sequence[SweepRecord]) -> str:
    rows = [
        number_row(
            "first map" if record.kind == "initialise" else f"sweep {record.sweep + 1}, {record.kind}",
            f"{record.changed:,}".replace(",", " "),
            "–" if math.isnan(record.mean_cost) else f"{record.mean_cost:.3f}",
            f"{record.seconds:.2f} s",
        )
        for record in records
    ]
    return table(rows, ("", "pixels changed", "mean cost", "time"))


def _height(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _frame() -> str:
    lines = ""
    for share in (0.0, 0.5, 1.0):
        y = _height(share)
        lines += f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        lines += f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{100 * share:.0f} %</text>'
    return lines


def _bars(records: Sequence[SweepRecord], middles: Sequence[float], step: float, pixels: int) -> str:
    wide = min(0.6 * step, 60)
    return "".join(
        f'<rect class="bar" x="{x - wide / 2:.1f}" y="{_height(record.changed / pixels):.1f}" width="{wide:.1f}" '
        f'height="{_height(0) - _height(record.changed / pixels):.1f}" rx="3"/>'
        for record, x in zip(records, middles, strict=True)
    )


def _line(records: Sequence[SweepRecord], middles: Sequence[float]) -> str:
    known = [(x, r.mean_cost) for r, x in zip(records, middles, strict=True) if math.isfinite(r.mean_cost)]
    if not known:
        return ""
    top = max(cost for _, cost in known) * 1.1 or 1.0
    places = [(x, _height(cost / top)) for x, cost in known]
    dots = "".join(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in places)
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    (_, y), (_, cost) = places[-1], known[-1]
    label = f'<text x="{WIDTH - RIGHT + 6}" y="{y + 4:.1f}">{cost:.2f}</text>'
    return f'<polyline class="line" points="{path}"/>{dots}{label}'


def _kinds(records: Sequence[SweepRecord], step: float) -> str:
    """Under the axis, from which sweep on which term counts."""
    labels, last = "", None
    for i, record in enumerate(records):
        if record.kind != last:
            x = LEFT + i * step
            labels += f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{_height(0):.1f}" y2="{HEIGHT - 12}"/>'
            labels += f'<text x="{x + 6:.1f}" y="{HEIGHT - 14}">{KINDS.get(record.kind, record.kind)}</text>'
        last = record.kind
    return labels
