"""The paper's tables next to ours: published figures, deviations, and whether ablations act in the same direction.

Printed angles are medians over the whole image, and so are ours here; the benchmark's own angle, without its border of
15 px, is given as well.
"""

from __future__ import annotations

import json
import math
import statistics
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ioadr.evaluation import metrics
from ioadr.evaluation.benchmark import Results
from ioadr.evaluation.scores import METRICS
from ioadr.evaluation.tables import figure
from ioadr.evaluation.truth import Truth, load_truth

BASE = "paper"
COMPARED = ("mse", "badpix_007", "mae_planes")
ANGLE = "mae_planes"
CLEAR = 0.05
"""Smallest change by an ablation in the paper, as a share of the base figure, whose direction is compared."""
FAR = 0.25
"""Share of the published figure above which a deviation is marked."""


@dataclass(frozen=True)
class Row:
    """A line of a table of the paper."""

    name: str
    method: str | None
    """Our method that it is compared with; None for other methods."""
    kind: str
    printed: Mapping[str, tuple[float, ...]]
    """By metric, one figure per scene; NaN where the paper has none."""
    raw: bool = False
    """Whether the authors' own maps are known to score as published."""


@dataclass(frozen=True)
class PaperTable:
    id: str
    title: str
    label: str
    """In the paper's source."""
    note: str
    rows: tuple[Row, ...]

    @property
    def metrics(self) -> list[str]:
        return [name for name in COMPARED if any(name in row.printed for row in self.rows)]


@dataclass(frozen=True)
class Paper:
    """All figures printed in the paper."""

    source: str
    scenes: tuple[str, ...]
    comparable: Mapping[str, tuple[str, ...]]
    tables: tuple[PaperTable, ...]

    def methods(self) -> list[str]:
        """Our methods in the tables, the base first."""
        named = [row.method for table in self.tables for row in table.rows if row.method]
        return list(dict.fromkeys([BASE, *named]))

    def compares(self, metric: str, scene: str) -> bool:
        """Whether the printed figure and ours are comparable."""
        return metric not in self.comparable or scene in self.comparable[metric]


@dataclass(frozen=True)
class Comparison:
    """A printed figure and ours."""

    table: str
    row: str
    metric: str
    scene: str
    printed: float
    ours: float
    comparable: bool
    same_direction: bool | None
    """Whether the ablation changes our figure in the paper's direction; None if the paper's hardly changes."""
    without_border: float = math.nan
    """Our figure as the benchmark scores it, if the paper differs: angles without 15 px at the edge."""

    @property
    def deviation(self) -> float:
        """Share of the printed figure by which ours is higher; NaN where the two cannot be compared."""
        return self.ours / self.printed - 1.0 if self.comparable and self.printed else math.nan

    @property
    def far(self) -> bool:
        return abs(self.deviation) > FAR


@cache
def paper() -> Paper:
    """Load paper.toml, which has the figures and their source."""
    content = tomllib.loads(files("ioadr.evaluation").joinpath("paper.toml").read_text(encoding="utf-8"))
    tables = tuple(
        PaperTable(t["id"], t["title"], t["label"], t["note"], tuple(_row(row) for row in t["rows"]))
        for t in content["tables"]
    )
    comparable = {metric: tuple(scenes) for metric, scenes in content["comparable"].items()}
    return Paper(content["source"], tuple(content["scenes"]), comparable, tables)


@dataclass(frozen=True, eq=False)
class Measured:
    """A benchmark's results, with the additional scores of the paper's tables."""

    results: Results
    angles: Mapping[tuple[str, str], float]
    """By scene and method: median angle on planes over the whole image, degrees; NaN where there is none."""

    def value(self, scene: str, method: str, metric: str) -> float:
        """Our figure, measured as in the paper; NaN if there is none."""
        if method not in self.results.method_names:
            return math.nan
        if metric == ANGLE:
            return self.angles.get((scene, method), math.nan)
        return self.results.value(scene, method, metric)


