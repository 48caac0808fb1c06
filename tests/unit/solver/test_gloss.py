"""High-pass data: they take the place of plain ones under gloss, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import DisparityRange, LightField
from ioadr._jit import Workers
from ioadr.presets import preset
from ioadr.solver.finish import Finisher, beside_jumps, by_sixteen, disparity_of
from ioadr.solver.gloss import (
    FREELY,
    OWN_ERROR,
    SUSPICION,
    WHITE,
    Wish,
    blended,
    excess_of_plain,
    smooth,
    trust_in_plain,
    within_deviation,
)
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing
from tests.builders import make_views

SIZE = (56, 60)
INNER = np.s_[10:-10, 10:-10]
TRUE = 0.3
"""px."""


def plane(noise: float, gloss: float = 0.0, contrast: float = 0.3) -> LightField:
    """A textured plane with noise and with a smooth reflection of something further away, both in grey levels."""
    views = 255 * make_views((5, 5), SIZE, dtype="float32", disparity=TRUE, seed=3).astype(np.float64)
    views = 128 + contrast * (views - 128)
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]]
    for row, column in np.ndindex(5, 5):
        y, x = rows - 1.0 * (row - 2), columns - 1.0 * (column - 2)
        views[row, column] += (gloss * np.sin(y / 6) * np.sin(x / 6))[..., None]
    views += np.random.default_rng(1).normal(0, noise, views.shape)
    return LightField((np.clip(views, 0, 255) / 255).astype(np.float32), range=DisparityRange(-1.0, 1.5))


def wishes(lf: LightField) -> tuple[Wish, Wish, NDArray[np.float32]]:
    """Of plain and of high-pass data around the truth, and the trust in the plain ones."""
    parameters = preset("best")
    assert lf.range is not None
    with Workers(1) as workers:
        refinement = Refinement(lf, lf.range, parameters, workers)
        refinement.disparity = np.full(SIZE, TRUE, np.float32)
        finisher = Finisher(refinement, closing(parameters, lf.range))
        plain = finisher.linearised(refinement.disparity, finisher.views.soft(), 0, 0.5, 0.2)
        high = finisher.linearised(refinement.disparity, finisher.views.high(), 0, 0.5, 0.2)
        error = disparity_of(OWN_ERROR, refinement.rays)
    return plain, high, trust_in_plain(plain, high, excess_of_plain(plain, high), error)


@pytest.mark.parametrize("noise", [0.3, 1.0, 3.0])
def test_white_noise_is_no_gloss(noise):
    plain, high, trust = wishes(plane(noise))
    assert np.median(plain.residual[INNER]) / np.median(high.residual[INNER]) == pytest.approx(WHITE, rel=0.15)
    assert trust[INNER].mean() > 0.97


def test_gloss_is_found_and_does_not_pull():
    plain, high, trust = wishes(plane(0.5, gloss=12.0))
    target, precision = blended(plain, high, trust)

    def astray(values: NDArray[np.float32], weights: NDArray[np.float32]) -> float:
        """Root mean square of regional errors: what a surface fitted to the targets would follow."""
        error = smooth(weights * (values - np.float32(TRUE))) / smooth(weights)
        return float(np.sqrt(np.mean(error[INNER] ** 2)))

    assert trust[INNER].mean() < 0.3
    assert astray(target, precision) < 0.4 * astray(plain.target, plain.precision)


def test_full_trust_leaves_plain_data_as_they_are():
    generator = np.random.default_rng(0)
    plain, high = (Wish(*generator.uniform(1, 2, (3, 8, 9)).astype(np.float32)) for _ in range(2))
    for trust, expected in ((1, plain), (0, high)):
        target, precision = blended(plain, high, np.full((8, 9), trust, np.float32))
        np.testing.assert_allclose(target, expected.target, rtol=1e-6)
        np.testing.assert_array_equal(precision, expected.precision)


def test_without_any_data_the_map_stays():
    nothing = Wish(np.full((4, 5), 0.2, np.float32), np.zeros((4, 5), np.float32), np.zeros((4, 5), np.float32))
    trust = trust_in_plain(nothing, nothing, excess_of_plain(nothing, nothing), 0.008)
    target, precision = blended(nothing, nothing, trust)
    assert (trust == 1).all()
    assert np.array_equal(target, nothing.target)
    assert not precision.any()


@pytest.mark.parametrize(
    ("deviation", "excess", "limit"),
    [
        (0.01, 1.0, 0.02),  # precise: as far as any target
        (0.05, 1.0, 0.05),  # its own deviation
        (9.0, 1.0, FREELY * 0.02),
        (9.0, SUSPICION, 0.02),  # gloss is suspected
        (9.0, (1 + SUSPICION) / 2, (FREELY + 1) / 2 * 0.02),
    ],
)
def test_targets_without_texture_may_move_by_their_deviation(deviation, excess, limit):
    here, numbers = np.full((3, 4), 0.5, np.float32), np.full((3, 4), excess, np.float32)
    for side in (-1.0, 1.0):
        wish = Wish(here + np.float32(side), np.full_like(here, deviation**-2), np.zeros_like(here))
        moved = within_deviation(wish, here, 0.02, numbers).target - here
        np.testing.assert_allclose(moved, side * limit, rtol=1e-4)


@pytest.mark.parametrize("gloss", [0.0, 12.0])
def test_a_plain_surface_that_is_off_moves_unless_it_is_glossy(gloss):
    """A map 0.06 px too near: targets of plain data may move by 0.02 px, or farther without texture and gloss."""
    lf, parameters = plane(0.1, gloss, contrast=0.05), preset("best")
    assert lf.range is not None
    with Workers(1) as workers:
        refinement = Refinement(lf, lf.range, parameters, workers)
        before = refinement.disparity = np.full(SIZE, TRUE + 0.06, np.float32)
        target, precision = Finisher(refinement, closing(parameters, lf.range)).wanted(before, 0.02)
    moved = smooth(precision * (before - target)) / smooth(precision)
    assert (np.median(moved[INNER]) > 0.03) == (not gloss)


def test_smoothing_keeps_constants_and_sums():
    assert smooth(np.full((20, 7), 3.0, np.float32)) == pytest.approx(3.0)
    spot = np.zeros((41, 43), np.float32)
    spot[20, 21] = 1
    found = smooth(spot)
    assert found.sum() == pytest.approx(1, rel=1e-5)
    assert found.argmax() == spot.argmax()
    assert np.allclose(found, found[::-1, ::-1])


def test_three_pixels_beside_a_jump_are_told():
    step = np.zeros((9, 20), np.float32)
    step[:, 10:] = 1
    assert np.flatnonzero(beside_jumps(step, 0.5)[4]).tolist() == list(range(7, 13))


def test_a_further_pass_looks_where_the_first_saw_gloss():
    """There it finds what it finds without a first pass; elsewhere it keeps what that found."""
    lf, parameters = plane(0.5, gloss=12.0), preset("best")
    assert lf.range is not None
    with Workers(1) as workers:
        refinement = Refinement(lf, lf.range, parameters, workers)
        finisher = Finisher(refinement, closing(parameters, lf.range))
        first, second = np.full(SIZE, TRUE, np.float32), np.full(SIZE, TRUE + 0.01, np.float32)
        wanted = by_sixteen(np.arange(SIZE[1]) < 20 + np.zeros((SIZE[0], 1)))
        known = finisher.linearised(first, finisher.views.high(), 0, 0.5, 0.2)
        alone = finisher.linearised(second, finisher.views.high(), 0, 0.5, 0.2)
        mixed = finisher.linearised(second, finisher.views.high(), 0, 0.5, 0.2, wanted, known)
        finisher.wanted(first, 0.05)
        assert finisher.glossy is not None
        assert finisher.glossy.any()
    for now, before, other in zip(mixed, known, alone, strict=True):
        np.testing.assert_array_equal(now[:, :32], other[:, :32])
        np.testing.assert_array_equal(now[:, 32:], before[:, 32:])


def test_sixteen_pixels_are_marked_by_any_of_them():
    mask = np.zeros((2, 35), bool)
    mask[0, 16], mask[1, 34] = True, True
    assert by_sixteen(mask).tolist() == [[False, True, False], [False, False, True]]
