"""The benchmark's page: one HTML file with tables, linked pictures and charts."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from ioadr.app.benchmark.content import page_data
from ioadr.app.report.markup import details, figure, json_text, page
from ioadr.evaluation.benchmark import Results
from ioadr.evaluation.scores import METRICS
from ioadr.evaluation.tables import MEAN, cell, is_best
from ioadr.evaluation.tables import figure as printed_figure
from ioadr.io.safety.atomic import atomic_file

SCRIPTS = ("packed.js", "viewer.js", "charts.js", "benchmark.js")
FIRST = ("mse", "badpix_007", "badpix_003", "badpix_001", "q25", "mae_planes")
"""Metrics whose tables are open; the others can be opened."""


def page_html(results: Results, title: str, paper: str = "") -> str:
    """The page; `paper` is its section of the paper's tables, if any."""
    slots = {
        "failures": _failures(results),
        "paper": paper,
        "tables": _tables(results),
        "data": json_text(page_data(results)),
    }
    head = {"title": title, "lead": _lead(results), "figures": _figures(results)}
    return page("benchmark.html", slots, **head, styles=["benchmark.css"], scripts=SCRIPTS)


def write_page(path: str | Path, results: Results, title: str, paper: str = "") -> Path:
    """Write the page, completely or not at all."""
    content = page_html(results, title, paper)
    with atomic_file(path) as temporary:
        temporary.write_text(content, encoding="utf-8", errors="backslashreplace")
    return Path(path)


def _lead(results: Results) -> str:
    scenes, methods = len(results.scenes), len(results.methods)
    return (
        f"{methods} method{'s' * (methods > 1)} on {scenes} scene{'s' * (scenes > 1)}, scored as the HCI 4D Light "
        "Field Benchmark does at the views’ own size, without a border of 15 px. Lower is better everywhere."
    )


def _figures(results: Results) -> str:
    """The best mean of the first metrics, and by whom."""
    text = ""
    for metric in [name for name in ("mse", "badpix_007", "badpix_001", "mae_planes") if name in results.metrics]:
        means = {method: results.mean(method, metric) for method in results.method_names}
        known = {method: value for method, value in means.items() if math.isfinite(value)}
        if known:
            winner = min(known, key=lambda method: known[method])
            value = f"{printed_figure(known[winner], metric)} {METRICS[metric].unit}"
            text += figure(f"{METRICS[metric].label}, best mean", value, winner)
    return text


def _failures(results: Results) -> str:
    rows = [f"{item.method} on {item.scene}: {item.failure}" for item in results.failures]
    rows += [
        f"{item.method} on {item.scene}: {item.invalid} px are NaN or infinite; each counts as wrong."
        for item in results.items
        if item.invalid
    ]
    if not rows:
        return ""
    items = "".join(f"<li>{escape(row)}</li>" for row in rows)
    return f'<section class="failures"><h2>What could not be scored</h2><ul>{items}</ul></section>'


def _tables(results: Results) -> str:
    opened = [name for name in FIRST if name in results.metrics]
    others = [name for name in results.metrics if name not in opened]
    text = f'<div class="columns">{"".join(_table(results, name) for name in opened)}</div>'
    if others:
        folded = "".join(_table(results, name) for name in others)
        text += details("Regions, stratified scenes and runtime", f'<div class="columns">{folded}</div>')
    return text


def _table(results: Results, metric: str) -> str:
    scenes = [*results.scene_names, *([MEAN] if len(results.scenes) > 1 else [])]
    head = "".join(f'<th class="number">{escape(scene)}</th>' for scene in scenes)
    rows = ""
    for method in results.method_names:
        cells = "".join(_cell(results, scene, method, metric) for scene in scenes)
        rows += f"<tr><td>{_breakable(method)}</td>{cells}</tr>"
    about = METRICS[metric]
    return (
        f'<div class="metric"><h3>{escape(about.label)} <small>{escape(about.unit)}</small></h3>'
        f'<p class="note">{escape(about.meaning)}</p>'
        f'<div class="table"><table><tr><th></th>{head}</tr>{rows}</table></div></div>'
    )


def _breakable(name: str) -> str:
    """A method's name, which may go on in the next line after a stroke or hyphen."""
    return escape(name).replace("/", "/<wbr>").replace("-", "-<wbr>")


def _cell(results: Results, scene: str, method: str, metric: str) -> str:
    kind = "number best" if is_best(results, scene, method, metric) else "number"
    return f'<td class="{kind}">{printed_figure(cell(results, scene, method, metric), metric)}</td>'