def measure(results: Results) -> Measured:
    """Score over the whole image where the paper does."""
    angles = {}
    for scene in results.scenes:
        truth = load_truth(scene)
        for method in paper().methods():
            if method in results.method_names and not results.item(scene.name, method).failure:
                angles[scene.name, method] = _whole_angle(results, truth, scene.name, method)
    return Measured(results, angles)


def _whole_angle(results: Results, truth: Truth, scene: str, method: str) -> float:
    if "planes" not in truth.masks or truth.rays is None:
        return math.nan
    return metrics.median_angle(results.disparity(scene, method), truth.disparity, truth.masks["planes"], truth.rays)


def compare(measured: Measured) -> list[Comparison]:
    """Every figure of the paper's tables that belongs to one of our methods, on the available scenes."""
    return [
        item for table in paper().tables for row in table.rows if row.method for item in _compare(measured, table, row)
    ]


def _compare(measured: Measured, table: PaperTable, row: Row) -> Iterator[Comparison]:
    results, method = measured.results, row.method or ""
    for metric in table.metrics:
        for scene in results.scene_names:
            bordered = metric == ANGLE and method in results.method_names
            yield Comparison(
                table=table.id,
                row=row.name,
                metric=metric,
                scene=scene,
                printed=printed(row, metric, scene),
                ours=measured.value(scene, method, metric),
                comparable=paper().compares(metric, scene),
                same_direction=_same_direction(measured, table, row, metric, scene),
                without_border=results.value(scene, method, metric) if bordered else math.nan,
            )


def printed(row: Row, metric: str, scene: str) -> float:
    """The paper's figure, or NaN."""
    figures = row.printed.get(metric, ())
    return figures[paper().scenes.index(scene)] if figures and scene in paper().scenes else math.nan


def _same_direction(measured: Measured, table: PaperTable, row: Row, metric: str, scene: str) -> bool | None:
    base = next(r for r in table.rows if r.method == BASE)
    if row.method == BASE:
        return None
    there = printed(row, metric, scene) - printed(base, metric, scene)
    here = measured.value(scene, row.method or "", metric) - measured.value(scene, BASE, metric)
    if math.isnan(there) or math.isnan(here) or abs(there) < CLEAR * printed(base, metric, scene):
        return None
    return (there > 0) == (here > 0)


@dataclass(frozen=True)
class Summary:
    """Overall agreement of the tables."""

    cells: int
    """Figures of MSE and BadPix that are compared."""
    mean_deviation: float
    """Mean |deviation| over them, share of the printed figure."""
    far: tuple[Comparison, ...]
    turned: tuple[Comparison, ...]
    """Figures that change in the opposite direction to the paper."""
    clear: int
    """Figures that change clearly in the paper."""
    angle: float
    """Deviation of the base's angle on the scene whose mask is the benchmark's own."""


def summarise(comparisons: list[Comparison]) -> Summary:
    comparable = [item for item in comparisons if math.isfinite(item.deviation) and item.metric != ANGLE]
    base = [item for item in comparisons if item.metric == ANGLE and item.table == paper().tables[0].id]
    angles = [item.deviation for item in base if math.isfinite(item.deviation)]
    return Summary(
        cells=len(comparable),
        mean_deviation=statistics.fmean(abs(item.deviation) for item in comparable) if comparable else math.nan,
        far=tuple(item for item in comparable if item.far),
        turned=tuple(item for item in comparisons if item.same_direction is False),
        clear=sum(item.same_direction is not None for item in comparisons),
        angle=angles[0] if angles else math.nan,
    )


def summary_lines(comparisons: list[Comparison]) -> list[str]:
    """The summary in sentences."""
    summary = summarise(comparisons)
    lines = [
        f"Mean |deviation| from the published figures, over {summary.cells} figures of MSE×100 and BadPix 0.07: "
        f"{percent(summary.mean_deviation, signed=False)}.",
        f"Where an ablation changes a published figure by more than {percent(CLEAR, signed=False)}, ours changes "
        f"in the same direction in {summary.clear - len(summary.turned)} of {summary.clear} cases"
        + (f"; not in: {_places(summary.turned)}." if summary.turned else "."),
        f"Deviation of the angle of cotton’s planes over the whole image: {percent(summary.angle)}.",
    ]
    if summary.far:
        lines.append(f"More than {percent(FAR, signed=False)} off: {_places(summary.far)}.")
    return lines


