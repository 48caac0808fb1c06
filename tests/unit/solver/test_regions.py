"""Regions that a semi-global match proposes are accepted or rejected as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import DisparityRange, LightField, preset
from ioadr._jit import Workers
from ioadr.part import Part, Window
from ioadr.solver import regions
from ioadr.solver.few_views import few_rays
from ioadr.solver.gloss import blurred
from ioadr.solver.jumps import likenesses
from ioadr.solver.refine import Refinement
from ioadr.solver.region_shapes import core, opened
from ioadr.solver.regions import (
    Change,
    Match,
    confirmed,
    confirmed_match,
    judge,
    repair_regions,
    supported,
    without_rounding,
)
from ioadr.solver.schedule import closing
from ioadr.tones import Tones
from tests.builders import make_lightfield

BEST = preset("best")
RANGE = DisparityRange(-1.0, 1.5)


def repaired(lf: LightField, disparity: np.ndarray) -> np.ndarray:
    with Workers(1) as workers:
        refinement = Refinement(lf, lf.range or RANGE, BEST, workers)
        refinement.disparity = disparity.astype(np.float32)
        record = repair_regions(refinement, closing(BEST, refinement.limits), 6)
        assert record.kind == "finish"
        return refinement.disparity


def holed(shape: tuple[int, int], value: float, hole: float) -> np.ndarray:
    disparity = np.full(shape, value)
    disparity[15:49, 18:54] = hole
    return disparity


@pytest.mark.parametrize("hole", [-0.6, 1.2])
def test_a_false_hole_or_hill_is_levelled(hole):
    lf = make_lightfield(size=(64, 72), disparity=0.4).with_(range=RANGE)
    found = repaired(lf, holed((64, 72), 0.4, hole))
    assert np.abs(found - 0.4)[15:49, 18:54].max() < 0.1


def test_a_right_map_stays_to_the_byte():
    lf = make_lightfield(size=(64, 72), disparity=0.4).with_(range=RANGE)
    right = np.full((64, 72), 0.4, np.float32)
    assert repaired(lf, right).tobytes() == right.tobytes()


def test_small_regions_stay():
    lf = make_lightfield(size=(64, 72), disparity=0.4).with_(range=RANGE)
    small = np.full((64, 72), 0.4, np.float32)
    small[20:40, 20:40] = -0.6
    assert repaired(lf, small).tobytes() == small.tobytes()


def test_in_a_large_image_the_same_hole_is_too_small():
    lf = make_lightfield(size=(64, 72), disparity=0.4).with_(range=RANGE)
    wrong = holed((64, 72), 0.4, -0.6).astype(np.float32)
    part = Part(Window(0, 0, 64, 72), 1024, 1024)
    assert repaired(lf.with_(part=part), wrong).tobytes() == wrong.tobytes()


def match_of(disparity: np.ndarray, region: tuple[slice, slice], value: float, cost: float) -> Match:
    matched, own = disparity.copy(), np.full(disparity.shape, 1.0, np.float32)
    matched[region] = value
    new = own.copy()
    new[region] = cost
    return Match(matched, new, own)


REGION = slice(10, 50), slice(12, 52)


@pytest.mark.parametrize(
    ("inside", "proposed", "cost", "taken"),
    [
        (0.0, 1.0, 0.5, True),  # removes all jumps
        (0.0, 1.0, 0.99, False),  # hardly cheaper
        (1.0, 0.0, 0.5, False),  # makes jumps in a plain area
        (0.79, 1.0, 0.5, True),  # moves by more than .8 px in the outermost view
        (0.81, 1.0, 0.5, False),  # moves by less: no hole, but another guess about a plain surface
    ],
)
def test_a_region_is_judged_by_cost_and_rim(inside, proposed, cost, taken):
    disparity = np.ones((64, 64), np.float32)
    disparity[REGION] = inside
    accepted = judge(
        disparity, match_of(disparity, REGION, proposed, cost), likenesses(np.zeros((64, 64, 3), np.float32)), 4.0, 800
    )
    assert accepted.any() == taken
    assert not accepted[:10].any()


def test_a_region_that_gains_at_its_rim_alone_is_refused():
    """Next to a depth discontinuity, samples mix colours and a right map is expensive: that is no evidence."""
    disparity = np.ones((64, 64), np.float32)
    disparity[REGION] = 0.0
    match = match_of(disparity, REGION, 1.0, 0.1)
    assert judge(disparity, match, likenesses(np.zeros((64, 64, 3), np.float32)), 4.0, 800).any()
    match.cost[15:45, 17:47] = 1.01
    assert match.cost[REGION].mean() < 0.7
    assert not judge(disparity, match, likenesses(np.zeros((64, 64, 3), np.float32)), 4.0, 800).any()


def test_jumps_at_colour_edges_are_free():
    disparity, image = np.ones((64, 64), np.float32), np.zeros((64, 64, 3), np.float32)
    image[REGION] = 80.0
    assert judge(disparity, match_of(disparity, REGION, 0.0, 0.5), likenesses(image), 4.0, 800)[REGION].all()


@pytest.mark.parametrize(
    ("inside", "proposed", "kept"),
    [
        (0.4, -0.6, False),  # away from what the views show
        (0.4, 1.2, False),
        (-0.6, 0.4, True),
        (1.2, 0.4, True),
    ],
)
def test_plain_colours_have_the_last_word_on_a_region(inside, proposed, kept):
    lf = make_lightfield(size=(64, 72), disparity=0.4).with_(range=RANGE)
    region = np.zeros((64, 72), bool)
    region[15:49, 18:54] = True
    with Workers(1) as workers:
        refinement = Refinement(lf, RANGE, BEST, workers)
        refinement.disparity = np.where(region, inside, 0.4).astype(np.float32)
        matched = np.full((64, 72), proposed, np.float32)
        found = confirmed(refinement, closing(BEST, RANGE), few_rays(refinement), matched, region)
    np.testing.assert_array_equal(found, region & kept)


@pytest.mark.parametrize("measured", [True, False])
def test_noise_does_not_let_a_wrong_region_pass(measured, monkeypatch):
    """Where noise is most of the cost, a wrong disparity raises the cost by less than gloss may, 1.3."""
    random = np.random.default_rng(4)
    texture = random.normal(120, 3, (64, 72, 3))
    views = (texture + random.normal(0, 5, (5, 5, *texture.shape))).clip(0, 255).astype(np.uint8)
    lf = LightField(views, range=RANGE)
    region = np.zeros((64, 72), bool)
    region[15:49, 18:54] = True
    if not measured:
        monkeypatch.setattr(regions, "local_noise", lambda *_: np.zeros((64, 72), np.float32))
    with Workers(1) as workers:
        refinement = Refinement(lf, RANGE, BEST, workers)
        refinement.disparity = np.zeros((64, 72), np.float32)
        nearer = np.ones((64, 72), np.float32)
        found = confirmed(refinement, closing(BEST, RANGE), few_rays(refinement), nearer, region)
    np.testing.assert_array_equal(found, region & (not measured))


@pytest.mark.parametrize(("noise", "kept"), [(5.0, True), (7.0, False)])
def test_a_region_is_confirmed_by_what_noise_cannot_explain(noise, kept):
    """A rise of 0.2 is less than 30 % of the excess of 8 over 7, but interpolated noise of 7 may cost 7.6."""
    region = np.ones((6, 7), bool)
    before, after, mean = (np.full((6, 7), value, np.float32) for value in (8.0, 8.2, noise))
    np.testing.assert_array_equal(supported(Change(region, before, before, after, mean), 0.3), region & kept)


@pytest.mark.parametrize(
    ("support", "gain", "kept"),
    [(1.4, 1.0, False), (2.0, 1.0, True), (2.0, 2.5, False)],
    ids=["weak", "strong", "coarse samples"],
)
def test_a_match_needs_more_support_than_contradiction(support, gain, kept, monkeypatch):
    """Unfiltered colours prefer the map by 60 %; of its cost, rounding explains 28 %, or 70 % after a stretch."""
    lf = make_lightfield(size=(64, 72), disparity=0.4).with_(range=RANGE)
    region = np.zeros((64, 72), bool)
    region[15:49, 18:54] = True
    monkeypatch.setattr(regions, "map_costs", lambda *given, wanted: np.where(given[-1] > 0.5, 1.6, 1.0))
    monkeypatch.setattr(regions, "local_noise", lambda *_: np.zeros((64, 72), np.float32))
    one = np.ones((64, 72), np.float32)
    with Workers(1) as workers:
        refinement = Refinement(lf, RANGE, BEST, workers, tones=Tones(0.0, gain))
        refinement.disparity = np.float32(0.4) * one
        match = Match(np.float32(0.8) * one, one, np.float32(support) * one)
        found = confirmed_match(refinement, closing(BEST, RANGE), refinement.rays, match, region, 0.05)
    np.testing.assert_array_equal(found, region & kept)


def test_rounding_of_a_match_costs_nothing():
    """A match that is 0.1 px off has the cost of the right disparity, if it may be off that much."""
    moved = np.zeros((30, 30), bool)
    moved[5:25, 5:25] = True
    disparity = np.where(moved, 0.5, 0.0).astype(np.float32)

    def cost(values):
        return np.where(moved, np.abs(values - 0.6), np.nan).astype(np.float32)

    found = without_rounding(cost, disparity, moved, 0.1, RANGE)
    np.testing.assert_allclose(found[moved], 0.0, atol=1e-6)
    assert np.isnan(found[~moved]).all()
    np.testing.assert_allclose(without_rounding(cost, disparity, moved, 0.0, RANGE)[moved], 0.1, rtol=1e-5)


def test_thin_things_do_not_count():
    mask = np.zeros((20, 20), bool)
    mask[3:5, 2:18], mask[8:14, 4:12] = True, True
    assert not opened(mask)[:8].any()
    assert opened(mask)[9:13, 4:12].all()
    labels = mask.astype(np.int32)
    assert core(labels, 2).sum() == 2 * 4
    assert core(labels, 3).sum() == 0


def test_a_mean_of_equal_values_is_that_value():
    np.testing.assert_allclose(blurred(np.full((9, 11), 3.0, np.float32), 2.0, 6), 3.0, rtol=1e-6)


def window_scene() -> tuple[LightField, np.ndarray]:
    """A far wall seen through a window in a near one, of other colour, both of whole disparities."""
    random = np.random.default_rng(3)
    far = random.integers(20, 90, (128, 128, 3), np.uint8)
    near = random.integers(150, 235, (128, 128, 3), np.uint8)
    views = np.empty((5, 5, 80, 84, 3), np.uint8)
    for row, column in np.ndindex(5, 5):
        y, x = row - 2, column - 2
        views[row, column] = near[10 + y : 90 + y, 10 + x : 94 + x]
        window = np.s_[20 - y : 60 - y, 22 - x : 62 - x]
        views[row, column][window] = far[10:90, 10:94][window]
    true = np.full((80, 84), 1.0, np.float32)
    true[20:60, 22:62] = 0.0
    return LightField(views, range=DisparityRange(-0.5, 1.5)), true


def test_a_true_gap_stays_open():
    lf, true = window_scene()
    assert repaired(lf, true).tobytes() == true.tobytes()


def test_a_gap_that_was_closed_is_opened():
    lf, true = window_scene()
    closed = np.ones_like(true)
    assert np.mean(np.abs(repaired(lf, closed) - true) > 0.1) < 0.05
