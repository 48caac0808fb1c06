"""The data term linearised around a map (Gauss–Newton): the disparity that fits the visible views, and its precision.

Views are sampled with a cubic kernel because its derivative is smooth; bilinear samples pull towards whole pixels.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr._lanes import (
    WIDTH,
    as_floats,
    counted,
    gather,
    largest,
    load,
    smallest,
    splat,
    start_of_run,
    store,
    truncated,
    where_positive,
)
from ioadr.cost.occlusion import find_hidden
from ioadr.cost.views import is_hidden, views_around
from ioadr.geometry.ppp import LEVELS, split

DUST = np.float32(1e-4)
"""Rounding error of Σ w·g² without texture, grey levels²/px²; quotients of smaller values are meaningless."""

ROUNDING = np.float32(1e-5)
"""Rounding error, as a share of Σ w·g², if the derivatives of all views are equal."""


@kernel
def cubic(t):
    """Catmull–Rom weights of the taps −1, 0, 1 and 2 at fraction t."""
    half, s, c = np.float32(0.5), t * t, t * t * t
    return (
        half * (-t + np.float32(2.0) * s - c),
        half * (np.float32(2.0) - np.float32(5.0) * s + np.float32(3.0) * c),
        half * (t + np.float32(4.0) * s - np.float32(3.0) * c),
        half * (c - s),
    )


@kernel
def cubic_slope(t, factor):
    """Derivatives of the Catmull–Rom weights by t, times a factor."""
    half, s = np.float32(0.5) * factor, t * t
    return (
        half * (np.float32(4.0) * t - np.float32(3.0) * s - np.float32(1.0)),
        half * (np.float32(9.0) * s - np.float32(10.0) * t),
        half * (np.float32(8.0) * t - np.float32(9.0) * s + np.float32(1.0)),
        half * (np.float32(3.0) * s - np.float32(2.0) * t),
    )


@kernel
def noise_gain(w, u):
    """Variance of a weighted sum of unit noise, and half its derivative."""
    return (
        w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3],
        w[0] * u[0] + w[1] * u[1] + w[2] * u[2] + w[3] * u[3],
    )


@kernel
def neighbours(samples, base, first):
    """Four samples in a row from `base` on; if its lanes are a run that starts at `first`, loads replace gathers."""
    if first >= 0:
        return load(samples, first), load(samples, first + 1), load(samples, first + 2), load(samples, first + 3)
    return (
        gather(samples, base),
        gather(samples, base + np.int32(1)),
        gather(samples, base + np.int32(2)),
        gather(samples, base + np.int32(3)),
    )


@kernel
def cubic_row(four, wx, ux):
    """Sums of four neighbouring samples, in three channels, with the weights wx and with the weights ux."""
    r0, g0, b0 = split(four[0])
    r1, g1, b1 = split(four[1])
    r2, g2, b2 = split(four[2])
    r3, g3, b3 = split(four[3])
    return (
        wx[0] * r0 + wx[1] * r1 + wx[2] * r2 + wx[3] * r3,
        wx[0] * g0 + wx[1] * g1 + wx[2] * g2 + wx[3] * g3,
        wx[0] * b0 + wx[1] * b1 + wx[2] * b2 + wx[3] * b3,
        ux[0] * r0 + ux[1] * r1 + ux[2] * r2 + ux[3] * r3,
        ux[0] * g0 + ux[1] * g1 + ux[2] * g2 + ux[3] * g3,
        ux[0] * b0 + ux[1] * b1 + ux[2] * b2 + ux[3] * b3,
    )


@kernel
def robust_normal_equation(rays, n0, m0, d, seen, scale):
    """(Σ w·g·r, Σ w·g², Σ w·r², Σ w) over the visible views' residuals r and their derivatives g by d, grey levels.

    Computed for sixteen pixels (n0, m0) … (n0, m0 + 15) with disparities d. seen float32 [V · 16] is 1 where a view
    sees the pixel. w = 1 / (1 + r²/scale²), with r² summed over the channels. In each channel, r and g are relative to
    their means over the views: the reference view is as noisy as any other, and if only views on one side see the
    pixel, its noise would look like a disparity. Interpolation averages noise, most of all halfway between pixels,
    which would draw the minimum there; the expected contribution of noise to Σ w·g·r is therefore subtracted.
    """
    one, zero = splat(np.float32(1.0)), splat(np.float32(0.0))
    if rays.height < 4 or rays.width < 4:  # four taps do not fit
        return zero, zero, zero, zero
    stride, columns = np.int32(rays.row_stride), as_floats(counted()) + np.float32(m0)
    own = truncated(smallest(columns, splat(np.float32(rays.width - 1))))
    own = own + np.int32(rays.reference * rays.view_stride + n0 * stride)
    red0, green0, blue0 = split(gather(rays.samples, own))
    bottom, right = splat(np.float32(rays.height - 3)), splat(np.float32(rays.width - 3))
    limit = np.float32(3.0) * scale * scale * np.float32(LEVELS * LEVELS)
    gr, gg, rr, ww, gain, gain_d = zero, zero, zero, zero, zero, zero
    red_sum, green_sum, blue_sum, red_d_sum, green_d_sum, blue_d_sum = zero, zero, zero, zero, zero, zero
    for v in range(rays.dy.size):
        dy, dx = rays.dy[v], rays.dx[v]
        y, x = np.float32(n0) - d * dy, columns - d * dx
        yc, xc = largest(smallest(y, bottom), one), largest(smallest(x, right), one)
        missed = (y - yc) * (y - yc) + (x - xc) * (x - xc)
        iy, ix = truncated(yc), truncated(xc)
        fy, fx = yc - as_floats(iy), xc - as_floats(ix)
        wy, uy, wx, ux = cubic(fy), cubic_slope(fy, -dy), cubic(fx), cubic_slope(fx, -dx)
        base = iy * stride + ix + np.int32(v * rays.view_stride - stride - 1)
        red, green, blue = -red0, -green0, -blue0
        red_d, green_d, blue_d = zero, zero, zero
        first = start_of_run(base)  # on a surface without steps, neighbouring pixels see neighbouring samples
        for i in range(4):
            start = first + i * np.int64(stride) if first >= 0 else np.int64(-1)
            four = neighbours(rays.samples, base + stride * np.int32(i), start)
            r, g, b, r_x, g_x, b_x = cubic_row(four, wx, ux)
            red, green, blue = red + wy[i] * r, green + wy[i] * g, blue + wy[i] * b
            red_d = red_d + uy[i] * r + wy[i] * r_x
            green_d = green_d + uy[i] * g + wy[i] * g_x
            blue_d = blue_d + uy[i] * b + wy[i] * b_x
        square = red * red + green * green + blue * blue
        weight = where_positive(missed, zero, load(seen, v * WIDTH)) * limit / (square + limit)
        gr = gr + weight * (red * red_d + green * green_d + blue * blue_d)
        gg = gg + weight * (red_d * red_d + green_d * green_d + blue_d * blue_d)
        rr = rr + weight * square
        ww = ww + weight
        red_sum = red_sum + weight * red
        green_sum = green_sum + weight * green
        blue_sum = blue_sum + weight * blue
        red_d_sum = red_d_sum + weight * red_d
        green_d_sum = green_d_sum + weight * green_d
        blue_d_sum = blue_d_sum + weight * blue_d
        gx, gx_d = noise_gain(wx, ux)
        gy, gy_d = noise_gain(wy, uy)
        gain = gain + weight * gx * gy
        gain_d = gain_d + weight * (gx_d * gy + gy_d * gx)
    tiny = splat(np.float32(1e-6))
    share = one / largest(ww, tiny)
    gr = gr - share * (red_sum * red_d_sum + green_sum * green_d_sum + blue_sum * blue_d_sum)
    spread = gg - share * (red_d_sum * red_d_sum + green_d_sum * green_d_sum + blue_d_sum * blue_d_sum)
    rr = rr - share * (red_sum * red_sum + green_sum * green_sum + blue_sum * blue_sum)
    gg, rr = where_positive(spread - ROUNDING * gg, spread, zero), largest(rr, zero)
    gr = gr - rr / largest(gain, tiny) * gain_d
    unit = np.float32(1.0 / (3.0 * LEVELS * LEVELS))
    return gr * unit, gg * unit, rr * unit, ww


@kernel
def find_seen(model, n, m, d, used, views, seen):
    """Set `seen` float32 [V · 16] for the pixels (n, m) … (n, m + used − 1) with disparities d [16]."""
    rays = model.rays
    seen[:] = 1
    for lane in range(used):
        near = model.data.occlusion_aware and find_hidden(
            rays, model.occluders, n, m + lane, d[lane], model.data.margin, views
        )
        if near:
            for i in range(views.index.size):
                if is_hidden(views, i):
                    seen[views.index[i] * WIDTH + lane] = np.float32(0.0)


@task
def linearise(begin, end, model, disparity, scale, furthest, wanted, target, texture, residual):
    """Find the disparity that fits the data best, at most `furthest` px away, in rows begin … end − 1.

    texture: Σ w·g², the change of the views with disparity; residual: their mean square difference. Both are in
    squared grey levels. wanted bool [N, ⌈M/16⌉]: the groups of sixteen pixels of a row to process.
    """
    views = views_around(model.rays, model.occluders)
    seen = np.empty(model.rays.dy.size * WIDTH, np.float32)
    around, out = np.zeros(WIDTH, np.float32), np.empty(3 * WIDTH, np.float32)
    width = disparity.shape[1]
    one, zero, most = splat(np.float32(1.0)), splat(np.float32(0.0)), splat(furthest)
    # Down the columns: the next row needs three of the same four rows of all views, which are then still in the cache.
    for m in range(0, width, WIDTH):
        for n in range(begin, end):
            if not wanted[n, m // WIDTH]:
                continue
            used = min(WIDTH, width - m)
            for lane in range(used):  # for slices, numba would spend seconds compiling messages about their lengths
                around[lane] = disparity[n, m + lane]
            find_seen(model, n, m, around, used, views, seen)
            d = load(around, 0)
            gr, gg, rr, ww = robust_normal_equation(model.rays, n, m, d, seen, scale)
            step = where_positive(gg - DUST, -gr / largest(gg, splat(DUST)), zero)
            store(out, 0, d + largest(smallest(step, most), -most))
            store(out, WIDTH, gg)
            store(out, 2 * WIDTH, rr / largest(ww, one))
            for lane in range(used):
                target[n, m + lane], texture[n, m + lane] = out[lane], out[WIDTH + lane]
                residual[n, m + lane] = out[2 * WIDTH + lane]
