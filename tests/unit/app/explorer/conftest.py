"""An explorer of a small scene, on a free port of this machine, and estimations that only take time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

import ioadr
from ioadr import Estimate
from ioadr.result import SweepRecord
from tests import explored
from tests.explored import Running

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from ioadr.app.explorer.study import Study

GIVEN = "result=given"


@pytest.fixture(scope="module")
def study() -> Study:
    scene = explored.scene()
    return Study(scene.lightfield, explored.estimate(), scene.truth)


@pytest.fixture(scope="module")
def server(study: Study) -> Iterator[Running]:
    with explored.explorer(study) as running:
        yield running


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Replaces the estimation with one of 30 sweeps of 40 ms; notes begin and end of each."""
    events: list[str] = []

    def estimate(lightfield: Any, parameters: Any, seed: int, progress: Any) -> Estimate:
        events.append("begin")
        disparity = explored.estimate().disparity
        try:
            for q in range(30):
                time.sleep(0.04)
                progress(SweepRecord(q, "data", 5, 1.0, 0.04), disparity, 30)
        except BaseException:
            events.append("stopped")
            raise
        events.append("done")
        return explored.estimate()

    monkeypatch.setattr(ioadr, "estimate", estimate)
    yield events
    assert wait_until(lambda: events.count("begin") == events.count("stopped") + events.count("done"))


def wait_until(true: Any, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(true())


def lines(server: Running, path: str, question: Any) -> list[dict[str, Any]]:
    answer = server.ask(path, "POST", question)
    assert answer.status == 200, answer.body
    return [json.loads(line) for line in answer.body.splitlines()]


@pytest.fixture(scope="module")
def empty() -> Iterator[Running]:
    """A light field without a result."""
    with explored.explorer(Study(explored.scene().lightfield)) as running:
        yield running
