"""Near and far are distinguished by occlusion, and by nothing else."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ioadr.consistency.matching import Pictures, bilinear
from ioadr.consistency.occlusion import collisions, nearer_hides
from ioadr.consistency.surfaces import JUMP_PRICE, LEAST_PRICE, STEP_PRICE, semiglobal, surfaces_in

OFFSETS = np.array([(0, 0), *((r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0))], np.float64)
SIDE = 96


def texture(seed, side=SIDE + 24):
    """Noise of a few pixels, mean 100."""
    noise = np.random.default_rng(seed).standard_normal((side // 3 + 2, side // 3 + 2)).astype(np.float32)
    rows, columns = (grid.astype(np.float32) / 3 for grid in np.indices((side, side)))
    return 100 + 25 * bilinear(noise, rows, columns)


def seen(layers, offset, noise, random):
    """A view of layers (texture, disparity, mask), the nearest last."""
    rows, columns = (grid.astype(np.float32) + 12 for grid in np.indices((SIDE, SIDE)))
    view = np.zeros((SIDE, SIDE), np.float32)
    for picture, disparity, mask in layers:
        place = rows + np.float32(disparity * offset[0]), columns + np.float32(disparity * offset[1])
        view = np.where(bilinear(mask, *place) > 0.5, bilinear(picture, *place), view)
    return view + noise * random.standard_normal(view.shape).astype(np.float32)


def squares():
    """Nine squares before a wall."""
    mask = np.zeros((SIDE + 24, SIDE + 24), np.float32)
    for row in (25, 53, 81):
        for column in (25, 53, 81):
            mask[row : row + 14, column : column + 14] = 1
    return mask


def pictures(layers, noise=2.0, sign=1.0):
    random = np.random.default_rng(5)
    return Pictures(np.stack([seen(layers, offset, noise, random) for offset in OFFSETS]), sign * OFFSETS)


def test_squares_before_a_wall():
    layers = [(texture(1), -2.0, np.ones((SIDE + 24,) * 2, np.float32)), (texture(2), 2.0, squares())]
    right = nearer_hides(pictures(layers), -2.5, 2.5)
    assert right.holds is True
    backwards = nearer_hides(pictures(layers, sign=-1.0), -2.5, 2.5)
    assert backwards.holds is False


@pytest.mark.parametrize("seed", range(4))
def test_a_slope_hides_nothing(seed):
    """A wall that leans by 3 px over the picture, with texture and noise: no claim."""
    rows = np.linspace(-1.5, 1.5, SIDE + 24, dtype=np.float32)[:, None] * np.ones(SIDE + 24, np.float32)
    picture, random = texture(seed + 10), np.random.default_rng(seed)
    own_rows, own_columns = (grid.astype(np.float32) + 12 for grid in np.indices((SIDE, SIDE)))
    views = []
    for down, right in OFFSETS.astype(np.float32):
        there = own_rows, own_columns
        for _ in range(20):
            disparity = bilinear(rows, *there)
            there = own_rows + disparity * down, own_columns + disparity * right
        views.append(bilinear(picture, *there) + 3 * random.standard_normal((SIDE, SIDE)).astype(np.float32))
    assert nearer_hides(Pictures(np.stack(views), OFFSETS), -2.0, 2.0).holds is None


def test_two_points_meet_in_a_view():
    """A strip 3 px nearer lands on the 3 px beside it."""
    shift = np.zeros((1, 20), np.float32)
    shift[0, 10:13] = 3.0
    pairs = [pair for found in collisions(shift, np.array([0.0, 1.0])) for pair in zip(*found, strict=True)]
    assert pairs == [(7, 10), (8, 11), (9, 12)]


def test_a_map_of_two_layers():
    layers = [(texture(1), -2.0, np.ones((SIDE + 24,) * 2, np.float32)), (texture(2), 2.0, squares())]
    found = surfaces_in(pictures(layers), -2.5, 2.5).shift
    truth = np.where(squares()[12:-12, 12:-12] > 0.5, 2.0, -2.0)
    assert np.mean(np.abs(found - truth) < 0.6) > 0.93


def cheapest_way(costs, guide, end, shift):
    """All ways from the first pixel to `end`, which has this shift."""

    def price(place, step):
        share = max(1 / (1 + (guide[place + 1] - guide[place]) ** 2), LEAST_PRICE)
        return 0.0 if step == 0 else share * (min(STEP_PRICE, JUMP_PRICE) if abs(step) == 1 else JUMP_PRICE)

    ways = itertools.product(range(len(costs)), repeat=end)
    return min(
        sum(costs[s, x] for x, s in enumerate((*way, shift)))
        + sum(price(x, b - a) for x, (a, b) in enumerate(itertools.pairwise((*way, shift))))
        for way in ways
    )


def test_the_cheapest_of_all_ways():
    """A picture of one row: ways from the left and from the right, and the pixel itself twice for its column."""
    random = np.random.default_rng(0)
    costs = random.uniform(0, 10, (3, 4)).astype(np.float32)
    guide = random.uniform(0, 3, 4).astype(np.float32)
    found = semiglobal(costs[:, None], guide[None])[:, 0]
    expected = np.array(
        [
            [
                2 * costs[s, x] + cheapest_way(costs, guide, x, s) + cheapest_way(costs[:, ::-1], guide[::-1], 3 - x, s)
                for x in range(4)
            ]
            for s in range(3)
        ]
    )
    np.testing.assert_allclose(found - found.min(axis=0), expected - expected.min(axis=0), atol=1e-4)
