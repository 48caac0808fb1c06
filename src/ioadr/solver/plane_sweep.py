"""Cost of whole fronto-parallel planes, for light fields whose lines the structure tensor cannot follow, compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr._lanes import WIDTH, load, store
from ioadr.cost.row_samples import SPARE, deviations, mix_rows, only_first, seen_part, unpack_row
from ioadr.geometry.ppp import LEVELS, project, sample, unpack


@kernel
def half_deviation(rays, n0, m0, d):
    """Smallest mean |colour − reference| (grey levels) over the views left, right, above or below the reference view.

    Near an occlusion, one side still sees the point, so hypotheses can be ranked without visibility.
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
def half_deviations(rays, n0, d, own, mixed, totals, counts, cost):
    """Set cost float32 [M] to `half_deviation` of a whole row at one disparity, at most 255; ten times as fast.

    own float32 [3 · length]: the row's channels. Scratch memory: mixed [3 · length]; totals [5 · length], the sums of
    the four sides and of none; counts [5, length], where the number of their views changes along the row.
    """
    length = own.size // 3
    totals[:], counts[:] = 0, 0
    for v in range(rays.dy.size):
        y, shift, first, last = seen_part(rays, v, n0, d)
        if v == rays.reference or first >= last:
            continue
        across = 0 if rays.dx[v] < 0 else 1 if rays.dx[v] > 0 else 4
        along = 2 if rays.dy[v] < 0 else 3 if rays.dy[v] > 0 else 4
        column = int(np.floor(shift))
        mix_rows(rays, v, y, first + column, last - first + 1, mixed)
        add_sides(mixed, own, first, last, shift - np.float32(column), across * length, along * length, totals)
        counts[across, first] += 1
        counts[across, last] -= 1
        counts[along, first] += 1
        counts[along, last] -= 1
    cheapest_side(totals, counts, cost)


@kernel
def add_sides(mixed, own, first, last, right, across, along, totals):
    """Add a view's deviations to the two sides whose sums begin at totals[across] and totals[along]."""
    for m in range(0, last - first, WIDTH):
        deviation = only_first(last - first - m, deviations(mixed, own, m, first, right))
        store(totals, across + first + m, load(totals, across + first + m) + deviation)
        store(totals, along + first + m, load(totals, along + first + m) + deviation)


@kernel
def cheapest_side(totals, counts, cost):
    """The smallest mean of the four sides, grey levels, at most 255."""
    length = counts.shape[1]
    cost[:] = 255
    for side in range(4):
        count = np.float32(0.0)
        for m in range(cost.size):
            count += np.float32(counts[side, m])
            if count > 0:
                cost[m] = min(cost[m], totals[side * length + m] / count * np.float32(1.0 / (3.0 * LEVELS)))


@task
def plane_cost(begin, end, rays, d, cost):
    """Fill rows begin … end − 1 of cost float32 [N, M] with the deviation at disparity d."""
    length = rays.width + SPARE
    own, mixed = np.zeros(3 * length, np.float32), np.zeros(3 * length, np.float32)
    totals, counts = np.empty(5 * length, np.float32), np.empty((5, length), np.int32)
    for n in range(begin, end):
        start = rays.reference * np.int64(rays.view_stride) + n * np.int64(rays.row_stride)
        unpack_row(rays.samples, start, rays.width, own)
        half_deviations(rays, n, d, own, mixed, totals, counts, cost[n])


@task
def keep_best(begin, end, cost, half_width, index, averaged, before, best):
    """Average rows begin … end − 1 of a plane's cost over a square and keep the cheapest plane of each pixel.

    averaged, before float32 [N, M]: averages of this plane and of the last one. best float32 [4, N, M]: index and cost
    of the cheapest plane, and the costs of the planes before and after it.
    """
    height, width = cost.shape
    column = np.zeros(width + 2 * half_width, np.float32)
    for n in range(begin, end):
        top, bottom = max(n - half_width, 0), min(n + half_width + 1, height)
        column[:] = 0
        for i in range(top, bottom):
            for m in range(width):
                column[half_width + m] += cost[i, m]
        for m in range(width):
            averaged[n, m] = column[m]
        for j in range(1, 2 * half_width + 1):
            for m in range(width):
                averaged[n, m] += column[m + j]
        for m in range(width):
            left, right = max(m - half_width, 0), min(m + half_width + 1, width)
            average = averaged[n, m] / np.float32((bottom - top) * (right - left))
            averaged[n, m] = average
            if best[0, n, m] == index - 1:
                best[3, n, m] = average
            if average < best[1, n, m]:
                best[0, n, m], best[1, n, m] = index, average
                best[2, n, m], best[3, n, m] = before[n, m], average


@task
def pixel_curves(begin, end, rays, pixels, disparities, half_width, curves):
    """Deviation float32 [P, D] of pixels begin … end − 1 (int64 [P, 2]) at every disparity, averaged over a square."""
    for p in range(begin, end):
        for i in range(disparities.size):
            total = np.float32(0.0)
            for dn in range(-half_width, half_width + 1):
                for dm in range(-half_width, half_width + 1):
                    n = min(max(pixels[p, 0] + dn, 0), rays.height - 1)
                    m = min(max(pixels[p, 1] + dm, 0), rays.width - 1)
                    total += min(half_deviation(rays, n, m, disparities[i]), np.float32(255.0))
            curves[p, i] = total / np.float32((2 * half_width + 1) ** 2)
