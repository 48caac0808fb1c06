"""Plain twins of `ioadr.geometry`: 4D-PPP, 4D-PPI, points, normals, planes (§ IV, Eqs. 29–34).

Everything is float64 and written pixel by pixel from the formulas; nothing here is fast.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import LightField
from ioadr.camera import RayModel
from ioadr.parameters import PlanarTerm

Vector = NDArray[np.float64]
Measure = Callable[[Vector, Vector], float]


@dataclass(frozen=True)
class View:
    """One view in grey levels, [N, M, 3], and −shift (row, column) in px of a point per px of its disparity."""

    image: NDArray[np.float64]
    offset: tuple[float, float]


def views_of(lf: LightField, view_step: int = 1) -> list[View]:
    """The present views, every view_step-th from the reference view, row by row, in quarters of a grey level."""
    found = []
    for row in range(lf.grid[0]):
        for column in range(lf.grid[1]):
            steps = row - lf.reference[0], column - lf.reference[1]
            if lf.present[row, column] and steps[0] % view_step == 0 and steps[1] % view_step == 0:
                baseline = lf.positions[row, column] - lf.positions[lf.reference]
                offset = baseline[0] * lf.eta[0], baseline[1] * lf.eta[1]
                found.append(View(grey_levels(lf.views[row, column], lf.white), offset))
    return found


def grey_levels(image: NDArray[Any], white: float) -> NDArray[np.float64]:
    """[N, M, 3], 0 … 255, rounded to quarters; a grey image has three equal channels."""
    quarters = np.floor(np.clip(image.astype(np.float64) / white, 0, 1) * 255 * 4 + 0.5)
    return np.broadcast_to(quarters / 4, (*image.shape[:2], 3))


def reference_index(views: list[View]) -> int:
    """The view that nothing shifts in."""
    return next(v for v, view in enumerate(views) if not any(view.offset))


def project(n0: float, m0: float, d: float, offset: tuple[float, float]) -> tuple[float, float]:
    """n = n0 − d·η_v·(l − l_r), m = m0 − d·η_h·(k − k_r)."""
    return n0 - d * offset[0], m0 - d * offset[1]


def intersection(n0: float, m0: float, d: float, d_other: float, offset: tuple[float, float]) -> tuple[float, float]:
    """Where the reference view sees the point of disparity d_other that this view sees where it sees (n0, m0, d)."""
    n, m = project(n0, m0, d, offset)
    return n + d_other * offset[0], m + d_other * offset[1]


def inside(y: float, x: float, shape: tuple[int, ...], slack: float = 0.0) -> bool:
    return -slack <= y <= shape[0] - 1 + slack and -slack <= x <= shape[1] - 1 + slack


def bilinear(image: NDArray[np.float64], y: float, x: float) -> Any:
    """Value at (y, x), linear in each direction between the four pixels around."""
    top, left = (min(max(math.floor(i), 0), size - 2) for i, size in zip((y, x), image.shape, strict=False))
    above = (1 - (x - left)) * image[top, left] + (x - left) * image[top, left + 1]
    below = (1 - (x - left)) * image[top + 1, left] + (x - left) * image[top + 1, left + 1]
    return (1 - (y - top)) * above + (y - top) * below


def lanczos(image: NDArray[np.float64], y: float, x: float) -> Any:
    """Value at (y, x): all pixels within 3 px of it, weighted by sinc(u)·sinc(u/3) in each direction, of sum 1.

    NaN more than half a px outside the image; pixels beyond its edge are those on it.
    """
    height, width = image.shape[:2]
    if not (-0.5 <= y <= height - 0.5 and -0.5 <= x <= width - 0.5):
        return np.nan

    def taps(at: float) -> dict[int, float]:
        around = range(math.floor(at) - 2, math.floor(at) + 4)
        weights = {i: float(np.sinc(at - i) * np.sinc((at - i) / 3)) for i in around}
        return {i: weight / sum(weights.values()) for i, weight in weights.items()}

    return sum(
        down * right * image[min(max(i, 0), height - 1), min(max(j, 0), width - 1)]
        for i, down in taps(y).items()
        for j, right in taps(x).items()
    )


def point_projection_image(views: list[View], n0: int, m0: int, d: float) -> list[Vector | None]:
    """4D-PPI (Eq. 10): each view's colour, None outside its image."""
    colours: list[Vector | None] = []
    for view in views:
        y, x = project(n0, m0, d, view.offset)
        colours.append(bilinear(view.image, y, x) if inside(y, x, view.image.shape) else None)
    return colours


def point(n: float, m: float, d: float, rays: RayModel) -> Vector:
    """3D point that pixel (n, m) sees at disparity d."""
    z = 1 / (rays.slope * d + rays.offset)
    return np.array([(m - rays.m0) * rays.pitch_x * z, (n - rays.n0) * rays.pitch_y * z, z])


def plane_disparity(n: int, m: int, normal: Vector, offset: float, rays: RayModel) -> float:
    """Disparity of the point in which the ray of (n, m) meets the plane ⟨x, normal⟩ = offset (Eq. 34)."""
    ray = np.array([(m - rays.m0) * rays.pitch_x, (n - rays.n0) * rays.pitch_y, 1.0])
    z = offset / float(ray @ normal)
    return (1 / z - rays.offset) / rays.slope


def points_of(disparity: NDArray[Any], rays: RayModel) -> NDArray[np.float64]:
    """[N, M, 3]."""
    height, width = disparity.shape
    return np.array([[point(n, m, float(disparity[n, m]), rays) for m in range(width)] for n in range(height)])


def large_kernel(half_width: int, sigma: float) -> NDArray[np.float64]:
    """g^h_lg[j, i] = i·exp(−‖(i, j)‖²/(2σ²)) (Eq. 30): rows j, columns i."""
    i = np.arange(-half_width, half_width + 1.0)
    return i * np.exp(-(i[:, None] ** 2 + i**2) / (2 * sigma**2))


