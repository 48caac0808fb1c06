"""Cost curves on a lattice, and the mark of two minima: repetition and mirrors get it, plain surfaces do not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import DisparityRange, LightField
from ioadr._jit import Workers
from ioadr.presets import preset
from ioadr.solver import cost_curves
from ioadr.solver.cost_curves import Curves, lattice, lattice_curves, spread
from ioadr.solver.evidence import reasons_to_doubt
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing

SIZE, GRID = 48, 7
SHIFT = 8
"""px around a layer, for views to look at."""
INNER = np.s_[8:-8, 8:-8]


def texture(seed: int, period: int | None = None) -> NDArray[np.float32]:
    """Random grey levels of 2×2 px, or of single px that come back along rows after a period."""
    random = np.random.default_rng(seed)
    side = SIZE + 6 * SHIFT
    if period is not None:
        columns = random.uniform(30, 220, (side, period, 3)).astype(np.float32)
        return np.tile(columns, (1, side // period + 1, 1))[:, :side]
    return random.uniform(30, 220, (side // 2, side // 2, 3)).repeat(2, 0).repeat(2, 1).astype(np.float32)


def seen(layer: NDArray[np.float32], disparity: int) -> NDArray[np.float32]:
    """Views of a flat layer of whole disparity, float32 [L, K, N, M, 3]."""
    views = np.empty((GRID, GRID, SIZE, SIZE, 3), np.float32)
    for row, column in np.ndindex(GRID, GRID):
        top, left = (3 * SHIFT + disparity * (i - GRID // 2) for i in (row, column))
        views[row, column] = layer[top : top + SIZE, left : left + SIZE]
    return views


def light_field(views: NDArray[np.float32], noise: float = 1.0) -> LightField:
    noisy = views + np.random.default_rng(9).normal(0, noise, views.shape)
    return LightField(np.clip(np.rint(noisy), 0, 255).astype(np.uint8), range=DisparityRange(-2.0, 2.0))


def refinement_of(lf: LightField, disparity: float, workers: Workers) -> Refinement:
    assert lf.range is not None
    refinement = Refinement(lf, lf.range, preset("best"), workers)
    refinement.disparity = np.full((SIZE, SIZE), disparity, np.float32)
    return refinement


def marked(lf: LightField, disparity: float) -> float:
    """Share of the inner pixels with the mark, of a flat map."""
    assert lf.range is not None
    last = closing(preset("best"), lf.range)
    with Workers(1) as workers:
        refinement = refinement_of(lf, disparity, workers)
        costs, visible = refinement.final_costs(last)
        return float(reasons_to_doubt(refinement, last, costs["data"], visible)[1][INNER].mean())


@pytest.fixture(scope="module")
def plain() -> NDArray[np.float32]:
    return seen(texture(1), 1)


def test_a_plain_surface_has_one_minimum(plain):
    assert marked(light_field(plain), 1) == 0


@pytest.mark.parametrize("noise", [1.0, 4.0])
def test_repeated_texture_has_two_minima(noise):
    """A pattern that comes back after 3 px along rows looks the same 3 px of disparity nearer, in views of one row."""
    repeated = light_field(seen(texture(2, period=3), -1)[GRID // 2 : GRID // 2 + 1], noise)
    assert marked(repeated, -1) > 0.9
    assert marked(repeated, 2) > 0.9


@pytest.mark.parametrize("own", [1, -1])
def test_a_surface_and_its_mirror_image_of_equal_strength_are_two_minima(plain, own):
    mirror = light_field(0.5 * plain + 0.5 * seen(texture(3), -1))
    assert marked(mirror, own) > 0.9


def test_a_faint_mirror_image_is_no_second_minimum(plain):
    assert marked(light_field(0.85 * plain + 0.15 * seen(texture(3), -1)), 1) < 0.05


def test_a_surface_without_texture_has_no_second_minimum():
    """Its curve is flat: there is no ridge between one disparity and the next."""
    assert marked(light_field(np.full((GRID, GRID, SIZE, SIZE, 3), 120, np.float32)), 0) == 0


@pytest.mark.parametrize("edge", [0.0, 0.14, 0.16, 0.5])
def test_nearly_equal_ends_at_its_margin(edge):
    """Beyond a ridge the curve falls to `edge` above the minimum in its middle."""
    curve = np.array([3, 2, 1, 0.5, 0, 0.5, 1, edge, 1], np.float32)[:, None, None]
    assert cost_curves._two_minima(curve, 4).item() == (edge < cost_curves.EQUAL)
    assert cost_curves._two_minima(curve[::-1], 4).item() == (edge < cost_curves.EQUAL)


@pytest.mark.parametrize(("ridge", "two"), [(0.2, False), (0.29, False), (0.45, True)])
def test_without_a_ridge_it_is_the_same_minimum(ridge, two):
    curve = np.array([3, 2, 1, 0.5, 0, ridge, 0.1, 0.5, 1], np.float32)[:, None, None]
    assert cost_curves._two_minima(curve, 4).item() == two


def curves_of(lf: LightField, disparity: float) -> Curves:
    assert lf.range is not None
    with Workers(1) as workers:
        refinement = refinement_of(lf, disparity, workers)
        step = closing(preset("best"), lf.range)
        costs, _ = refinement.final_costs(step)
        return lattice_curves(refinement, refinement.model(step), refinement.disparity, costs["data"])


def test_of_the_truth_no_other_disparity_is_as_cheap(plain):
    curves = curves_of(light_field(plain), 1)
    inner = np.s_[2:-2, 2:-2]
    assert curves.rival.shape == (len(lattice(SIZE)),) * 2
    assert curves.rival[inner].min() > 1
    assert curves.region_rival[inner].min() > 1
    assert curves.beyond[inner].min() > 1
    assert curves.sides[inner].min() > 0.3
    assert curves.unexplained[inner].max() < 0.2


def test_a_wrong_disparity_has_a_cheaper_rival_inside_the_range(plain):
    curves = curves_of(light_field(plain), -1)
    inner = np.s_[2:-2, 2:-2]
    assert curves.rival[inner].max() < -0.5
    assert curves.region_rival[inner].max() < -0.5
    assert curves.unexplained[inner].min() > 0.8


def test_a_truth_beyond_the_range_is_cheaper_there(plain):
    lf = light_field(plain)
    narrow = LightField(lf.views, range=DisparityRange(-0.3, 0.3))
    inner = np.s_[2:-2, 2:-2]
    assert curves_of(narrow, 0.3).beyond[inner].max() < -0.5


def test_curves_do_not_depend_on_the_number_of_threads(plain):
    lf = light_field(plain)
    assert lf.range is not None
    step = closing(preset("best"), lf.range)
    found = []
    for count in (1, 3):
        with Workers(count) as workers:
            refinement = refinement_of(lf, 1, workers)
            costs, _ = refinement.final_costs(step)
            found.append(lattice_curves(refinement, refinement.model(step), refinement.disparity, costs["data"]))
    for one, three in zip(*found, strict=True):
        np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize("shape", [(1, 1), (2, 9), (13, 40), (48, 48)])
def test_spreading_keeps_planes(shape):
    """Values of a plane at the lattice's pixels give the plane back between them, and the nearest value outside."""
    rows, columns = (lattice(size) for size in shape)
    found = spread((2.0 * rows[:, None] + columns).astype(np.float32), shape)
    n, m = (np.clip(np.arange(size), known[0], known[-1]) for size, known in zip(shape, (rows, columns), strict=True))
    np.testing.assert_allclose(found, 2.0 * n[:, None] + m, rtol=1e-6)
