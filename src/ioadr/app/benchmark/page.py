"""The benchmark's page: one HTML file with tables, linked pictures and charts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ioadr.app.benchmark.content import page_data
from ioadr.app.pages import render
from ioadr.evaluation.benchmark import Results
from ioadr.evaluation.scores import METRICS
from ioadr.evaluation.tables import MEAN, cell, figure, is_best

FIRST = ("mse", "badpix_007", "badpix_003", "badpix_001", "q25", "mae_planes")
"""Metrics whose tables are expanded; the others are collapsed."""


def page_html(results: Results, title: str, paper: Mapping[str, Any] | None = None) -> str:
    """The page; `paper` is the section with the paper's tables, if any."""
    opened = [name for name in FIRST if name in results.metrics]
    return render(
        "benchmark.html",
        title=title,
        lead=_lead(results),
        figures=_figures(results),
        failures=_failures(results),
        paper=paper,
        scenes=_columns(results),
        opened=[_table(results, name) for name in opened],
        folded=[_table(results, name) for name in results.metrics if name not in opened],
        data=page_data(results),
    )


def _lead(results: Results) -> str:
    scenes, methods = len(results.scenes), len(results.methods)
    return (
        f"{methods} method{'s' * (methods > 1)} on {scenes} scene{'s' * (scenes > 1)}, scored like the HCI 4D Light "
        "Field Benchmark, at the size of the views and without a margin of 15 px. Lower is better for every metric."
    )


def _figures(results: Results) -> list[tuple[str, str, str]]:
    """Best mean of the first metrics, and the method that has it."""
    figures = []
    for metric in [name for name in ("mse", "badpix_007", "badpix_001", "mae_planes") if name in results.metrics]:
        means = {method: results.mean(method, metric) for method in results.method_names}
        finite = {method: value for method, value in means.items() if math.isfinite(value)}
        if finite:
            winner = min(finite, key=lambda method: finite[method])
            value = f"{figure(finite[winner], metric)} {METRICS[metric].unit}"
            figures.append((f"{METRICS[metric].label}, best mean", value, winner))
    return figures


def _failures(results: Results) -> list[str]:
    rows = [f"{item.method} on {item.scene}: {item.failure}" for item in results.failures]
    return rows + [
        f"{item.method} on {item.scene}: {item.invalid} px are NaN or infinite; they count as wrong."
        for item in results.items
        if item.invalid
    ]


def _columns(results: Results) -> list[str]:
    return [*results.scene_names, *([MEAN] if len(results.scenes) > 1 else [])]


def _table(results: Results, metric: str) -> dict[str, Any]:
    """A metric, and by method its figures, each with whether it is the best."""
    rows = {
        method: [
            (figure(cell(results, scene, method, metric), metric), is_best(results, scene, method, metric))
            for scene in _columns(results)
        ]
        for method in results.method_names
    }
    return {"metric": METRICS[metric], "rows": rows}
