"""Laws of the metrics, on maps and masks of any shape."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.evaluation import metrics
from ioadr.evaluation.scores import METRICS, Scores, enlarge, score
from ioadr.evaluation.truth import Truth

BORDER = 3
SHAPE = (24, 31)
GENERAL = ("mse", "badpix_007", "badpix_003", "badpix_001", "q25")
DIFFERENTIAL = ("mae_planes", "mae_surfaces", "bumpiness_planes", "bumpiness_surfaces")
PHOTOREALISTIC = ("planes", "smooth_surfaces", "discontinuities", "fine", "fine_surrounding")
STRATIFIED = (
    "plane",
    "sphere_in",
    "sphere_out",
    "pyramids",
    "background",
    "low_texture",
    "high_contrast",
    "low_contrast",
)


def scene(seed: int = 0) -> Truth:
    random = np.random.default_rng(seed)
    rows, columns = np.mgrid[: SHAPE[0], : SHAPE[1]]
    disparity = 0.02 * rows - 0.01 * columns + 0.1 * np.sin(columns / 4.0) + (columns < 15)
    masks = {name: random.random(SHAPE) < 0.6 for name in PHOTOREALISTIC + STRATIFIED}
    masks["boxes"] = 1 + (rows > SHAPE[0] // 2) + 2 * (columns > SHAPE[1] // 2)
    masks["dots_by_size"] = (rows // 3 % 2) * (columns // 3 % 2) * (1 + columns // 6)
    return Truth(disparity, Camera(100.0, 35.0, 25.0, 4.25, SHAPE[1], SHAPE[0]), masks, "laws", None, BORDER)


def with_backgammon(truth: Truth) -> Truth:
    left = np.mgrid[: SHAPE[0], : SHAPE[1]][1] < 15
    return replace(truth, masks={**truth.masks, "foreground_fattening": ~left, "foreground_thinning": left})


def noisy(truth: Truth, seed: int = 1, scale: float = 0.1) -> np.ndarray:
    return truth.disparity + scale * np.random.default_rng(seed).standard_normal(truth.disparity.shape)


def test_the_truth_scores_zero_everywhere() -> None:
    truth = with_backgammon(scene())
    scores = score(truth.disparity, truth, seconds=1.0)
    assert list(scores) == [name for name in METRICS if name in scores]
    assert set(scores) == set(METRICS)
    assert dict(scores.values) == pytest.approx(dict.fromkeys(METRICS, 0.0), abs=2e-6)


@settings(deadline=None, max_examples=25)
@given(st.floats(-3, 3), st.integers(0, 99))
def test_a_constant_moves_the_mean_square_as_it_must(constant: float, seed: int) -> None:
    truth = scene(seed)
    estimate = noisy(truth, seed)
    bias = float(np.mean((estimate - truth.disparity)[truth.area]))
    expected = score(estimate, truth)["mse"] + 100 * (constant**2 + 2 * constant * bias)
    assert score(estimate + constant, truth)["mse"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_constant_beyond_the_threshold_makes_every_pixel_bad_but_not_bumpy() -> None:
    truth = scene()
    scores = score(truth.disparity + 0.2, truth)
    assert [scores[name] for name in ("badpix_007", "badpix_003", "badpix_001")] == [100, 100, 100]
    assert scores["q25"] == pytest.approx(20)
    assert scores["bumpiness_planes"] == pytest.approx(0, abs=1e-9)
    assert (scores["fine_fattening"], scores["fine_thinning"]) == (100, 0)
    scores = score(truth.disparity - 0.2, truth)
    assert (scores["fine_fattening"], scores["fine_thinning"]) == (0, 100)


def test_thresholds_are_strict() -> None:
    truth = Truth(np.zeros(SHAPE), border=BORDER)
    assert metrics.bad_pixels(np.full(SHAPE, 0.07), truth.disparity, truth.area, 0.07) == 0
    assert metrics.bad_pixels(np.full(SHAPE, np.nextafter(0.07, 1)), truth.disparity, truth.area, 0.07) == 100


@settings(deadline=None, max_examples=25)
@given(st.floats(allow_nan=True, allow_infinity=True), st.integers(0, 99))
def test_the_border_never_matters(value: float, seed: int) -> None:
    """Normals and bumpiness of scored pixels look up to 2 px into the border, everything else not at all."""
    truth = replace(scene(seed), masks={name: scene(seed).masks[name] for name in PHOTOREALISTIC})
    estimate = noisy(truth, seed)
    expected = score(estimate, truth).values
    far = np.where(metrics.interior(SHAPE, BORDER - 2), estimate, value)
    assert score(far, truth).values == expected
    whole = score(np.where(metrics.interior(SHAPE, BORDER), estimate, value), truth).values
    assert {n: v for n, v in whole.items() if n not in DIFFERENTIAL} == {
        n: v for n, v in expected.items() if n not in DIFFERENTIAL
    }


def test_one_pixel_inside_the_border_matters() -> None:
    truth = scene()
    estimate = truth.disparity.copy()
    estimate[BORDER, BORDER] += 1
    scores = score(estimate, truth)
    assert scores["mse"] == pytest.approx(100 / scores.pixels)
    assert scores["badpix_007"] == pytest.approx(100 / scores.pixels)
    assert scores.pixels == (SHAPE[0] - 2 * BORDER) * (SHAPE[1] - 2 * BORDER)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 999))
def test_transposing_changes_nothing(seed: int) -> None:
    truth = scene(seed)
    assert truth.camera is not None
    camera = replace(truth.camera, width=truth.camera.height, height=truth.camera.width)
    turned = replace(
        truth, disparity=truth.disparity.T, camera=camera, masks={key: mask.T for key, mask in truth.masks.items()}
    )
    estimate = noisy(truth, seed, 0.02)
    assert score(estimate.T, turned).values == pytest.approx(dict(score(estimate, truth).values), rel=1e-9)


def test_angles_of_a_tilted_plane_are_those_of_its_points() -> None:
    """By hand: the benchmark's points of two planes in disparity, their normals by exact cross products."""
    camera = Camera(100.0, 35.0, 25.0, 4.25, 61, 40)
    columns = np.mgrid[:40, :61][1].astype(float)

    def plane(slope: float) -> tuple[np.ndarray, np.ndarray]:
        disparity = 0.1 + slope * columns
        step = 1000 * 35.0 / (25.0 * 100.0 * 61)
        # 1/Z = step·d + 1/F is affine in the column, so the points lie on a plane with this normal.
        scale = 0.5 * 35.0 / 100.0 / (40 - 1)
        normal = np.array([step * slope / scale, 0.0, step * 0.1 + 1 / 4.25])
        return disparity, normal / np.linalg.norm(normal)

    (flat, first), (tilted, second) = plane(0.0), plane(0.004)
    expected = np.degrees(np.arccos(first @ second))
    found = metrics.angle_map(tilted, flat, camera.benchmark())[15:-15, 15:-15]
    assert expected > 1
    np.testing.assert_allclose(found, expected, rtol=1e-3)


