"""A check without ground truth: estimate from some views, synthesise the others, and compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.errors import InputError
from ioadr.geometry.off_plane import flattened
from ioadr.geometry.synthesis import sampled_sharply, synthesise
from ioadr.geometry.warp import project_map
from ioadr.layout import Index
from ioadr.lightfield import LightField
from ioadr.parameters import Parameters
from ioadr.views.carry import fill_from_behind
from ioadr.views.estimation import Progress, estimate_views
from ioadr.views.rendering import kept_part
from ioadr.views.result import Views

Picture = NDArray[Any]
BORDER = 15
"""Width of the edge that does not count, px; less in small images."""
NEIGHBOURS = 6
"""Largest number of views of which `warped_neighbours` takes the median."""
AS_NEAR = 1.3
"""Largest distance of a blended view, as a multiple of that of the nearest one, because measured positions vary."""
WINDOW = 7
"""Side of the window of SSIM, px."""
METHODS = ("views", "nearest", "blend", "centre", "script")
"""This method; the nearest kept view; a blend of the nearest ones; the centre warped by its map; the median of
neighbours warped by the centre's map."""


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Quality of the synthesised views."""

    index: NDArray[np.int64]
    """[T, 2]: row and column of the views that were left out."""
    psnr: Mapping[str, NDArray[np.float64]]
    """PSNR [T] by method, dB over all channels."""
    ssim: Mapping[str, NDArray[np.float64]]
    """SSIM [T] by method, mean over windows of the brightness."""
    views: Views
    """Maps estimated from the kept views."""

    def means(self) -> dict[str, tuple[float, float]]:
        """Mean PSNR and SSIM by method, over all left-out views."""
        return {name: (float(self.psnr[name].mean()), float(self.ssim[name].mean())) for name in self.psnr}


def leave_views_out(
    lightfield: LightField,
    step: int = 2,
    parameters: Parameters | str | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> LeftOut:
    """Keep every step-th view in each direction from the reference view, and synthesise the others from them."""
    kept = kept_views(lightfield, step)
    left = lightfield.present & ~kept
    views = estimate_views(_part(lightfield, kept, step), parameters, seed, progress, threads)
    with Workers(threads) as workers:  # by a map to which left-out views did not contribute
        lightfield = flattened(lightfield, views.estimate.disparity, workers)
    index = np.argwhere(left)
    scores: dict[str, list[tuple[float, float]]] = {name: [] for name in METHODS}
    for done, (row, column) in enumerate(index):
        taken = lightfield.views[row, column].astype(np.float64)
        for name, made in synthesised(lightfield, views, kept, (int(row), int(column)), threads).items():
            scores[name].append(compared(made, taken, lightfield.white))
        if progress is not None:
            progress("synthesised", done + 1, len(index))
    psnr, ssim = ({name: np.array(values)[:, k] for name, values in scores.items()} for k in (0, 1))
    return LeftOut(index, psnr, ssim, views)


def kept_views(lightfield: LightField, step: int) -> NDArray[np.bool_]:
    """[L, K]: every step-th present view in each direction from the reference view, however few they are."""
    places = zip(lightfield.grid, lightfield.reference, strict=True)
    rows, columns = ((np.arange(size) - at) % max(step, 1) == 0 for size, at in places)
    kept = lightfield.present & np.logical_and.outer(rows, columns)
    if np.array_equal(kept, lightfield.present):
        raise InputError(f"⟦leave-out {step}⟧: would leave out none of {kept.sum()} views. Give 2, or another number.")
    return kept


def _part(lightfield: LightField, kept: NDArray[np.bool_], step: int) -> LightField:
    """The kept views, if a map can be estimated from them."""
    try:
        return kept_part(lightfield, kept)
    except InputError as error:
        rows, columns = lightfield.grid
        advice = "Give a smaller number." if step > 2 else "Such a light field is too small for this check."
        raise InputError(
            f"⟦leave-out {step}⟧: would keep {np.count_nonzero(kept)} of the {lightfield.view_count} views of a "
            f"{rows}×{columns} grid, too few for an estimation. {advice}"
        ) from error


def synthesised(
    lightfield: LightField, views: Views, kept: NDArray[np.bool_], view: Index, threads: int | None
) -> dict[str, Picture]:
    """A left-out view, synthesised by every method."""
    row, column = lightfield.positions[view]
    offset = lightfield.offsets[view]
    centre = synthesise(lightfield.reference_view, views.estimate.disparity, (float(offset[0]), float(offset[1])))
    near = around(lightfield, kept, view)
    return {
        "views": views.render((float(row), float(column)), threads=threads).image,
        "nearest": lightfield.views[near[0][0]].astype(np.float32),
        "blend": np.asarray(sum(weight * lightfield.views[there] for there, weight in near), np.float32),
        "centre": np.where(np.isfinite(centre), centre, lightfield.reference_view),
        "script": warped_neighbours(lightfield, views.estimate.disparity, kept, view),
    }


def warped_neighbours(
    lightfield: LightField, disparity: NDArray[np.float32], kept: NDArray[np.bool_], view: Index
) -> Picture:
    """A simple method for comparison: the median of the nearest kept views, warped by the centre's map alone.

    The map is projected into the view; its holes are filled from the farther side.
    """
    projected, target = np.empty((2, *disparity.shape), np.float32)
    down, right = lightfield.offsets[view].astype(np.float32)
    project_map(disparity, down, right, projected)
    fill_from_behind(projected, target)
    count = min(NEIGHBOURS, np.count_nonzero(kept))
    warped = np.empty((count, *lightfield.reference_view.shape), np.float32)
    away = np.hypot(*np.moveaxis(lightfield.offsets - lightfield.offsets[view], -1, 0))
    order = np.argsort(np.where(kept, away, np.inf), axis=None, kind="stable")[:count]
    for number, there in enumerate(zip(*np.unravel_index(order, kept.shape), strict=True)):
        down, right = lightfield.offsets[view] - lightfield.offsets[there]
        picture = lightfield.views[there].astype(np.float32)
        warped[number] = sampled_sharply(picture, target, (float(down), float(right)))
    seen = np.isfinite(warped).any(axis=0)
    warped[:, ~seen] = lightfield.reference_view[~seen]
    return np.asarray(np.nanmedian(warped, axis=0))


def around(lightfield: LightField, kept: NDArray[np.bool_], view: Index) -> list[tuple[Index, float]]:
    """The nearest kept views, in order, with weights for a linear blend: nearer ones count more."""
    away = np.hypot(*np.moveaxis(lightfield.offsets - lightfield.offsets[view], -1, 0))
    away = np.where(kept, np.maximum(away, 1e-9), np.inf)
    chosen = [(int(a), int(b)) for a, b in np.argwhere(away <= away.min() * AS_NEAR)]
    total = sum(1.0 / away[there] for there in chosen)
    return [(there, float(1.0 / away[there] / total)) for there in chosen]


def compared(made: Picture, taken: Picture, white: float) -> tuple[float, float]:
    """PSNR (dB) and SSIM of a picture [N, M, C], rounded to sample values as it would be stored."""
    edge = max(0, min(BORDER, (min(taken.shape[:2]) - WINDOW - 1) // 2))
    inner = (slice(edge, taken.shape[0] - edge), slice(edge, taken.shape[1] - edge))
    levels = 255.0 if white <= 255.0 else white
    one, other = (np.asarray(image, np.float64)[inner] * (levels / white) for image in (made, taken))
    error = float(np.mean((np.rint(one) - np.rint(other)) ** 2))
    psnr = 10.0 * np.log10(levels**2 / error) if error > 0 else np.inf
    return float(psnr), ssim(one.mean(axis=2), other.mean(axis=2), levels)


def ssim(one: Picture, other: Picture, white: float) -> float:
    """Mean structural similarity (Wang 2004) of two grey pictures, over square windows; smaller in tiny pictures."""
    mean: Callable[[Picture], Picture] = partial(window_mean, width=min(WINDOW, *one.shape))
    first, second = (0.01 * white) ** 2, (0.03 * white) ** 2
    a, b = mean(one), mean(other)
    variance_a, variance_b = mean(one * one) - a * a, mean(other * other) - b * b
    covariance = mean(one * other) - a * b
    above = (2 * a * b + first) * (2 * covariance + second)
    return float(np.mean(above / ((a * a + b * b + first) * (variance_a + variance_b + second))))


def window_mean(values: Picture, width: int = WINDOW) -> Picture:
    """Mean over every square window inside the picture."""
    sums = np.pad(values.astype(np.float64), ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    total = sums[width:, width:] - sums[:-width, width:] - sums[width:, :-width] + sums[:-width, :-width]
    return total / width**2
