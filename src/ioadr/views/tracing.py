"""Outlines of near surfaces from single samples of all views, before they are carried to other views, compiled.

The share of a pixel comes from its colours in all views, one by one. A contour through the samples around it
(`cost.contour`) is less noisy, and shading is no mixture to it; contours along an outline agree with each other.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.cost.contour import INDEPENDENT, SAMPLE_NOISE, SAMPLES_PER_VIEW, STEEPEST, contour_misfit, gather_samples
from ioadr.cost.sight import level_scale, sides
from ioadr.views.edges import edge_at

TURNS, TURN = 5, 0.26
"""Directions of the contour's normal that are tried, around that from shares, and the angle between them."""
OFFSETS, OFFSET_STEP = 16, 0.125
"""Distances of the contour from the pixel's centre that are tried: ±0.0625, ±0.1875 … px."""
ALONG, WINDOW = 9.0, 3
"""Squared distance along an outline, px², at which a contour's weight falls to 1/e, and the largest distance."""
PARALLEL = 0.6
"""Cosine of the angle between normals of one outline."""
ROBUST = 0.1
"""Distance from the joined outline, px, at which a contour's weight falls to a half."""
ROUNDS = 6
"""Iterations of the weights."""
RIDGE = 0.3
"""Weight that pulls the direction and curvature of a joined outline to those of a straight one along the normal."""
FEWEST = 3
"""Contours that an outline needs."""


@kernel
def offset_of(energy):
    """Distance, px, at which energy [K] over the offsets is least, between them; NaN at the ends."""
    best = 0
    for k in range(1, OFFSETS):
        if energy[k] < energy[best]:
            best = k
    if best == 0 or best == OFFSETS - 1:
        return np.nan
    before, least, after = energy[best - 1], energy[best], energy[best + 1]
    bent = before - 2.0 * least + after
    step = 0.5 * (before - after) / bent if bent > 0.0 else 0.0
    return (best - 0.5 * (OFFSETS - 1) + step) * OFFSET_STEP


@kernel
def trace_pixel(matting, n, m, near, far, middle, down, right, width, scratch):
    """Distance, px, of pixel (n, m) inside the contour with about the inward normal (down, right); NaN if unknown."""
    samples, pair, energy = scratch
    fewest = 4 * matting.fewest
    count = gather_samples(matting, matting.ceilings[0], n, m, near, far, middle, pair, samples)
    if count < fewest:
        count = gather_samples(matting, matting.ceilings[1], n, m, near, far, middle, pair, samples)
    if count < fewest:
        return np.nan
    scale = level_scale(matting, n, m)
    ridge = np.float32((SAMPLE_NOISE * scale) ** 2 * count / (INDEPENDENT * (STEEPEST * scale) ** 2))
    energy[:] = np.inf
    for turn in range(TURNS):
        angle = (turn - 0.5 * (TURNS - 1)) * TURN
        y = np.float32(-np.cos(angle) * down - np.sin(angle) * right)
        x = np.float32(np.sin(angle) * down - np.cos(angle) * right)
        for k in range(OFFSETS):
            offset = np.float32((k - 0.5 * (OFFSETS - 1)) * OFFSET_STEP)
            energy[k] = min(energy[k], contour_misfit(samples, count, y, x, offset, width, ridge))
    return offset_of(energy)


@task
def find_sides(begin, end, matting, disparity, coverage, link, surfaces, edges):
    """Set rows begin … end − 1 of surfaces [3, N, M], near, far and middle disparity at pixels with a jump, and of
    edges [3, N, M], distance inside the outline and its inward normal from shares; NaN elsewhere and at corners."""
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            surfaces[:, n, m], edges[:, n, m] = np.nan, np.nan
            near, far, middle = sides(disparity, matting.slopes, n, m, matting.jump)
            if near > far:
                surfaces[0, n, m], surfaces[1, n, m], surfaces[2, n, m] = near, far, middle
                inside, down, right = edge_at(disparity, coverage, float(n), float(m), np.float64(near), link)
                if down != 0.0 or right != 0.0:
                    edges[0, n, m], edges[1, n, m], edges[2, n, m] = inside, down, right


