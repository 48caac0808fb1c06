"""A data term in which every view is heard, over whole planes, compiled (beyond the paper, decision 11).

J_oa is a mean over the views that see a point. The near rim of a false hole in a plain surface hides most views, and
the few that are left agree with anything. Here hidden views pay what a good match costs around the pixel.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.geometry.ppp import LEVELS, bilinear_weights, project, unpack

FINE = 1024.0
"""Steps per grey level of stored costs."""
CAP = np.float32(8.0)
"""Grey levels of high-pass difference from which a view disagrees in full."""


TAPS = (1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0)
"""A Gaussian of σ = 1 px."""
BLURRED = np.float32(0.9)
"""Share of the blurred view that is taken off: gloss and shading are of low frequency."""
GREY = np.float32(100.0)
"""Grey levels that stand for zero in packed high-pass samples."""


@kernel
def blurred_column(samples, start, stride, rows, n, m, c):
    """Channel c (bits from 10·c on) of column m around row n, weighted by the taps, quarters of a grey level."""
    total = np.float32(0.0)
    for i in range(5):
        row = min(max(n + i - 2, 0), rows - 1)
        total += np.float32(TAPS[i]) * unpack(samples[start + row * stride + m])[c]
    return total


@task
def high_pass(begin, end, rays, passed):
    """Views begin … end − 1 of packed samples: v − BLURRED·(B∗v) + GREY, B the taps in both directions."""
    rows, stride = rays.view_stride // rays.row_stride, np.int64(rays.row_stride)
    column = np.empty(stride + 4, np.float32)
    for v in range(begin, end):
        start = v * np.int64(rays.view_stride)
        for n in range(rows):
            out = passed[start + n * stride : start + (n + 1) * stride]
            out[:] = 0
            for c in range(3):
                for m in range(stride):
                    column[m + 2] = blurred_column(rays.samples, start, stride, rows, n, m, c)
                column[:2], column[stride + 2 :] = column[2], column[stride + 1]
                for m in range(stride):
                    blurred = np.float32(0.0)
                    for j in range(5):
                        blurred += np.float32(TAPS[j]) * column[m + j]
                    value = unpack(rays.samples[start + n * stride + m])[c] - BLURRED * blurred
                    value += np.float32(LEVELS) * GREY + np.float32(0.5)
                    level = np.uint32(min(max(value, np.float32(0.0)), np.float32(1023.0)))
                    out[m] |= level << np.uint32(10 * c)


@task
def surface_in_views(begin, end, disparity, dy, dx, surface):
    """Views begin … end − 1 of surface float32 [V, N, M]: the map [N, M] as each view sees it, −inf where nothing is.

    A point covers the 2×2 px around where it is seen; the nearest one counts.
    """
    height, width = disparity.shape
    for v in range(begin, end):
        surface[v] = -np.inf
        for n in range(height):
            for m in range(width):
                d = disparity[n, m]
                y, x = project(n, m, d, dy[v], dx[v])
                top, left = int(np.floor(y)), int(np.floor(x))
                for i in range(max(top, 0), min(top + 2, height)):
                    for j in range(max(left, 0), min(left + 2, width)):
                        surface[v, i, j] = max(surface[v, i, j], d)


@kernel
def listen(rays, v, n0, d, y, shift, first, last, own, surface, margin, total, visible):
    """Add view v's deviation to total [M] and 1 to visible [M] where it sees (n0, m) at d, m = first … last − 1.

    It does not where its surface [N, M] is nearer by more than margin than d *and* than the map itself (own [M]): what
    is farther than the map would otherwise be hidden by the pixel's own neighbours.
    """
    iy, ix = int(y), int(np.floor(shift))
    w00, w01, w10, w11 = bilinear_weights(y - np.float32(iy), shift - np.float32(ix))
    origin = rays.reference * rays.view_stride + n0 * rays.row_stride
    base = v * rays.view_stride + iy * rays.row_stride + ix
    reference = rays.samples[origin + first : origin + last]
    above = rays.samples[base + first : base + last + 1]
    below = rays.samples[base + rays.row_stride + first : base + rays.row_stride + last + 1]
    row, column = int(y + np.float32(0.5)), int(np.floor(shift + np.float32(0.5)))
    nearest = surface[v, row, first + column : last + column]
    map_row, sums, counts = own[first:last], total[first:last], visible[first:last]
    scale, one, zero = np.float32(1.0 / (3.0 * LEVELS)), np.float32(1.0), np.float32(0.0)
    for m in range(last - first):
        red0, green0, blue0 = unpack(reference[m])
        r00, g00, b00 = unpack(above[m])
        r01, g01, b01 = unpack(above[m + 1])
        r10, g10, b10 = unpack(below[m])
        r11, g11, b11 = unpack(below[m + 1])
        red = abs(w00 * r00 + w01 * r01 + w10 * r10 + w11 * r11 - red0)
        green = abs(w00 * g00 + w01 * g01 + w10 * g10 + w11 * g11 - green0)
        blue = abs(w00 * b00 + w01 * b01 + w10 * b10 + w11 * b11 - blue0)
        seen = one if nearest[m] <= max(d, map_row[m]) + margin else zero
        sums[m] += seen * min((red + green + blue) * scale, CAP)
        counts[m] += seen


@task
def hear(begin, end, rays, disparity, surface, planes, margin, deviation, share, least):
    """Rows begin … end − 1 of every plane: what the visible views deviate, and which share of the views they are.

    deviation uint16 [N, M, D]: sum over the visible views / number of views in whose image the sample lies, in 1/FINE
    grey levels; share uint8 [N, M, D]: of 255; least float32 [N, M]: smallest mean over the visible views where they
    are two fifths of all, grey levels.
    """
    scratch = np.empty((3, rays.width), np.float32)
    total, visible, inside = scratch[0], scratch[1], scratch[2]
    for n in range(begin, end):
        least[n] = CAP
        for k in range(planes.size):
            d = planes[k]
            scratch[:] = 0
            for v in range(rays.dy.size):
                y, shift = project(n, 0, d, rays.dy[v], rays.dx[v])
                first = max(0, int(np.ceil(-shift)))
                last = min(rays.width, int(np.floor(np.float32(rays.width - 1) - shift)) + 1)
                if v != rays.reference and y >= 0 and y <= rays.height - 1 and first < last:
                    listen(rays, v, n, d, y, shift, first, last, disparity[n], surface, margin, total, visible)
                    inside[first:last] += 1
            for m in range(rays.width):
                some = max(inside[m], np.float32(1.0))
                seen = visible[m] / some if inside[m] > 0 else np.float32(1.0)
                mean = total[m] / some if inside[m] > 0 else CAP
                deviation[n, m, k] = np.uint16(mean * np.float32(FINE) + np.float32(0.5))
                share[n, m, k] = np.uint8(seen * np.float32(255.0) + np.float32(0.5))
                if 5 * visible[m] >= 2 * inside[m]:
                    least[n, m] = min(least[n, m], mean / seen)


@kernel
def heard_cost(deviation, share, charge):
    """C = F + (1 − P)·charge in grey levels, of stored deviation F and share P."""
    hidden = np.float32(1.0) - np.float32(share) * np.float32(1.0 / 255.0)
    return np.float32(deviation) * np.float32(1.0 / FINE) + hidden * charge


@task
def cost_of_map(begin, end, deviation, share, charge, disparity, minimum, step, cost):
    """Rows begin … end − 1 of cost float32 [N, M]: C of a map, linear between planes `step` px apart."""
    last = deviation.shape[2] - 1
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            at = min(max((disparity[n, m] - minimum) / step, np.float32(0.0)), np.float32(last))
            k = min(int(at), last - 1)
            low = heard_cost(deviation[n, m, k], share[n, m, k], charge[n, m])
            high = heard_cost(deviation[n, m, k + 1], share[n, m, k + 1], charge[n, m])
            cost[n, m] = low + (at - np.float32(k)) * (high - low)
