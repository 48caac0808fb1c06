"""Two tiny scenes as benchmark folders, and an estimation that takes no time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ioadr import LightField, Parameters
from ioadr.evaluation import methods
from ioadr.evaluation.synthetic import random_light_field, write_scene
from ioadr.result import SweepRecord
from tests.scenes import make_estimate

SIZE = (40, 48)


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenes `blocks` and `cards` of 40×48 px with truth and masks; for reading only."""
    folder = tmp_path_factory.mktemp("dataset")
    for name, family in (("blocks", "mixed"), ("cards", "planes")):
        write_scene(random_light_field(1, family, SIZE, (3, 3)), folder / name)  # type: ignore[arg-type]
    (folder / "notes").mkdir()
    return folder


@pytest.fixture
def estimations(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Parameters]]:
    """Replaces the estimation with one whose map tells the congruence weight; records scenes and parameters."""
    calls: list[tuple[str, Parameters]] = []

    def estimate(
        lightfield: LightField, parameters: Parameters, seed: int, progress: Callable[..., None] | None, threads: Any
    ) -> Any:
        if lightfield.name != "light field":  # the warm-up's
            calls.append((lightfield.name, parameters))
        disparity = np.full((lightfield.height, lightfield.width), parameters.congruence.weight / 100, np.float32)
        for sweep in range(3):
            if progress:
                progress(SweepRecord(sweep, "data", 0, 1.0, 0.0), disparity, 3)
        return make_estimate(disparity)

    monkeypatch.setattr(methods, "estimate", estimate)
    return calls
