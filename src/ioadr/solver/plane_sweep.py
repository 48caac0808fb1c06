"""Cost of whole fronto-parallel planes, for light fields whose lines the structure tensor cannot follow, compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.geometry.ppp import LEVELS, bilinear_weights, project, sample, unpack

SCRATCH = 9
"""Rows of scratch that `half_deviations` needs."""


@kernel
def half_deviation(rays, n0, m0, d):
    """Smallest mean |colour − reference| (grey levels) over the views left, right, above or below the reference view.

    Near an occlusion one side still sees the point: no visibility is needed to rank hypotheses.
    """
    base = rays.reference * rays.view_stride + n0 * rays.row_stride + m0
    red0, green0, blue0 = unpack(rays.samples[base])
    bottom, right = np.float32(rays.height - 1), np.float32(rays.width - 1)
    zero, one = np.float32(0.0), np.float32(1.0)
    left_sum, right_sum, above_sum, below_sum = zero, zero, zero, zero
    left_count, right_count, above_count, below_count = zero, zero, zero, zero
    for v in range(rays.dy.size):
        y, x = project(n0, m0, d, rays.dy[v], rays.dx[v])
        yc, xc = min(max(y, zero), bottom), min(max(x, zero), right)
        inside = zero if abs(y - yc) + abs(x - xc) > 0 else one
        red, green, blue = sample(rays, np.int32(v), yc, xc)
        deviation = inside * (abs(red - red0) + abs(green - green0) + abs(blue - blue0))
        on_left, on_right = one if rays.dx[v] < 0 else zero, one if rays.dx[v] > 0 else zero
        on_top, on_bottom = one if rays.dy[v] < 0 else zero, one if rays.dy[v] > 0 else zero
        left_sum += on_left * deviation
        left_count += on_left * inside
        right_sum += on_right * deviation
        right_count += on_right * inside
        above_sum += on_top * deviation
        above_count += on_top * inside
        below_sum += on_bottom * deviation
        below_count += on_bottom * inside
    best = np.float32(np.inf)
    best = min(best, left_sum / left_count) if left_count > 0 else best
    best = min(best, right_sum / right_count) if right_count > 0 else best
    best = min(best, above_sum / above_count) if above_count > 0 else best
    best = min(best, below_sum / below_count) if below_count > 0 else best
    return best * np.float32(1.0 / (3.0 * LEVELS))


@kernel
def half_deviations(rays, n0, d, scratch, cost):
    """`half_deviation` of a whole row at one disparity, at most 255, into cost float32 [M]; a fifth of the time.

    All pixels of a row lie between the samples of a view in the same way, so that no sample is looked up on its own.
    scratch float32 [9, M]: deviations from one view, sums of the four sides, their counts.
    """
    scratch[1:] = np.float32(0.0)
    for v in range(rays.dy.size):
        y, shift = project(n0, 0, d, rays.dy[v], rays.dx[v])
        first = max(0, int(np.ceil(-shift)))
        last = min(rays.width, int(np.floor(np.float32(rays.width - 1) - shift)) + 1)
        if y >= 0 and y <= rays.height - 1 and first < last:
            row_deviation(rays, v, n0, y, shift, first, last, scratch[0])
            sides = rays.dx[v] < 0, rays.dx[v] > 0, rays.dy[v] < 0, rays.dy[v] > 0
            for side in range(4):
                if sides[side]:
                    add_row(scratch[0, first:last], scratch[1 + side, first:last], scratch[5 + side, first:last])
    for m in range(rays.width):
        best = np.float32(np.inf)
        for side in range(1, 5):
            if scratch[side + 4, m] > 0:
                best = min(best, scratch[side, m] / scratch[side + 4, m])
        cost[m] = min(best * np.float32(1.0 / (3.0 * LEVELS)), np.float32(255.0))


@kernel
def row_deviation(rays, v, n0, y, shift, first, last, out):
    """out[m] = summed |colour of view v at (y, m + shift) − reference at (n0, m)| for m = first … last − 1."""
    iy, ix = int(y), int(np.floor(shift))
    w00, w01, w10, w11 = bilinear_weights(y - np.float32(iy), shift - np.float32(ix))
    own = rays.reference * rays.view_stride + n0 * rays.row_stride
    base = v * rays.view_stride + iy * rays.row_stride + ix
    reference = rays.samples[own + first : own + last]
    above = rays.samples[base + first : base + last + 1]
    below = rays.samples[base + rays.row_stride + first : base + rays.row_stride + last + 1]
    deviation = out[first:last]
    for m in range(last - first):
        red0, green0, blue0 = unpack(reference[m])
        r00, g00, b00 = unpack(above[m])
        r01, g01, b01 = unpack(above[m + 1])
        r10, g10, b10 = unpack(below[m])
        r11, g11, b11 = unpack(below[m + 1])
        red = abs(w00 * r00 + w01 * r01 + w10 * r10 + w11 * r11 - red0)
        green = abs(w00 * g00 + w01 * g01 + w10 * g10 + w11 * g11 - green0)
        blue = abs(w00 * b00 + w01 * b01 + w10 * b10 + w11 * b11 - blue0)
        deviation[m] = red + green + blue


@kernel
def add_row(deviation, total, count):
    """One more view on a side."""
    for m in range(deviation.size):
        total[m] += deviation[m]
        count[m] += np.float32(1.0)


@task
def plane_cost(begin, end, rays, d, cost):
    """Fill rows begin … end − 1 of cost float32 [N, M] with the deviation at disparity d."""
    scratch = np.empty((SCRATCH, rays.width), np.float32)
    for n in range(begin, end):
        half_deviations(rays, n, d, scratch, cost[n])


@task
def keep_best(begin, end, cost, half_width, index, averaged, before, best):
    """Average rows begin … end − 1 of a plane's cost over a square and keep the cheapest plane of each pixel.

    averaged, before float32 [N, M]: this plane's and the last one's average; best float32 [4, N, M]: index and cost
    of the cheapest plane, cost of the planes before and after it.
    """
    height, width = cost.shape
    column = np.empty(width, np.float32)
    for n in range(begin, end):
        top, bottom = max(n - half_width, 0), min(n + half_width + 1, height)
        for m in range(width):
            column[m] = 0
            for i in range(top, bottom):
                column[m] += cost[i, m]
        for m in range(width):
            left, right = max(m - half_width, 0), min(m + half_width + 1, width)
            total = np.float32(0.0)
            for j in range(left, right):
                total += column[j]
            average = total / np.float32((bottom - top) * (right - left))
            averaged[n, m] = average
            if best[0, n, m] == index - 1:
                best[3, n, m] = average
            if average < best[1, n, m]:
                best[0, n, m], best[1, n, m] = index, average
                best[2, n, m], best[3, n, m] = before[n, m], average


@task
def pixel_curves(begin, end, rays, pixels, disparities, half_width, curves):
    """Deviation of pixels begin … end − 1 (int64 [P, 2]) averaged over a square, at every disparity; float32 [P, D]."""
    for p in range(begin, end):
        for i in range(disparities.size):
            total = np.float32(0.0)
            for dn in range(-half_width, half_width + 1):
                for dm in range(-half_width, half_width + 1):
                    n = min(max(pixels[p, 0] + dn, 0), rays.height - 1)
                    m = min(max(pixels[p, 1] + dm, 0), rays.width - 1)
                    total += min(half_deviation(rays, n, m, disparities[i]), np.float32(255.0))
            curves[p, i] = total / np.float32((2 * half_width + 1) ** 2)
