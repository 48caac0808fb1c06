"""Filtered copies of all views for the finish, compiled: low-pass and high-pass.

Gloss and shading change from view to view, but smoothly across the image: a high-pass removes them.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr._lanes import WIDTH, largest, load, smallest, splat, store, truncated
from ioadr.geometry.ppp import LEVELS, split

MIDDLE = np.float32(128.0 * LEVELS)
"""Packed value of a high-pass sample of zero."""


@task
def soften(begin, end, rays, side, softened):
    """Smooth views begin … end − 1 of packed samples with (side, 1 − 2·side, side) in both directions."""
    stride = np.int64(rays.row_stride)
    rows = np.int64(rays.view_stride) // stride
    length = stride + 2
    mixed = np.zeros(3 * length, np.float32)
    for v in range(begin, end):
        start = v * np.int64(rays.view_stride)
        for n in range(rows):
            above, below = max(n - 1, 0), min(n + 1, rows - 1)
            mix_rows(rays.samples, start + above * stride, start + n * stride, start + below * stride, side, mixed)
            for c in range(3):
                mixed[c * length] = mixed[c * length + 1]
                mixed[c * length + stride + 1] = mixed[c * length + stride]
            mix_columns(mixed, side, start + n * stride, softened)


@kernel
def mix_rows(samples, above, centre, below, side, mixed):
    """Smooth a row with the rows above and below: mixed float32 [3 · length], three channels from column 1 on."""
    middle, length = np.float32(1.0) - np.float32(2.0) * side, len(mixed) // 3
    for block in range(0, length - 2, WIDTH):
        m = min(block, length - 2 - WIDTH)
        red, green, blue = split(load(samples, centre + m))
        red1, green1, blue1 = split(load(samples, above + m))
        red2, green2, blue2 = split(load(samples, below + m))
        store(mixed, m + 1, middle * red + side * (red1 + red2))
        store(mixed, length + m + 1, middle * green + side * (green1 + green2))
        store(mixed, 2 * length + m + 1, middle * blue + side * (blue1 + blue2))


@kernel
def mix_columns(mixed, side, at, packed):
    """Smooth the row horizontally, round it, and pack it from flat index `at` on."""
    middle, length = np.float32(1.0) - np.float32(2.0) * side, len(mixed) // 3
    for block in range(0, length - 2, WIDTH):
        m = min(block, length - 2 - WIDTH)
        word = splat(np.int32(0))
        for c in range(3):
            left = c * length + m
            value = middle * load(mixed, left + 1) + side * (load(mixed, left) + load(mixed, left + 2))
            word = word + truncated(value + np.float32(0.5)) * np.int32(1 << (10 * c))
        store(packed, at + m, word)


@task
def high_pass(begin, end, rays, share, passed):
    """Subtract `share` of their blur by (1, 4, 6, 4, 1)/16 in both directions from views begin … end − 1."""
    stride = np.int64(rays.row_stride)
    rows = np.int64(rays.view_stride) // stride
    length = stride + 4
    mixed = np.zeros(3 * length, np.float32)
    at = np.empty(5, np.int64)
    for v in range(begin, end):
        start = v * np.int64(rays.view_stride)
        for n in range(rows):
            for i in range(5):
                at[i] = start + min(max(n + i - 2, 0), rows - 1) * stride
            blur_rows(rays.samples, at, mixed)
            for c in range(3):
                mixed[c * length : c * length + 2] = mixed[c * length + 2]
                mixed[c * length + stride + 2 : (c + 1) * length] = mixed[c * length + stride + 1]
            less_blur(rays.samples, mixed, share, start + n * stride, passed)


@kernel
def blur_rows(samples, at, mixed):
    """Weighted sum of five rows that start at flat indices `at`: mixed float32 [3 · length], from column 2 on."""
    length = len(mixed) // 3
    outer, inner, middle = np.float32(1 / 16), np.float32(4 / 16), np.float32(6 / 16)
    for block in range(0, length - 4, WIDTH):
        m = min(block, length - 4 - WIDTH)
        r0, g0, b0 = split(load(samples, at[0] + m))
        r1, g1, b1 = split(load(samples, at[1] + m))
        r2, g2, b2 = split(load(samples, at[2] + m))
        r3, g3, b3 = split(load(samples, at[3] + m))
        r4, g4, b4 = split(load(samples, at[4] + m))
        store(mixed, m + 2, outer * (r0 + r4) + inner * (r1 + r3) + middle * r2)
        store(mixed, length + m + 2, outer * (g0 + g4) + inner * (g1 + g3) + middle * g2)
        store(mixed, 2 * length + m + 2, outer * (b0 + b4) + inner * (b1 + b3) + middle * b2)


@kernel
def less_blur(samples, mixed, share, at, packed):
    """Subtract a share of its blur from a row of samples that starts at flat index `at`, and pack it."""
    length, top = len(mixed) // 3, splat(np.float32(255.0 * LEVELS))
    outer, inner, middle = np.float32(1 / 16), np.float32(4 / 16), np.float32(6 / 16)
    for block in range(0, length - 4, WIDTH):
        m = min(block, length - 4 - WIDTH)
        own = split(load(samples, at + m))
        word = splat(np.int32(0))
        for c in range(3):
            k = c * length + m
            blur = outer * (load(mixed, k) + load(mixed, k + 4)) + inner * (load(mixed, k + 1) + load(mixed, k + 3))
            value = own[c] - share * (blur + middle * load(mixed, k + 2)) + (MIDDLE + np.float32(0.5))
            value = largest(smallest(value, top), splat(np.float32(0.0)))
            word = word + truncated(value) * np.int32(1 << (10 * c))
        store(packed, at + m, word)
