"""Patches: as sure as they say, curved where the data are, never across a jump."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr._lanes import WIDTH
from ioadr.parameters import Finish
from ioadr.solver.finish import fit, patches
from ioadr.solver.local_fit import COLUMNS, SUMS, TERMS, UNIT, fit_patch, fit_surfaces, moments
from tests.reference.finish import offsets

SIZE, INNER = 80, np.s_[16:-16, 16:-16]
NOISE = 0.02
"""px."""


def coordinates() -> NDArray[np.float64]:
    rows, columns = np.mgrid[:SIZE, :SIZE] - SIZE / 2
    return np.stack([rows, columns])


def noisy(surface: NDArray[np.float64], seed: int = 0) -> NDArray[np.float32]:
    return (surface + np.random.default_rng(seed).normal(0, NOISE, surface.shape)).astype(np.float32)


def fitted(surface: NDArray[np.float64], **changes: Any) -> NDArray[np.float32]:
    """The surface from noisy targets of known precision."""
    target = noisy(surface)
    precision = np.full(target.shape, NOISE**-2, np.float32)
    with Workers(1) as workers:
        return fit(target, target, precision, Finish(finest=0.0, **changes), workers)


def rms(error: NDArray[np.floating]) -> float:
    return float(np.sqrt(np.mean(np.square(error))))


@pytest.mark.parametrize("scale", [1, 2])
def test_a_patch_predicts_its_error(scale):
    """Over many patches of a noisy plane the errors have the variance that each patch states."""
    rows, columns = coordinates()
    plane = 0.3 + 0.003 * rows - 0.005 * columns
    target = noisy(plane)
    bounds, rows = patches(8)
    rows = rows[bounds[scale] : bounds[scale + 1]]
    precision = np.full(SIZE * SIZE, NOISE**-2, np.float32)
    everything = np.float32(1e-6), np.float32(1e-6)
    sums, system, variance = (np.zeros(n * WIDTH, np.float32) for n in (SUMS, TERMS * COLUMNS, 1))
    scores = []
    for n, m in itertools.product(range(16, SIZE - 16, 3), range(16, SIZE - 16, WIDTH)):
        truth = plane[n, m : m + WIDTH].astype(np.float32)
        found = np.concatenate([truth, *np.outer([-0.005 * UNIT, 0.003 * UNIT, 0, 0, 0], np.ones(WIDTH))])
        found = found.astype(np.float32)
        moments(target.ravel(), precision, n * SIZE + m, rows, SIZE, found, *everything, sums)
        fit_patch(sums, np.float32(1e6), system, found, variance)  # only planes
        assert variance == pytest.approx(NOISE**2 / len(offsets(rows.tolist())), rel=0.05)
        scores.extend((found[:WIDTH] - truth) / np.sqrt(variance))
    assert 0.8 < rms(np.array(scores)) < 1.2


def test_a_plane_keeps_a_tenth_of_its_noise():
    rows, columns = coordinates()
    plane = 0.3 + 0.003 * rows - 0.005 * columns
    assert rms((fitted(plane) - plane)[INNER]) < 0.12 * NOISE


def test_a_curved_surface_is_not_flattened():
    """At 32 px the bowl has risen by 0.3 px: a plane over the widest patch would be 0.15 px off."""
    rows, columns = coordinates()
    bowl = 0.3 * (rows**2 + columns**2) / 32**2
    error = (fitted(bowl) - bowl)[INNER]
    assert abs(error.mean()) < 0.1 * NOISE
    assert rms(error) < 0.3 * NOISE


def test_a_quadric_is_taken_only_where_the_data_ask_for_it():
    """With unlimited caution only planes are used, and the same bowl is cut short."""
    rows, columns = coordinates()
    bowl = 0.3 * (rows**2 + columns**2) / 32**2
    flat = (fitted(bowl, caution=1e4) - bowl)[INNER]
    assert flat.mean() > 1.0 * NOISE


def test_two_planes_stay_apart_at_a_jump():
    rows, columns = coordinates()
    step = np.where(columns < 0, -0.4 + 0.002 * rows, 0.4 - 0.002 * rows)
    error = (fitted(step) - step)[INNER]
    beside = error[:, SIZE // 2 - 16 - 3 : SIZE // 2 - 16 + 3]
    assert rms(beside) < 0.6 * NOISE
    assert np.abs(error).max() < 3 * NOISE


def test_stray_targets_do_not_count():
    rows, _columns = coordinates()
    plane = 0.002 * rows
    target = noisy(plane)
    target[::7, ::5] += 1.0
    precision = np.full(target.shape, NOISE**-2, np.float32)
    with Workers(1) as workers:
        found = fit(plane.astype(np.float32), target, precision, Finish(), workers)
    assert rms((found - plane)[INNER]) < 0.2 * NOISE


def test_without_any_precision_the_map_stays():
    disparity = noisy(np.zeros((SIZE, SIZE)))
    bounds, rows = patches(8)
    padded = np.pad(disparity + 0.01, ((8, 8), (8, 8 + WIDTH)))
    found = np.empty((7, *disparity.shape), np.float32)
    gates = np.float32(1 / 16), np.float32(1 / 0.08**2), np.float32(3.0)
    fit_surfaces(0, SIZE, disparity, padded, np.zeros_like(padded), 8, bounds, rows, *gates, found)
    assert np.array_equal(found[0], disparity)
    assert not found[1:].any()


@pytest.mark.parametrize("width", [1, 15, 16, 17, 33])
def test_any_width_is_fitted_whole(width):
    """Pixels do not depend on which others are fitted beside them."""
    rows, columns = coordinates()
    target = noisy(0.1 * np.sin(rows / 9) * np.cos(columns / 7))
    precision = np.full(target.shape, NOISE**-2, np.float32)
    precision[:, width:] = 0
    with Workers(1) as workers:
        whole = fit(target, target, precision, Finish(sharing=0), workers)
        target, precision = target[:, :width].copy(), precision[:, :width].copy()
        part = fit(target, target, precision, Finish(sharing=0), workers)
    np.testing.assert_allclose(part, whole[:, :width], atol=1e-6)


def test_rows_may_be_shared_out():
    rows, columns = coordinates()
    target = noisy(0.1 * np.sin(rows / 9) * np.cos(columns / 7))
    precision = np.random.default_rng(1).uniform(0, 1e4, target.shape).astype(np.float32)
    results = []
    for count in (1, 3):
        with Workers(count) as workers:
            results.append(fit(target, target, precision, Finish(), workers))
    assert np.array_equal(results[0], results[1])


def test_patches_are_discs_around_their_pixel():
    bounds, rows = patches(32)
    discs = [np.array(offsets(rows[a:b].tolist())) for a, b in itertools.pairwise(bounds)]
    assert [int(np.abs(disc).max()) for disc in discs] == [2, 4, 8, 16, 32]
    for disc, radius, gap in zip(discs, (2, 4, 8, 16, 32), (1, 1, 2, 2, 2), strict=True):
        reach = range(-radius, radius + 1, gap)
        square = itertools.product(reach, reach)
        assert disc.tolist() == [[n, m] for n, m in square if n * n + m * m <= (radius + 0.5) ** 2]
