"""The index page of a batch: thumbnails, figures, failures, links to the reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from ioadr.app.batch.items import THUMBNAIL, Outcome
from ioadr.app.batch.summary import Summary
from ioadr.app.pages import render
from ioadr.app.words import duration
from ioadr.evaluation.scores import METRICS

SHOWN = ("mse", "badpix_007", "badpix_003", "badpix_001", "mae_planes")
STATES = {"done": "done", "kept": "from an earlier run", "failed": "failed", "left": "not done"}
VIDEO_COLUMNS = {
    "video": "Video",
    "frames": "Frames",
    "from_scratch": "Started from scratch",
    "seconds_from_scratch": "s per frame, from scratch",
    "seconds_warm": "s per frame, warm start",
    "gain": "Gain",
    "flicker_from_scratch": "Flicker, from scratch, px",
    "flicker_warm": "Flicker, warm start, px",
}


def page_html(summary: Summary, title: str) -> str:
    metrics = [name for name in SHOWN if name in summary.metrics]
    return render(
        "batch.html",
        title=title,
        lead=_lead(summary),
        figures=_figures(summary),
        failures=[outcome for outcome in summary.outcomes if outcome.state == "failed"],
        doubtful=summary.doubtful,
        video_heads=list(VIDEO_COLUMNS.values()),
        videos=[[_cell(video[name]) for name in VIDEO_COLUMNS] for video in summary.videos],
        numbers=[("Time", "s"), *((METRICS[metric].label, METRICS[metric].unit) for metric in metrics)],
        rows=[_row(outcome, metrics) for outcome in summary.outcomes],
    )


def _lead(summary: Summary) -> str:
    count = len(summary.outcomes)
    finished = sum(outcome.finished for outcome in summary.outcomes)
    by = f", by {summary.team}" if summary.team else ""
    return f"{finished} of {count} light field{'s' * (count != 1)} estimated{by}."


def _figures(summary: Summary) -> list[tuple[str, str, str]]:
    counts = summary.counts
    made = [outcome.total_seconds for outcome in summary.outcomes if outcome.state == "done"]
    mean = duration(sum(made) / len(made), 1) if made else "–"
    pace = f"{60 * len(made) / summary.seconds:.2g} per minute" if made and summary.seconds else "nothing was estimated"
    finished = f"{len(summary.doubtful)} doubtful; {counts['kept']} from an earlier run"
    return [
        ("Finished", str(counts["done"] + counts["kept"]), finished),
        ("Failed", str(counts["failed"]), f"{counts['left']} not done"),
        ("Time", duration(summary.seconds, 1), "this run"),
        ("Per light field", mean, pace),
    ]


def _cell(value: str | float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _row(outcome: Outcome, metrics: Sequence[str]) -> dict[str, Any]:
    folder = quote(outcome.name)
    state = "doubtful" if outcome.finished and outcome.doubts else outcome.state
    return {
        "name": outcome.name,
        "target": f"{folder}/{'report.html' if outcome.report else ''}" if outcome.finished else "",
        "picture": f"{folder}/{THUMBNAIL}",
        "facts": _facts(outcome),
        "state": state,
        "state_name": STATES.get(state, state),
        "numbers": [
            f"{outcome.total_seconds:.2f}" if outcome.seconds else "",
            *(_score(outcome, metric) for metric in metrics),
        ],
    }


def _facts(outcome: Outcome) -> str:
    size, grid = outcome.facts.get("size"), outcome.facts.get("grid")
    if not size or not grid:
        return outcome.path
    return f"{grid[0]}×{grid[1]} views of {size[1]}×{size[0]} px"


def _score(outcome: Outcome, metric: str) -> str:
    value = outcome.scores.get(metric)
    return "" if value is None else f"{value:.{METRICS[metric].decimals}f}"
