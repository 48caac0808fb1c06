"""The command line without the long computation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr import DisparityRange, Estimate, LightField, Parameters
from ioadr.app.cli import run
from ioadr.result import SweepRecord


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs `ioadr` in this process."""

    def call(*arguments: object) -> Outcome:
        code = run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        return Outcome(code, out, err)

    return call


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Replaces the estimation with an instant one and records how it was called."""
    found: list[dict[str, Any]] = []

    def estimate(lightfield: LightField, parameters: Parameters, **options: Any) -> Estimate:
        found.append({"lightfield": lightfield, "parameters": parameters, **options})
        records = [SweepRecord(q, "data", 480 - q, 3.0 - 0.1 * q, 0.01) for q in range(parameters.search.sweeps)]
        for record in records:
            if options.get("progress"):
                options["progress"](record, np.zeros((2, 2), np.float32), len(records))
        return flat_estimate(lightfield, parameters, options["seed"], records)

    monkeypatch.setattr(ioadr, "estimate", estimate)
    return found


def flat_estimate(lightfield: LightField, parameters: Parameters, seed: int, history: list[SweepRecord]) -> Estimate:
    size = lightfield.height, lightfield.width
    ramp = np.linspace(-0.5, 0.5, size[0] * size[1], dtype=np.float32).reshape(size)
    return Estimate(
        disparity=ramp,
        costs={name: np.zeros(size, np.float32) for name in ("data", "congruence", "planar")},
        visible_views=np.full(size, lightfield.view_count, np.uint16),
        confidence=np.ones(size, np.float32),
        image=lightfield.reference_view,
        white=lightfield.white,
        camera=lightfield.camera,
        range=lightfield.range or DisparityRange(-1, 1, "estimated"),
        parameters=parameters,
        seed=seed,
        history=history,
        seconds={"sweeps": 0.1},
        layout=lightfield.layout,
        part=lightfield.part,
        name=lightfield.name,
    )