def test_bumpiness_of_a_parabola_is_its_second_derivative() -> None:
    """Two differences over 2 px of a·x² give 8a in the benchmark's scaling."""
    columns = np.mgrid[:30, :40][1].astype(float)
    bumps = metrics.bump_map(0.005 * columns**2, np.zeros((30, 40)))
    np.testing.assert_allclose(bumps[3:-3, 3:-3], 8 * 0.005)
    np.testing.assert_allclose(metrics.bump_map(0.5 * columns**2, np.zeros((30, 40)))[3:-3, 3:-3], 0.05)
    assert bumps[0].max() == 0


def test_invalid_pixels_are_refused_or_counted_as_wrong() -> None:
    truth = scene()
    estimate = truth.disparity.copy()
    estimate[10:14, 10] = [np.nan, np.inf, -np.inf, np.nan]
    with pytest.raises(InputError, match="4 of 450 scored px are NaN or infinite"):
        score(estimate, truth)
    scores = score(estimate, truth, allow_invalid=True)
    share = 100 * 4 / scores.pixels
    assert scores.invalid == 4
    assert scores["badpix_007"] == scores["badpix_001"] == pytest.approx(share)
    assert scores["mse"] == pytest.approx(share * np.ptp(truth.disparity[truth.area]) ** 2)


