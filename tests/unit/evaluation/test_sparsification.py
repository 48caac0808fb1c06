"""Dropping pixels: what a useful, a useless and a perfect confidence gain."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr.evaluation.sparsification import best_sparsification, sparsification_curve
from ioadr.evaluation.truth import Truth


@pytest.fixture
def case():
    """10 % of the pixels are wrong."""
    truth = Truth(np.zeros((40, 50)), border=0)
    disparity = np.zeros((40, 50))
    disparity[:4] = 0.5
    return disparity, truth


def test_constant_confidence_gains_nothing(case):
    disparity, truth = case
    assert np.allclose(sparsification_curve(disparity, np.ones((40, 50)), truth), 10)


def test_perfect_confidence_drops_errors_first(case):
    disparity, truth = case
    found = best_sparsification(disparity, truth, shares=(0, 0.05, 0.1, 0.5))
    assert found == pytest.approx([10, 100 * 0.05 / 0.95, 0, 0])
    confidence = np.where(disparity > 0, 0.1, 0.9)
    assert sparsification_curve(disparity, confidence, truth, shares=(0, 0.05, 0.1, 0.5)) == pytest.approx(found)


def test_wrong_confidence_makes_it_worse(case):
    disparity, truth = case
    assert sparsification_curve(disparity, np.where(disparity > 0, 0.9, 0.1), truth, shares=(0.5,))[0] == pytest.approx(
        20
    )


def test_missing_values_count_as_wrong_and_the_border_not_at_all():
    disparity = np.zeros((40, 50))
    disparity[20, :] = np.nan
    disparity[0] = 9
    found = sparsification_curve(disparity, np.ones((40, 50)), Truth(np.zeros((40, 50)), border=10), shares=(0,))
    assert found[0] == pytest.approx(5)
