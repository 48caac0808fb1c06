"""The index page of a batch: thumbnails, figures, failures, links to the reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from ioadr.app.batch.items import THUMBNAIL, Outcome
from ioadr.app.batch.summary import Summary
from ioadr.app.report.markup import figure, number_row, page, table
from ioadr.app.words import duration
from ioadr.evaluation.scores import METRICS

SHOWN = ("mse", "badpix_007", "badpix_003", "badpix_001", "mae_planes")
COLOPHON = (
    "This page works offline and sends nothing. "
    'The same as data: <a href="summary.json">summary.json</a>, <a href="summary.csv">summary.csv</a>.'
)
STATES = {"done": "done", "kept": "from before", "failed": "failed", "left": "not done"}


def page_html(summary: Summary, title: str) -> str:
    metrics = [name for name in SHOWN if name in summary.metrics]
    slots = {
        "failures": _failures(summary.outcomes),
        "videos": _videos(summary.videos),
        "heads": _heads(metrics),
        "rows": "".join(_row(outcome, metrics) for outcome in summary.outcomes),
    }
    return page(
        "batch.html",
        slots,
        title=title,
        lead=_lead(summary),
        figures=_figures(summary),
        styles=["batch.css"],
        scripts=["batch.js"],
        images="'self' file: data:",
        colophon=COLOPHON,
    )


def _lead(summary: Summary) -> str:
    count = len(summary.outcomes)
    finished = sum(outcome.finished for outcome in summary.outcomes)
    by = f", by {summary.team}" if summary.team else ""
    return f"{finished} of {count} light field{'s' * (count != 1)} estimated{by}."


def _figures(summary: Summary) -> str:
    counts = summary.counts
    made = [outcome.total_seconds for outcome in summary.outcomes if outcome.state == "done"]
    mean = duration(sum(made) / len(made), 1) if made else "–"
    pace = f"{60 * len(made) / summary.seconds:.2g} a minute" if made and summary.seconds else "nothing was estimated"
    return (
        figure("Finished", str(counts["done"] + counts["kept"]), f"{counts['kept']} of them from before")
        + figure("Failed", str(counts["failed"]), f"{counts['left']} not done")
        + figure("Time", duration(summary.seconds, 1), "this run")
        + figure("A light field", mean, pace)
    )


def _failures(outcomes: Sequence[Outcome]) -> str:
    found = [outcome for outcome in outcomes if outcome.state == "failed"]
    if not found:
        return ""
    items = "".join(f"<li><b>{escape(o.name)}</b> {escape(o.reason)}</li>" for o in found)
    return f'<section class="failures"><h2>What failed</h2><ul>{items}</ul></section>'


def _videos(videos: Sequence[Mapping[str, Any]]) -> str:
    if not videos:
        return ""
    columns = {
        "frames": "Frames",
        "from_scratch": "From scratch",
        "seconds_from_scratch": "s a frame from scratch",
        "seconds_warm": "s a frame after another",
        "gain": "Gain",
        "flicker_from_scratch": "Flicker from scratch, px",
        "flicker_warm": "Flicker after another, px",
    }
    rows = [number_row(str(video["video"]), *(_number(video[name]) for name in columns)) for video in videos]
    note = "Frames start from the map of the frame before. Flicker is the mean change where the picture stands still."
    return f'<section><h2>Videos</h2><p class="note">{note}</p>{table(rows, ("Video", *columns.values()))}</section>'


def _number(value: float | int | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _heads(metrics: Sequence[str]) -> str:
    heads = [("Time", "s"), *((METRICS[metric].label, METRICS[metric].unit) for metric in metrics)]
    texts = "".join(f"<th><button>{label}</button></th>" for label in ("Name", "State"))
    numbers = [f"<button>{escape(label)}<small>{escape(unit)}</small></button>" for label, unit in heads]
    return f"<th></th>{texts}" + "".join(f"<th class=number>{number}</th>" for number in numbers)


def _row(outcome: Outcome, metrics: Sequence[str]) -> str:
    folder = quote(outcome.name)
    target = f"{folder}/report.html" if outcome.report else f"{folder}/"
    picture = f'<a href="{target}"><img src="{folder}/{THUMBNAIL}" alt="" loading="lazy"></a>'
    linked = f'<a href="{target}">{escape(outcome.name)}</a>' if outcome.finished else escape(outcome.name)
    seconds = f"{outcome.total_seconds:.2f}" if outcome.seconds else ""
    cells = [
        f'<td class="picture">{picture if outcome.finished else ""}</td>',
        f'<td class="name" data-value="{escape(outcome.name)}">{linked}<small>{escape(_facts(outcome))}</small></td>',
        f'<td data-value="{outcome.state}"><span class="state {outcome.state}">{STATES[outcome.state]}</span></td>',
        f'<td class="number" data-value="{seconds}">{seconds}</td>',
    ]
    return f"<tr>{''.join(cells)}{''.join(_score(outcome, metric) for metric in metrics)}</tr>"


def _facts(outcome: Outcome) -> str:
    size, grid = outcome.facts.get("size"), outcome.facts.get("grid")
    if not size or not grid:
        return outcome.path
    return f"{grid[0]}×{grid[1]} views of {size[1]}×{size[0]} px"


def _score(outcome: Outcome, metric: str) -> str:
    value = outcome.scores.get(metric)
    text = "" if value is None else f"{value:.{METRICS[metric].decimals}f}"
    return f'<td class="number" data-value="{text}">{text}</td>'
