"""Claims of certainty about the order of views have the chance of error that they state."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr.consistency.arrangement import distinct_arrangements
from ioadr.consistency.occlusion import hidden
from ioadr.consistency.order import NOT_JUDGED, Order
from ioadr.consistency.significance import CERTAIN, NOTHING, Finding, by_counting, by_weight

YES, NO = Finding(9.0, 1e-9), Finding(-9.0, 1e-9)


def test_votes_without_a_cause_are_hardly_ever_certain():
    random = np.random.default_rng(0)
    scores = np.array([by_weight(random.standard_normal(200).astype(np.float32)).score for _ in range(2000)])
    assert 0.9 < scores.std() < 1.1
    assert np.mean(np.abs(scores) > 3.9) < 10 * CERTAIN


@pytest.mark.parametrize(
    ("first", "second", "certain"), [(14, 0, False), (15, 0, True), (60, 40, False), (0, 20, True)]
)
def test_votes_are_counted(first, second, certain):
    finding = by_counting(first, second)
    assert finding.certain == certain
    assert finding.holds == ((first > second) if certain else None)


def test_a_few_heavy_votes_decide_nothing():
    votes = np.zeros(500, np.float32)
    votes[:5] = 1000
    assert not by_weight(votes).certain


@pytest.mark.parametrize(
    ("order", "flips", "outcome"),
    [
        (Order(YES, YES, YES), (False, False), "agrees"),
        (Order(YES, YES, NO), (True, True), "wrong"),
        (Order(YES, NO, YES), (True, False), "wrong"),
        (Order(YES, NO, NO), (False, True), "wrong"),
        (Order(NO, YES, YES), (False, False), "wrong"),
        (Order(YES, YES, NOTHING), None, "unknown"),
        (Order(YES, NO, NOTHING), None, "wrong"),
        (Order(YES, NOTHING, YES), None, "unknown"),
        (Order(YES, NOTHING, NO, line=True), (True, True), "wrong"),
        (NOT_JUDGED, None, "unknown"),
    ],
)
def test_verdicts(order, flips, outcome):
    assert order.flips == flips
    assert order.outcome == outcome


def test_a_line_has_two_arrangements():
    assert len(distinct_arrangements(np.array([[0, 0], [0, 1], [0, -1.0]]))) == 2
    assert len(distinct_arrangements(np.array([[0, 0], [0, 1], [1, 0.0]]))) == 4


def test_what_a_near_strip_hides():
    """A strip 3 px nearer hides the 3 px beside it, towards the view from which it comes."""
    shift = np.zeros((1, 20), np.float32)
    shift[0, 10:13] = 3.0
    by_larger, by_smaller = hidden(shift, 0.0, 1.0)
    assert np.flatnonzero(by_larger[0]).tolist() == [7, 8, 9]
    assert set(np.flatnonzero(by_smaller[0])) == {10, 11, 12}