def _places(items: tuple[Comparison, ...]) -> str:
    return ", ".join(f"{i.row} on {i.scene} ({METRICS[i.metric].label})" for i in items)


def percent(share: float, signed: bool = True) -> str:
    """+3 %, −12 %; a dash where there is none."""
    if not math.isfinite(share):
        return "–"
    text = f"{100 * share:+.1f}" if signed else f"{100 * share:.1f}"
    return f"{text.replace('-', '−')} %"


def to_json(measured: Measured) -> str:
    """The comparison for JSON."""
    comparisons = compare(measured)
    summary = summarise(comparisons)
    content = {
        "source": paper().source,
        "cells": summary.cells,
        "mean_deviation": summary.mean_deviation,
        "figures": [_plain({**vars(item), "deviation": item.deviation}) for item in comparisons],
    }
    return json.dumps(_plain(content), indent=2) + "\n"


def to_markdown(measured: Measured, pictures: Mapping[str, str]) -> str:
    """The paper's tables with ours: `ours (printed, deviation)`; pictures by file name, with their captions."""
    comparisons, scenes = compare(measured), measured.results.scene_names
    lines = [f"Printed figures: {paper().source}.", "", *(f"- {line}" for line in summary_lines(comparisons)), ""]
    lines += [LEGEND, ""]
    by_place = {(c.table, c.row, c.metric, c.scene): c for c in comparisons}
    for table in paper().tables:
        lines += [f"## {table.title}", "", table.note, ""]
        for metric in table.metrics:
            lines += [f"| {METRICS[metric].label} | {' | '.join(scenes)} |", "|---" * (len(scenes) + 1) + "|"]
            for row in table.rows:
                cells = [_cell(row, metric, s, by_place.get((table.id, row.name, metric, s))) for s in scenes]
                lines.append(f"| {row_name(row)} | {' | '.join(cells)} |")
            lines.append("")
    for name, caption in pictures.items():
        lines += [f"![{caption}]({name})", "", caption, ""]
    return "\n".join(lines)


LEGEND = (
    "Our figure; in brackets the published one and our deviation from it. "
    f"‡ marks a deviation of more than {percent(FAR, signed=False)}, "
    "↻ an ablation that changes a figure in the opposite direction to the paper, "
    "† a row for which the authors’ own maps are known to score as published. "
    "The paper’s angles are medians over the whole image and are compared with ours over the whole image; "
    "our score by the benchmark’s own metric, without 15 px at the edge, is in square brackets. "
    "An angle’s deviation is given where the benchmark’s own mask is available."
)


def row_name(row: Row) -> str:
    return f"{row.name} †" if row.raw else row.name


def marks(comparison: Comparison) -> str:
    return f"{'‡' * comparison.far}{'↻' * (comparison.same_direction is False)}"


def _cell(row: Row, metric: str, scene: str, comparison: Comparison | None) -> str:
    if comparison is None:
        return figure(printed(row, metric, scene), metric)
    text = f"{figure(comparison.ours, metric)}{marks(comparison)}"
    if math.isfinite(comparison.without_border):
        text += f" [{figure(comparison.without_border, metric)}]"
    text += f" ({figure(comparison.printed, metric)}"
    return f"{text}, {percent(comparison.deviation)})" if math.isfinite(comparison.deviation) else f"{text})"


def _row(content: Mapping[str, Any]) -> Row:
    figures = {name: tuple(float(v) for v in content[name]) for name in COMPARED if name in content}
    kind, raw = content.get("kind", "training-free"), content.get("raw", False)
    return Row(content["name"], content.get("method"), kind, figures, raw)


def _plain(item: Mapping[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in item.items()}
