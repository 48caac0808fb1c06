"""Noise measured from the views, and colours that it affects less."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import DisparityRange, LightField, preset
from ioadr._jit import Workers
from ioadr.solver.noise import ORDINARY, SPACING, calm_colours, local_noise
from ioadr.solver.refine import Refinement
from ioadr.solver.schedule import closing

SIZE, RANGE = 96, DisparityRange(-1.0, 1.0)


def textured(deviation: float | NDArray[np.float64], grid: int = 5) -> LightField:
    """A textured plane of disparity 0, with noise."""
    random = np.random.default_rng(2)
    texture = random.uniform(60, 190, (SIZE, SIZE, 3))
    views = texture + deviation * random.standard_normal((grid, grid, SIZE, SIZE, 3))
    return LightField(np.clip(views, 0, 255).astype(np.float32), white=255.0, range=RANGE)


def refined(lf: LightField, workers: Workers, disparity: float = 0.0) -> Refinement:
    refinement = Refinement(lf, RANGE, preset("best"), workers)
    refinement.disparity = np.full((SIZE, SIZE), disparity, np.float32)
    return refinement


@pytest.mark.parametrize("deviation", [0.0, 2.0, 8.0])
def test_noise_is_the_mean_cost_of_a_right_map(deviation):
    """The mean absolute difference of two normal samples is 2/√π of their deviation; the ordinary is left out."""
    with Workers(1) as workers:
        noise = local_noise(refined(textured(deviation), workers), closing(preset("best"), RANGE))
    assert noise.shape == (SIZE, SIZE)
    expected = np.sqrt(max(4 / np.pi * deviation**2 - ORDINARY**2, 0.0))
    np.testing.assert_allclose(noise, expected, rtol=0.2, atol=0.05)


def test_noise_is_local():
    rising = np.linspace(0, 12, SIZE)[:, None]
    with Workers(1) as workers:
        noise = local_noise(refined(textured(rising), workers), closing(preset("best"), RANGE))
    assert noise[:, :8].mean() < 0.4 * noise[:, -8:].mean()


def test_mismatch_is_no_noise():
    """Half of the map is wrong and costs several times the noise; the pixels that match are measured."""
    with Workers(1) as workers:
        refinement, last = refined(textured(6.0), workers), closing(preset("best"), RANGE)
        right = local_noise(refinement, last)
        wrong = refinement.disparity
        wrong[:, :: 2 * SPACING] = 0.7
        refinement.disparity = wrong
        inner = np.s_[:, 32:-32]
        np.testing.assert_allclose(local_noise(refinement, last)[inner], right[inner], rtol=0.3)


def test_calm_colours_have_less_noise():
    deviation = 6.0
    lf, clean = textured(deviation), textured(0.0)
    with Workers(1) as workers:
        refinement = refined(lf, workers)
        noise = local_noise(refinement, closing(preset("best"), RANGE))
        calm = calm_colours(refinement, noise, 8.0)
    error = calm - clean.views[2, 2]
    assert error.std() < 1.1 * deviation / 3
    assert np.abs(lf.views[2, 2] - clean.views[2, 2]).std() > 0.5 * deviation


def test_other_surfaces_do_not_colour():
    """Away from the right disparity nearly all samples are of other colours; the reference view remains."""
    lf = textured(0.0)
    with Workers(1) as workers:
        refinement = refined(lf, workers, disparity=1.0)
        calm = calm_colours(refinement, np.zeros((SIZE, SIZE), np.float32), 8.0)
    assert np.abs(calm - lf.views[2, 2]).max() < 8.3


def test_threads_make_no_difference():
    lf = textured(3.0)
    found = []
    for threads in (1, 3):
        with Workers(threads) as workers:
            refinement = refined(lf, workers)
            noise = local_noise(refinement, closing(preset("best"), RANGE))
            found.append((noise, calm_colours(refinement, noise, 8.0)))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
