"""The cases as tables of docs/reliability.md."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import explored
from tests.doors import bombs, maps, others, poses, readers
from tests.doors.cases import Case, Outcome, Request, ask, call

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- begin: written by `python -m tests.doors` -->\n", "<!-- end -->\n"
LONGEST = 600


def all_cases() -> list[Case]:
    """Doors in the order in which they are first named, all cases of a door together."""
    found = [*readers.cases(), *bombs.cases(), *poses.cases(), *maps.cases(), *others.cases()]
    doors = list(dict.fromkeys(case.door for case in found))
    return sorted(found, key=lambda case: doors.index(case.door))


def provoked() -> dict[Case, Outcome]:
    with tempfile.TemporaryDirectory() as temporary, explorer() as running:
        folder = Path(temporary).resolve()
        return {case: provoke(case, folder / str(number), running) for number, case in enumerate(all_cases())}


def provoke(case: Case, folder: Path, running: Any) -> Outcome:
    folder.mkdir()
    made = case.make(folder)
    return ask(made, running) if isinstance(made, Request) else call(made, folder)


@contextmanager
def explorer() -> Iterator[Any]:
    from ioadr.app.explorer.study import Study

    with explored.explorer(Study(explored.scene().lightfield, explored.estimate())) as running:
        yield running


def tables(outcomes: Mapping[Case, Outcome]) -> str:
    lines: list[str] = []
    for door in dict.fromkeys(case.door for case in outcomes):
        found = [(case, outcome) for case, outcome in outcomes.items() if case.door == door]
        lines += ["", f"### {door[0].upper()}{door[1:]}", "", "| bad input | code | message |", "|---|---|---|"]
        lines += [f"| {case.kind} | {outcome.code} | {_cell(outcome.text)} |" for case, outcome in found]
    return "\n".join(lines) + "\n\n"


def _cell(text: str) -> str:
    text = " ".join(text.removeprefix("ioadr: ").split())
    text = text if len(text) <= LONGEST else text[:LONGEST] + " …"
    return text.replace("|", "\\|").replace("<", "&lt;")


def rewritten(page: str, outcomes: Mapping[Case, Outcome]) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + tables(outcomes) + END + after
