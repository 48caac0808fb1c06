"""The report: one HTML file that shows a result and how it came about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ioadr.app.report import course
from ioadr.app.report.content import page_data
from ioadr.app.report.markup import details, facts_table, figure, json_text, page, table
from ioadr.app.words import disparities, optics
from ioadr.errors import as_options
from ioadr.io.safety.atomic import atomic_file
from ioadr.parameters import PRESETS
from ioadr.result import TOLERANCE

if TYPE_CHECKING:
    from ioadr.evaluation.truth import Truth
    from ioadr.lightfield import LightField
    from ioadr.result import Estimate

SCRIPTS = ("packed.js", "viewer.js", "epi.js", "scene3d.js", "scene_tools.js", "layers.js", "why.js", "report.js")


def report_html(estimate: Estimate, lightfield: LightField | None = None, truth: Truth | None = None) -> str:
    """The page; without a light field it has no EPIs, with truth it has scores and error maps."""
    data = page_data(estimate, lightfield, truth)
    slots = {
        "doubts": "".join(f'<p class="doubt"><b>Doubtful</b>: {escape(as_options(d))}.</p>' for d in estimate.doubts),
        "thinned": "" if data["thin"] == 1 else f" One of {data['thin']}×{data['thin']} pixels is shown.",
        "scores": _scores(estimate, truth) if truth is not None else "",
        "epis": "" if data["epis"] else " hidden",
        "last row": str(data["height"] - 1),
        "last column": str(data["width"] - 1),
        "course": escape(course.sentence(estimate)),
        "history": f'<div class="scroll">{course.chart(estimate)}</div>'
        + details("Sweep by sweep", course.history_table(estimate.history)),
        "preset": escape(_preset(estimate)),
        "provenance": facts_table(_origin(estimate)) + facts_table(_setting(estimate)),
        "parameters": _parameters(estimate),
        "data": json_text(data),
    }
    title = estimate.name
    return page("report.html", slots, title=title, lead=_lead(estimate), figures=_figures(estimate), scripts=SCRIPTS)


def report_writer(
    estimate: Estimate, lightfield: LightField | None = None, truth: Truth | None = None
) -> Callable[[Path], None]:
    """Writes the page to the path that it is given."""

    def write(path: Path) -> None:
        content = report_html(estimate, lightfield, truth)
        path.write_text(content, encoding="utf-8", errors="backslashreplace")

    return write


def write_report(
    path: str | Path, estimate: Estimate, lightfield: LightField | None = None, truth: Truth | None = None
) -> Path:
    """Write the page, completely or not at all."""
    with atomic_file(path) as temporary:
        report_writer(estimate, lightfield, truth)(temporary)
    return Path(path)


def _lead(estimate: Estimate) -> str:
    (rows, columns), (row, column) = estimate.layout.grid, estimate.layout.reference
    unit = {
        "m": "Depth is in metres",
        "pose unit": "Depth is in the unit of the poses",
        "relative": "The camera is unknown, so depth is relative: 1 in the middle of the disparity range",
    }[estimate.depth_unit]
    return f"Disparity, depth and surface normals of view ({row}, {column}) of a {rows}×{columns} light field. {unit}."


def _figures(estimate: Estimate) -> str:
    height, width = estimate.disparity.shape
    near, far = np.nanpercentile(estimate.depth, (1, 99))
    unit = " m" if estimate.metric else ""
    rows, columns = estimate.layout.grid
    seconds = estimate.seconds.get("total", sum(estimate.seconds.values()))
    return (
        figure("Depth", f"{near:.3g} – {far:.3g}{unit}", "98 % of the pixels")
        + figure("Light field", f"{rows}×{columns} views", f"of {width}×{height} px")
        + figure("Confidence", f"{np.nanmean(estimate.confidence):.2f}", _tolerance(estimate))
        + figure("Time", f"{seconds:.1f} s", "without reading and writing")
    )


def _tolerance(estimate: Estimate) -> str:
    """What the mean confidence is the share of."""
    text = f"mean: expected share of pixels within {TOLERANCE} px"
    if estimate.metric:
        text += f" ({1000 * np.nanmedian(estimate.depth_tolerance):.3g} mm at the median depth)"
    return text


def _preset(estimate: Estimate) -> str:
    names = [name for name, parameters in PRESETS.items() if parameters == estimate.parameters]
    chosen = (
        f"Preset “{names[0]}”."
        if names
        else "Parameters of its own; values of preset “paper” are noted where they differ."
    )
    return f"{chosen} The same light field, parameters and seed give the same bytes."


def _origin(estimate: Estimate) -> dict[str, str]:
    source = estimate.source
    (rows, columns), (row, column) = estimate.layout.grid, estimate.layout.reference
    facts = {
        "light field": source.path or estimate.name,
        "format": source.format,
        "views": f"{rows} rows of {columns}",
        "reference view": f"row {row}, column {column}, counted from 0 at the top left",
    }
    notes = " ".join(source.notes)
    return facts | ({"notes": notes} if notes else {})


def _setting(estimate: Estimate) -> dict[str, str]:
    return {
        "disparity range": disparities(estimate.range),
        "camera": optics(estimate.camera) if estimate.camera else "unknown",
        "seed": str(estimate.seed),
        "time": ", ".join(f"{name} {value:.2f} s" for name, value in estimate.seconds.items()),
    }


def _parameters(estimate: Estimate) -> str:
    text = ""
    for group in fields(estimate.parameters):
        values, standard = getattr(estimate.parameters, group.name), getattr(PRESETS["paper"], group.name)
        rows = [_parameter(item, getattr(values, item.name), getattr(standard, item.name)) for item in fields(values)]
        text += f"<h3>{escape(group.name)}</h3>{table(rows)}"
    return details("All parameters", f"<div>{text}</div>")


def _parameter(item: Field[Any], value: Any, standard: Any) -> str:
    mark = "" if value == standard else f" (paper: {standard})"
    return (
        f'<tr><td>{escape(item.name)}</td><td class="number">{escape(f"{value}{mark}")}</td>'
        f'<td class="quiet roomy">{escape(item.metadata["help"])}</td></tr>'
    )


def _scores(estimate: Estimate, truth: Truth) -> str:
    from ioadr.evaluation.scores import METRICS, score

    found = score(estimate.disparity, truth, allow_invalid=True)
    rows = [
        f'<tr><td>{escape(METRICS[name].label)}</td><td class="number">{found[name]:.{METRICS[name].decimals}f} '
        f'{escape(METRICS[name].unit)}</td><td class="quiet roomy">{escape(METRICS[name].meaning)}</td></tr>'
        for name in found
    ]
    return (
        "<section><h2>Against the truth</h2>"
        '<p class="note">Metrics of the HCI 4D Light Field Benchmark, lower is better; '
        f"{found.pixels} pixels are scored.</p>"
        f"{table(rows)}</section>"
    )
