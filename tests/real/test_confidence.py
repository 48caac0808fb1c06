"""Confidence of real scenes means something (docs/confidence.md)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ioadr
from ioadr.evaluation.sparsification import sparsification_curve
from ioadr.evaluation.truth import Truth, load_truth
from tests.marks import some_quick

pytestmark = pytest.mark.real

# Parts with borders, curved surfaces and plain walls: top, left, height, width.
PARTS = {
    "boxes": (150, 150, 160, 160),
    "cotton": (100, 100, 160, 160),
    "dino": (200, 300, 160, 160),
    "sideboard": (100, 100, 160, 160),
}


@pytest.mark.parametrize("scene", some_quick(PARTS, ["cotton"]))
def test_dropping_the_least_confident_fifth_halves_the_bad_pixels(shared: Path, scene: str) -> None:
    folder = shared / "data" / "hci" / scene
    top, left, height, width = PARTS[scene]
    estimate = ioadr.estimate(ioadr.read(folder, crop=PARTS[scene]), ioadr.preset("best"))
    truth = Truth(load_truth(folder).disparity[top : top + height, left : left + width])
    everything, most, half = sparsification_curve(estimate.disparity, estimate.confidence, truth, shares=(0, 0.2, 0.5))
    assert everything > 0.5, "a part without errors shows nothing"
    assert most <= 0.5 * everything
    assert half <= most
    assert np.all((estimate.confidence >= 0) & (estimate.confidence <= 1))
