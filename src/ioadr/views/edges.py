"""Where a surface ends between the pixels of a map, from the shares of pixels that it covers, compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel

WHOLLY, STEEP = 0.9, 1.5
"""Least share of the pixel that a surface covers most, beside its outline, and least sum of differences of shares
across 3×3 pixels there; the whole sum is 4."""
ASTRAY = 0.2
"""Largest difference between the share of a pixel and that from its distance to the edge or corner found in it. With
0.3, lattice-61 and -62 have 4–5 % more bad pixels, spheres-3 and -45 2 % fewer and more."""
BEYOND = 2
"""Distance, px, from a corner to pixels that show one of its edges alone."""
SLANTED, ACROSS = 0.2, 0.6
"""At a corner: least part of each axis in the mean direction inwards, and largest cosine of the angle between the
directions of its edges."""


@kernel
def share_of(disparity, coverage, n, m, d, link):
    """Share of the surface of d in pixel (n, m), 0 … 1; of another surface's pixel, the part that it does not cover."""
    own = coverage[n, m] if coverage[n, m] <= 1.0 else 1.0
    return own if abs(disparity[n, m] - d) <= link else 1.0 - own


@kernel
def clipped(share):
    """A share, not less than 0 and not more than 1."""
    return min(max(share, 0.0), 1.0)


@kernel
def depth_of_cut(share, small, large):
    """How far a straight edge has to move into a unit square from a corner until it has cut off a share of its area.

    In units in which it leaves the square after 1: the components of its normal, small ≤ large, add up to 1.
    """
    part = min(share, 1.0 - share)
    depth = np.sqrt(2.0 * small * large * part) if 2.0 * large * part < small else large * part + 0.5 * small
    return depth if share <= 0.5 else 1.0 - depth


@kernel
def share_beside(disparity, coverage, n, m, d, link, inside, across):
    """Share of the surface of d in pixel (n, m), `inside` px from an outline with a normal whose components add up to
    `across`: what other outlines of the surface take from it or add to it does not count."""
    on_it = abs(disparity[n, m] - d) <= link
    if abs(inside) >= 0.5 * across and on_it == (inside > 0.0):
        return 1.0 if on_it else 0.0
    return share_of(disparity, coverage, n, m, d, link)


@kernel
def edge_of(disparity, coverage, n, m, d, link):
    """Distance, px, of the centre of pixel (n, m) from the outline of the surface of d, and the direction inwards.

    The outline is the straight edge that divides 3×3 pixels in proportion to their shares, so that it is exact for
    straight edges at any fraction of a pixel; a bilinear share is off by up to 0.09 px. If the pixel is mixed, those
    that its own share leaves whole count as whole: the other side of a thin bar may cut them. NaN if there is no such
    edge: at the image's border, at corners, in the middle of thin bars, or next to a third surface in front of it. One
    behind it moves the edge by up to 0.1 px.
    """
    height, width = disparity.shape
    if not (1 <= n < height - 1 and 1 <= m < width - 1):
        return np.nan, 0.0, 0.0
    down, right, total, most, least = 0.0, 0.0, 0.0, 0.0, 1.0
    for a in range(-1, 2):
        for b in range(-1, 2):
            if not disparity[n + a, m + b] <= d + link:
                return np.nan, 0.0, 0.0
            share = share_of(disparity, coverage, n + a, m + b, d, link)
            down, right = down + a * share * (2.0 - abs(b)), right + b * share * (2.0 - abs(a))
            total, most, least = total + share, max(most, share), min(least, share)
    steep = np.hypot(down, right)
    if steep < STEEP:
        return np.nan, 0.0, 0.0
    down, right = down / steep, right / steep
    across = abs(down) + abs(right)
    small, large = min(abs(down), abs(right)) / across, max(abs(down), abs(right)) / across
    own = share_of(disparity, coverage, n, m, d, link)
    if 1.0 - WHOLLY < own < WHOLLY:
        alone = across * (depth_of_cut(own, small, large) - 0.5)
        total, most, least = 0.0, 0.0, 1.0
        for a in range(-1, 2):
            for b in range(-1, 2):
                share = share_beside(disparity, coverage, n + a, m + b, d, link, alone + a * down + b * right, across)
                total, most, least = total + share, max(most, share), min(least, share)
    inside = 3.0 * across * (depth_of_cut(total / 9.0, small, large) - 0.5)
    whole = most >= WHOLLY and least <= 1.0 - WHOLLY
    return inside if whole and abs(clipped(0.5 + inside) - own) <= ASTRAY else np.nan, down, right


