"""Sheets whose sub-images are separated by gutters, lines of one colour between them, or surrounded by a frame.

Lossy compression and resizing blur gutters, so lines need only be close to one colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.io.options import Pair

Lines = NDArray[np.intp]
FLAT = 0.25
"""Largest difference between a blurred gutter and its colour, as a share of that of a typical line of the sheet. Of
1,680 JPEG sheets (quality 30 to 90), 1,626 are cut correctly; the others have grey gutters between grey pictures. With
frames of other widths, 288 of 288 PNG sheets are, and 270 of 288 JPEG sheets (quality 85); 16 are refused."""
BLUR = 1
"""Lines by which blur moves the edges of gutters."""
STRAIGHT = 0.5
"""Smallest share of the first and last lines of sub-images that differs from the gutters, if the sheet's margins do not
have their width."""
CLEAR = 2.0
"""Within a frame, lines that meet between sub-images differ at least this many times as much as other neighbours."""
TYPICAL = 64
"""Number of other neighbouring lines that are compared."""
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


def pictures(image: NDArray[Any], grid: Pair) -> tuple[Pictures, Pictures] | None:
    """Rows and columns of the sub-images without gutters; None if there are no gutters.

    Equal parts would start slightly later in each sub-image, which changes all disparities. Lines of one colour at the
    same position in all equal parts, such as black bars, do no harm and are kept.
    """
    found = [_along(image, axis, count) for axis, count in enumerate(grid)]
    found = [along or _same_frame(image, axis, grid[axis], found[1 - axis]) for axis, along in enumerate(found)]
    rows, columns = (along or _equal(image.shape[axis], grid[axis]) for axis, along in enumerate(found))
    if rows is None or columns is None:
        return None
    drifts = _drift(rows, image.shape[0]) or _drift(columns, image.shape[1])
    return (rows, columns) if drifts else None


def _drift(found: Pictures, length: int) -> bool:
    """Whether equal parts would start at other lines of each sub-image. Blur changes the pitch by half a line."""
    count = len(found.starts)
    return bool(length % count) or abs(found.pitch - length // count) > 0.5


def _along(image: NDArray[Any], axis: int, count: int) -> Pictures | None:
    """The sub-images along rows (axis 0) or columns (axis 1): `count` of equal size, with equal gutters."""
    if count == 1:
        return Pictures(np.zeros(1, np.intp), image.shape[axis], float(image.shape[axis]))
    return _clean(image, axis, count) or _blurred(image, axis, count) or _framed(image, axis, count)


def _equal(length: int, count: int) -> Pictures | None:
    """Equal parts, if the length can be divided."""
    return _between(0, length, count) if length % count == 0 else None


def _clean(image: NDArray[Any], axis: int, count: int) -> Pictures | None:
    """Sub-images between lines of exactly one colour."""
    edges = _edges(np.any(image != image.take([0], axis=1 - axis), axis=(1 - axis, 2)))
    return _checked(image, axis, edges, 0) if len(edges) == count else None


def _edges(is_picture: NDArray[np.bool_]) -> Lines:
    """Start and end [count, 2] of each run of lines that are not gutters."""
    return np.flatnonzero(np.diff(is_picture, prepend=False, append=False)).reshape(-1, 2)


def _blurred(image: NDArray[Any], axis: int, count: int) -> Pictures | None:
    """Sub-images between lines close to the colour at the borders of equal parts, which lie inside gutters."""
    length = image.shape[axis]
    colour = np.median(image.take(np.arange(1, count) * length // count, axis=axis), axis=(0, 1))
    distances = np.concatenate([np.abs(band - colour).mean(axis=(1 - axis, 2)) for band in _bands(image, axis)])
    edges = _edges(distances > FLAT * np.median(distances))
    return _checked(image, axis, _steepest(distances, edges), BLUR) if len(edges) == count else None


def _bands(image: NDArray[Any], axis: int) -> Iterator[NDArray[Any]]:
    length = image.shape[axis]
    return (image.take(range(start, min(start + BAND, length)), axis=axis) for start in range(0, length, BAND))


def _framed(image: NDArray[Any], axis: int, count: int) -> Pictures | None:
    """Sub-images side by side within a frame, if the picture breaks off where they would meet.

    The first lines of pictures may also have one colour: then it does not break off there.
    """
    length = image.shape[axis]
    start, end = _inside(image, axis)
    sides = [(first, last) for first in _near(start, length) for last in _near(end, length)]
    frames = [(first, last) for first, last in sides if (last - first) % count == 0 and last - first < length]
    if not frames:
        return None
    scores = [_seam(image, axis, first + (last - first) // count * np.arange(1, count)) for first, last in frames]
    rival = _seam(image, axis, length // count * np.arange(1, count)) if length % count == 0 else 0.0
    usual = _seam(image, axis, np.linspace(start + 1, end - 1, TYPICAL).astype(np.intp))
    best = int(np.argmax(scores))
    if scores[best] <= CLEAR * max(rival, usual):
        return None
    return _between(*frames[best], count)


def _same_frame(image: NDArray[Any], axis: int, count: int, other: Pictures | None) -> Pictures | None:
    """Sub-images within a frame as wide as along the other axis, where pictures break off too little to show it."""
    if other is None or other.pitch > other.length:
        return None
    first, last = int(other.starts[0]), int(other.starts[-1]) + other.length
    end = image.shape[axis] - (image.shape[1 - axis] - last)
    start, after = _inside(image, axis)
    framed = first <= start + BLUR and after <= end + BLUR and (end - first) % count == 0
    return _between(first, end, count) if framed else None


def _between(first: int, last: int, count: int) -> Pictures:
    """Equal parts between two lines."""
    size = (last - first) // count
    return Pictures(first + size * np.arange(count, dtype=np.intp), size, float(size))


def _inside(image: NDArray[Any], axis: int) -> tuple[int, int]:
    """First line of the sheet that has not one colour, and the one after the last."""
    spreads = [
        np.abs(band - np.median(band, 1 - axis, keepdims=True)).mean((1 - axis, 2)) for band in _bands(image, axis)
    ]
    spread = np.concatenate(spreads)
    varied = np.flatnonzero(spread > FLAT * np.median(spread))
    return (int(varied[0]), int(varied[-1]) + 1) if len(varied) else (0, len(spread))


def _near(line: int, length: int) -> list[int]:
    """Lines to which blur may have moved the edge of the frame; the edge of the sheet itself is sharp."""
    return [line] if line in (0, length) else list(range(max(line - BLUR, 0), min(line + BLUR, length) + 1))


def _seam(image: NDArray[Any], axis: int, lines: Lines) -> float:
    """Difference between these lines and those before them, in the median of the lines."""
    before = image.take(lines - 1, axis=axis).astype(np.float32)
    return float(np.median(np.abs(image.take(lines, axis=axis) - before).mean(axis=(1 - axis, 2))))


def _steepest(distances: NDArray[np.floating], edges: Lines) -> Lines:
    """Edges moved to the largest step up or down between lines nearby; those at the edge of the sheet stay."""
    steps = np.diff(distances)
    nearby = np.clip(edges[..., np.newaxis] + np.arange(-BLUR, BLUR + 1), 1, len(steps))
    signed = steps[nearby - 1] * np.array([1, -1])[:, np.newaxis]
    moved = np.take_along_axis(nearby, signed.argmax(axis=-1)[..., np.newaxis], axis=-1)[..., 0]
    return np.where((edges == 0) | (edges == len(distances)), edges, moved)


def _checked(image: NDArray[Any], axis: int, edges: Lines, blur: int) -> Pictures | None:
    """The part that all sub-images have, if their gutters are alike up to blur."""
    starts, ends = edges.T
    count = len(starts)
    pitch = float(starts[-1] - starts[0] + ends[-1] - ends[0]) / (2 * (count - 1))
    whole = np.rint(np.arange(count) * pitch).astype(np.intp)
    if max(np.ptp(starts - whole), np.ptp(ends - whole)) > 2 * blur:
        return None
    gutter = int(np.rint(np.median(starts[1:] - ends[:-1])))
    margin = min(starts[0], abs(starts[0] - gutter))
    unlike = margin > blur or image.shape[axis] - ends[-1] > gutter + blur
    if unlike and not _straight(image, axis, edges, blur):
        return None
    start, end = int((starts - whole).max()), int((ends - whole).min())
    return Pictures(whole + start, end - start, pitch) if end > start else None


def _straight(image: NDArray[Any], axis: int, edges: Lines, blur: int) -> bool:
    """Whether sub-images begin and end along whole lines; objects on a plain background have outlines instead."""
    colour = np.median(image.take((edges[:-1, 1] + edges[1:, 0]) // 2, axis=axis), axis=(0, 1))
    lines = np.concatenate([edges[:, 0] + blur, edges[:, 1] - 1 - blur])
    distances = np.abs(image.take(lines, axis=axis) - colour).mean(axis=2)
    least = FLAT * np.median(distances) if blur else 0.0
    return bool((distances > least).mean(axis=1 - axis).min() > STRAIGHT)
