"""Cotton from fewer views than the benchmark has; figures of the whole scene are in docs/formats.md."""

from __future__ import annotations

import numpy as np
import pytest

import ioadr
from ioadr import LightField
from ioadr.evaluation.metrics import bad_pixels
from tests.real.scenes import scene_part

pytestmark = pytest.mark.real

CROP = (60, 180, 128, 128)
"""The head's edge before the wall: 2.6 px of disparity."""


def share_wrong(folder, step: int = 1, missing: int = 0, **reading) -> float:
    """Pixels wrong by more than 0.07 px of the full grid's disparity, %."""
    lightfield, truth = scene_part(folder, CROP, **reading)
    disparity = ioadr.estimate(without(lightfield, missing), "paper").disparity / step
    return bad_pixels(disparity, truth.disparity, truth.area, 0.07)


def without(lightfield: LightField, count: int) -> LightField:
    """All but `count` views chosen at random; the reference view stays."""
    present = lightfield.present.copy()
    others = [spot for spot in zip(*np.nonzero(present), strict=True) if spot != lightfield.reference]
    for number in np.random.default_rng(0).choice(len(others), count, replace=False):
        present[others[number]] = False
    return lightfield.with_(present=present)


@pytest.fixture(scope="module")
def cotton(shared):
    return shared / "data" / "hci" / "cotton"


@pytest.fixture(scope="module")
def full(cotton):
    return share_wrong(cotton)


@pytest.mark.slow
def test_a_quarter_of_the_views_missing_at_random(cotton, full):
    assert share_wrong(cotton, missing=20) <= 1.5 * full


def test_every_second_view(cotton, full):
    """Disparities are twice as large; 0.14 of them is what 0.07 px are in the full grid."""
    assert share_wrong(cotton, step=2, every=2) <= 1.5 * full


def test_a_cross_of_views(cotton, full):
    assert share_wrong(cotton, views="cross") <= 1.5 * full