@kernel
def corner_at(disparity, coverage, n, m, down, right, inside, y, x, d, link):
    """Distance, px, of (y, x) from a corner of the surface of d in pixel (n, m), positive inside; NaN if there is none.

    Pixels `BEYOND` px away show its two edges. Whether it points into the surface or out of it, the pixel's own share
    tells. A straight edge with about the direction (down, right), `inside` px from the pixel's centre, must not fit
    that share better.
    """
    own = share_of(disparity, coverage, n, m, d, link)
    found, best = np.nan, abs(clipped(0.5 + inside) - own) if np.isfinite(inside) else ASTRAY
    for way in range(-1, 2, 2):
        a, b = way * BEYOND * (1 if down > 0.0 else -1), way * BEYOND * (1 if right > 0.0 else -1)
        one, one_down, one_right = edge_of(disparity, coverage, n + a, m, d, link)
        other, other_down, other_right = edge_of(disparity, coverage, n, m + b, d, link)
        if not abs(one_down * other_down + one_right * other_right) < ACROSS:
            continue
        one, other = one - a * one_down, other - b * other_right
        first, second = clipped(0.5 + one), clipped(0.5 + other)
        share = first * second if way > 0 else first + second - first * second
        if abs(share - own) < best:
            best = abs(share - own)
            one += one_down * (y - n) + one_right * (x - m)
            other += other_down * (y - n) + other_right * (x - m)
            found = min(one, other) if way > 0 else max(one, other)
    return found


@kernel
def edge_at(disparity, coverage, y, x, d, link):
    """Distance, px, of (y, x) from the outline of the surface of d, positive inside, and the direction inwards.

    The pixel at (y, x) shows a corner, which has the direction (0, 0), or a straight edge; or else the next pixel does,
    as in the middle of a thin bar, unless this one shows that a corner is between them. NaN if none of them does
    (`edge_of`).
    """
    n, m = int(np.floor(y + 0.5)), int(np.floor(x + 0.5))
    inside, down, right = edge_of(disparity, coverage, n, m, d, link)
    slanted = min(abs(down), abs(right)) > SLANTED
    if slanted:
        corner = corner_at(disparity, coverage, n, m, down, right, inside, y, x, d, link)
        if np.isfinite(corner):
            return corner, 0.0, 0.0
    if np.isfinite(inside):
        return inside + down * (y - n) + right * (x - m), down, right
    if slanted:
        return np.nan, 0.0, 0.0
    for turn in range(2):
        vertical = (abs(y - n) >= abs(x - m)) == (turn == 0)
        a, b = n + int(np.sign(y - n)) if vertical else n, m if vertical else m + int(np.sign(x - m))
        if a == n and b == m:
            continue
        inside, down, right = edge_of(disparity, coverage, a, b, d, link)
        if np.isfinite(inside):
            return inside + down * (y - a) + right * (x - b), down, right
    return np.nan, 0.0, 0.0


@kernel
def share_at(disparity, coverage, y, x, d, link):
    """Share, about 0 … 1, of the surface of d in a pixel at (y, x); one half on its outline."""
    inside = edge_at(disparity, coverage, y, x, d, link)[0]
    if np.isfinite(inside):
        return 0.5 + inside
    height, width = disparity.shape
    n, m = min(max(int(np.floor(y)), 0), height - 2), min(max(int(np.floor(x)), 0), width - 2)
    y, x = min(max(y, 0.0), height - 1.0), min(max(x, 0.0), width - 1.0)
    share = 0.0
    for a in range(n, n + 2):
        for b in range(m, m + 2):
            share += (1.0 - abs(y - a)) * (1.0 - abs(x - b)) * share_of(disparity, coverage, a, b, d, link)
    return share
