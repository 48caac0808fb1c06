"""The paper's tables beside ours: printed figures, their difference, and whether an ablation moves the same way."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ioadr.evaluation.benchmark import Results
from ioadr.evaluation.scores import METRICS
from ioadr.evaluation.tables import figure

BASE = "paper"
COMPARED = ("mse", "badpix_007", "mae_planes")
CLEAR = 0.05
"""Share of the base figure that an ablation must move it in the paper before its direction says something."""


@dataclass(frozen=True)
class Row:
    """A line of a table of the paper."""

    name: str
    method: str | None
    """Ours that it is compared with; None for other people's methods."""
    kind: str
    printed: Mapping[str, tuple[float, ...]]
    """By metric, one figure per scene; NaN where the paper has none."""


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
    """All that the paper prints."""

    source: str
    scenes: tuple[str, ...]
    comparable: Mapping[str, tuple[str, ...]]
    tables: tuple[PaperTable, ...]

    def methods(self) -> list[str]:
        """Ours that the tables need, the base first."""
        named = [row.method for table in self.tables for row in table.rows if row.method]
        return list(dict.fromkeys([BASE, *named]))

    def compares(self, metric: str, scene: str) -> bool:
        """Whether a difference between printed and own figure means something."""
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
    """Whether leaving the part out moves our figure as it moves the paper's; None where the paper's hardly moves."""

    @property
    def difference(self) -> float:
        return self.ours - self.printed if self.comparable else math.nan


@cache
def paper() -> Paper:
    """From paper.toml, which has the figures and their source."""
    content = tomllib.loads(files("ioadr.evaluation").joinpath("paper.toml").read_text(encoding="utf-8"))
    tables = tuple(
        PaperTable(t["id"], t["title"], t["label"], t["note"], tuple(_row(row) for row in t["rows"]))
        for t in content["tables"]
    )
    comparable = {metric: tuple(scenes) for metric, scenes in content["comparable"].items()}
    return Paper(content["source"], tuple(content["scenes"]), comparable, tables)


def compare(results: Results) -> list[Comparison]:
    """Every figure of the paper's tables that belongs to one of our methods, on the scenes at hand."""
    return [
        item for table in paper().tables for row in table.rows if row.method for item in _compare(results, table, row)
    ]


def _compare(results: Results, table: PaperTable, row: Row) -> Iterator[Comparison]:
    for metric in table.metrics:
        for scene in results.scene_names:
            ours = results.value(scene, row.method or "", metric) if row.method in results.method_names else math.nan
            yield Comparison(
                table=table.id,
                row=row.name,
                metric=metric,
                scene=scene,
                printed=printed(row, metric, scene),
                ours=ours,
                comparable=paper().compares(metric, scene),
                same_direction=_same_direction(results, table, row, metric, scene, ours),
            )


def printed(row: Row, metric: str, scene: str) -> float:
    """The paper's figure, or NaN."""
    figures = row.printed.get(metric, ())
    return figures[paper().scenes.index(scene)] if figures and scene in paper().scenes else math.nan


def _same_direction(results: Results, table: PaperTable, row: Row, metric: str, scene: str, ours: float) -> bool | None:
    base = next(r for r in table.rows if r.method == BASE)
    if row.method == BASE or BASE not in results.method_names:
        return None
    there = printed(row, metric, scene) - printed(base, metric, scene)
    here = ours - results.value(scene, BASE, metric)
    if math.isnan(there) or math.isnan(here) or abs(there) < CLEAR * printed(base, metric, scene):
        return None
    return (there > 0) == (here > 0)


def to_json(results: Results) -> str:
    """The comparison for programs."""
    items = [{**vars(item), "difference": item.difference} for item in compare(results)]
    return json.dumps({"source": paper().source, "figures": [_plain(item) for item in items]}, indent=2) + "\n"


def to_markdown(results: Results) -> str:
    """The paper's tables with ours: `ours (printed, difference)`."""
    lines = [f"Printed figures: {paper().source}.", ""]
    by_place = {(c.table, c.row, c.metric, c.scene): c for c in compare(results)}
    for table in paper().tables:
        lines += [f"## {table.title}", "", table.note, ""]
        for metric in table.metrics:
            lines += [f"| {METRICS[metric].label} | {' | '.join(results.scene_names)} |"]
            lines += ["|---" * (len(results.scenes) + 1) + "|"]
            for row in table.rows:
                cells = [
                    _cell(row, metric, scene, by_place.get((table.id, row.name, metric, scene)))
                    for scene in results.scene_names
                ]
                lines.append(f"| {row.name} | {' | '.join(cells)} |")
            lines.append("")
    return "\n".join(lines)


def signed(value: float, metric: str) -> str:
    """A difference as printed: +0.012, −0.340; what rounds to nothing is +0."""
    decimals = METRICS[metric].decimals
    return f"{round(value, decimals) + 0.0:+.{decimals}f}".replace("-", "−")


def _cell(row: Row, metric: str, scene: str, found: Comparison | None) -> str:
    if found is None:
        return figure(printed(row, metric, scene), metric)
    text = f"{figure(found.ours, metric)} ({figure(found.printed, metric)}"
    return f"{text}, {signed(found.difference, metric)})" if math.isfinite(found.difference) else f"{text})"


def _row(content: Mapping[str, Any]) -> Row:
    figures = {name: tuple(float(v) for v in content[name]) for name in COMPARED if name in content}
    return Row(content["name"], content.get("method"), content.get("kind", "training-free"), figures)


def _plain(item: Mapping[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in item.items()}
