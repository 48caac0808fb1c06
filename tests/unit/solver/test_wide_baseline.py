"""Disparities of tens of pixels between neighbouring views."""

from __future__ import annotations

import numpy as np
import pytest

import ioadr
from ioadr import preset
from ioadr.evaluation import synthetic
from ioadr.evaluation.metrics import bad_pixels

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def scene():
    """Large enough that most points are still in the outermost views, 40 px away."""
    return synthetic.random_light_field(1, "planes", (168, 184), (5, 5), (-20.0, 20.0))


@pytest.fixture(scope="module")
def estimate(scene):
    return ioadr.estimate(scene.lightfield, "paper")


def wrong(scene, estimate) -> float:
    return bad_pixels(estimate.disparity, scene.truth.disparity, scene.truth.area, 1.0)


def test_twenty_pixels_a_step(scene, estimate):
    assert scene.truth.disparity.min() < -19
    assert scene.truth.disparity.max() > 19
    assert wrong(scene, estimate) < 5


def test_hidden_views_are_told_apart(scene, estimate):
    """Compared with the renderer's, except for the floor: so steep, it seems to hide itself in the outermost views."""
    area = scene.truth.area & (scene.objects > 0)
    found, true = (values[area].astype(int) for values in (estimate.visible_views, scene.visible_views))
    assert np.abs(found - true).mean() < 1
    assert np.corrcoef(found, true)[0, 1] > 0.9


def test_without_a_range_and_as_a_preview(scene):
    found = ioadr.estimate(scene.lightfield.with_(range=None), preset("fast"))
    low, high = np.quantile(scene.truth.disparity, [0.01, 0.95])
    assert low - 4 < found.range.minimum < low
    assert high < found.range.maximum < high + 6
    assert wrong(scene, found) < 10
