"""What the surfaces of neighbours say: the mean of those that agree, nothing across a jump."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr.solver.local_fit import UNIT
from ioadr.solver.shared_surfaces import pixels_around, share_surfaces

SIZE = 24, 30
GATE = np.float32(1 / 0.02**2)


def shared(surfaces: np.ndarray, radius: int = 8) -> np.ndarray:
    found = np.empty(surfaces.shape[1:], np.float32)
    share_surfaces(0, len(found), surfaces, pixels_around(radius), GATE, found)
    return found


def planes(slope: tuple[float, float] = (0.01, -0.02)) -> tuple[np.ndarray, np.ndarray]:
    """One plane, as every pixel sees it, and its values."""
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]]
    values = 0.3 + slope[0] * rows + slope[1] * columns
    surfaces = np.zeros((7, *SIZE), np.float32)
    surfaces[0], surfaces[1], surfaces[2], surfaces[6] = values, slope[1] * UNIT, slope[0] * UNIT, 1e6
    return surfaces, values


def test_a_plane_stays():
    surfaces, values = planes()
    np.testing.assert_allclose(shared(surfaces), values, atol=1e-6)


def test_a_quadric_stays():
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]] / UNIT
    surfaces = np.zeros((7, *SIZE), np.float32)
    surfaces[0] = 0.02 * rows**2 - 0.03 * rows * columns + 0.01 * columns**2
    surfaces[1], surfaces[2] = 0.02 * columns - 0.03 * rows, 0.04 * rows - 0.03 * columns
    surfaces[3], surfaces[4], surfaces[5], surfaces[6] = 0.01, -0.03, 0.02, 1e6
    np.testing.assert_allclose(shared(surfaces), surfaces[0], atol=2e-6)


def test_guesses_of_one_surface_are_averaged():
    surfaces, values = planes()
    surfaces[0] += np.random.default_rng(2).normal(0, 0.002, SIZE)
    before, after = (np.std(found - values) for found in (surfaces[0], shared(surfaces)))
    assert after < before / 4


def test_surfaces_across_a_jump_do_not_count():
    surfaces, values = planes((0.0, 0.0))
    surfaces[0, :, 15:] += 0.03
    np.testing.assert_allclose(shared(surfaces)[:, :15], values[:, :15], atol=1e-6)
    np.testing.assert_allclose(shared(surfaces)[:, 15:], values[:, 15:] + 0.03, atol=1e-6)


def test_unknown_surfaces_do_not_count_and_stay_where_nobody_knows():
    surfaces, values = planes()
    surfaces[0, 5, 6], surfaces[6, 5, 6] = values[5, 6] + 0.01, 0
    assert shared(surfaces)[5, 6] == pytest.approx(values[5, 6], abs=1e-6)
    surfaces[6] = 0
    np.testing.assert_array_equal(shared(surfaces), surfaces[0])


def test_alone_every_pixel_keeps_its_own():
    surfaces, _ = planes()
    surfaces[0] += np.random.default_rng(2).normal(0, 0.002, SIZE)
    np.testing.assert_array_equal(shared(surfaces, 0), surfaces[0])
