"""Colours of a new view from the captured ones, compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task
from ioadr.views.carry import origin

SHARPNESS = -0.75
"""Slope of the interpolating cubic (Keys 1981) one sample away. −0.5: 0.2 dB less on sideboard, 0: 0.5 dB."""
UNSEEN, OUTSIDE = 1e-3, 1e-6
"""Weights, relative to 1, of views in which the point is hidden or outside the image."""
ROUNDING = 1e-6
"""Distance, px, by which a place may lie beyond the centres of the outermost pixels. A captured view whose optical axis
is between two pixels misses its own last row by 1e-14 px."""
SEEN, HARDLY = 0.5, 0.05
"""A point is seen if, in some view, more than this share of the pixels around it lie on its surface: `SEEN` of guesses,
`HARDLY` of what an anchor saw. A nearer surface that hides it from all views would give it its colour."""
FARTHEST = 32
"""Largest distance, px, from which a pixel that no view sees takes its colour."""
BETWEEN = 0.75
"""Distance, in steps between views, below which a camera counts as between them: hardly any point is then hidden from
all views, and the map is more often wrong than their colours."""
FRONT = 2.0
"""Weight of the nearer surface around an outline, relative to that of the surface behind it. With 1, boxes gains 0.1 dB
and cotton loses 0.03 dB; with 3, boxes loses 0.07 dB."""
ENOUGH = 0.25
"""Share of the views around a ray that have to see a point. If fewer do, more and more of its colour comes from all
views: the few that see it at the outline of a nearer surface have mixed pixels there."""
SHIFT = 0.7
"""Largest error of position, px, that a difference of disparity may cause in a view that shows the same surface. With
one tolerance for all distances, thin bars had a second, dotted outline in views from far outside."""
AROUND = 1.5
"""Views that are farther than the nearest one by at most this many steps are tried first."""


@kernel
def cubic_weight(t):
    """Weight of a sample at distance t, 0 … 2."""
    if t < 1.0:
        return ((SHARPNESS + 2.0) * t - (SHARPNESS + 3.0)) * t * t + 1.0
    return ((SHARPNESS * t - 5.0 * SHARPNESS) * t + 8.0 * SHARPNESS) * t - 4.0 * SHARPNESS


@kernel
def add_sample(image, y, x, weight, total):
    """Add weight · image(y, x) to `total` [C], by cubic interpolation; edges repeated."""
    height, width, channels = image.shape
    n, m = int(np.floor(y)), int(np.floor(x))
    for a in range(n - 1, n + 3):
        row, along = min(max(a, 0), height - 1), weight * cubic_weight(min(abs(y - a), 2.0))
        for b in range(m - 1, m + 3):
            column, tap = min(max(b, 0), width - 1), along * cubic_weight(min(abs(x - b), 2.0))
            for c in range(channels):
                total[c] += tap * image[row, column, c]


@kernel
def sight_weight(own, y, x, d, link):
    """Share, by bilinear weights, of the pixels around (y, x) of the map `own` that lie on the surface of d."""
    height, width = own.shape
    if not (-ROUNDING <= y <= height - 1 + ROUNDING and -ROUNDING <= x <= width - 1 + ROUNDING):
        return OUTSIDE
    n, m = min(int(y), height - 2), min(int(x), width - 2)
    same = 0.0
    for a in range(n, n + 2):
        for b in range(m, m + 2):
            if abs(own[a, b] - d) <= link:
                same += max(1.0 - abs(y - a), 0.0) * max(1.0 - abs(x - b), 0.0)
    return same + UNSEEN


@kernel
def tolerance(square, link):
    """Largest difference of disparity of one surface, half of `link` … `link`, for a view at this squared distance."""
    if square * link * link <= SHIFT * SHIFT:
        return link
    return max(SHIFT / np.sqrt(square), 0.5 * link)


@kernel
def blend_pixel(images, maps, places, index, i, j, d, pose, link, step, close, reach, total):
    """Set `total` [C] to the blended colours of the views within `reach` of the ray.

    Returns the share of these views, by weight, that see it, and the largest share of the pixels around it that lie on
    its surface. The weight of a view depends on its distance from the point where the pixel's ray crosses the plane of
    the cameras.
    """
    ray_y = pose.dy - pose.nearer * (i - pose.cy) / pose.zoom
    ray_x = pose.dx - pose.nearer * (j - pose.cx) / pose.zoom
    weights, seen, largest, asked = 0.0, 0.0, 0.0, OUTSIDE
    for c in range(total.size):
        total[c] = 0.0
    for v in range(len(places)):
        square = (places[v, 0] - ray_y) ** 2 + (places[v, 1] - ray_x) ** 2
        if square > reach * reach:
            continue
        y, x = origin(i, j, d, places[v, 0], places[v, 1], pose)
        near = (step * step / (square + (close * step) ** 2)) ** 2
        sight = sight_weight(maps[v], y, x, d, tolerance(square, link))
        weight = near * sight
        add_sample(images[index[v, 0], index[v, 1]], y, x, weight, total)
        weights += weight
        largest = max(largest, sight)
        if sight > OUTSIDE:
            asked += near
        if sight > 2.0 * UNSEEN:
            seen += near * sight
    for c in range(total.size):
        total[c] /= weights
    return seen / asked, largest


@kernel
def nearest_place(places, i, j, pose):
    """Distance of the nearest view from the point where the pixel's ray crosses the plane of the cameras."""
    ray_y = pose.dy - pose.nearer * (i - pose.cy) / pose.zoom
    ray_x = pose.dx - pose.nearer * (j - pose.cx) / pose.zoom
    square = np.inf
    for v in range(len(places)):
        square = min(square, (places[v, 0] - ray_y) ** 2 + (places[v, 1] - ray_x) ** 2)
    return np.sqrt(square)


