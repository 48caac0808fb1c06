"""Torn plain surfaces that become planes."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest

from ioadr import DisparityRange, LightField, preset
from ioadr._jit import Workers
from ioadr.solver import regions, slanted
from ioadr.solver.jumps import jumps_at, jumps_within, likenesses, rim_pairs, rim_scores
from ioadr.solver.refine import Refinement
from ioadr.solver.regions import ROUNDS, repair_regions
from ioadr.solver.schedule import closing
from ioadr.solver.slanted import torn_areas

BEST = preset("best")
RANGE = DisparityRange(-1.0, 1.5)
SIZE = 96, 104
FLOOR = np.s_[32:88, 16:88]


def slope() -> np.ndarray:
    """A plane that rises by .015 px per row."""
    return np.repeat(np.float32(0.015) * (np.arange(SIZE[0], dtype=np.float32)[:, None] - 48), SIZE[1], axis=1)


def plain_floor(contrast: float = 3.0, noise: float = 1.0) -> LightField:
    """A slanted plane of so little texture that single pixels see noise only."""
    random = np.random.default_rng(5)
    texture = random.normal(0, contrast, (160, 170))
    texture = np.sum([np.roll(texture, shift, (0, 1)) for shift in np.ndindex(3, 3)], axis=0) / 3
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]].astype(float)
    views = np.empty((5, 5, *SIZE, 3))
    for row, column in np.ndindex(5, 5):
        down, right = row - 2, column - 2
        y = (rows - 0.015 * 48 * down) / (1 - 0.015 * down)  # the row of the reference view that is seen here
        views[row, column] = sampled(texture, y + 30, columns + 0.015 * (y - 48) * right + 30)[..., None]
    noisy = 120 + views + random.normal(0, noise, views.shape)
    return LightField(np.clip(noisy, 0, 255).astype(np.uint8), range=RANGE)


def sampled(texture: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    top, left = np.floor(y).astype(int), np.floor(x).astype(int)
    down, right = y - top, x - left
    above = texture[top, left] * (1 - right) + texture[top, left + 1] * right
    below = texture[top + 1, left] * (1 - right) + texture[top + 1, left + 1] * right
    return above * (1 - down) + below * down


def torn(disparity: np.ndarray) -> np.ndarray:
    """Blocks of 8×8 px at random depths."""
    random = np.random.default_rng(7)
    blocks = np.kron(random.uniform(-0.5, 0.5, (7, 9)), np.ones((8, 8)))
    found = disparity.copy()
    found[FLOOR] += blocks.astype(np.float32)
    return found


def repaired(lf: LightField, disparity: np.ndarray, **changes: int) -> np.ndarray:
    parameters = BEST.replace({f"finish.{name}": value for name, value in changes.items()})
    with Workers(1) as workers:
        refinement = Refinement(lf, RANGE, parameters, workers)
        refinement.disparity = disparity
        repair_regions(refinement, closing(parameters, RANGE), 6)
        return refinement.disparity


def test_a_torn_plain_surface_becomes_a_plane():
    lf, true = plain_floor(), slope()
    before = torn(true)
    after = repaired(lf, before)
    wrong = [np.abs(values - true)[FLOOR].mean() for values in (before, after)]
    assert wrong[0] > 0.2
    assert wrong[1] < 0.03
    outside = np.ones(SIZE, bool)
    outside[FLOOR] = False
    np.testing.assert_array_equal(after[outside], before[outside])


def test_without_planes_it_stays_torn():
    before = torn(slope())
    np.testing.assert_array_equal(repaired(plain_floor(), before, planes=0), before)


@pytest.mark.parametrize(
    ("apart", "cost", "kept"),
    [(0.5, 2.0, True), (0.0, 2.0, True), (0.5, 0.95, True), (0.0, 0.95, False)],
    ids=["torn", "calm", "torn, cheaper than the plane", "calm, cheaper than the plane"],
)
def test_a_plane_may_cost_more_only_where_the_map_is_torn(apart, cost, kept):
    """Patches of two depths, px of shift in the outermost view, around another plane that costs 1."""
    shape, reach = (48, 52), 4.0
    level, flat = np.zeros(shape, np.float32), np.ones(shape, np.float32)
    patches = np.kron(np.indices((9, 9)).sum(axis=0) % 2 - 0.5, np.ones((4, 4)))
    broken = level.copy()
    broken[6:42, 8:44] = (2 * apart * patches + 1.0) / reach
    like = [np.ones((47, 52), np.float32), np.ones((48, 51), np.float32)]
    with Workers(1) as workers:
        scene = slanted.Scene(Mock(), np.zeros(shape, np.uint32), like, flat > 0, reach, 400, 25, workers)
        found = slanted.judged(scene, slanted.Surface(broken, np.float32(cost) * flat), slanted.Surface(level, flat))
    assert found.accepted.any() == kept
    assert (found.gain > 0) == kept


def test_a_right_map_stays_to_the_byte():
    right = slope()
    assert repaired(plain_floor(), right).tobytes() == right.tobytes()


@pytest.mark.parametrize(("taken", "searches"), [(True, ROUNDS), (False, 1)])
def test_torn_areas_are_searched_again_while_planes_are_taken(monkeypatch, taken, searches):
    take = Mock(return_value=taken)
    monkeypatch.setattr(regions, "take_planes", take)
    before = torn(slope())
    np.testing.assert_array_equal(repaired(plain_floor(), before), before)
    assert [len(call.args[-1]) for call in take.call_args_list] == [1] * searches


@pytest.mark.parametrize("kept", [True, False])
def test_a_plane_is_fitted_again_to_the_region_that_it_gets(monkeypatch, kept):
    labels, first = np.zeros((8, 12), np.int32), np.zeros((8, 12), bool)
    labels[:, 6:], first[2:5, 1:4] = 1, True
    if kept:
        labels[1:5, 1:4] = 2
    monkeypatch.setattr(slanted, "regions_of", lambda *_: (labels, np.bincount(labels.ravel())))
    fitted = Mock(return_value=(np.zeros(3, np.float32), np.zeros(2, np.float32)))
    monkeypatch.setattr(slanted, "fitted", fitted)
    slanted.joined(Mock(), Mock(), first, np.ones(3, np.float32), np.ones(2, np.float32))
    used = [call.args[2] for call in fitted.call_args_list]
    assert len(used) == 2
    np.testing.assert_array_equal(used[0], first)
    np.testing.assert_array_equal(used[1], labels == 2 if kept else first)


def test_textured_areas_are_not_torn_but_structured():
    areas, image = [], np.zeros((*SIZE, 3), np.float32)
    for plain in (True, False):
        found = torn_areas(torn(slope()), np.full(SIZE, plain), likenesses(image), 2.0, 400)
        areas.append(len(found))
    assert areas == [1, 0]


def test_jumps_at_colour_edges_do_not_tear():
    image = np.zeros((*SIZE, 3), np.float32)
    image[FLOOR] = np.kron(np.indices((7, 9)).sum(axis=0) % 2, np.ones((8, 8)))[..., None] * 90
    assert torn_areas(torn(slope()), np.ones(SIZE, bool), likenesses(image), 2.0, 400) == []


@pytest.mark.parametrize(("step", "size"), [(0.2, 0.0), (0.6, 0.5), (1.0, 1.0), (3.0, 1.0)])
def test_a_jump_counts_by_its_size(step, size):
    disparity = np.zeros((4, 6), np.float32)
    disparity[:, 3:] = step
    like = likenesses(np.zeros((4, 6, 3), np.float32))
    np.testing.assert_allclose(jumps_at(disparity, like, 1.0)[:, 2:4], size, atol=1e-6)
    assert jumps_at(disparity, like, 1.0)[:, [0, 1, 4, 5]].max() == 0
    whole = np.ones((4, 6), np.int32)
    np.testing.assert_allclose(jumps_within(whole, 2, disparity, like, 1.0), [0, 4 * size], atol=1e-6)


def test_pairs_across_a_rim_are_those_that_the_score_counts():
    random = np.random.default_rng(1)
    disparity, region = random.normal(size=(9, 11)).astype(np.float32), np.zeros((9, 11), bool)
    region[2:6, 3:9] = True
    like = likenesses(random.uniform(0, 30, (9, 11, 3)).astype(np.float32))
    pairs = rim_pairs(region, disparity, like, 10.0)
    length, before, _ = rim_scores(region.astype(np.int32), 2, disparity, disparity, like, 1.0)
    assert len(pairs) == length[1] == 20
    inner = disparity[pairs[:, 0].astype(int), pairs[:, 1].astype(int)]
    sizes = np.clip((np.abs(inner - pairs[:, 2]) - 0.2) / 0.8, 0, 1)
    np.testing.assert_allclose((pairs[:, 3] * sizes).sum() / 10, before[1], rtol=1e-5)
