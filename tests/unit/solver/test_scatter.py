"""What targets scatter by, and that surfaces are fitted accordingly."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import preset
from ioadr._jit import Workers
from ioadr.parameters import Finish
from ioadr.solver.finish import fit, limited_precision
from ioadr.solver.patch import fit_at
from ioadr.solver.scatter import local_scatter

SIZE = 96, 128
AWAY = np.ones(SIZE, bool)
FINEST, FURTHEST = 0.006, 0.02


def targets(share: float) -> tuple[np.ndarray, np.ndarray]:
    """Distances of targets from the map that scatter by a share of their deviation, and their precisions."""
    random = np.random.default_rng(4)
    deviation = random.uniform(0.004, 0.016, SIZE)
    moved = share * np.hypot(deviation, FINEST) * random.standard_normal(SIZE)
    return moved.astype(np.float32), (deviation**-2).astype(np.float32)


def scatter(moved: np.ndarray, precision: np.ndarray, away: np.ndarray = AWAY) -> np.ndarray:
    found = local_scatter(moved, precision, away, FINEST, FURTHEST)
    assert found is not None
    return found


@pytest.mark.parametrize("share", [0.3, 0.6, 1.0])
def test_scatter_is_measured_as_a_share_of_the_deviation(share):
    found = scatter(*targets(share))
    assert np.median(found) == pytest.approx(share, rel=0.05)
    np.testing.assert_allclose(found, share, rtol=0.2)


def test_slow_errors_are_the_maps():
    moved, precision = targets(0.5)
    wave = 0.03 * np.sin(np.arange(SIZE[1]) / 15.0)
    assert scatter(moved + wave.astype(np.float32), precision).max() < 0.62


def test_scatter_is_that_of_a_region():
    """Between two halves it changes over the width of a region; each tells mostly of itself."""
    calm, wild = targets(0.3), targets(1.2)
    moved = np.where(np.arange(SIZE[1]) < SIZE[1] // 2, calm[0], wild[0])
    found = scatter(moved, calm[1])
    assert found[:, :16].max() < 0.5
    assert found[:, -16:].min() > 0.9


def test_jumps_and_vague_targets_do_not_tell():
    moved, precision = targets(0.5)
    away = AWAY.copy()
    away[:, ::3] = False
    moved[:, ::3] = 1.0
    precision[::4], moved[::4] = 1.0, 0.5
    np.testing.assert_allclose(scatter(moved, precision, away), 0.5, rtol=0.2)
    assert local_scatter(moved, np.ones_like(precision), AWAY, FINEST, FURTHEST) is None
    assert local_scatter(moved, precision, away & (np.arange(SIZE[1]) < 12), FINEST, FURTHEST) is None


def test_what_scatters_more_is_fitted_more_widely():
    """With three times the deviation patches agree that did not before; at one pixel as in the map."""
    random = np.random.default_rng(5)
    target = 0.006 * random.standard_normal((72, 80)).astype(np.float32)
    target[33:40, 37:44] += 0.012
    precision, disparity = np.full_like(target, 0.004**-2), np.zeros_like(target)
    term, three = Finish(finest=0.0, sharing=0), np.full(target.shape, 3.0, np.float16)
    with Workers(1) as workers:
        narrow, wide = (fit(disparity, target, precision, term, workers, spread) for spread in (None, three))
    assert np.std(wide[8:-8, 8:-8]) < 0.75 * np.std(narrow[8:-8, 8:-8])
    told = fit_at(36, 40, disparity, target, precision, term, three)
    assert told.disparity == pytest.approx(float(wide[36, 40]), abs=1e-5)


def test_without_scatter_deviations_stay_as_they_are():
    precision = np.array([[1.0, 1e4]], np.float32)
    term = preset("best/without-scatter").finish
    assert term.scatter == 0
    np.testing.assert_allclose(
        limited_precision(precision, term, None), 1 / (1 / precision + term.finest**2), rtol=1e-6
    )
    half = np.full(precision.shape, 0.5, np.float16)
    np.testing.assert_allclose(
        limited_precision(precision, term, half), 4 / (1 / precision + term.finest**2), rtol=1e-6
    )