@task
def trace_outlines(begin, end, matting, pixels, surfaces, edges, width, traced):
    """Set traced [P], px, for pixels int [P, 2] begin … end − 1: their distances inside the contour, NaN if unknown."""
    samples = np.empty((8, SAMPLES_PER_VIEW * matting.rays.dy.size), np.float32)
    scratch = samples, np.empty((2, 3), np.float32), np.empty(OFFSETS, np.float32)
    for p in range(begin, end):
        n, m = pixels[p, 0], pixels[p, 1]
        near, far, middle = surfaces[0, n, m], surfaces[1, n, m], surfaces[2, n, m]
        down, right = edges[1, n, m], edges[2, n, m]
        traced[p] = trace_pixel(matting, n, m, near, far, middle, down, right, width, scratch)


@kernel
def gather_contours(near, edges, traced, n, m, link, measured):
    """Set measured [3, Q], place along the outline of (n, m), distance of (n, m) from the contour there, and weight.

    Returns their number.
    """
    height, width = near.shape
    count, down, right = 0, edges[1, n, m], edges[2, n, m]
    for a in range(max(n - WINDOW, 0), min(n + WINDOW + 1, height)):
        for b in range(max(m - WINDOW, 0), min(m + WINDOW + 1, width)):
            same = edges[1, a, b] * down + edges[2, a, b] * right > PARALLEL
            if not np.isfinite(traced[a, b]) or not same or not abs(near[a, b] - near[n, m]) <= link:
                continue
            along = (b - m) * down - (a - n) * right
            measured[0, count], measured[1, count] = along, traced[a, b] - (a - n) * down - (b - m) * right
            measured[2, count] = np.exp(-along * along / ALONG)
            count += 1
    return count


@kernel
def join_contours(measured, count, start, normal, right):
    """Distance, px, of a pixel from the parabola through contours measured [3, Q]; `start` is the first guess."""
    c, s, k = start, 0.0, 0.0
    for _ in range(ROUNDS):
        normal[:], right[:] = 0.0, 0.0
        for q in range(count):
            t, z = measured[0, q], measured[1, q]
            rest = (z - c - s * t - k * t * t) / ROBUST
            w = measured[2, q] / (1.0 + rest * rest)
            for p in range(5):
                normal[p] += w
                w *= t
            w = measured[2, q] / (1.0 + rest * rest)
            right[0], right[1], right[2] = right[0] + w * z, right[1] + w * z * t, right[2] + w * z * t * t
        c, s, k = solve_parabola(normal, right)
    return c


@kernel
def solve_parabola(normal, right):
    """Constant, slope and curvature from sums of weights normal [5] times powers of t, and of values right [3]."""
    w0, w1, w2, w3, w4 = normal[0], normal[1], normal[2] + RIDGE, normal[3], normal[4] + RIDGE
    # Eliminate the constant, then the slope.
    a, b, d = w2 - w1 * w1 / w0, w3 - w1 * normal[2] / w0, w4 - normal[2] * normal[2] / w0
    e, f = right[1] - w1 * right[0] / w0, right[2] - normal[2] * right[0] / w0
    k = (f - b * e / a) / (d - b * b / a)
    s = (e - b * k) / a
    return (right[0] - w1 * s - normal[2] * k) / w0, s, k


@kernel
def share_inside(inside, down, right):
    """Share of a pixel on the inner side of a straight edge, `inside` px from its centre; the reverse of
    `depth_of_cut`."""
    across = abs(down) + abs(right)
    small, large = min(abs(down), abs(right)) / across, max(abs(down), abs(right)) / across
    depth = min(max(0.5 + inside / across, 0.0), 1.0)
    part = min(depth, 1.0 - depth)
    area = part * part / (2.0 * small * large) if part < small else (part - 0.5 * small) / large
    return area if depth <= 0.5 else 1.0 - area


@task
def cover_from_outlines(begin, end, disparity, surfaces, edges, traced, link, coverage):
    """Replace rows begin … end − 1 of coverage [N, M] where contours show the outline."""
    measured = np.empty((3, (2 * WINDOW + 1) ** 2))
    normal, right = np.empty(5), np.empty(3)
    for n in range(begin, end):
        for m in range(disparity.shape[1]):
            if not np.isfinite(edges[0, n, m]):
                continue
            count = gather_contours(surfaces[0], edges, traced, n, m, link, measured)
            if count < FEWEST:
                continue
            inside = join_contours(measured, count, np.float64(edges[0, n, m]), normal, right)
            share = share_inside(inside, np.float64(edges[1, n, m]), np.float64(edges[2, n, m]))
            near = abs(disparity[n, m] - surfaces[0, n, m]) <= link
            coverage[n, m] = share if near else 1.0 - share
