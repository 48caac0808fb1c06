"""The data term linearised around a map (Gauss–Newton): where the visible views want a pixel, and how firmly.

Views are sampled with a cubic kernel, whose derivative is smooth: bilinear samples pull towards whole pixels.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import fetch, kernel, task
from ioadr.cost.occlusion import find_hidden
from ioadr.geometry.ppp import LEVELS, project, unpack

DUST = np.float32(1e-4)
"""Grey levels²/px² that rounding leaves of Σ w·g² where nothing has texture; its quotients mean nothing."""

ROUNDING = np.float32(1e-5)
"""Share of Σ w·g² that rounding leaves where the derivatives of all views are equal."""


@kernel
def cubic(t):
    """Catmull–Rom weights of the taps −1, 0, 1, 2 at fraction t."""
    half, s, c = np.float32(0.5), t * t, t * t * t
    return (
        half * (-t + np.float32(2.0) * s - c),
        half * (np.float32(2.0) - np.float32(5.0) * s + np.float32(3.0) * c),
        half * (t + np.float32(4.0) * s - np.float32(3.0) * c),
        half * (c - s),
    )


@kernel
def cubic_slope(t):
    """Their derivatives by t."""
    half, s = np.float32(0.5), t * t
    return (
        half * (np.float32(-1.0) + np.float32(4.0) * t - np.float32(3.0) * s),
        half * (np.float32(-10.0) * t + np.float32(9.0) * s),
        half * (np.float32(1.0) + np.float32(8.0) * t - np.float32(9.0) * s),
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
def cubic_row(samples, base, wx, ux):
    """Three channels of four neighbouring samples, weighted by wx and by ux."""
    r0, g0, b0 = unpack(fetch(samples, base))
    r1, g1, b1 = unpack(fetch(samples, np.int32(base + 1)))
    r2, g2, b2 = unpack(fetch(samples, np.int32(base + 2)))
    r3, g3, b3 = unpack(fetch(samples, np.int32(base + 3)))
    return (
        wx[0] * r0 + wx[1] * r1 + wx[2] * r2 + wx[3] * r3,
        wx[0] * g0 + wx[1] * g1 + wx[2] * g2 + wx[3] * g3,
        wx[0] * b0 + wx[1] * b1 + wx[2] * b2 + wx[3] * b3,
        ux[0] * r0 + ux[1] * r1 + ux[2] * r2 + ux[3] * r3,
        ux[0] * g0 + ux[1] * g1 + ux[2] * g2 + ux[3] * g3,
        ux[0] * b0 + ux[1] * b1 + ux[2] * b2 + ux[3] * b3,
    )


@kernel
def robust_normal_equation(rays, n0, m0, d, hidden, scale):
    """(Σ w·g·r, Σ w·g², Σ w·r², Σ w) over the visible views' residuals r and their derivatives g by d, grey levels.

    w = 1 / (1 + r²/scale²), r² summed over the channels. r and g are taken from their means over the views, channel by
    channel: the reference view is as noisy as any other, and where only views of one side see the pixel, its own error
    would look like a disparity. Between pixels a sample averages noise away, most of all halfway, which would draw the
    minimum there: what noise of the residuals' size adds to Σ w·g·r is taken off.
    """
    start = rays.reference * rays.view_stride + n0 * rays.row_stride + m0
    red0, green0, blue0 = unpack(rays.samples[start])
    bottom, right = np.float32(rays.height - 3), np.float32(rays.width - 3)
    one, zero = np.float32(1.0), np.float32(0.0)
    limit = np.float32(3.0) * scale * scale * np.float32(LEVELS * LEVELS)
    gr, gg, rr, ww, gain, gain_d = zero, zero, zero, zero, zero, zero
    red_sum, green_sum, blue_sum, red_d_sum, green_d_sum, blue_d_sum = zero, zero, zero, zero, zero, zero
    if rays.height < 4 or rays.width < 4:  # no place for four taps
        return zero, zero, zero, zero
    stride = rays.row_stride
    for word in range(hidden.size):
        bits = hidden[word]
        for v in range(64 * word, min(64 * word + 64, rays.dy.size)):
            y, x = project(n0, m0, d, rays.dy[v], rays.dx[v])
            yc, xc = min(max(y, one), bottom), min(max(x, one), right)
            inside = zero if abs(y - yc) + abs(x - xc) > 0 else one
            seen = zero if (bits >> np.uint64(v - 64 * word)) & np.uint64(1) else inside
            iy, ix = np.int32(yc), np.int32(xc)
            wy, uy = cubic(yc - np.float32(iy)), cubic_slope(yc - np.float32(iy))
            wx, ux = cubic(xc - np.float32(ix)), cubic_slope(xc - np.float32(ix))
            base = np.int32(np.int32(v) * rays.view_stride + (iy - 1) * stride + ix - 1)
            r0, g0, b0, rx0, gx0, bx0 = cubic_row(rays.samples, base, wx, ux)
            r1, g1, b1, rx1, gx1, bx1 = cubic_row(rays.samples, np.int32(base + stride), wx, ux)
            r2, g2, b2, rx2, gx2, bx2 = cubic_row(rays.samples, np.int32(base + 2 * stride), wx, ux)
            r3, g3, b3, rx3, gx3, bx3 = cubic_row(rays.samples, np.int32(base + 3 * stride), wx, ux)
            red = wy[0] * r0 + wy[1] * r1 + wy[2] * r2 + wy[3] * r3 - red0
            green = wy[0] * g0 + wy[1] * g1 + wy[2] * g2 + wy[3] * g3 - green0
            blue = wy[0] * b0 + wy[1] * b1 + wy[2] * b2 + wy[3] * b3 - blue0
            red_d = -rays.dy[v] * (uy[0] * r0 + uy[1] * r1 + uy[2] * r2 + uy[3] * r3)
            green_d = -rays.dy[v] * (uy[0] * g0 + uy[1] * g1 + uy[2] * g2 + uy[3] * g3)
            blue_d = -rays.dy[v] * (uy[0] * b0 + uy[1] * b1 + uy[2] * b2 + uy[3] * b3)
            red_d -= rays.dx[v] * (wy[0] * rx0 + wy[1] * rx1 + wy[2] * rx2 + wy[3] * rx3)
            green_d -= rays.dx[v] * (wy[0] * gx0 + wy[1] * gx1 + wy[2] * gx2 + wy[3] * gx3)
            blue_d -= rays.dx[v] * (wy[0] * bx0 + wy[1] * bx1 + wy[2] * bx2 + wy[3] * bx3)
            square = red * red + green * green + blue * blue
            weight = seen * limit / (limit + square)
            gr += weight * (red * red_d + green * green_d + blue * blue_d)
            gg += weight * (red_d * red_d + green_d * green_d + blue_d * blue_d)
            rr += weight * square
            ww += weight
            red_sum += weight * red
            green_sum += weight * green
            blue_sum += weight * blue
            red_d_sum += weight * red_d
            green_d_sum += weight * green_d
            blue_d_sum += weight * blue_d
            gx, gx_d = noise_gain(wx, ux)
            gy, gy_d = noise_gain(wy, uy)
            gain += weight * gx * gy
            gain_d -= weight * (rays.dx[v] * gx_d * gy + rays.dy[v] * gy_d * gx)
    share = one / max(ww, np.float32(1e-6))
    gr -= share * (red_sum * red_d_sum + green_sum * green_d_sum + blue_sum * blue_d_sum)
    spread = gg - share * (red_d_sum * red_d_sum + green_d_sum * green_d_sum + blue_d_sum * blue_d_sum)
    rr -= share * (red_sum * red_sum + green_sum * green_sum + blue_sum * blue_sum)
    gg, rr = spread if spread > ROUNDING * gg else zero, max(rr, zero)
    gr -= rr / max(gain, np.float32(1e-6)) * gain_d
    unit = np.float32(1.0 / (3.0 * LEVELS * LEVELS))
    return gr * unit, gg * unit, rr * unit, ww


@task
def linearise(begin, end, model, disparity, scale, noise, furthest, target, precision):
    """Rows begin … end − 1: the disparity the data want, at most `furthest` px away, and its precision (1/px²).

    The residuals that remain, but at least `noise` grey levels, are what the derivatives are measured against.
    """
    hidden = np.empty((model.rays.dy.size + 63) // 64, np.uint64)
    found = np.empty(model.occluders.levels.shape[2], np.uint64)
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            d = disparity[n, m]
            for w in range(hidden.size):
                hidden[w] = np.uint64(0)
            if model.data.occlusion_aware:
                find_hidden(model.rays, model.occluders, n, m, d, model.data.margin, hidden, found)
            gr, gg, rr, ww = robust_normal_equation(model.rays, n, m, d, hidden, scale)
            step = -gr / gg if gg > DUST else np.float32(0.0)
            target[n, m] = d + min(max(step, -furthest), furthest)
            variance = rr / max(ww, np.float32(1.0)) + noise * noise
            precision[n, m] = gg / variance


@task
def soften(begin, end, rays, side, softened):
    """Views begin … end − 1 of packed samples, smoothed by (side, 1 − 2·side, side) in both directions."""
    rows, stride = rays.view_stride // rays.row_stride, np.int64(rays.row_stride)
    weights = (side, np.float32(1.0) - np.float32(2.0) * side, side)
    for v in range(begin, end):
        start = v * np.int64(rays.view_stride)
        for n in range(rows):
            for m in range(stride):
                red, green, blue = np.float32(0.5), np.float32(0.5), np.float32(0.5)
                for i in range(3):
                    row = start + min(max(n + i - 1, 0), rows - 1) * stride
                    for j in range(3):
                        r, g, b = unpack(rays.samples[row + min(max(m + j - 1, 0), stride - 1)])
                        weight = weights[i] * weights[j]
                        red += weight * r
                        green += weight * g
                        blue += weight * b
                word = np.uint32(red) | (np.uint32(green) << np.uint32(10)) | (np.uint32(blue) << np.uint32(20))
                softened[start + n * stride + m] = word
