"""Research, scene by scene: all figures in one Markdown table, and where a method loses to the base."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ioadr.evaluation.research import Row
from ioadr.evaluation.scores import METRICS
from ioadr.evaluation.tables import figure

TIMES = ("runtime",)
"""Figures that do not describe a map."""


def scene_means(rows: Sequence[Row]) -> dict[tuple[str, str], dict[str, float]]:
    """By scene and method, in the order of the rows: every metric's mean over the seeds."""
    grouped: dict[tuple[str, str], list[Mapping[str, float]]] = {}
    for row in rows:
        grouped.setdefault((row.scene, row.method), []).append(row.values)
    return {
        pair: {name: float(np.mean([one[name] for one in values])) for name in METRICS if name in values[0]}
        for pair, values in grouped.items()
    }


def lost_to(rows: Sequence[Row], base: str, method: str) -> dict[str, dict[str, float]]:
    """By metric and scene: by how much the method's mean over the seeds exceeds the base's, where it does."""
    means = scene_means(rows)
    lost: dict[str, dict[str, float]] = {}
    for (scene, name), values in means.items():
        if name != method:
            continue
        for metric, value in values.items():
            change = value - means.get((scene, base), {}).get(metric, math.nan)
            if change > 0 and metric not in TIMES:
                lost.setdefault(metric, {})[scene] = change
    return {metric: lost[metric] for metric in METRICS if metric in lost}


def markdown_by_scene(rows: Sequence[Row], names: Sequence[str]) -> str:
    """A line per scene and method, a column per metric; then the losses of every method against the first."""
    means = scene_means(rows)
    metrics = [name for name in METRICS if any(name in values for values in means.values())]
    lines = ["| scene | method | " + " | ".join(METRICS[name].label for name in metrics) + " |"]
    lines.append("|---|---|" + "---|" * len(metrics))
    for (scene, method), values in means.items():
        figures = [figure(values.get(name, math.nan), name) for name in metrics]
        lines.append(f"| {scene} | {method} | {' | '.join(figures)} |")
    for method in names[1:]:
        lost = lost_to(rows, names[0], method)
        cells = [_losses(lost.get(name, {}), name) for name in metrics]
        lines.append(f"| **{method} worse than {names[0]}** | | {' | '.join(cells)} |")
    return "\n".join(lines)


def _losses(scenes: Mapping[str, float], metric: str) -> str:
    if metric in TIMES:
        return ""
    return ", ".join(f"{scene} +{figure(change, metric)}" for scene, change in scenes.items()) or "nowhere"
