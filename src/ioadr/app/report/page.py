"""The report: one HTML file that shows a result and how it was made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ioadr.app.pages import render, write_page, write_text
from ioadr.app.report import course
from ioadr.app.report.content import page_data
from ioadr.app.report.left_out import left_out_section
from ioadr.app.words import disparities, optics
from ioadr.errors import as_options
from ioadr.presets import PRESETS
from ioadr.result import TOLERANCE

if TYPE_CHECKING:
    from ioadr.evaluation.truth import Truth
    from ioadr.lightfield import LightField
    from ioadr.result import Estimate
    from ioadr.views.result import Views


def report_html(
    estimate: Estimate,
    lightfield: LightField | None = None,
    truth: Truth | None = None,
    views: Views | None = None,
    left_out: Mapping[str, Any] | None = None,
) -> str:
    """The page; without a light field it has no EPIs, with truth it has scores and error maps.

    With all `views`, the 3D scene includes points that the reference view does not see; `left_out` comes from
    `io.results.left_out_file`.
    """
    return render(
        "report.html",
        title=estimate.name,
        lead=_lead(estimate),
        figures=_figures(estimate, views),
        doubts=[as_options(doubt) for doubt in estimate.doubts],
        scores=_scores(estimate, truth) if truth is not None else None,
        course=course.sentence(estimate),
        chart=course.chart(estimate),
        sweeps=course.sweeps(estimate.history),
        preset=_preset(estimate),
        origin=_origin(estimate),
        setting=_setting(estimate),
        parameters=_parameters(estimate),
        left_out=left_out_section(left_out, estimate.layout) if left_out is not None else None,
        data=page_data(estimate, lightfield, truth, views),
    )


def report_writer(
    estimate: Estimate,
    lightfield: LightField | None = None,
    truth: Truth | None = None,
    views: Views | None = None,
) -> Callable[[Path], None]:
    """A function that writes the page to a path."""

    def write(path: Path) -> None:
        write_text(path, report_html(estimate, lightfield, truth, views))

    return write


def write_report(
    path: str | Path,
    estimate: Estimate,
    lightfield: LightField | None = None,
    truth: Truth | None = None,
    views: Views | None = None,
) -> Path:
    """Write the page, completely or not at all."""
    return write_page(path, report_html(estimate, lightfield, truth, views))


def _lead(estimate: Estimate) -> str:
    (rows, columns), (row, column) = estimate.layout.grid, estimate.layout.reference
    unit = {
        "m": "Depth is in metres",
        "pose unit": "Depth is in the unit of the poses",
        "relative": "The camera is unknown, so depth is relative: it is 1 in the middle of the disparity range",
    }[estimate.depth_unit]
    return f"Disparity, depth and surface normals of view ({row}, {column}) of a {rows}×{columns} light field. {unit}."


def _figures(estimate: Estimate, views: Views | None) -> list[tuple[str, str, str]]:
    height, width = estimate.disparity.shape
    near, far = np.nanpercentile(estimate.depth, (1, 99))
    unit = " m" if estimate.metric else ""
    rows, columns = estimate.layout.grid
    seconds = estimate.seconds.get("total", sum(estimate.seconds.values()))
    timed = "of the reference view alone, without reading and writing" if views else "without reading and writing"
    return [
        ("Depth", f"{near:.3g} – {far:.3g}{unit}", "98 % of the pixels"),
        ("Light field", f"{rows}×{columns} views", f"of {width}×{height} px"),
        ("Confidence", f"{np.nanmean(estimate.confidence):.2f}", _tolerance(estimate)),
        ("Time", f"{seconds:.1f} s", timed),
    ]


def _tolerance(estimate: Estimate) -> str:
    """The tolerance that the confidence refers to."""
    text = f"mean: expected share of pixels within {TOLERANCE} px"
    if estimate.metric:
        text += f" ({1000 * np.nanmedian(estimate.depth_tolerance):.3g} mm at the median depth)"
    return text


def _preset(estimate: Estimate) -> str:
    names = [name for name, parameters in PRESETS.items() if parameters == estimate.parameters]
    chosen = (
        f"Preset “{names[0]}”."
        if names
        else "Custom parameters; where they differ from the preset “paper”, its value is given too."
    )
    return f"{chosen} The same light field, parameters and seed give the same result, byte for byte."


def _origin(estimate: Estimate) -> dict[str, str]:
    source = estimate.source
    (rows, columns), (row, column) = estimate.layout.grid, estimate.layout.reference
    facts = {
        "light field": source.path or estimate.name,
        "format": source.format,
        "views": f"{rows}×{columns} (rows × columns)",
        "reference view": f"row {row}, column {column}, counted from 0 at the top left",
    }
    notes = "; ".join(as_options(note) for note in estimate.notes)
    return facts | ({"notes": notes} if notes else {})


def _setting(estimate: Estimate) -> dict[str, str]:
    return {
        "disparity range": disparities(estimate.range).replace("-", "−"),
        "camera": optics(estimate.camera) if estimate.camera else "unknown",
        "seed": str(estimate.seed),
        "time": ", ".join(f"{name} {value:.2f} s" for name, value in estimate.seconds.items()),
    }


def _parameters(estimate: Estimate) -> dict[str, list[tuple[str, str, str]]]:
    """Parameters by group: name, value and meaning."""
    groups = {}
    for group in fields(estimate.parameters):
        values, standard = getattr(estimate.parameters, group.name), getattr(PRESETS["paper"], group.name)
        groups[group.name] = [
            (item.name, _value(getattr(values, item.name), getattr(standard, item.name)), item.metadata["help"])
            for item in fields(values)
        ]
    return groups


def _value(value: Any, standard: Any) -> str:
    return str(value) if value == standard else f"{value} (paper: {standard})"


def _scores(estimate: Estimate, truth: Truth) -> dict[str, Any]:
    from ioadr.evaluation.scores import METRICS, score

    scores = score(estimate.disparity, truth, allow_invalid=True)
    rows = [
        (about.label, f"{scores[name]:.{about.decimals}f} {about.unit}", about.meaning)
        for name in scores
        for about in [METRICS[name]]
    ]
    return {"pixels": scores.pixels, "rows": rows}
