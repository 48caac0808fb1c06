"""4D point-projection planes and images in compiled form (§ IV-A, § IV-B).

A view's samples are packed into one word, 10 bits per channel, so that a bilinear tap is one load:
bits 0–9 red, 10–19 green, 20–29 blue, in quarters of a grey level (0 … 1020); bit 30 marks a sample that
does not exist. Rows and views are padded to sizes that are not powers of two; with powers of two, all 81 views would
compete for the same cache lines.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ioadr._jit import fetch, kernel
from ioadr._lanes import as_floats, gather_pairs, truncated

LEVELS = 4.0
"""Steps per grey level of the packed samples."""
MISSING_BIT = 30
MISSING = 1 << MISSING_BIT


class Rays(NamedTuple):
    """All views of a light field, packed for kernels."""

    samples: Any
    """uint32 [V · view_stride], packed views, flat."""
    row_stride: Any
    view_stride: Any
    """int32, in samples."""
    height: Any
    width: Any
    dy: Any
    dx: Any
    """float32 [V]: a point of disparity d moves by −d·(dy, dx) px from the reference view to view v."""
    reach: Any
    """float32 [V]: max(|dy|, |dx|)."""
    reference: Any
    """Index of the reference view."""


@kernel
def unpack(word):
    """Three channels of a packed sample, float32, in quarters of a grey level."""
    return (
        np.float32(np.int32(word & np.uint32(1023))),
        np.float32(np.int32((word >> np.uint32(10)) & np.uint32(1023))),
        np.float32(np.int32((word >> np.uint32(20)) & np.uint32(1023))),
    )


@kernel
def split(words):
    """Three channels of packed lanes, in quarters of a grey level."""
    return (
        as_floats(words & np.int32(1023)),
        as_floats((words >> np.int32(10)) & np.int32(1023)),
        as_floats((words >> np.int32(20)) & np.int32(1023)),
    )


@kernel
def project(n0, m0, d, dy, dx):
    """Position (y, x) in px at which the 4D-PPP of (n0, m0, d) meets the view at offset (dy, dx) (Eq. 8)."""
    return np.float32(n0) - d * dy, np.float32(m0) - d * dx


@kernel
def occluder_origin(n0, m0, d, d_occluder, dy, dx):
    """Reference pixel, in px, whose PPP of disparity d_occluder meets the PPP of (n0, m0, d) in a view (Eq. 14)."""
    step = d_occluder - d
    return np.float32(n0) + step * dy, np.float32(m0) + step * dx


@kernel
def bilinear_weights(fy, fx):
    """Weights of the taps (0,0), (0,1), (1,0), (1,1) at the fractions fy, fx."""
    both = fy * fx
    return np.float32(1.0) - fy - fx + both, fx - both, fy - both, both


@kernel
def all_inside(rays, n0, m0, d, bounds):
    """Whether every view's sample of the PPP lies in its image; bounds = (min dy, max dy, min dx, max dx)."""
    y_low = n0 - max(d * bounds[0], d * bounds[1])
    y_high = n0 - min(d * bounds[0], d * bounds[1])
    x_low = m0 - max(d * bounds[2], d * bounds[3])
    x_high = m0 - min(d * bounds[2], d * bounds[3])
    return y_low >= 0 and x_low >= 0 and y_high <= rays.height - 1 and x_high <= rays.width - 1


@kernel
def sample(rays, v, y, x):
    """Bilinear colour of view v at (y, x) inside the image (Eq. 10), three channels in quarters of a grey level."""
    iy, ix = np.int32(y), np.int32(x)
    w00, w01, w10, w11 = bilinear_weights(y - np.float32(iy), x - np.float32(ix))
    base = np.int32(v * rays.view_stride + iy * rays.row_stride + ix)
    below = np.int32(base + rays.row_stride)
    r00, g00, b00 = unpack(fetch(rays.samples, base))
    r01, g01, b01 = unpack(fetch(rays.samples, np.int32(base + 1)))
    r10, g10, b10 = unpack(fetch(rays.samples, below))
    r11, g11, b11 = unpack(fetch(rays.samples, np.int32(below + 1)))
    red = w00 * r00 + w01 * r01 + w10 * r10 + w11 * r11
    green = w00 * g00 + w01 * g01 + w10 * g10 + w11 * g11
    blue = w00 * b00 + w01 * b01 + w10 * b10 + w11 * b11
    return red, green, blue


@kernel
def sample_lanes(rays, start, y, x):
    """`sample` for sixteen views together: their samples start at `start` int32; y and x are float32 lanes."""
    iy, ix = truncated(y), truncated(x)
    w00, w01, w10, w11 = bilinear_weights(y - as_floats(iy), x - as_floats(ix))
    base = start + iy * rays.row_stride + ix
    word00, word01 = gather_pairs(rays.samples, base)
    word10, word11 = gather_pairs(rays.samples, base + rays.row_stride)
    r00, g00, b00 = split(word00)
    r01, g01, b01 = split(word01)
    r10, g10, b10 = split(word10)
    r11, g11, b11 = split(word11)
    return (
        w00 * r00 + w01 * r01 + w10 * r10 + w11 * r11,
        w00 * g00 + w01 * g01 + w10 * g10 + w11 * g11,
        w00 * b00 + w01 * b01 + w10 * b10 + w11 * b11,
    )


@kernel
def point_projection_image(rays, n0, m0, d, colours, inside):
    """4D-PPI of (n0, m0, d) (Eq. 10): colours float32 [V, 3] in grey levels, inside bool [V]."""
    for v in range(rays.dy.size):
        y, x = project(n0, m0, d, rays.dy[v], rays.dx[v])
        inside[v] = y >= 0 and x >= 0 and y <= rays.height - 1 and x <= rays.width - 1
        colours[v] = np.nan
        if inside[v]:
            red, green, blue = sample(rays, np.int32(v), y, x)
            colours[v, 0], colours[v, 1], colours[v, 2] = red / LEVELS, green / LEVELS, blue / LEVELS
