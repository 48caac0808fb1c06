"""Contours of surfaces, fitted to single samples where coverage is not clear."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import DisparityRange, LightField, preset
from ioadr._jit import Workers
from ioadr.cost.coverage import cover
from ioadr.cost.sight import Matting
from ioadr.solver import contours as steps
from ioadr.solver.contours import ASKED, CLEAR, CLEAREST, WIDTHS, agreeing, contour_evidence, contour_width, trace
from ioadr.solver.coverage import pack_matting, settle
from ioadr.solver.problem import pack_rays

SIZE = 96
NEAR = 1.3
TERM = preset("best").coverage
FloatMap = NDArray[np.float32]
Given = tuple[Matting, FloatMap, FloatMap]


def half_plane(width: float) -> tuple[LightField, NDArray[np.float64]]:
    """A slanted contour whose near side darkens towards it, before a plain wall; also the true share of each pixel.

    The near surface has a disparity of 1.3 px and the wall 0; shares rise over `width` px, as `cost.contour` assumes.
    """
    steps = np.arange(9) - 4.0
    rows, columns = np.mgrid[:SIZE, :SIZE].astype(np.float64)
    wall = 60 + 12 * np.sin(columns * 0.9) * np.cos(rows * 0.7)

    def shares(v: float, h: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        depth = 0.28 * (rows + NEAR * v - SIZE / 2) + 0.96 * (columns + NEAR * h - SIZE / 2)
        t = np.clip(0.5 + depth / width, 0, 1)
        return t * t * (3 - 2 * t), np.maximum(depth, 0)

    views = np.empty((9, 9, SIZE, SIZE, 3), np.float32)
    for i, j in np.ndindex(9, 9):
        share, depth = shares(float(steps[i]), float(steps[j]))
        light = share * (75 + 90 * np.minimum(depth / 6, 1)) + (1 - share) * wall
        views[i, j] = ((light / 255) ** (1 / 2.2))[..., None]
    views += np.random.default_rng(3).normal(0, 0.006, views.shape).astype(np.float32)
    return LightField(np.clip(views, 0, 1), range=DisparityRange(-0.5, 2.0)), shares(0.0, 0.0)[0]


def measured(width: float, moved: int = 0) -> tuple[Given, NDArray[np.float64], tuple[LightField, FloatMap]]:
    """Inputs of `contour_evidence` for a map whose contour is `moved` px too far to the right, and the true share."""
    lightfield, share = half_plane(width)
    disparity = np.roll(np.where(share >= 0.5, NEAR, 0.0), moved, axis=1).astype(np.float32)
    disparity[:, :moved] = 0.0
    matting = pack_matting(disparity, pack_rays(lightfield), TERM)
    surfaces, told = (np.empty((3, SIZE, SIZE), np.float32) for _ in range(2))
    cover(0, SIZE, matting, disparity, np.ones(disparity.shape, np.bool_), surfaces, told)
    return (matting, surfaces, told[1]), share, (lightfield, disparity)


def test_the_width_of_contours_is_found():
    with Workers(1) as workers:
        found = [contour_width(*measured(width)[0], workers) or 0.0 for width in (1.3, 1.8, 2.2)]
    assert found == pytest.approx([1.3, 1.8, 2.2], abs=0.35)
    assert found == sorted(found)
    assert found[0] < found[2]


def test_a_contour_shows_the_side_of_a_pixel_although_the_surface_darkens_towards_it():
    (matting, surfaces, likelihood), share, _ = measured(1.6)
    inner = np.zeros(share.shape, bool)
    inner[10:-10, 10:-10] = True
    pixels = np.argwhere(np.isfinite(likelihood) & inner & (np.abs(share - 0.5) > 0.1))
    with Workers(1) as workers:
        evidence = trace(matting, surfaces, pixels, (1.6,), workers)[:, 0, 0]
    near = share[pixels[:, 0], pixels[:, 1]] > 0.5
    assert 0.2 < near.mean() < 0.8
    assert np.mean((evidence > 0) == near) > 0.97


def test_only_pixels_that_are_not_clear_are_asked():
    given, _, _ = measured(1.6)
    with Workers(1) as workers:
        evidence = contour_evidence(*given, workers)
    size = np.abs(given[2])
    assert evidence.dtype == np.float16
    assert not evidence[~(size < ASKED)].any()
    assert ASKED <= CLEAR < CLEAREST


def test_a_near_pixel_is_lost_only_if_coverage_agrees():
    evidence = np.array([-2.0, -2.0, -2.0, 2.0, 2.0], np.float16)
    likelihood = np.array([1.0, -1.0, 1.0, 1.0, -1.0], np.float32)
    was_near = np.array([True, True, False, True, True])
    assert agreeing(evidence, likelihood, was_near).tolist() == [0.0, -2.0, -2.0, 2.0, 2.0]


def test_one_kernel_for_all_selections_of_pixels(monkeypatch):
    """Pixels with gaps between them would have another type, and need another kernel."""
    seen = []
    monkeypatch.setattr(steps, "trace_contours", lambda *arguments: seen.append(arguments[3].flags.c_contiguous))
    (matting, surfaces, _), _, _ = measured(1.6)
    pixels = np.argwhere(np.ones((4, 5), bool))
    for selection in (pixels, pixels[::3], np.ascontiguousarray(pixels)):
        with Workers(1) as workers:
            trace(matting, surfaces, selection, WIDTHS, workers)
    assert seen == [True] * 3


def test_without_clear_pixels_nothing_is_said():
    matting, surfaces, likelihood = measured(1.6)[0]
    vague = np.where(np.isfinite(likelihood), np.float32(0.5), np.float32(np.nan))
    with Workers(1) as workers:
        assert contour_width(matting, surfaces, vague, workers) is None
        assert not contour_evidence(matting, surfaces, vague, workers).any()
        assert trace(matting, surfaces, np.empty((0, 2), np.intp), WIDTHS, workers).shape == (0, len(WIDTHS), 2)


def test_the_settled_map_is_at_least_as_good_with_contours_and_the_same_on_any_number_of_threads():
    _, share, (lightfield, disparity) = measured(1.6, moved=1)
    rays, wrong = pack_rays(lightfield), []
    for contours in (False, True):
        term = preset("best").replace({"coverage.contours": contours}).coverage
        with Workers(1) as one, Workers(3) as three:
            found, again = (settle(disparity, rays, term, workers) for workers in (one, three))
        np.testing.assert_array_equal(found.disparity, again.disparity)
        assert (found.contours is not None) == contours
        wrong.append(np.count_nonzero(((found.disparity > NEAR / 2) != (share >= 0.5))[10:-10, 10:-10]))
    assert wrong[1] <= wrong[0]
