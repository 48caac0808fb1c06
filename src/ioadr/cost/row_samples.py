"""A row of pixels at one disparity, followed into one view, compiled.

All pixels of the row fall at the same fractions between the samples of the view. Samples are therefore read in order,
sixteen at a time (`_lanes`), and interpolated first between two rows of the view, then between columns. Rows of scratch
memory are padded by `SPARE` numbers, because the last sixteen may extend beyond the end of the row.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel
from ioadr._lanes import WIDTH, as_floats, counted, largest, load, splat, store, where_positive
from ioadr.geometry.ppp import project, split

SPARE = 2 * WIDTH
"""Padding of a row of scratch memory, in numbers."""


@kernel
def seen_part(rays, v, n0, d):
    """(y, shift, first, last): view v shows pixel (n0, m) of disparity d at (y, m + shift) if first ≤ m < last."""
    y, shift = project(n0, 0, d, rays.dy[v], rays.dx[v])
    first = max(0, int(np.ceil(-shift)))
    last = min(rays.width, int(np.floor(np.float32(rays.width - 1) - shift)) + 1)
    return y, shift, first, last if y >= 0 and y <= rays.height - 1 else first


@kernel
def unpack_row(samples, start, count, channels):
    """Unpack `count` samples, starting at `start`, into channels float32 [3 · length], in quarters of a grey level."""
    length = channels.size // 3
    for m in range(0, count, WIDTH):
        red, green, blue = split(load(samples, start + m))
        store(channels, m, red)
        store(channels, length + m, green)
        store(channels, 2 * length + m, blue)


@kernel
def mix_rows(rays, v, y, column, count, mixed):
    """Interpolate view v at row y, for `count` columns, into three channels: mixed float32 [3 · length]."""
    length, iy = mixed.size // 3, int(y)
    down = y - np.float32(iy)
    up = np.float32(1.0) - down
    above = v * rays.view_stride + iy * rays.row_stride + column
    below = above + rays.row_stride
    for m in range(0, count, WIDTH):
        red, green, blue = split(load(rays.samples, above + m))
        red1, green1, blue1 = split(load(rays.samples, below + m))
        store(mixed, m, up * red + down * red1)
        store(mixed, length + m, up * green + down * green1)
        store(mixed, 2 * length + m, up * blue + down * blue1)


@kernel
def deviations(mixed, own, m, first, right):
    """Sum of |colour − own colour| over the channels, for sixteen pixels from first + m on.

    Their samples start at mixed[m] and are interpolated at the fraction `right` between columns. own float32
    [3 · length]: the row of pixels.
    """
    length, left = mixed.size // 3, np.float32(1.0) - right
    total = splat(np.float32(0.0))
    for c in range(3):
        at = c * length + m
        gap = left * load(mixed, at) + right * load(mixed, at + 1) - load(own, at + first)
        total = total + largest(gap, -gap)
    return total


@kernel
def only_first(count, values):
    """Zero in all but the first `count` lanes."""
    return where_positive(splat(np.float32(count)) - as_floats(counted()), values, splat(np.float32(0.0)))
