"""The figures of a run as tables: for the terminal and for docs/performance.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

Figures = dict[str, Any]

PHASES = {
    "load": "load",
    "kernels": "load kernels",
    "initialise": "first map",
    "data": "data sweeps",
    "congruence": "congruence sweeps",
    "planar": "planar sweeps",
    "finish": "finish",
    "rest": "costs, confidence",
    "save": "save",
    "report": "report",
}


@dataclass(frozen=True)
class Table:
    """Head and rows of text; the first column is words, the others figures."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        lines = [self.head, ["---", *["---:"] * (len(self.head) - 1)], *self.rows]
        return "\n".join([f"### {self.title}", "", *("| " + " | ".join(line) + " |" for line in lines), ""])


def figure_tables(figures: Figures) -> list[Table]:
    """All tables that have figures."""
    if "against" in figures:
        return [_against(figures)]
    shown = [
        _commands(figures),
        _phases(figures),
        _growth(figures, "sizes"),
        _growth(figures, "grids"),
        _starts(figures),
    ]
    return [*shown, _kernels(figures)] if "kernels" in figures else shown


def _commands(figures: Figures) -> Table:
    rows = [
        [
            f"{run['scene']}, {run['preset']}" + (", first run ever" if run["cache"] == "empty" else ""),
            str(run["threads"]),
            f"{run['wall']:.1f}",
            f"{run['cpu']:.1f}",
            f"{run['peak'] / 1e6:.0f}",
        ]
        for run in figures["scenes"]
        if "wall" in run
    ]
    return Table("From command to files", ["scene, preset", "threads", "wall s", "CPU s", "peak MB"], rows)


def _against(figures: Figures) -> Table:
    """Medians of the rounds, and how far the ratios of single rounds spread."""
    rows = []
    for run in figures["against"]:
        ratios = run["ratios"]
        rows.append(
            [
                f"{run['scene']}, {run['preset']}",
                f"{median(run['base_cpu']):.1f}",
                f"{median(run['cpu']):.1f}",
                f"{median(ratios):.2f}",
                f"{min(ratios):.2f} … {max(ratios):.2f} ({len(ratios)})",
                f"{run['base_peak'] / 1e6:.0f} → {run['peak'] / 1e6:.0f}",
            ]
        )
    head = ["scene, preset", f"CPU s of {figures['base']}", "CPU s", "ratio", "spread (rounds)", "peak MB"]
    return Table(f"Against {figures['base']}, from command to files, one thread", head, rows)


def _phases(figures: Figures) -> Table:
    runs = [run for run in figures["scenes"] if "inside" in run]
    rows = []
    for run in runs:
        inside = run["inside"]
        shown = [_seconds(inside["phases"]["cpu"].get(phase)) for phase in PHASES]
        rate = f"{inside['hypotheses_per_second'] / 1e6:.2f}"
        rows.append([f"{run['scene']}, {run['preset']}", str(run["threads"]), *shown, rate, _speedup(run, runs)])
    head = ["scene, preset", "threads", *PHASES.values(), "M hypotheses per second", "sweeps faster by"]
    return Table("By phase, CPU seconds of all threads", head, rows)


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _speedup(run: Figures, runs: Sequence[Figures]) -> str:
    """Speed-up over the same scene and preset with one thread."""
    same = [r for r in runs if (r["scene"], r["preset"], r["threads"]) == (run["scene"], run["preset"], 1)]
    if run["threads"] == 1 or not same or not run["inside"]["sweeps"]:
        return "–"
    return f"{same[0]['inside']['sweeps'] / run['inside']['sweeps']:.2f}×"


def _growth(figures: Figures, name: str) -> Table:
    points = figures["growth"][name]
    power = figures["growth"]["pixels_exponent" if name == "sizes" else "views_exponent"]
    rows = []
    for point in points:
        unit = point["cpu"] / (point["pixels"] * point["views"]) * 1e6
        label = f"{point['grid']}×{point['grid']} views of {point['size']}×{point['size']} px"
        rows.append([label, f"{point['wall']:.2f}", f"{point['sweeps']:.2f}", f"{point['cpu']:.2f}", f"{unit:.2f}"])
    what = "pixels" if name == "sizes" else "views"
    head = ["light field", "wall s", "sweeps s", "CPU s", "CPU µs per pixel and view"]
    return Table(f"Growth with {what}: CPU time ∝ {what}^{power:.2f}", head, rows)


def _starts(figures: Figures) -> Table:
    starts = figures["starts"]
    rows = [[f"`{name}`", f"{starts[key]:.2f}"] for key, name in STARTS.items()]
    return Table("Starting", ["command", "wall s"], rows)


STARTS = {"python": "python -c pass", "import": "python -c 'import ioadr'", "help": "ioadr --help"}


def _kernels(figures: Figures) -> Table:
    rows = [
        [
            kernel["name"],
            f"{kernel['nanoseconds']:,.0f}",
            f"{kernel['plain_nanoseconds'] / kernel['nanoseconds']:,.0f}×",
        ]
        for kernel in figures["kernels"]
    ]
    return Table("Kernels, one core", ["kernel", "ns per evaluation", "plain Python twin takes at least"], rows)
