"""Surfaces from noisy targets: at every pixel the widest polynomial patch the data do not contradict, compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task

TERMS = 6
"""1, x, y, x², x·y, y²."""
RIDGE = 1e-3
"""Share of the total weight added to the diagonal, so that one-sided patches stay solvable."""


@kernel
def moments(target, precision, centre, steps, xs, ys, fit, gate, widest, sums):
    """Weighted moments of the patch around flat index `centre`: sums float32 [15 + 6].

    steps int32, xs, ys float32 [W]: the patch; fit float32 [6]: its last polynomial. A sample counts by its precision
    and by how near it is to that polynomial, falling to zero at 1/√gate standard deviations or 1/√widest px.
    """
    z = np.float32(0.0)
    s0, sx, sy, sxx, sxy, syy = z, z, z, z, z, z
    s30, s21, s12, s03, s40, s31, s22, s13, s04 = z, z, z, z, z, z, z, z, z
    t0, tx, ty, txx, txy, tyy = z, z, z, z, z, z
    c0, c1, c2, c3, c4, c5 = fit[0], fit[1], fit[2], fit[3], fit[4], fit[5]
    for k in range(steps.size):
        i = np.uint32(centre + steps[k])
        x, y = xs[k], ys[k]
        xx, xy, yy = x * x, x * y, y * y
        value, p = target[i] - c0, precision[i]
        residual = value - (c1 * x + c2 * y + c3 * xx + c4 * xy + c5 * yy)
        inlier = max(np.float32(1.0) - residual * residual * max(p * gate, widest), z)
        w = p * inlier * inlier
        s0 += w
        sx += w * x
        sy += w * y
        sxx += w * xx
        sxy += w * xy
        syy += w * yy
        s30 += w * xx * x
        s21 += w * xx * y
        s12 += w * x * yy
        s03 += w * yy * y
        s40 += w * xx * xx
        s31 += w * xx * xy
        s22 += w * xx * yy
        s13 += w * xy * yy
        s04 += w * yy * yy
        t0 += w * value
        tx += w * value * x
        ty += w * value * y
        txx += w * value * xx
        txy += w * value * xy
        tyy += w * value * yy
    sums[0], sums[1], sums[2], sums[3], sums[4], sums[5] = s0, sx, sy, sxx, sxy, syy
    sums[6], sums[7], sums[8], sums[9], sums[10], sums[11] = s30, s21, s12, s03, s40, s31
    sums[12], sums[13], sums[14] = s22, s13, s04
    sums[15], sums[16], sums[17], sums[18], sums[19], sums[20] = t0, tx, ty, txx, txy, tyy


@kernel
def fill_system(sums, size, system):
    """Normal equations of the first `size` terms with right side and first unit vector: [size, size + 2]."""
    first = (0, 1, 2, 3, 4, 5)
    second = (1, 3, 4, 6, 7, 8)
    third = (2, 4, 5, 7, 8, 9)
    fourth = (3, 6, 7, 10, 11, 12)
    fifth = (4, 7, 8, 11, 12, 13)
    sixth = (5, 8, 9, 12, 13, 14)
    for c in range(size):
        system[0, c] = sums[first[c]]
        system[1, c] = sums[second[c]]
        system[2, c] = sums[third[c]]
        if size == TERMS:
            system[3, c] = sums[fourth[c]]
            system[4, c] = sums[fifth[c]]
            system[5, c] = sums[sixth[c]]
    for r in range(size):
        system[r, r] += RIDGE * sums[0]
        system[r, size] = sums[15 + r]
        system[r, size + 1] = 1.0 if r == 0 else 0.0


@kernel
def eliminate(system, size):
    """Gauss–Jordan on a positive definite system: its last columns become solution and the inverse's first column."""
    for p in range(size):
        scale = 1.0 / system[p, p]
        for c in range(p, size + 2):
            system[p, c] *= scale
        for r in range(size):
            if r != p:
                factor = system[r, p]
                for c in range(p, size + 2):
                    system[r, c] -= factor * system[p, c]


@kernel
def fit_patch(target, precision, centre, patch, gate, widest, caution, fit, sums, system):
    """Replace `fit` by the patch's plane, or by its quadric where that differs significantly; returns the variance."""
    moments(target, precision, centre, patch[0], patch[1], patch[2], fit, gate, widest, sums)
    base = fit[0]
    if sums[0] <= 0:
        return np.inf
    fill_system(sums, 3, system)
    eliminate(system, 3)
    plane, variance = system[0, 3], system[0, 4]
    for k in range(TERMS):
        fit[k] = system[k, 3] if k < 3 else 0.0
    fill_system(sums, TERMS, system)
    eliminate(system, TERMS)
    excess = system[0, TERMS + 1] - variance
    change = system[0, TERMS] - plane
    if excess > 0 and change * change > caution * caution * excess:
        variance = system[0, TERMS + 1]
        for k in range(TERMS):
            fit[k] = system[k, TERMS]
    fit[0] += base
    return variance


@task
def fit_surfaces(begin, end, disparity, target, precision, pad, scales, steps, xs, ys, gate, widest, caution, fitted):
    """Rows begin … end − 1 of fitted float32 [N, M], from targets and precisions padded by `pad` (precision 0 outside).

    scales int32 [S + 1]: bounds of each scale's patch in steps, xs, ys. A wider patch is taken while its value agrees
    with all narrower ones to within `caution` standard deviations.
    """
    stride = target.shape[1]
    flat_target, flat_precision = target.reshape(-1), precision.reshape(-1)
    fit, sums, system = np.zeros(TERMS, np.float32), np.zeros(21, np.float32), np.zeros((TERMS, TERMS + 2))
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            centre = (n + pad) * stride + m + pad
            fit[:] = 0
            fit[0] = disparity[n, m]
            best, low, high = disparity[n, m], -np.inf, np.inf
            for s in range(scales.size - 1):
                a, b = scales[s], scales[s + 1]
                patch = steps[a:b], xs[a:b], ys[a:b]
                variance = fit_patch(
                    flat_target, flat_precision, centre, patch, gate, widest, caution, fit, sums, system
                )
                reach = caution * np.sqrt(variance)
                low, high = max(low, fit[0] - reach), min(high, fit[0] + reach)
                if not low <= high:
                    break
                best = fit[0]
            fitted[n, m] = best
