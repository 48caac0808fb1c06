"""Small grey pictures of a few views, and how well they match when shifted by a disparity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.float32]
Volume = NDArray[np.float32]
"""[shift, row, column]"""
Offsets = NDArray[np.float64]
"""[V, 2] (row, column) relative to the reference view."""
LARGEST = 30.0
"""Largest difference that counts, in levels of a mean of 100."""


@dataclass(frozen=True, eq=False)
class Pictures:
    """A few views, small and grey, with their positions; the first is the reference view."""

    images: NDArray[np.float32]
    """[V, N, M], mean 100."""
    offsets: Offsets
    """In baseline units."""

    @cached_property
    def directions(self) -> Offsets:
        """Offsets in units of the farthest view's, so that a shift is that of the farthest view, in px."""
        return self.offsets / max(float(np.abs(self.offsets).max(initial=0.0)), 1e-9)

    def with_offsets(self, offsets: Offsets) -> Pictures:
        return Pictures(self.images, offsets)

    def chosen(self, which: NDArray[np.bool_]) -> Pictures:
        """Some of the views; the reference view always."""
        kept = which | (np.arange(len(self.images)) == 0)
        return Pictures(self.images[kept], self.offsets[kept])

    def reduced(self, longest: int) -> Pictures:
        """Averaged over blocks of pixels, so that no side exceeds `longest` px."""
        return Pictures(reduced(self.images, longest), self.offsets)

    def cropped(self, longest: int) -> Pictures:
        """The middle, at most `longest` px a side."""
        top, left = (max(0, (length - longest) // 2) for length in self.images.shape[1:])
        return Pictures(self.images[:, top : top + longest, left : left + longest], self.offsets)

    @property
    def axial(self) -> NDArray[np.bool_]:
        """[V]: views in the row or the column of the reference view."""
        return np.abs(self.directions).min(axis=1) < 0.05


def reduced(images: NDArray[np.float32], longest: int) -> NDArray[np.float32]:
    """Means over blocks of the last two axes."""
    factor = -(-max(images.shape[-2:]) // longest)
    if factor == 1:
        return images
    height, width = images.shape[-2] // factor, images.shape[-1] // factor
    # Slices are added, because numpy takes several times as long for sums over short axes.
    inner = images[..., : height * factor, : width * factor]
    across = inner[..., ::factor, :].astype(np.float32)
    for row in range(1, factor):
        across += inner[..., row::factor, :]
    blocks = across[..., ::factor].copy()
    for column in range(1, factor):
        blocks += across[..., column::factor]
    blocks /= np.float32(factor * factor)
    return blocks


def grey(view: NDArray[Any], longest: int) -> Image:
    """[N, M] of a view [N, M, C], reduced, with a mean of 100, whatever its exposure."""
    colour = view[..., : 3 if view.shape[2] >= 3 else 1]
    light = colour.astype(np.float32) @ np.full(colour.shape[2], 1.0 / colour.shape[2], np.float32)
    light = reduced(light, longest)
    if view.dtype.kind == "f":
        light = np.nan_to_num(light, posinf=0.0, neginf=0.0)  # refused later, by name
    return light * np.float32(100.0 / max(float(light.mean()), 1e-6))


def moved(image: Image, down: float, right: float) -> Image:
    """The picture at (row + down, column + right), the edge repeated outside."""
    return _moved_along(_moved_along(image, down, 0), right, 1)


def _moved_along(image: Image, shift: float, axis: int) -> Image:
    if shift == 0.0:
        return image
    length = image.shape[axis]
    whole = int(np.floor(shift))
    part = np.float32(shift - whole)
    if axis == 0:
        taken = image.take(np.arange(whole, whole + length + 1), axis, mode="clip")
        low, high = taken[:-1], taken[1:]
    else:
        taken = _columns(image, whole)
        low, high = taken[:, :-1], taken[:, 1:]
    if part == 0:
        return low
    between = high - low
    between *= part
    between += low
    return between


def _columns(image: Image, first: int) -> Image:
    """Columns first … first + width, the edge repeated outside; `take` copies single pixels along rows."""
    height, width = image.shape
    before, after = min(max(-first, 0), width + 1), min(max(first + 1, 0), width + 1)
    end = width + 1 - after
    columns = np.empty((height, width + 1), image.dtype)
    columns[:, :before], columns[:, end:] = image[:, :1], image[:, -1:]
    columns[:, before:end] = image[:, first + before : first + end]
    return columns


def difference(reference: Image, view: Image, down: float, right: float) -> Image:
    """|view moved back by the shift − reference|, at most `LARGEST`."""
    gap = moved(view, down, right) - reference
    np.abs(gap, out=gap)
    return np.minimum(gap, np.float32(LARGEST), out=gap)


def volume(pictures: Pictures, which: NDArray[np.bool_], shifts: NDArray[np.float64]) -> Volume:
    """[shift, N, M]: mean difference of some views to the reference view."""
    reference, numbers = pictures.images[0], np.flatnonzero(which)
    result = np.zeros((len(shifts), *reference.shape), np.float32)
    for number in numbers:
        down, right = pictures.directions[number]
        for target, shift in zip(result, shifts, strict=True):
            target += difference(reference, pictures.images[number], -shift * down, -shift * right)
    result /= np.float32(max(len(numbers), 1))
    return result


def box(values: Volume, radius: int) -> Volume:
    """Mean over (2 radius + 1)² px of the last two axes, the edge repeated outside."""
    count, (height, width) = 2 * radius + 1, values.shape[-2:]
    padded = np.pad(values, [(0, 0)] * (values.ndim - 2) + [(radius, radius)] * 2, mode="edge")
    rows = padded[..., :height, :].copy()
    for start in range(1, count):
        rows += padded[..., start : start + height, :]
    total = rows[..., :width].copy()
    for start in range(1, count):
        total += rows[..., start : start + width]
    total *= np.float32(1.0 / count**2)
    return total


def block_means(image: Image, size: int, margin: int) -> Image:
    """Means over blocks of size² px, without a margin, as one row."""
    rows, columns = ((length - 2 * margin) // size for length in image.shape)
    inner = image[margin : margin + rows * size, margin : margin + columns * size]
    # One axis after the other: numpy takes three times as long for both at once.
    across = inner.reshape(rows, size, columns * size).sum(axis=1)
    return (across.reshape(rows, columns, size).sum(axis=2) / np.float32(size * size)).ravel()


def bilinear(image: Image, row: Image, column: Image) -> Image:
    """The picture between its pixels."""
    height, width = image.shape
    row, column = np.clip(row, 0, height - 1.001), np.clip(column, 0, width - 1.001)
    top, left = row.astype(np.intp), column.astype(np.intp)
    down, right = (row - top).astype(np.float32), (column - left).astype(np.float32)
    flat, first = image.ravel(), top * width + left
    above, below = flat[first], flat[first + width]
    above += right * (flat[first + 1] - above)
    below += right * (flat[first + width + 1] - below)
    below -= above
    below *= down
    above += below
    return above
