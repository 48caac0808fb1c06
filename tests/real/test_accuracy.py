"""What the presets must score on the benchmark's scenes, with the range of each scene's own file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.marks import some_quick
from tests.real import golden

PAPER = {
    "boxes": (4.8, 15.6, 3.3),
    "cotton": (0.39, 2.25, 3.0),
    "dino": (0.335, 3.1, 0.65),
    "sideboard": (1.01, 8.1, 3.9),
}
"""At most: MSE×100, BadPix 0.07 in %, MAE planes in degrees."""
slow = pytest.mark.slow
others = [pytest.param(name, marks=slow) for name in ("boxes", "dino", "sideboard")]


MARGIN = 1.02
"""Above our own scores, for machines whose last digits differ; results are deterministic."""


def scores(shared: Path, name: str, preset: str) -> dict[str, float]:
    return measured(shared / "data" / "hci" / name, preset)


measured = cache(golden.scores)
"""Claims and golden scores ask for the same estimations."""


@pytest.mark.parametrize("preset", some_quick(golden.PRESETS, ["best", "fast"]))
@pytest.mark.parametrize("name", ["cotton", *others])
def test_no_score_is_worse_than_it_was(shared, name, preset):
    found, kept = scores(shared, name, preset), golden.golden(preset, name)
    assert found.keys() == kept.keys()
    assert {metric: value for metric, value in found.items() if value > MARGIN * kept[metric]} == {}


@slow
@pytest.mark.parametrize("name", PAPER)
def test_the_paper_is_reproduced(shared, name):
    found = scores(shared, name, "paper")
    square, bad, angle = PAPER[name]
    assert found["mse"] <= square
    assert found["badpix_007"] <= bad
    assert found["mae_planes"] <= angle


BEST = {
    "boxes": {"mse": 4.16, "badpix_003": 17.9, "badpix_001": 45.0, "mae_planes": 2.93},
    "cotton": {"mse": 0.375, "badpix_007": 0.94, "badpix_003": 7.7, "badpix_001": 36.8, "mae_planes": 2.57},
    "dino": {"mse": 0.254, "badpix_007": 1.95, "badpix_003": 6.2, "badpix_001": 22.8, "mae_planes": 0.54},
    "sideboard": {"mse": 0.876, "badpix_007": 5.67, "badpix_003": 12.5, "badpix_001": 32.8, "mae_planes": 3.50},
}
"""What the best training-free method, or the authors' code, scores in that column; `best` is ahead of all these."""


@slow
@pytest.mark.parametrize("name", BEST)
def test_best_is_ahead_of_every_training_free_method(shared, name):
    found = scores(shared, name, "best")
    assert {metric: found[metric] for metric, limit in BEST[name].items() if found[metric] > limit} == {}


FAST = {"boxes": 14.61, "cotton": 1.89, "dino": 2.87, "sideboard": 7.15}
"""BadPix 0.07 in % of `paper` as it was when this bound was set; it has risen a little since (decision 6)."""


@pytest.mark.parametrize("name", ["cotton", *others])
def test_a_preview_has_at_most_half_as_many_bad_pixels_again(shared, name):
    assert scores(shared, name, "fast")["badpix_007"] <= 1.5 * FAST[name]
