"""What the presets must score on the benchmark's scenes, with the range of each scene's own file."""

from __future__ import annotations

import pytest

import ioadr
from ioadr.evaluation.scores import score
from ioadr.evaluation.truth import load_truth

PAPER = {
    "boxes": (4.8, 15.6, 3.3),
    "cotton": (0.39, 2.25, 3.0),
    "dino": (0.335, 3.1, 0.65),
    "sideboard": (1.01, 8.1, 3.9),
}
"""At most: MSE×100, BadPix 0.07 in %, MAE planes in degrees."""
slow = pytest.mark.slow
others = [pytest.param(name, marks=slow) for name in ("boxes", "dino", "sideboard")]


def scores(shared, name, preset):
    folder = shared / "data" / "hci" / name
    result = ioadr.estimate(ioadr.read(folder), ioadr.preset(preset))
    return score(result.disparity, load_truth(folder))


@pytest.mark.parametrize("name", ["cotton", *others])
def test_the_paper_is_reproduced(shared, name):
    found = scores(shared, name, "paper")
    square, bad, angle = PAPER[name]
    assert found["mse"] <= square
    assert found["badpix_007"] <= bad
    assert found["mae_planes"] <= angle


@slow
@pytest.mark.parametrize(("name", "angle", "fine"), [("cotton", 2.57, 36.8), ("dino", 0.54, 22.8)])
def test_best_keeps_the_records_in_normals_and_fine_accuracy(shared, name, angle, fine):
    found = scores(shared, name, "best")
    assert found["mae_planes"] <= angle
    assert found["badpix_001"] <= fine
