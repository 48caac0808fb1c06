"""Surfaces thinner than a pixel, such as cords, carried to another view without gaps, compiled.

`carry.splat` ends a near surface where its share of a pixel is about one half. Midway between two pixels, a cord of
0.8 px has a share of 0.4 in both: it would disappear from the map there, and pictures would show it dotted.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel
from ioadr.views.carry import OVERLAP, WIDEST, landing


@kernel
def behind(disparity, n, m, d, link):
    """Whether pixel (n, m) is in the image, and on a surface behind that of d."""
    height, width = disparity.shape
    return 0 <= n < height and 0 <= m < width and disparity[n, m] < d - link


@kernel
def middle_of(coverage, n, m, down, right):
    """Distance, px, from the centre of pixel (n, m) to the middle of a thin surface in it; its width, at most 1 px.

    `down` and `right` point to the neighbour behind it on one side. Neighbours show the rest of the surface.
    """
    before, after = 1.0 - min(coverage[n - down, m - right], 1.0), 1.0 - min(coverage[n + down, m + right], 1.0)
    width = min(coverage[n, m], 1.0) + before + after
    return (after - before) / width, min(width, 1.0)


@kernel
def add_threads(disparity, coverage, confidence, kept, number, link, ay, ax, pose, best, trust, source):
    """Add the `kept` pixels with farther ones on two opposite sides to the maps of a `Sight`, [H, W].

    Across, each takes the pixel nearest to its middle, or more if it is enlarged, whatever its share there; along, it
    reaches its neighbours. Nearer surfaces still hide it.
    """
    height, width = disparity.shape
    for n in range(height):
        for m in range(width):
            d = disparity[n, m]
            for axis in range(2):
                down, right = 1 - axis, axis
                if not (kept[n, m] and behind(disparity, n - down, m - right, d, link)):
                    continue
                if not behind(disparity, n + down, m + right, d, link):
                    continue
                off, wide = middle_of(coverage, n, m, down, right)
                y, x = landing(n + off * down, m + off * right, d, ay, ax, pose)
                if not (-WIDEST <= y <= best.shape[0] + WIDEST and -WIDEST <= x <= best.shape[1] + WIDEST):
                    continue
                scale = pose.zoom / (1.0 - pose.nearer * d - pose.closer)
                across, along = min(0.5 * max(wide * scale, 1.0), WIDEST), min(OVERLAP * scale, WIDEST)
                high, broad = (across, along) if axis == 0 else (along, across)
                for i in range(max(0, int(np.ceil(y - high))), min(best.shape[0], int(np.floor(y + high)) + 1)):
                    for j in range(max(0, int(np.ceil(x - broad))), min(best.shape[1], int(np.floor(x + broad)) + 1)):
                        if not d <= best[i, j] + link:
                            best[i, j], trust[i, j], source[i, j] = d, confidence[n, m], number
