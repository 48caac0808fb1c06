"""The paper's tables and pictures as a section of the benchmark's page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ioadr.app.benchmark.paper_pictures import Picture
from ioadr.evaluation import ablation
from ioadr.evaluation.scores import METRICS
from ioadr.evaluation.tables import figure

Compared = Mapping[tuple[str, str, str, str], ablation.Comparison]


def section_values(measured: ablation.Measured, pictures: Sequence[Picture]) -> dict[str, Any]:
    """A summary, then the published figures with ours in bold and the deviation."""
    compared = ablation.compare(measured)
    by_cell = {(c.table, c.row, c.metric, c.scene): c for c in compared}
    return {
        "source": ablation.paper().source,
        "legend": ablation.LEGEND,
        "summary": ablation.summary_lines(compared),
        "scenes": measured.results.scene_names,
        "tables": [
            {
                "title": table.title,
                "note": table.note,
                "metrics": [(METRICS[metric], _rows(measured, table, metric, by_cell)) for metric in table.metrics],
            }
            for table in ablation.paper().tables
        ],
        "pictures": pictures,
    }


def _rows(
    measured: ablation.Measured, table: ablation.PaperTable, metric: str, compared: Compared
) -> list[dict[str, Any]]:
    return [
        {
            "name": ablation.row_name(row),
            "kind": row.kind if row.kind != "training-free" else "",
            "cells": [
                _cell(row, metric, scene, compared.get((table.id, row.name, metric, scene)))
                for scene in measured.results.scene_names
            ],
        }
        for row in table.rows
    ]


def _cell(row: ablation.Row, metric: str, scene: str, compared: ablation.Comparison | None) -> dict[str, str]:
    """Our figure with its marks, and the printed one; either may be missing."""
    if compared is None:
        return {"printed": figure(ablation.printed(row, metric, scene), metric)}
    without_border, share = compared.without_border, ablation.percent(compared.deviation)
    cell = {
        "ours": figure(compared.ours, metric),
        "marks": ablation.marks(compared) + (f" [{figure(without_border, metric)}]" * math.isfinite(without_border)),
    }
    if math.isnan(compared.printed):
        return cell
    deviation = f", {share}" * math.isfinite(compared.deviation)
    return cell | {"printed": f"({figure(compared.printed, metric)}{deviation})"}