def large_normals(points: NDArray[np.float64], half_width: int, sigma: float) -> NDArray[np.float64]:
    """ν_lg [N, M, 3] (Eqs. 17–19 with Eq. 30); beyond the edge the nearest pixel's point counts."""
    height, width = points.shape[:2]
    horizontal = large_kernel(half_width, sigma)
    normals = np.zeros_like(points)
    for n in range(height):
        for m in range(width):
            across, down = np.zeros(3), np.zeros(3)
            for j in range(-half_width, half_width + 1):
                for i in range(-half_width, half_width + 1):
                    neighbour = points[min(max(n + j, 0), height - 1), min(max(m + i, 0), width - 1)]
                    across += neighbour * horizontal[j + half_width, i + half_width]
                    down += neighbour * horizontal[i + half_width, j + half_width]
            normals[n, m] = unit(np.cross(down, across))
    return normals


def unit(vector: Vector) -> Vector:
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else np.zeros(3)


def chord(a: Vector, b: Vector) -> float:
    """Length between the tips of two unit vectors: 2·sin of half their angle."""
    return float(np.linalg.norm(a - b))


def angle(a: Vector, b: Vector) -> float:
    """Radians between two unit vectors."""
    return 2 * math.asin(min(chord(a, b) / 2, 1.0))


def usable(n: int, m: int, shape: tuple[int, ...], term: PlanarTerm) -> bool:
    """Whether ν_lg of a pixel is not spoilt by the image's edge."""
    border = 2 * term.kernel_half_width + 1
    return border <= n < shape[0] - border and border <= m < shape[1] - border


def inliers(
    n0: int, m0: int, normals: NDArray[np.float64], term: PlanarTerm, slack: float, measure: Measure = chord
) -> list[tuple[int, int]]:
    """Pixels of W^avg whose normals are nearer to that of (n0, m0) than a share of the mean (Eqs. 31, 32)."""
    window = [(n0 + j, m0 + i) for j in window_steps(term) for i in window_steps(term)]
    window = [pixel for pixel in window if usable(*pixel, normals.shape, term)]
    mean = sum(measure(normals[pixel], normals[n0, m0]) for pixel in window) / max(len(window), 1)
    limit = term.inlier_share * mean * (1 + slack)
    return [pixel for pixel in window if measure(normals[pixel], normals[n0, m0]) < limit]


def robust_plane(
    n0: int,
    m0: int,
    disparity: NDArray[Any],
    surface: NDArray[np.float64],
    normals: NDArray[np.float64],
    rays: RayModel,
    term: PlanarTerm,
    slack: float,
    measure: Measure = chord,
) -> tuple[Vector, float]:
    """ν_rob (Eqs. 31, 32) and d_μ (Eqs. 33, 34) of one pixel from its surroundings' points `surface` and ν_lg."""
    d, chosen = float(disparity[n0, m0]), inliers(n0, m0, normals, term, slack, measure)
    total = sum((normals[pixel] for pixel in chosen), np.zeros(3))
    robust = unit(total) if usable(n0, m0, disparity.shape, term) and total.any() else normals[n0, m0]
    offsets = [float(surface[pixel] @ robust) for pixel in chosen]
    if term.gate_offsets:
        near = term.tolerance * (1 + slack)
        offsets = [o for o in offsets if abs(plane_disparity(n0, m0, robust, o, rays) - d) < near]
    return robust, plane_disparity(n0, m0, robust, float(np.mean(offsets)), rays) if offsets else d


def window_steps(term: PlanarTerm) -> list[int]:
    """Offsets of W^avg in one direction: every window_step-th within the half-width."""
    return [i for i in range(-term.half_width, term.half_width + 1) if i % term.window_step == 0]


FOOTPRINT, SAME_SURFACE = 0.75, 0.5
"""px that a pixel covers around where it lands in another view; px of disparity within one surface."""


def seen_from(disparity: NDArray[Any], offset: tuple[float, float], slack: float = 0.0) -> NDArray[np.float64]:
    """Disparity map of the view at `offset`: the nearest surface that lands on a pixel, where its ray meets it."""
    height, width = disparity.shape
    landed = [[(n, m, *project(n, m, float(disparity[n, m]), offset)) for m in range(width)] for n in range(height)]
    out = np.full(disparity.shape, np.nan)
    for n, m in np.ndindex(out.shape):
        near = FOOTPRINT + slack
        covering = [
            float(disparity[a, b])
            for row in landed
            for a, b, y, x in row
            if abs(y - n) <= near and abs(x - m) <= near and -1 < y < height and -1 < x < width
        ]
        if covering:
            out[n, m] = met_surface(disparity, n, m, max(covering), offset, slack)
    return out


def met_surface(disparity: NDArray[Any], n: int, m: int, d: float, offset: tuple[float, float], slack: float) -> float:
    """Three steps of d = map(pixel + d·offset), between those pixels of the map that lie on one surface with d."""
    for _ in range(3):
        y, x = n + d * offset[0], m + d * offset[1]
        if inside(y, x, disparity.shape, slack):
            top, left = (min(max(math.floor(i), 0), size - 2) for i, size in zip((y, x), disparity.shape, strict=True))
            corners = [(top + a, left + b) for a in (0, 1) for b in (0, 1)]
            same = [c for c in corners if abs(float(disparity[c]) - d) <= SAME_SURFACE + slack]
            weights = [(1 - abs(y - a)) * (1 - abs(x - b)) for a, b in same]
            if sum(weights) > 0:
                d = sum(w * float(disparity[c]) for w, c in zip(weights, same, strict=True)) / sum(weights)
    return d
