"""Fit surfaces to noisy targets: at every pixel, the widest polynomial patch that fits the data, compiled.

Sixteen neighbouring pixels are fitted together (`_lanes`): their patches have the same offsets, so that samples are
read in order. Within a row of a patch only powers of x are summed; powers of y follow once per row.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr._lanes import WIDTH, largest, load, splat, store

TERMS = 6
"""1, x, y, x², x·y, y²."""
COLUMNS = TERMS + 2
"""Columns of a system: the matrix, the right-hand side and the first unit vector."""
SUMS = 21
"""Moments of a patch: 15 of its weights, 6 with its targets."""
UNIT = 8.0
"""Unit of a patch's coordinates, px, so that its moments have similar magnitudes."""
RIDGE = np.float32(1e-3)
"""Share of the total weight added to the diagonal, so that one-sided patches stay solvable."""
SUREST = np.float32(1e-6)
"""Variance, px², added to that of a patch: no surface is more precise than a thousandth of a px."""


@kernel
def row_moments(target, precision, centre, half, gap, base, slope, bend, c0, gate, widest):
    """Σ w·x^0 … x^4 and Σ w·t·x^0 … x^2 over one row of sixteen patches; t is the target minus c0.

    The row's samples are `gap` px apart, up to `half` px away. Its last polynomial is base + slope·x + bend·x². The
    weight of a sample is its precision times a factor that falls with its distance from the polynomial, to zero at
    1/√gate standard deviations or 1/√widest px.
    """
    zero, one = splat(np.float32(0.0)), np.float32(1.0)
    s0, s1, s2, s3, s4, t0, t1, t2 = zero, zero, zero, zero, zero, zero, zero, zero
    for i in range(-half, half + 1, gap):
        x = np.float32(i / UNIT)
        xx = x * x
        value, p = load(target, centre + i) - c0, load(precision, centre + i)
        residual = value - (base + slope * x + bend * xx)
        inlier = largest(one - residual * residual * largest(p * gate, splat(widest)), zero)
        w = p * inlier * inlier
        wt = w * value
        s0 = s0 + w
        s1 = s1 + w * x
        s2 = s2 + w * xx
        s3 = s3 + w * (xx * x)
        s4 = s4 + w * (xx * xx)
        t0 = t0 + wt
        t1 = t1 + wt * x
        t2 = t2 + wt * xx
    return s0, s1, s2, s3, s4, t0, t1, t2


@kernel
def moments(target, precision, centre, rows, stride, fit, gate, widest, sums):
    """Weighted moments of the patches around flat indices centre … centre + 15: sums float32 [21 · 16].

    rows int32 [R, 3]: row offset, half width and gap of each row of the patch, px; fit float32 [6 · 16]: the last
    polynomials.
    """
    c0, c1, c2 = load(fit, 0), load(fit, WIDTH), load(fit, 2 * WIDTH)
    c3, c4, c5 = load(fit, 3 * WIDTH), load(fit, 4 * WIDTH), load(fit, 5 * WIDTH)
    sums[:] = 0
    for k in range(len(rows)):
        y = np.float32(rows[k, 0] / UNIT)
        base, slope = c2 * y + c5 * (y * y), c1 + c4 * y
        along = row_moments(
            target, precision, centre + rows[k, 0] * stride, rows[k, 1], rows[k, 2], base, slope, c3, c0, gate, widest
        )
        add_row(along, y, sums)


@kernel
def add_row(along, y, sums):
    """Add the moments of a row at height y to its patch: 1, x, y, x², xy, y², x³ … y³, x⁴ … y⁴, then the targets."""
    s0, s1, s2, s3, s4, t0, t1, t2 = along
    yy = y * y
    add(sums, 0, s0)
    add(sums, 1, s1)
    add(sums, 2, s0 * y)
    add(sums, 3, s2)
    add(sums, 4, s1 * y)
    add(sums, 5, s0 * yy)
    add(sums, 6, s3)
    add(sums, 7, s2 * y)
    add(sums, 8, s1 * yy)
    add(sums, 9, s0 * (yy * y))
    add(sums, 10, s4)
    add(sums, 11, s3 * y)
    add(sums, 12, s2 * yy)
    add(sums, 13, s1 * (yy * y))
    add(sums, 14, s0 * (yy * yy))
    add(sums, 15, t0)
    add(sums, 16, t1)
    add(sums, 17, t0 * y)
    add(sums, 18, t2)
    add(sums, 19, t1 * y)
    add(sums, 20, t0 * yy)


@kernel
def add(sums, k, values):
    """Add sixteen values to the k-th group of sixteen."""
    store(sums, k * WIDTH, load(sums, k * WIDTH) + values)


@kernel
def fill_system(sums, size, system):
    """Fill the normal equations [6 · 8 · 16] of the first `size` terms, with right-hand side and first unit vector."""
    order = (
        (0, 1, 2, 3, 4, 5),
        (1, 3, 4, 6, 7, 8),
        (2, 4, 5, 7, 8, 9),
        (3, 6, 7, 10, 11, 12),
        (4, 7, 8, 11, 12, 13),
        (5, 8, 9, 12, 13, 14),
    )
    for r in range(size):
        for c in range(size):
            store(system, (r * COLUMNS + c) * WIDTH, load(sums, order[r][c] * WIDTH))
        add(system, r * COLUMNS + r, load(sums, 0) * RIDGE)
        store(system, (r * COLUMNS + size) * WIDTH, load(sums, (15 + r) * WIDTH))
        store(system, (r * COLUMNS + size + 1) * WIDTH, splat(np.float32(1.0 if r == 0 else 0.0)))


