"""Synthetic pictures: other views from the reference view, and refocusing.

Both resample along lines of a disparity map. With the map projected into a view, the reference becomes that view;
with a constant map, all views fall onto the reference, and their mean is focused there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.errors import InputError
from ioadr.geometry.off_plane import flattened
from ioadr.geometry.resample import resample_rows
from ioadr.geometry.warp import project_map, sample_along
from ioadr.lightfield import LightField

Picture = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Residuals:
    """How well the reference view and a map predict the other views; needs no ground truth."""

    by_view: NDArray[np.float64]
    """[L, K] mean absolute difference in grey levels of 255; NaN for missing views and for the reference."""
    covered: NDArray[np.float64]
    """[L, K] share of the view's pixels that the reference view sees."""

    @property
    def mean(self) -> float:
        """Mean over all views, weighted by their numbers of predictable pixels."""
        counted = np.isfinite(self.by_view)
        return float(np.average(self.by_view[counted], weights=self.covered[counted])) if counted.any() else np.nan


def synthesise(image: NDArray[Any], disparity: NDArray[Any], offset: tuple[float, float]) -> Picture:
    """The view at `offset` (row, column; see `LightField.offsets`), [N, M, C]; NaN where hidden from the reference.

    `image` [N, M, C] and `disparity` [N, M] belong to the reference view.
    """
    projected = np.empty(disparity.shape, np.float32)
    project_map(disparity.astype(np.float32), *_numbers(offset), projected)
    return _along(image, projected, offset)


def synthesise_sharply(image: NDArray[np.float32], disparity: NDArray[Any], offset: tuple[float, float]) -> Picture:
    """As `synthesise`, by Lanczos interpolation: bilinear interpolation blurs and moves fine texture."""
    projected = np.empty(disparity.shape, np.float32)
    project_map(disparity.astype(np.float32), *_numbers(offset), projected)
    return sampled_sharply(image, projected, offset)


def sampled_sharply(image: NDArray[np.float32], disparity: NDArray[Any], offset: tuple[float, float]) -> Picture:
    """The picture `image` [N, M, C] at each pixel plus disparity [N, M] times offset; NaN outside and without one."""
    rows, columns = np.mgrid[: disparity.shape[0], : disparity.shape[1]].astype(np.float32)
    rows, columns = rows + disparity * np.float32(offset[0]), columns + disparity * np.float32(offset[1])
    height, width = image.shape[:2]
    # NaN is not seen, either.
    seen = (rows >= 0) & (rows <= height - 1) & (columns >= 0) & (columns <= width - 1)
    out = np.empty((*disparity.shape, image.shape[2]), np.float32)
    resample_rows(0, len(out), image, np.where(seen, rows, 0), np.where(seen, columns, 0), out)
    out[~seen] = np.nan
    return out


def refocus(lightfield: LightField, disparity: float) -> Picture:
    """The mean of all views, [N, M, C] in sample values, in focus at the given disparity."""
    return _mean_along(lightfield, np.full(lightfield.reference_view.shape[:2], disparity, np.float32))


def residuals(
    lightfield: LightField,
    disparity: NDArray[Any],
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Residuals:
    """Synthesise every view from the reference view and compare it with the captured one.

    `progress` is called with the number of views done and of all, from any of the threads.
    """
    if disparity.shape != (lightfield.height, lightfield.width):
        raise InputError(
            f"map: expected the size of the light field's views, {lightfield.height}×{lightfield.width}, "
            f"found {'×'.join(map(str, disparity.shape))}. Give the light field that the map was estimated from."
        )
    with Workers(threads) as workers:
        lightfield = flattened(lightfield, disparity.astype(np.float32), workers)
    others = lightfield.present.copy()
    others[lightfield.reference] = False
    grid = list(zip(*np.nonzero(others), strict=True))
    by_view, covered = np.full((2, *lightfield.grid), np.nan)

    def share(begin: int, end: int) -> None:
        for row, column in grid[begin:end]:
            by_view[row, column], covered[row, column] = _compare(lightfield, disparity, (row, column))
            if progress is not None:
                progress(int(np.isfinite(covered).sum()), len(grid))

    with Workers(threads) as workers:
        workers.rows(share, len(grid))
    return Residuals(by_view, covered)


def _compare(lightfield: LightField, disparity: NDArray[Any], view: tuple[int, int]) -> tuple[float, float]:
    row, column = lightfield.offsets[view]
    made = synthesise(lightfield.reference_view, disparity, (row, column))
    difference = np.abs(made - lightfield.views[view]).mean(axis=-1)
    seen = np.isfinite(difference)
    mean = difference[seen].mean() if seen.any() else np.nan
    return float(mean * 255.0 / lightfield.white), float(seen.mean())


def _mean_along(lightfield: LightField, disparity: NDArray[np.float32]) -> Picture:
    total = np.zeros(lightfield.reference_view.shape, np.float64)
    count = np.zeros(disparity.shape, np.int64)
    for row, column in zip(*np.nonzero(lightfield.present), strict=True):
        down, right = lightfield.offsets[row, column]
        shifted = _along(lightfield.views[row, column], disparity, (-down, -right))
        count += np.isfinite(shifted[..., 0])
        total += np.nan_to_num(shifted)
    return (total / np.maximum(count, 1)[..., None]).astype(np.float32)


def _along(image: NDArray[Any], disparity: NDArray[np.float32], offset: tuple[float, float]) -> Picture:
    if min(image.shape[:2]) < 2:
        raise InputError(f"view: expected at least 2×2 px to interpolate, found {image.shape[0]}×{image.shape[1]}.")
    out = np.empty(image.shape, np.float32)
    sample_along(np.ascontiguousarray(image), disparity, *_numbers(offset), out)
    return out


def _numbers(offset: tuple[float, float]) -> tuple[np.float32, np.float32]:
    return np.float32(offset[0]), np.float32(offset[1])
