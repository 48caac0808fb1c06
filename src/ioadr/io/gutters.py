"""Sheets whose sub-images are separated by gutters: lines of one colour between them, and perhaps around them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ioadr.io.options import Pair

Lines = NDArray[np.intp]


def picture_lines(image: NDArray[np.generic], grid: Pair) -> tuple[Lines, Lines] | None:
    """Rows and columns [count, length] of the sub-images without gutters; None if there are no gutters.

    Equal parts would start slightly later in each sub-image, which changes all disparities. Lines of one colour at the
    same position in all equal parts, such as black bars, do no harm and are kept.
    """
    found = [_pictures(image, axis, count) for axis, count in enumerate(grid)]
    if any(lines is None for lines in found):
        return None
    drifts = any(
        count > 1 and int(lines[1, 0] - lines[0, 0]) * count != image.shape[axis]
        for axis, (lines, count) in enumerate(zip(found, grid, strict=True))
        if lines is not None
    )
    rows, columns = found
    return (rows, columns) if drifts and rows is not None and columns is not None else None


def _pictures(image: NDArray[np.generic], axis: int, count: int) -> Lines | None:
    """Rows (axis 0) or columns (axis 1) of `count` pictures of equal size with equal gutters; None otherwise."""
    if count == 1:
        return np.arange(image.shape[axis])[np.newaxis]
    first = image.take([0], axis=1 - axis)
    changes = np.flatnonzero(np.diff(np.any(image != first, axis=(1 - axis, 2)), prepend=False, append=False))
    starts, ends = changes[::2], changes[1::2]
    if len(starts) != count or len(set(ends - starts)) != 1 or len({b - a for a, b in pairwise(starts)}) != 1:
        return None
    gutter = starts[1] - ends[0]
    if starts[0] not in (0, gutter) or image.shape[axis] - ends[-1] > gutter:
        return None
    return starts[:, np.newaxis] + np.arange(ends[0] - starts[0])
