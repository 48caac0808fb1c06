"""The paper's tables and pictures as a section of the benchmark's page."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from html import escape

from ioadr.app.benchmark.paper_pictures import Picture
from ioadr.evaluation import ablation
from ioadr.evaluation.scores import METRICS
from ioadr.evaluation.tables import figure

Found = Mapping[tuple[str, str, str, str], ablation.Comparison]


def paper_section(measured: ablation.Measured, pictures: Sequence[Picture]) -> str:
    """Printed figures, ours in bold, the deviation beside them; before them how near they are altogether."""
    compared = ablation.compare(measured)
    found = {(c.table, c.row, c.metric, c.scene): c for c in compared}
    text = "".join(f"<li>{escape(line)}</li>" for line in ablation.summary_lines(compared))
    text = f"<ul>{text}</ul>"
    for table in ablation.paper().tables:
        blocks = "".join(_table(measured, table, metric, found) for metric in table.metrics)
        text += (
            f'<h3 class="wide">{escape(table.title)}</h3><p class="note">{escape(table.note)}</p>'
            f'<div class="columns">{blocks}</div>'
        )
    text += "".join(_picture(picture) for picture in pictures)
    source = f"Printed figures: {escape(ablation.paper().source)}."
    return (
        '<section id="paper"><h2>The paper’s tables</h2>'
        f'<p class="note">{source} {escape(ablation.LEGEND)}</p>{text}</section>'
    )


def _picture(picture: Picture) -> str:
    data = base64.b64encode(picture.png).decode("ascii")
    caption = escape(picture.caption)
    return (
        f'<figure><img src="data:image/png;base64,{data}" alt="{caption}"><figcaption>{caption}</figcaption></figure>'
    )


def _table(measured: ablation.Measured, table: ablation.PaperTable, metric: str, found: Found) -> str:
    scenes = measured.results.scene_names
    head = "".join(f'<th class="number">{escape(scene)}</th>' for scene in scenes)
    rows = ""
    for row in table.rows:
        cells = "".join(_cell(row, metric, scene, found.get((table.id, row.name, metric, scene))) for scene in scenes)
        kind = f" <small>{escape(row.kind)}</small>" if row.kind != "training-free" else ""
        rows += f"<tr><td>{escape(ablation.row_name(row))}{kind}</td>{cells}</tr>"
    title = f"<caption>{escape(METRICS[metric].label)} <small>{escape(METRICS[metric].unit)}</small></caption>"
    return f'<div class="table"><table>{title}<tr><th></th>{head}</tr>{rows}</table></div>'


def _cell(row: ablation.Row, metric: str, scene: str, found: ablation.Comparison | None) -> str:
    if found is None:
        return f'<td class="number">{figure(ablation.printed(row, metric, scene), metric)}</td>'
    bordered = f" [{figure(found.without_border, metric)}]" if math.isfinite(found.without_border) else ""
    ours = f"<b>{figure(found.ours, metric)}</b>{ablation.marks(found)}{bordered}"
    if math.isnan(found.printed):
        return f'<td class="number">{ours}</td>'
    share = f", {ablation.percent(found.deviation)}" if math.isfinite(found.deviation) else ""
    return f'<td class="number">{ours} <small>({figure(found.printed, metric)}{share})</small></td>'
