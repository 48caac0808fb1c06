"""Does anything move from view to view, beyond noise? Frames of a fixed camera would give a map of noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.matching import Image
from ioadr.lightfield import LightField

BLOCK = 16
"""Side of the blocks whose motion is measured, px."""
LARGEST = 1024
"""Largest side that is examined, px; of larger views, only the middle is."""
FARTHEST = 4
"""Number of views that are compared with the reference view."""
MOVED = 50.0
"""Squared motion over its variance above which a block moves; noise exceeds it in 1 of 10¹¹ blocks."""
ALIKE = 0.8
"""Smallest correlation of the gradients of two views that show the same picture. Points that move farther than their
texture is wide lower it, and one step of Newton's method does not find their motion."""


def is_still(lightfield: LightField) -> bool:
    """Whether the views farthest from the reference view show the same picture as it, except for noise."""
    offsets = np.where(lightfield.present, np.abs(lightfield.offsets[..., :2]).sum(axis=-1), -1.0)
    farthest = np.argsort(-offsets.ravel(), kind="stable")[:FARTHEST]
    reference = _grey(lightfield, lightfield.reference)
    return min(reference.shape) >= 2 * BLOCK and all(
        _same(reference, _grey(lightfield, np.unravel_index(view, offsets.shape))) for view in farthest
    )


def _grey(lightfield: LightField, place: tuple[np.intp, ...] | tuple[int, int]) -> Image:
    """The middle of a view, of mean 100."""
    view = lightfield.views[place]
    top, left = (max(0, (length - LARGEST) // 2) for length in view.shape[:2])
    grey: Image = view[top : top + LARGEST, left : left + LARGEST].astype(np.float32).mean(axis=-1)
    return grey * np.float32(100.0 / max(float(grey.mean()), 1e-6))


def _same(reference: Image, other: Image) -> bool:
    slopes = np.gradient(0.5 * (reference + other))
    alike = [
        np.corrcoef(a.ravel(), b.ravel())[0, 1] for a, b in zip(*map(np.gradient, (reference, other)), strict=True)
    ]
    return min(alike) > ALIKE and float(_significance(slopes, other - reference).max()) < MOVED


def _significance(slopes: list[Image], gap: Image) -> NDArray[np.float64]:
    """Squared motion of each block over its variance, by one step of Newton's method from no motion."""
    down, right = slopes
    pushed = np.stack([_sums(down * gap), _sums(right * gap)], axis=-1)
    stiffness = np.stack([_sums(a * b) for a in slopes for b in slopes], axis=-1).reshape(*pushed.shape, 2)
    motion = np.linalg.solve(stiffness + 1e-6 * np.eye(2), pushed[..., None])[..., 0]
    explained = (motion * pushed).sum(axis=-1)
    variance = (_sums(gap * gap) - explained) / (BLOCK**2 - 2)
    return explained / np.maximum(variance, 1e-9)


def _sums(values: Image) -> NDArray[np.float64]:
    rows, columns = (length // BLOCK for length in values.shape)
    cut = values[: rows * BLOCK, : columns * BLOCK].astype(np.float64)
    sums: NDArray[np.float64] = cut.reshape(rows, BLOCK, columns, BLOCK).sum(axis=(1, 3))
    return sums
