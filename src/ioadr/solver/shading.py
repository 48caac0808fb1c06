"""Brightness that varies smoothly within a view: gloss, vignetting and exposure, measured against the reference view.

A view shows V, and the reference view and a map predict P for it. In cells of some pixels, the shading is ΣV / ΣP,
smoothed over neighbouring cells and linear in between. It does not depend on texture finer than a cell: a view that
is divided by its shading still contradicts a wrong map wherever there is texture.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr._jit import Workers
from ioadr.geometry.off_plane import as_samples, flattened, stretched
from ioadr.geometry.synthesis import synthesise_sharply
from ioadr.layout import Index
from ioadr.lightfield import LightField
from ioadr.solver.gloss import blurred
from ioadr.solver.registration import FULL

Picture = NDArray[np.float32]
CELLS, SMALLEST = 24, 8
"""Cells along the longer side of a view, and the smallest cell in px."""
LARGEST = 2.0
"""Most that a cell may differ by, in either direction."""
FINE, REACH, CONTRAST = 3.0, 9, 3.0
"""Standard deviation and reach of the Gaussian, px, and the gain of views without low frequencies."""


def cell_size(shape: tuple[int, ...]) -> int:
    """Side of a cell in px, for views of this shape."""
    return max(SMALLEST, round(max(shape[:2]) / CELLS))


def shape_of(lightfield: LightField) -> tuple[int, ...]:
    """[L, K, rows of cells, columns of cells, C]."""
    cell = cell_size((lightfield.height, lightfield.width))
    return *lightfield.grid, -(-lightfield.height // cell), -(-lightfield.width // cell), lightfield.channels


def without_low_frequencies(lightfield: LightField) -> LightField:
    """Views less their Gaussian, about mid-grey in 8 bits: nearly free of shading, and of plain colours' evidence."""
    views = np.zeros(lightfield.views.shape, np.uint8)
    for view in np.argwhere(lightfield.present):
        picture = lightfield.views[tuple(view)].astype(np.float32) * np.float32(255.0 / lightfield.white)
        coarse = [blurred(picture[..., channel], FINE, REACH) for channel in range(lightfield.channels)]
        fine = picture - np.stack(coarse, axis=-1)
        views[tuple(view)] = np.clip(np.rint(CONTRAST * fine + 128.0), 0, 255)
    return lightfield.replace(views=views, white=255.0)


def shading(
    lightfield: LightField, disparity: NDArray[np.float32], views: list[Index], threads: int | None = None
) -> NDArray[np.float64]:
    """[L, K, rows of cells, columns of cells, C]: shading of these views by the map of the reference view, else 1."""
    cell = cell_size((lightfield.height, lightfield.width))
    found = np.ones(shape_of(lightfield))
    with Workers(threads) as workers:
        flat = flattened(lightfield, disparity, workers)
        reference = flat.reference_view.astype(np.float32)

        def share(begin: int, end: int) -> None:
            for view in views[begin:end]:
                down, right = flat.offsets[view]
                predicted = synthesise_sharply(reference, disparity, (float(down), float(right)))
                found[view] = _ratio(flat.views[view].astype(np.float32), predicted, cell, flat.white)

        workers.rows(share, len(views))
    return found


def unshaded(view: NDArray[Any], shading: NDArray[np.float64]) -> NDArray[Any]:
    """A view [N, M, C] over its shading, in its own type."""
    return as_samples(view / stretched(shading, cell_size(view.shape), (view.shape[0], view.shape[1])), view.dtype)


def _ratio(view: Picture, predicted: Picture, cell: int, white: float) -> NDArray[np.float64]:
    """Σ view / Σ predicted in cells, smoothed; a grey level is added to both, so that black has no effect."""
    known = np.isfinite(predicted).all(axis=-1, keepdims=True)
    known &= np.maximum(view, np.nan_to_num(predicted)).max(axis=-1, keepdims=True) < FULL * white
    level = np.float32(white / 255.0)
    seen, expected = (_sums(np.where(known, picture + level, 0.0), cell) for picture in (view, predicted))
    # Cells that show nothing of the reference view follow from their neighbours.
    return np.clip((seen + level) / (expected + level), 1.0 / LARGEST, LARGEST)


def _sums(values: Picture, cell: int) -> NDArray[np.float64]:
    """Sums of [N, M, C] over cells, then over neighbouring cells with weights 1 2 1."""
    rows, columns = (np.arange(0, size, cell) for size in values.shape[:2])
    sums = np.add.reduceat(np.add.reduceat(values.astype(np.float64), rows, axis=0), columns, axis=1)
    padded = np.pad(sums, ((1, 1), (1, 1), (0, 0)), mode="edge")
    across = padded[:, :-2] + 2.0 * padded[:, 1:-1] + padded[:, 2:]
    return np.asarray(across[:-2] + 2.0 * across[1:-1] + across[2:])
