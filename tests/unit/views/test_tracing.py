"""Outlines from contours are exact where they are straight, and better than noisy shares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ioadr import LightField, estimate
from ioadr._jit import Workers
from ioadr.estimation import chosen_parameters
from ioadr.lightfield import DisparityRange
from ioadr.views.edges import edge_at
from ioadr.views.outlines import with_traced_outlines
from ioadr.views.tracing import share_inside

LINK, NEAR, FAR = 0.2, 1.0, -0.5
ROWS, COLUMNS = np.mgrid[:36, :40].astype(float)


@pytest.mark.parametrize("angle", np.linspace(0.0, 6.0, 13))
def test_shares_inside_a_straight_edge_give_its_place(angle):
    down, right = np.sin(angle), np.cos(angle)
    for place in (-0.4, -0.1, 0.0, 0.3):
        grid = np.mgrid[-1:2, -1:2]
        inside = place + down * grid[0] + right * grid[1]
        shares = np.array([share_inside(value, down, right) for value in inside.ravel()]).reshape(3, 3)
        disparity = np.where(shares >= 0.5, NEAR, FAR).astype(np.float32)
        coverage = np.where(shares >= 0.5, shares, 1 - shares)
        found = edge_at(disparity, coverage, 1.0, 1.0, NEAR, LINK)[0]
        assert found == pytest.approx(place, abs=0.02)


def share(offset):
    """Share of each pixel of the view at `offset` that a near surface with a slanted edge covers."""
    inside = 18.3 - (COLUMNS + NEAR * offset[1]) - 0.3 * (ROWS + NEAR * offset[0] - 18)
    return np.clip(0.5 + inside / np.hypot(1.0, 0.3), 0.0, 1.0)


def picture(offset):
    """A near surface that darkens towards its edge, before a wall."""
    near_row, near_column = ROWS + NEAR * offset[0], COLUMNS + NEAR * offset[1]
    far_row, far_column = ROWS + FAR * offset[0], COLUMNS + FAR * offset[1]
    near = 0.6 - 0.015 * near_column + 0.1 * np.sin(1.1 * near_row) * np.cos(0.7 * near_column)
    far = 0.4 + 0.2 * np.sin(0.9 * far_row + 0.4 * far_column) + 0.1 * np.cos(1.3 * far_column)
    light = share(offset) * near + (1 - share(offset)) * far
    return np.repeat((255 * light ** (1 / 2.2))[..., None], 3, axis=2)


@pytest.fixture(scope="module")
def noisy():
    """A light field, an estimate with its true map and noisy coverage, and the true coverage."""
    views = np.array([[picture((row - 2.0, column - 2.0)) for column in range(5)] for row in range(5)])
    lightfield = LightField(np.rint(views).astype(np.uint8), range=DisparityRange(FAR - 0.2, NEAR + 0.2))
    true = share((0.0, 0.0))
    near = true >= 0.5
    rough = np.clip(true + np.random.default_rng(0).normal(0, 0.1, true.shape) * ((true > 0) & (true < 1)), 0, 1)
    known = replace(
        estimate(lightfield, "fast", threads=1),
        disparity=np.where(near, NEAR, FAR).astype(np.float32),
        coverage=np.where(near, rough, 1 - rough).astype(np.float32),
        parameters=chosen_parameters("best"),
    )
    return lightfield, known, np.where(near, true, 1 - true)


def test_contours_correct_noisy_shares(noisy):
    lightfield, known, true = noisy
    with Workers(1) as workers:
        traced = with_traced_outlines(known, lightfield, workers)
    inner = (slice(5, -5), slice(5, -5))
    mixed = (true < 1)[inner]
    before, after = (
        np.abs(np.maximum(np.asarray(each.coverage), 0.5) - true)[inner][mixed].mean() for each in (known, traced)
    )
    assert after < 0.7 * before


def test_presets_without_contours_keep_their_shares(noisy):
    lightfield, known, _ = noisy
    plain = replace(known, parameters=chosen_parameters("fast"))
    with Workers(1) as workers:
        assert with_traced_outlines(plain, lightfield, workers) is plain


def test_the_number_of_threads_changes_nothing(noisy):
    lightfield, known, _ = noisy
    found = []
    for threads in (1, 2):
        with Workers(threads) as workers:
            found.append(with_traced_outlines(known, lightfield, workers).coverage)
    np.testing.assert_array_equal(found[0], found[1])