def test_a_map_of_nothing_is_wrong_in_every_metric() -> None:
    scores = score(np.full(SHAPE, np.nan), with_backgammon(scene()), allow_invalid=True)
    assert scores["q25"] == math.inf
    assert scores["mae_planes"] == scores["mae_surfaces"] == 180
    assert scores["bumpiness_planes"] == pytest.approx(5)
    for name in METRICS:
        assert METRICS[name].unit != "%" or scores[name] == 100, name
    assert all(value > 0 for value in scores.values.values())


@pytest.mark.parametrize("shape", [(31, 24), (24, 30), (24, 31, 1), (31,)])
def test_another_size_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=r"expected a map of 31×24 px"):
        score(np.zeros(shape), scene())


def test_missing_masks_leave_their_metrics_out() -> None:
    truth = Truth(np.zeros(SHAPE), border=BORDER, masks={"planes": np.zeros(SHAPE, bool)})
    assert tuple(score(np.zeros(SHAPE), truth)) == GENERAL
    assert math.isnan(Scores({}, 0).get("mae_planes"))


def test_unknown_truth_does_not_count() -> None:
    truth = scene()
    holes = truth.disparity.copy()
    holes[12, 12] = np.nan
    scores = score(noisy(truth), replace(truth, disparity=holes))
    assert scores.pixels == score(noisy(truth), truth).pixels - 1
    assert scores.invalid == 0


def test_backgammon_compares_with_the_scene_edges() -> None:
    true = np.zeros((40, 50))
    true[:, :20] = 1.0
    truth = Truth(
        true, masks={"foreground_fattening": true == 0, "foreground_thinning": true == 1}, border=BORDER, name="b"
    )
    assert score(np.full_like(true, 0.51), truth)["backgammon_fattening"] == 100
    assert score(np.full_like(true, 0.49), truth)["backgammon_fattening"] == 0
    assert score(np.full_like(true, 0.51), truth)["backgammon_thinning"] == 0
    assert score(np.full_like(true, 0.49), truth)["backgammon_thinning"] == 100


def test_a_dot_is_missed_when_half_of_it_is_wrong() -> None:
    true = np.zeros((2, 40))
    dots = np.repeat([[1, 2, 8, 9]], 10, axis=1).repeat(2, axis=0)
    estimate = true.copy()
    estimate[:, :5] = 0.41  # half of dot 1
    estimate[:, 10:14] = 0.41  # four tenths of dot 2
    estimate[:, 30:] = 9  # dot 9 is too small to count
    assert metrics.missed_dots(estimate, true, np.ones_like(dots), dots) == pytest.approx(100 / 3)


def test_the_curve_agrees_with_bad_pixels() -> None:
    truth = scene()
    thresholds = np.array([0.0, 0.01, 0.05, 0.07, 1.0])
    curve = metrics.bad_pixel_curve(noisy(truth), truth.disparity, truth.area, thresholds)
    expected = [metrics.bad_pixels(noisy(truth), truth.disparity, truth.area, t) for t in thresholds]
    np.testing.assert_allclose(curve, expected)
    assert np.all(np.diff(curve) <= 0)


def test_enlarging_is_what_the_toolkit_does() -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    values = np.random.default_rng(0).random((7, 5))
    np.testing.assert_array_equal(enlarge(values, 10), ndimage.zoom(values, 10, order=0))


def test_high_resolution_truth_is_scored_at_its_own_size() -> None:
    truth = Truth(enlarge(np.arange(12.0)[None, :].repeat(9, axis=0), 10), border=1, scale=10)
    scores = score(np.arange(12.0)[None, :].repeat(9, axis=0), truth)
    assert scores["mse"] == 0
    assert scores.size == (90, 120)
    assert scores.pixels == 70 * 100
