"""Coverage of a pixel at a depth discontinuity by the near surface, from all views, compiled (decision 12).

At the near surface's disparity, such a pixel shows I_v = a·F + (1 − a)·B_v in view v (C1): F is constant, the
background B_v moves behind it, and other views see it unobstructed. The slope of I_v over B_v is 1 − a for any F.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.cost.sight import Sight, inverse, level_scale, look, near_colour, sides

SHARES = 33
"""Values of a between 0 and 1 that are tried."""
# Tried: .45; MSE×100 of dino .183 → .190, of toys .141 → .166 (decision 12).
HALF = 0.5
"""Smallest coverage of a pixel that belongs to the near surface."""
INDEPENDENT = 40.0
"""Number of independent views; more add nothing, because their errors are correlated."""
SAMPLE_NOISE, MODEL_ERROR, COLOUR_ERROR = 0.7, 2.5, 3.0
"""Errors in grey levels: of a sample, of the mixture as a whole, and of F away from where it was seen."""
UNSEEN_GRADIENT = 10.0
"""Gradient that every pixel's colour may have, grey levels per px."""


@kernel
def mean_of(values, count, c):
    """Mean of column c over the first `count` rows; with numpy's mean, loading this kernel would load scipy (0.4 s)."""
    total = 0.0
    for v in range(count):
        total += values[v, c]
    return total / count


@kernel
def moments(sight, count, ridge):
    """Central moments (S_II, S_IB, S_BB) over the views, without the part that the views' positions explain (C6).

    If the near disparity is wrong, colours change linearly with the position. The ridge limits how much of such a
    change is attributed to that error.
    """
    seen, behind, place, along, colours = sight
    oy, ox = mean_of(place, count, 0), mean_of(place, count, 1)
    ii, ib, bb, yy, yx, xx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    along[:] = 0
    for v in range(count):
        y, x = place[v, 0] - oy, place[v, 1] - ox
        yy, yx, xx = yy + y * y, yx + y * x, xx + x * x
        for c in range(3):
            i, b = seen[v, c] - colours[1, c], behind[v, c] - colours[2, c]
            ii, ib, bb = ii + i * i, ib + i * b, bb + b * b
            along[0, c, 0] += i * y
            along[0, c, 1] += i * x
            along[1, c, 0] += b * y
            along[1, c, 1] += b * x
    iyy, iyx, ixx = inverse(yy, yx, xx, ridge)
    for c in range(3):
        (iy, ix), (by, bx) = along[0, c], along[1, c]
        ii -= iyy * iy * iy + 2.0 * iyx * iy * ix + ixx * ix * ix
        ib -= iyy * iy * by + iyx * (iy * bx + ix * by) + ixx * ix * bx
        bb -= iyy * by * by + 2.0 * iyx * by * bx + ixx * bx * bx
    return max(ii, 0.0), ib, max(bb, 0.0)


@kernel
def misfit(ii, ib, bb, s, noise_ratio):
    """Squared distance of the points (B_v, I_v) from a line of slope s, with noise in both coordinates (C7)."""
    return max(ii - 2.0 * s * ib + s * s * bb, 0.0) / (1.0 + noise_ratio * s * s)


@kernel
def mixture_error(colours, a):
    """|m|²: squared error of a·F + (1 − a)·B against I, for the means over the views and in the reference view (C8)."""
    error, s = 0.0, 1.0 - a
    for c in range(3):
        mean, single = colours[1, c] - s * colours[2, c], colours[3, c] - s * colours[4, c]
        error += (0.5 * (mean + single) - a * colours[0, c]) ** 2
    return error


