"""The 4D Light Field Benchmark's metrics, as functions of maps and masks (§ VII).

Maps are [N, M] in px of disparity: `estimate` d, `truth` g; `area` is the boolean mask to score. A pixel of the
estimate that is not finite is wrong: a bad pixel, with the truth's whole extent as its error and a normal 180° off.
Every score is a float, lower is better, NaN if the area is empty.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import RayModel
from ioadr.geometry.points import normals_from_points, points_from_disparity
from ioadr.geometry.windows import scharr

FloatMap = NDArray[np.floating[Any]]
Mask = NDArray[np.bool_]

LARGEST_BUMP = 0.05
FINE_STEP = 0.15
DOT_STEP = 0.4
LARGEST_DOT_LABEL = 8


def interior(shape: tuple[int, ...], border: int) -> Mask:
    """Rows and columns [border, N − border)."""
    area = np.zeros(shape, bool)
    area[border : shape[0] - border, border : shape[1] - border] = True
    return area


def signed_error(estimate: FloatMap, truth: FloatMap) -> NDArray[np.float64]:
    """d − g; infinite where the estimate is not finite."""
    with np.errstate(invalid="ignore"):
        error = estimate.astype(np.float64) - truth.astype(np.float64)
    return np.where(np.isfinite(estimate), error, np.inf)


def mean_square(estimate: FloatMap, truth: FloatMap, area: Mask) -> float:
    """100 · mean (g − d)²."""
    if not area.any():
        return math.nan
    error = signed_error(estimate, truth)[area]
    error[np.isinf(error)] = np.ptp(truth[area].astype(np.float64))
    return 100.0 * float(np.mean(error**2))


def bad_pixels(estimate: FloatMap, truth: FloatMap, area: Mask, threshold: float) -> float:
    """Percentage of |d − g| > threshold."""
    return _percentage(np.abs(signed_error(estimate, truth)) > threshold, area)


def bad_pixel_curve(
    estimate: FloatMap, truth: FloatMap, area: Mask, thresholds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """`bad_pixels` at each of the ascending thresholds."""
    error = np.sort(np.abs(signed_error(estimate, truth))[area])
    good = np.searchsorted(error, thresholds, side="right")
    return 100.0 * (1.0 - good / max(len(error), 1))


def quartile(estimate: FloatMap, truth: FloatMap, area: Mask) -> float:
    """100 · |d − g| that a quarter of the pixels stay below."""
    error = np.sort(np.abs(signed_error(estimate, truth))[area])
    return 100.0 * float(error[int(0.25 * len(error))]) if len(error) else math.nan


def angle_map(estimate: FloatMap, truth: FloatMap, rays: RayModel) -> NDArray[np.float64]:
    """Angle between the normals of d and g, degrees, in the benchmark's own geometry `rays`; 180 where d has none.

    The benchmark wraps its kernels around the image where ours replicate the edge, which only the outermost
    pixels see; they are never scored.
    """
    estimated, true = (_benchmark_normals(values, rays) for values in (estimate, truth))
    cosine = np.clip(np.sum(estimated * true, axis=-1), -1.0, 1.0)
    angle = np.degrees(np.arccos(cosine))
    return np.where(np.isfinite(estimated).all(axis=-1), angle, 180.0)


def median_angle(estimate: FloatMap, truth: FloatMap, area: Mask, rays: RayModel) -> float:
    """Median of `angle_map` over the area."""
    angle = angle_map(estimate, truth, rays)[area]
    angle = angle[np.isfinite(angle)]
    return float(np.median(angle)) if len(angle) else math.nan


def bump_map(estimate: FloatMap, truth: FloatMap) -> NDArray[np.float64]:
    """Frobenius norm of the Hessian of d − g by two Scharr passes, at most 0.05."""
    error = signed_error(estimate, truth)
    with np.errstate(invalid="ignore", over="ignore"):
        second = [_slope(_slope(error, first), axis) for first in (0, 1) for axis in (0, 1)]
        norm = np.sqrt(sum(np.square(part) for part in second))
    return np.minimum(np.where(np.isfinite(norm), norm, LARGEST_BUMP), LARGEST_BUMP)


def bumpiness(estimate: FloatMap, truth: FloatMap, area: Mask) -> float:
    """100 · mean of `bump_map` over the area."""
    return 100.0 * float(np.mean(bump_map(estimate, truth)[area])) if area.any() else math.nan


def fine_fattening(estimate: FloatMap, truth: FloatMap, area: Mask) -> float:
    """Percentage, around thin structures, of pixels pulled towards the camera: g − d < −0.15."""
    return _percentage(signed_error(estimate, truth) > FINE_STEP, area)


def fine_thinning(estimate: FloatMap, truth: FloatMap, area: Mask) -> float:
    """Percentage, on thin structures, of pixels pushed away from the camera: g − d > 0.15."""
    error = signed_error(estimate, truth)
    return _percentage((error < -FINE_STEP) | np.isinf(error), area)


def nearer_than_midway(estimate: FloatMap, truth: FloatMap, area: Mask, foreground: FloatMap) -> float:
    """Percentage of d on the foreground's side of the middle between truth and foreground."""
    return _percentage((estimate > 0.5 * (foreground + truth)) | ~np.isfinite(estimate), area)


def farther_than_midway(estimate: FloatMap, truth: FloatMap, area: Mask, background: FloatMap) -> float:
    """Percentage of d on the background's side of the middle between truth and background."""
    return _percentage((estimate < 0.5 * (background + truth)) | ~np.isfinite(estimate), area)


def missed_dots(estimate: FloatMap, truth: FloatMap, boxes: NDArray[Any], dots: NDArray[Any]) -> float:
    """Percentage of the larger dots (labels 1–8 in each box) with BadPix(0.4) of at least half."""
    bad = np.abs(signed_error(estimate, truth)) > DOT_STEP
    counted = (boxes > 0) & (dots > 0) & (dots <= LARGEST_DOT_LABEL)
    if not counted.any():
        return math.nan
    label = boxes[counted].astype(np.int64) * (LARGEST_DOT_LABEL + 1) + dots[counted]
    _, index = np.unique(label, return_inverse=True)
    share = np.bincount(index, weights=bad[counted]) / np.bincount(index)
    return 100.0 * float(np.mean(share >= 0.5))


def runtime_score(seconds: float) -> float:
    """log10 of the seconds."""
    return math.log10(seconds) if seconds > 0 else math.nan


def _percentage(wrong: Mask, area: Mask) -> float:
    return 100.0 * float(np.mean(wrong[area])) if area.any() else math.nan


def _benchmark_normals(disparity: FloatMap, rays: RayModel) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore", over="ignore"):
        points = points_from_disparity(disparity.astype(np.float64), rays)
        return normals_from_points(points, facing=False)


def _slope(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Scharr's difference along `axis`, zero on the outermost pixels."""
    return np.pad(scharr(values, axis), 1) if min(values.shape) > 2 else np.zeros_like(values)
