"""summary.json and summary.csv: the outcome of every item."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ioadr import __version__
from ioadr.app.batch.items import Outcome
from ioadr.evaluation.scores import METRICS

JSON, CSV, PAGE = "summary.json", "summary.csv", "index.html"
PHASES = ("read", "estimate", "join", "score", "save")


@dataclass(frozen=True)
class Summary:
    """A finished batch."""

    outcomes: Sequence[Outcome]
    seconds: float
    """Wall time of this run."""
    team: str
    """The workers in words; empty if there was nothing to do."""
    videos: Sequence[Mapping[str, Any]] = field(default_factory=tuple)

    @property
    def counts(self) -> dict[str, int]:
        counted = Counter(outcome.state for outcome in self.outcomes)
        return {state: counted[state] for state in ("done", "kept", "failed", "left")}

    @property
    def doubtful(self) -> list[Outcome]:
        """Finished items whose map may be wrong."""
        return [outcome for outcome in self.outcomes if outcome.finished and outcome.doubts]

    @property
    def complete(self) -> bool:
        return all(outcome.finished for outcome in self.outcomes)

    @property
    def metrics(self) -> list[str]:
        return [name for name in METRICS if any(name in outcome.scores for outcome in self.outcomes)]


def to_dict(summary: Summary) -> dict[str, Any]:
    return {
        "ioadr": __version__,
        "counts": summary.counts,
        "seconds": round(summary.seconds, 2),
        "team": summary.team,
        "videos": list(summary.videos),
        "items": [outcome.to_dict() for outcome in summary.outcomes],
    }


def to_json(summary: Summary) -> str:
    return json.dumps(to_dict(summary), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(summary: Summary) -> str:
    """One line per item; empty columns are left out."""
    phases = [phase for phase in PHASES if any(phase in outcome.seconds for outcome in summary.outcomes)]
    metrics = summary.metrics
    doubts = ["doubts"] if summary.doubtful else []
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        ["name", "path", "state", "seconds", *(f"seconds_{p}" for p in phases), *metrics, "reason", *doubts]
    )
    for outcome in summary.outcomes:
        times = [outcome.seconds.get(phase, "") for phase in phases]
        scores = [outcome.scores.get(metric, "") for metric in metrics]
        total = round(outcome.total_seconds, 3) if outcome.seconds else ""
        cells = [outcome.name, outcome.path, outcome.state, total, *times, *scores, outcome.reason]
        cells += ["; ".join(outcome.doubts) for _ in doubts]
        writer.writerow([_harmless(cell) for cell in cells])
    return stream.getvalue()


def _harmless(cell: Any) -> Any:
    """Mark a name as text if a spreadsheet would read it as a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@")) else cell