@kernel
def weigh(sums, count, noise, noise_ratio, model_error, colours, colour_variance):
    """Most likely coverage a, and evidence U for the near surface over the far one (C9).

    sums = (S_II, S_IB, S_BB); noise = σ².
    """
    ii, ib, bb = sums
    left = np.inf
    for k in range(SHARES):
        left = min(left, misfit(ii, ib, bb, k / (SHARES - 1.0), noise_ratio))
    left /= 3.0 * count
    share = min(INDEPENDENT / count, 1.0) / (noise + left)
    best, coverage, near, far = np.inf, 1.0, np.inf, np.inf
    for k in range(SHARES):
        a = k / (SHARES - 1.0)
        energy = share * misfit(ii, ib, bb, 1.0 - a, noise_ratio)
        if colour_variance < np.inf:
            variance = model_error + left + a * a * colour_variance
            energy += mixture_error(colours, a) / variance + 3.0 * np.log(variance)
        if energy < best:
            best, coverage = energy, a
        if a < HALF:
            far = min(far, energy)
        else:
            near = min(near, energy)
    return coverage, far - near


@kernel
def gather_means(sight, count, reference):
    """Set colours [1 … 4]: means of I and B over the views, then both in the reference view (the means without it)."""
    for c in range(3):
        sight.colours[1, c] = mean_of(sight.seen, count, c)
        sight.colours[2, c] = mean_of(sight.behind, count, c)
        sight.colours[3, c] = sight.seen[reference, c] if reference >= 0 else sight.colours[1, c]
        sight.colours[4, c] = sight.behind[reference, c] if reference >= 0 else sight.colours[2, c]


@kernel
def contrast(colours):
    """Root mean square of F − B̄ over the channels."""
    total = 0.0
    for c in range(3):
        total += (colours[0, c] - colours[2, c]) ** 2
    return np.sqrt(total / 3.0)


@kernel
def judge(matting, disparity, n, m, near, far, middle, scratch, sight):
    """(a, U, whether F is known) for pixel (n, m) between a near and a far surface; NaN if too few views show both."""
    pair, sums = scratch
    count, reference, spread = look(matting, matting.ceilings[0], n, m, near, far, middle, pair, sight)
    if count < matting.fewest:
        count, reference, spread = look(matting, matting.ceilings[1], n, m, near, far, middle, pair, sight)
    if count < matting.fewest:
        return np.nan, np.nan, np.nan
    gather_means(sight, count, reference)
    scale = level_scale(matting, n, m)
    colour_variance = near_colour(matting, disparity, n, m, near, middle, sums, sight.colours[0])
    known = 1.0 if colour_variance < np.inf else 0.0
    difference = contrast(sight.colours) if known > 0 else 0.0
    noise = (SAMPLE_NOISE * scale) ** 2
    slope = matting.misplaced * (difference + UNSEEN_GRADIENT * scale)
    ridge = noise / (slope * slope * min(INDEPENDENT / count, 1.0))
    ratio = spread / (2.0 * spread + noise)
    colour_variance += (COLOUR_ERROR * scale) ** 2
    summed = moments(sight, count, ridge)
    a, likelihood = weigh(summed, count, noise, ratio, (MODEL_ERROR * scale) ** 2, sight.colours, colour_variance)
    return a, likelihood, known


@task
def cover(begin, end, matting, disparity, wanted, surfaces, told):
    """Fill rows begin … end − 1 of two float32 arrays [3, N, M]; pixels not in wanted bool [N, M] or without a jump
    are NaN.

    The first array holds the near, far and middle disparities. `told` holds the coverage by the near surface, U, and
    whether the near surface's colour is known (1, else 0); it is also NaN where the views do not decide.
    """
    views = matting.rays.dy.size
    sight = Sight(
        np.empty((views, 3), np.float32),
        np.empty((views, 3), np.float32),
        np.empty((views, 2), np.float32),
        np.empty((2, 3, 2)),
        np.empty((5, 3)),
    )
    scratch = np.empty((2, 3), np.float32), np.empty((3, 4))
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            surfaces[:, n, m], told[:, n, m] = np.nan, np.nan
            if not wanted[n, m]:
                continue
            near, far, middle = sides(disparity, matting.slopes, n, m, matting.jump)
            if near > far:
                surfaces[0, n, m], surfaces[1, n, m], surfaces[2, n, m] = near, far, middle
                found = judge(matting, disparity, n, m, near, far, middle, scratch, sight)
                told[0, n, m], told[1, n, m], told[2, n, m] = found
