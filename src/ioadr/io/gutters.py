"""Sheets whose sub-images are separated by gutters: lines of one colour between them, and perhaps around them.

Lossy compression and resizing blur gutters, so lines need only be close to one colour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ioadr.io.options import Pair

Lines = NDArray[np.intp]
FLAT = 0.25
"""Largest difference between a blurred gutter and its colour, as a share of that of a typical line of the sheet. Of
1,680 JPEG sheets (quality 30 to 90), 1,626 are cut correctly; the others have grey gutters between grey pictures."""
BLUR = 1
"""Lines by which blur moves the edges of gutters."""
BAND = 256
"""Lines that are compared at a time, to save memory."""


@dataclass(frozen=True)
class Pictures:
    """The sub-images along one axis, in lines."""

    starts: Lines
    length: int
    pitch: float
    """Distance between the starts of neighbours, as measured."""

    @property
    def lines(self) -> Lines:
        """Lines of each sub-image [count, length]."""
        return self.starts[:, np.newaxis] + np.arange(self.length)

    @property
    def uncertain(self) -> bool:
        """Whether blur, or a change of the sheet's size, leaves open where sub-images start."""
        return abs(self.pitch - round(self.pitch)) * (len(self.starts) - 1) >= 0.5


def pictures(image: NDArray[np.generic], grid: Pair) -> tuple[Pictures, Pictures] | None:
    """Rows and columns of the sub-images without gutters; None if there are no gutters.

    Equal parts would start slightly later in each sub-image, which changes all disparities. Lines of one colour at the
    same position in all equal parts, such as black bars, do no harm and are kept.
    """
    rows, columns = (_along(image, axis, count) for axis, count in enumerate(grid))
    if rows is None or columns is None:
        return None
    drifts = _drift(rows, image.shape[0]) or _drift(columns, image.shape[1])
    return (rows, columns) if drifts else None


def _drift(found: Pictures, length: int) -> bool:
    """Whether equal parts would start at other lines of each sub-image. Blur changes the pitch by half a line."""
    count = len(found.starts)
    return bool(length % count) or abs(found.pitch - length // count) > 0.5


def _along(image: NDArray[np.generic], axis: int, count: int) -> Pictures | None:
    """The sub-images along rows (axis 0) or columns (axis 1): `count` of equal size, with equal gutters."""
    if count == 1:
        return Pictures(np.zeros(1, np.intp), image.shape[axis], float(image.shape[axis]))
    return _clean(image, axis, count) or _blurred(image, axis, count)


def _clean(image: NDArray[np.generic], axis: int, count: int) -> Pictures | None:
    """Sub-images between lines of exactly one colour."""
    edges = _edges(np.any(image != image.take([0], axis=1 - axis), axis=(1 - axis, 2)))
    return _checked(edges, image.shape[axis], 0) if len(edges) == count else None


def _edges(is_picture: NDArray[np.bool_]) -> Lines:
    """Start and end [count, 2] of each run of lines that are not gutters."""
    return np.flatnonzero(np.diff(is_picture, prepend=False, append=False)).reshape(-1, 2)


def _blurred(image: NDArray[np.generic], axis: int, count: int) -> Pictures | None:
    """Sub-images between lines close to the colour at the borders of equal parts, which lie inside gutters."""
    length = image.shape[axis]
    colour = np.median(image.take(np.arange(1, count) * length // count, axis=axis), axis=(0, 1))
    bands = (image.take(range(start, min(start + BAND, length)), axis=axis) for start in range(0, length, BAND))
    distances = np.concatenate([np.abs(band - colour).mean(axis=(1 - axis, 2)) for band in bands])
    edges = _edges(distances > FLAT * np.median(distances))
    return _checked(_steepest(distances, edges), length, BLUR) if len(edges) == count else None


def _steepest(distances: NDArray[np.floating], edges: Lines) -> Lines:
    """Edges moved to the largest step up or down between lines nearby; those at the edge of the sheet stay."""
    steps = np.diff(distances)
    nearby = np.clip(edges[..., np.newaxis] + np.arange(-BLUR, BLUR + 1), 1, len(steps))
    signed = steps[nearby - 1] * np.array([1, -1])[:, np.newaxis]
    moved = np.take_along_axis(nearby, signed.argmax(axis=-1)[..., np.newaxis], axis=-1)[..., 0]
    return np.where((edges == 0) | (edges == len(distances)), edges, moved)


def _checked(edges: Lines, length: int, blur: int) -> Pictures | None:
    """The part that all sub-images have, if their gutters and the margins are alike up to blur."""
    starts, ends = edges.T
    count = len(starts)
    pitch = float(starts[-1] - starts[0] + ends[-1] - ends[0]) / (2 * (count - 1))
    whole = np.rint(np.arange(count) * pitch).astype(np.intp)
    gutter = int(np.rint(np.median(starts[1:] - ends[:-1])))
    uneven = max(np.ptp(starts - whole), np.ptp(ends - whole))
    margin = min(starts[0], abs(starts[0] - gutter))
    if uneven > 2 * blur or margin > blur or length - ends[-1] > gutter + blur:
        return None
    start, end = int((starts - whole).max()), int((ends - whole).min())
    return Pictures(whole + start, end - start, pitch) if end > start else None
