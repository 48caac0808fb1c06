"""The contour that crosses a pixel beside a jump, from single samples of all views, compiled (decision 23).

A straight contour, followed by the near surface with linear shading, is fitted to the samples around the pixel. Each
view samples it at another fraction of a pixel, so that all together show its profile finer than one image does.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.cost.sight import background, is_inside, level_scale, light_at
from ioadr.geometry.ppp import project

REACH = 1.05
"""Radius around the pixel, px, within which samples are used."""
TURNS = 12
"""Directions of the contour's normal that are tried."""
OFFSETS, OFFSET_STEP = 8, 0.25
"""Distances of the contour from the pixel's centre that are tried: ±0.125, ±0.375 … px."""
STEEPEST = 90.0
"""Standard deviation of the near surface's shading, grey levels per px."""
SAMPLES_PER_VIEW = 9
SAMPLE_NOISE = 0.7
"""Noise of a sample, grey levels."""
INDEPENDENT = 3.0
"""Number of samples whose errors are independent: few, because a contour that is not straight misleads all of them."""


@kernel
def gather_samples(matting, ceiling, n, m, near, far, middle, pair, samples):
    """Fill samples [8, S]: place (y, x) around (n, m) on the near surface, light less the background's, and that of
    the background, of each sample within `REACH` that shows both; returns their number."""
    rays, step, count = matting.rays, near - far, 0
    for k in range(matting.views.size):
        v = matting.views[k]
        moved = step * step * (rays.dy[v] * rays.dy[v] + rays.dx[v] * rays.dx[v])
        if moved > matting.furthest * matting.furthest:
            continue
        y0, x0 = project(n, m, near, rays.dy[v], rays.dx[v])
        top, left = np.int64(np.ceil(y0 - REACH)), np.int64(np.ceil(x0 - REACH))
        for i in range(top, top + 3):
            for j in range(left, left + 3):
                y, x = np.float32(i) - y0, np.float32(j) - x0
                if y * y + x * x > REACH * REACH or not is_inside(rays, i, j):
                    continue
                if background(matting, ceiling, n + y, m + x, k, near, far, middle, pair) < 2:
                    continue
                samples[0, count], samples[1, count] = y, x
                for c in range(3):
                    samples[5 + c, count] = np.float32(0.5) * (pair[0, c] + pair[1, c])
                pair[0] = 0
                light_at(matting, v, np.float32(i), np.float32(j), pair[0])
                for c in range(3):
                    samples[2 + c, count] = pair[0, c] - samples[5 + c, count]
                count += 1
    return count


@kernel
def contour_misfit(samples, count, down, right, offset, width, ridge):
    """Squares that the best near surface leaves if its contour is `offset` away along the normal (down, right).

    With z, a sample's distance inside the contour, the near share is a = t²(3 − 2t), t = ½ + z/width, and the light
    a·(F + G·max(z, 0)) + (1 − a)·B.
    """
    aa, ah, hh, left = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    p0, p1, p2 = np.float32(0), np.float32(0), np.float32(0)
    q0, q1, q2 = np.float32(0), np.float32(0), np.float32(0)
    for s in range(count):
        z = offset - down * samples[0, s] - right * samples[1, s]
        t = min(max(np.float32(0.5) + z / width, np.float32(0)), np.float32(1))
        a = t * t * (np.float32(3) - np.float32(2) * t)
        h = a * max(z, np.float32(0))
        i0, i1 = samples[2, s] + a * samples[5, s], samples[3, s] + a * samples[6, s]
        i2 = samples[4, s] + a * samples[7, s]
        aa, ah, hh = aa + a * a, ah + a * h, hh + h * h
        p0, p1, p2 = p0 + a * i0, p1 + a * i1, p2 + a * i2
        q0, q1, q2 = q0 + h * i0, q1 + h * i1, q2 + h * i2
        left += i0 * i0 + i1 * i1 + i2 * i2
    aa, hh = aa + np.float32(1e-6), hh + ridge
    pp, pq, qq = p0 * p0 + p1 * p1 + p2 * p2, p0 * q0 + p1 * q1 + p2 * q2, q0 * q0 + q1 * q1 + q2 * q2
    explained = (hh * pp - np.float32(2) * ah * pq + aa * qq) / max(aa * hh - ah * ah, np.float32(1e-9))
    return max(left - explained, np.float32(0))


@kernel
def fit_contour(samples, count, width, noise, ridge):
    """(evidence for the near surface, mean square that the best contour leaves) of gathered samples."""
    near, far = np.float32(np.inf), np.float32(np.inf)
    for turn in range(TURNS):
        angle = 2.0 * np.pi * turn / TURNS
        down, right = np.float32(np.sin(angle)), np.float32(np.cos(angle))
        for k in range(OFFSETS):
            offset = np.float32((k - 0.5 * (OFFSETS - 1)) * OFFSET_STEP)
            found = contour_misfit(samples, count, down, right, offset, width, ridge)
            if offset > 0:
                near = min(near, found)
            else:
                far = min(far, found)
    left = min(near, far) / (3.0 * count)
    return (far - near) * min(INDEPENDENT / count, 1.0) / (noise + left), left


@task
def trace_contours(begin, end, matting, pixels, surfaces, widths, found):
    """Fill rows begin … end − 1 of `found`, float32 [P, W, 2], for pixels int [P, 2] and each width.

    It holds the evidence for the near surface and the logarithm of the mean square left; NaN where too few samples show
    both surfaces.
    surfaces float32 [3, N, M] holds near, far and middle disparities.
    """
    samples = np.empty((8, SAMPLES_PER_VIEW * matting.rays.dy.size), np.float32)
    pair = np.empty((2, 3), np.float32)
    for p in range(begin, end):
        n, m = pixels[p, 0], pixels[p, 1]
        near, far, middle = surfaces[0, n, m], surfaces[1, n, m], surfaces[2, n, m]
        fewest, found[p] = 4 * matting.fewest, np.nan
        count = gather_samples(matting, matting.ceilings[0], n, m, near, far, middle, pair, samples)
        if count < fewest:
            count = gather_samples(matting, matting.ceilings[1], n, m, near, far, middle, pair, samples)
        if count < fewest:
            continue
        scale = level_scale(matting, n, m)
        noise = (SAMPLE_NOISE * scale) ** 2
        ridge = np.float32(noise * count / (INDEPENDENT * (STEEPEST * scale) ** 2))
        for w in range(widths.size):
            evidence, left = fit_contour(samples, count, widths[w], noise, ridge)
            found[p, w, 0], found[p, w, 1] = evidence, np.log(left + 0.2 * noise)