@kernel
def eliminate(system, size):
    """Gauss–Jordan elimination of positive definite systems.

    The last two columns become the solution and the first column of the inverse.
    """
    for p in range(size):
        scale = np.float32(1.0) / largest(load(system, (p * COLUMNS + p) * WIDTH), splat(np.float32(1e-30)))
        for c in range(p, size + 2):
            at = (p * COLUMNS + c) * WIDTH
            store(system, at, load(system, at) * scale)
        for r in range(size):
            if r != p:
                factor = load(system, (r * COLUMNS + p) * WIDTH)
                for c in range(p, size + 2):
                    at = (r * COLUMNS + c) * WIDTH
                    store(system, at, load(system, at) - factor * load(system, (p * COLUMNS + c) * WIDTH))


@kernel
def fit_patch(sums, caution, system, fit, variance):
    """Set `fit` to the plane of each patch, or to its quadric if that differs significantly; also set `variance`."""
    fill_system(sums, 3, system)
    eliminate(system, 3)
    for lane in range(WIDTH):
        variance[lane] = system[4 * WIDTH + lane] if sums[lane] > 0 else np.inf
        for k in range(TERMS):
            if sums[lane] > 0:
                value = system[(k * COLUMNS + 3) * WIDTH + lane] if k < 3 else np.float32(0.0)
                fit[k * WIDTH + lane] = value + (fit[lane] if k == 0 else np.float32(0.0))
    plane = load(system, 3 * WIDTH)
    fill_system(sums, TERMS, system)
    eliminate(system, TERMS)
    change, excess = load(system, TERMS * WIDTH) - plane, load(system, (TERMS + 1) * WIDTH) - load(variance, 0)
    store(sums, WIDTH, change)
    store(sums, 2 * WIDTH, excess)
    for lane in range(WIDTH):
        moved, more = sums[WIDTH + lane], sums[2 * WIDTH + lane]
        if sums[lane] > 0 and more > 0 and moved * moved > caution * caution * more:
            variance[lane] += more
            fit[lane] += moved
            for k in range(1, TERMS):
                fit[k * WIDTH + lane] = system[(k * COLUMNS + TERMS) * WIDTH + lane]


@task
def fit_surfaces(begin, end, disparity, target, precision, pad, scales, rows, gate, widest, caution, surfaces):
    """Fill rows begin … end − 1 of surfaces float32 [7, N, M]: six coefficients, and the precision of the first.

    Targets and precisions are padded by `pad` (precision 0 outside), on the right by 16 more. scales int32 [S + 1]:
    bounds of each scale's patch in `rows`. A wider patch is used as long as its value agrees with all narrower ones to
    within `caution` standard deviations.
    """
    stride, width = target.shape[1], disparity.shape[1]
    flat_target, flat_precision = target.reshape(-1), precision.reshape(-1)
    fit, variance = np.zeros(TERMS * WIDTH, np.float32), np.zeros(WIDTH, np.float32)
    sums, system = np.zeros(SUMS * WIDTH, np.float32), np.zeros(TERMS * COLUMNS * WIDTH, np.float32)
    low, high, best = np.zeros(WIDTH, np.float32), np.zeros(WIDTH, np.float32), np.zeros((7, WIDTH), np.float32)
    for n in range(begin, end):
        for m in range(0, width, WIDTH):
            used = min(WIDTH, width - m)
            fit[:] = 0
            best[:], low[:], high[:] = 0, -np.inf, np.inf
            for lane in range(used):
                fit[lane] = best[0, lane] = disparity[n, m + lane]
            for s in range(scales.size - 1):
                patch = rows[scales[s] : scales[s + 1]]
                centre = (n + pad) * stride + m + pad
                moments(flat_target, flat_precision, centre, patch, stride, fit, gate, widest, sums)
                fit_patch(sums, caution, system, fit, variance)
                if not narrow(fit, variance, caution, used, low, high, best):
                    break
            for k in range(TERMS + 1):
                for lane in range(used):
                    surfaces[k, n, m + lane] = best[k, lane]


@kernel
def narrow(fit, variance, caution, used, low, high, best):
    """Intersect the confidence intervals of the fits and keep the fit where the intersection is not empty.

    Returns whether there is such a pixel.
    """
    left = 0
    for lane in range(used):
        reach = caution * np.sqrt(variance[lane])
        low[lane], high[lane] = max(low[lane], fit[lane] - reach), min(high[lane], fit[lane] + reach)
        if low[lane] <= high[lane]:
            for k in range(TERMS):
                best[k, lane] = fit[k * WIDTH + lane]
            best[TERMS, lane] = np.float32(1.0) / (variance[lane] + SUREST)
            left += 1
    return left > 0
