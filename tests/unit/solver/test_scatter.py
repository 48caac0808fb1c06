"""What targets scatter by, and that surfaces are fitted accordingly."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import preset
from ioadr._jit import Workers
from ioadr.parameters import Finish
from ioadr.solver.finish import fit
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


@pytest.mark.parametrize("share", [0.3, 1.0, 2.0])
def test_scatter_is_measured_as_a_share_of_the_deviation(share):
    assert local_scatter(*targets(share), AWAY, FINEST, FURTHEST) == pytest.approx(share, rel=0.05)


def test_slow_errors_are_the_maps():
    moved, precision = targets(0.5)
    wave = 0.03 * np.sin(np.arange(SIZE[1]) / 15.0)
    assert local_scatter(moved + wave.astype(np.float32), precision, AWAY, FINEST, FURTHEST) < 0.6


def test_jumps_and_vague_targets_do_not_tell():
    moved, precision = targets(0.5)
    away = AWAY.copy()
    away[:, ::3] = False
    moved[:, ::3] = 1.0
    precision[::4], moved[::4] = 1.0, 0.5
    assert local_scatter(moved, precision, away, FINEST, FURTHEST) == pytest.approx(0.5, rel=0.1)
    assert local_scatter(moved, np.ones_like(precision), AWAY, FINEST, FURTHEST) == 0
    assert local_scatter(moved, precision, away & (np.arange(SIZE[1]) < 12), FINEST, FURTHEST) == 0


def test_what_scatters_more_is_fitted_more_widely():
    """With three times the deviation patches agree that did not before; at one pixel as in the map."""
    random = np.random.default_rng(5)
    target = 0.006 * random.standard_normal((72, 80)).astype(np.float32)
    target[33:40, 37:44] += 0.012
    precision, disparity = np.full_like(target, 0.004**-2), np.zeros_like(target)
    term = Finish(finest=0.0)
    with Workers(1) as workers:
        narrow, wide = (fit(disparity, target, precision, term, workers, spread) for spread in (1.0, 3.0))
    assert np.std(wide[8:-8, 8:-8]) < 0.75 * np.std(narrow[8:-8, 8:-8])
    told = fit_at(36, 40, disparity, target, precision, term, 3.0)
    assert told.disparity == pytest.approx(float(wide[36, 40]), abs=1e-5)


def test_the_default_leaves_ordinary_scatter_alone():
    assert preset("best").finish.scatter == 0.54
