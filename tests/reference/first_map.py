"""Plain twins of `ioadr.solver.structure_tensor` and `plane_sweep` (§ VI-A)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tests.reference.geometry import View
from tests.reference.occlusion import deviations


def gaussian(sigma: float, half_width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Smoothing taps that add up to 1, and difference taps that give a ramp's slope."""
    i = np.arange(-half_width, half_width + 1)
    bell = np.exp(-(i**2) / (2 * sigma**2))
    return bell / bell.sum(), i * bell / (i * i * bell).sum()


def orientation(
    epi: NDArray[np.float64], centre: int, m0: int, smooth: NDArray[np.float64], difference: NDArray[np.float64]
) -> tuple[float, float]:
    """Slope (px per view) of the lines at (centre, m0) of an EPI [K, M], and their coherence 0 … 1."""
    half = len(smooth) // 2
    views, width = epi.shape

    def derivative(k: int, m: int, along_k: NDArray[np.float64], along_m: NDArray[np.float64]) -> float:
        total = 0.0
        for j in range(-half, half + 1):
            for i in range(-half, half + 1):
                value = epi[min(max(k + j, 0), views - 1), min(max(m + i, 0), width - 1)]
                total += along_k[j + half] * along_m[i + half] * value
        return total

    tensor = np.zeros((2, 2))
    for j in range(-half, half + 1):
        for i in range(-half, half + 1):
            k, m = centre + j, min(max(m0 + i, 0), width - 1)
            if 0 <= k < views:
                gradient = np.array([derivative(k, m, smooth, difference), derivative(k, m, difference, smooth)])
                tensor += smooth[j + half] * smooth[i + half] * np.outer(gradient, gradient)
    values, vectors = np.linalg.eigh(tensor)
    across_lines = vectors[:, 1]
    coherence = ((values[1] - values[0]) / (values[1] + values[0])) ** 2 if values.sum() > 1e-6 else 0.0
    return float(across_lines[1] / across_lines[0]), float(coherence)


def half_deviation(views: list[View], n0: int, m0: int, d: float) -> float:
    """Smallest mean deviation over the views left, right, above or below the reference view."""
    values = deviations(views, n0, m0, d)
    halves = []
    for axis in (0, 1):
        for side in (-1, 1):
            part = [value for v, value in values.items() if views[v].offset[axis] * side > 0]
            halves.append(sum(part) / len(part) if part else math.inf)
    return min(halves)


def box_mean(values: NDArray[np.float64], half_width: int) -> NDArray[np.float64]:
    """Mean over the part of a square window that lies in the image."""
    mean = np.empty_like(values)
    for n, m in np.ndindex(values.shape):
        top, left = max(n - half_width, 0), max(m - half_width, 0)
        mean[n, m] = values[top : n + half_width + 1, left : m + half_width + 1].mean()
    return mean


def plane_sweep(
    views: list[View], shape: tuple[int, int], planes: NDArray[np.float64], half_width: int, slack: float = 0.0
) -> NDArray[np.float64]:
    """The cheapest of evenly spaced planes at each pixel, refined by the parabola through its two neighbours."""
    volume = []
    for d in planes:
        cost = np.array([[half_deviation(views, n, m, float(d)) for m in range(shape[1])] for n in range(shape[0])])
        volume.append(box_mean(np.minimum(cost, 255.0), half_width))
    costs = np.array(volume)
    disparity = np.empty(shape)
    for n, m in np.ndindex(shape):
        curve = costs[:, n, m]
        best = int((curve + slack * np.arange(len(planes))).argmin())
        offset = 0.0
        if 0 < best < len(planes) - 1 and curve[best - 1] + curve[best + 1] > 2 * curve[best]:
            curvature = curve[best - 1] + curve[best + 1] - 2 * curve[best]
            offset = min(max(0.5 * (curve[best - 1] - curve[best + 1]) / curvature, -0.5), 0.5)
        disparity[n, m] = planes[best] + offset * (planes[1] - planes[0])
    return np.clip(disparity, planes[0], planes[-1])