@kernel
def part_in_front(front, behind):
    """Share of the nearer surface in a pixel that some views, by share, see on it, and others behind it.

    Squares are sharper than the shares: outlines stay as narrow as those of the captured views.
    """
    return FRONT * front * front / (FRONT * front * front + behind * behind) if front > 0.0 else 0.0


@task
def blend_rows(begin, end, images, maps, places, index, target, wide, pose, link, step, close, anchored, out, seen):
    """Fill rows begin … end − 1 of a picture `out` [H, W, C] of the disparity map `target`; mark where a view sees it.

    images [L, K, N, M, C]; maps [V, N, M] of the views at `places` [V, 2] (offsets) and grid `index` [V, 2]; `step` is
    the distance between neighbouring views. A view at a distance of `close` · step has a quarter of the weight of one
    at the camera. Views around the ray are tried first, then all views. `anchored` [H, W] marks what an anchor saw.

    `wide` is the map with wider near surfaces. Around outlines, the pixels of the captured views are mixed, so that
    both surfaces are blended, by the shares of the views that see them.
    """
    total, other, nearer = np.empty(out.shape[2]), np.empty(out.shape[2]), np.empty(out.shape[2])
    given = images, maps, places, index
    for i in range(begin, end):
        for j in range(out.shape[1]):
            d, front = np.float64(target[i, j]), np.float64(wide[i, j])
            nearest = nearest_place(places, i, j, pose)
            reach = nearest + AROUND * step
            share, most = blend_pixel(*given, i, j, d, pose, link, step, close, reach, total)
            if share < ENOUGH:
                around = (share / ENOUGH) ** 2
                share, most = blend_pixel(*given, i, j, d, pose, link, step, close, np.inf, other)
                for c in range(total.size):
                    total[c] = other[c] + around * (total[c] - other[c])
            if front > d:
                covered, whole = blend_pixel(*given, i, j, front, pose, link, step, close, reach, nearer)
                part, most = part_in_front(covered, share), max(most, whole)
                for c in range(total.size):
                    total[c] += part * (nearer[c] - total[c])
            seen[i, j] = most > (HARDLY if anchored[i, j] else SEEN) or nearest <= BETWEEN * step
            for c in range(total.size):
                out[i, j, c] = total[c]


@kernel
def add_ring(picture, seen, target, i, j, radius, link, total):
    """Add the colours seen on a square ring around (i, j), if on its surface, to `total` [C]; return their weight."""
    weights = 0.0
    for a in range(max(i - radius, 0), min(i + radius + 1, len(seen))):
        across = 1 if abs(a - i) == radius else 2 * radius
        for b in range(j - radius, j + radius + 1, across):
            if not 0 <= b < seen.shape[1] or not seen[a, b] or abs(target[a, b] - target[i, j]) > link:
                continue
            weight = 1.0 / ((a - i) ** 2 + (b - j) ** 2)
            weights += weight
            for c in range(total.size):
                total[c] += weight * picture[a, b, c]
    return weights


@task
def fill_rows(begin, end, picture, seen, target, link):
    """Fill pixels that no view sees with nearby colours of their surface: picture [H, W, C], rows begin … end − 1.

    A nearer surface hides such pixels in every view. Rings grow to twice the distance of the first pixel that is seen.
    """
    total = np.empty(picture.shape[2])
    for i in range(begin, end):
        for j in range(seen.shape[1]):
            if seen[i, j]:
                continue
            total[:] = 0.0
            weights, last, radius = 0.0, FARTHEST, 1
            while radius <= last:
                there = add_ring(picture, seen, target, i, j, radius, link, total)
                if there > 0.0 and weights == 0.0:
                    last = min(last, 2 * radius)
                weights += there
                radius += 1
            if weights > 0.0:
                for c in range(total.size):
                    picture[i, j, c] = total[c] / weights
