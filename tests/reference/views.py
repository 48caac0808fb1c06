"""Twins of `ioadr.views`: pixels carried from view to view, written from the formulas in `docs/every-view.md`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.views.pose import Pose

Offset = tuple[float, float]
SIDES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
WIDEST = 4.0


def scale(d: float, pose: Pose) -> float:
    return pose.zoom / (1 - pose.nearer * d - pose.closer)


def landing(n: float, m: float, d: float, anchor: Offset, pose: Pose) -> tuple[float, float]:
    """From the anchor's pixel to the reference view's, and from there to the camera."""
    row, column = n + d * anchor[0], m + d * anchor[1]
    return (
        pose.cy + scale(d, pose) * (row - d * pose.dy - pose.n0),
        pose.cx + scale(d, pose) * (column - d * pose.dx - pose.m0),
    )


def origin(i: float, j: float, d: float, anchor: Offset, pose: Pose) -> tuple[float, float]:
    row = (i - pose.cy) / scale(d, pose) + pose.n0 + d * pose.dy
    column = (j - pose.cx) / scale(d, pose) + pose.m0 + d * pose.dx
    return row - d * anchor[0], column - d * anchor[1]


def extent(disparity: Any, n: int, m: int, side: str, link: float, anchor: Offset, pose: Pose) -> tuple[float, float]:
    """px of a landed pixel to one side, and the share at which its surface ends there, 0 if it does not."""
    a, b = n + SIDES[side][0], m + SIDES[side][1]
    d = float(disparity[n, m])
    half = 0.5 * scale(d, pose)
    if not (0 <= a < disparity.shape[0] and 0 <= b < disparity.shape[1]):
        return min(half, WIDEST), 0.0
    other = float(disparity[a, b])
    if abs(other - d) > link:
        return min(2 * half, WIDEST), 0.1 if other > d else 0.5
    here, there = landing(n, m, d, anchor, pose), landing(a, b, other, anchor, pose)
    axis = 0 if side in ("up", "down") else 1
    return min(0.6 * max(2 * half, abs(there[axis] - here[axis])), WIDEST), 0.0


def own_share(disparity: Any, coverage: Any, n: int, m: int, d: float, link: float) -> float:
    """Share of a pixel that the surface of d covers."""
    covered = 1.0 if math.isnan(coverage[n, m]) else float(coverage[n, m])
    return covered if abs(float(disparity[n, m]) - d) <= link else 1 - covered


def area_beyond(down: float, right: float, level: float, side: float) -> float:
    """Area of a square around 0 where down·y + right·x ≥ level, as a clipped polygon."""
    corners = [(0.5 * side * y, 0.5 * side * x) for y, x in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
    heights = [down * y + right * x - level for y, x in corners]
    kept: list[tuple[float, float]] = []
    for k in range(4):
        (y0, x0), (y1, x1), h0, h1 = corners[k - 1], corners[k], heights[k - 1], heights[k]
        if (h0 >= 0) != (h1 >= 0):
            t = h0 / (h0 - h1)
            kept.append((y0 + t * (y1 - y0), x0 + t * (x1 - x0)))
        if h1 >= 0:
            kept.append((y1, x1))
    return 0.5 * abs(sum(kept[k - 1][0] * kept[k][1] - kept[k][0] * kept[k - 1][1] for k in range(len(kept))))


def straight(disparity: Any, coverage: Any, n: int, m: int, d: float, link: float) -> tuple[float, Offset] | None:
    """Distance of a pixel inside the surface of d, NaN if 3×3 pixels do not show it, and the direction inwards.

    From the edge that divides 3×3 pixels as they do. If the pixel is mixed, pixels that an edge with its own share
    leaves whole count as whole, if they are on that side.
    """
    if not (1 <= n < disparity.shape[0] - 1 and 1 <= m < disparity.shape[1] - 1):
        return None
    values = disparity[n - 1 : n + 2, m - 1 : m + 2].astype(np.float64)
    if not (values <= d + link).all():
        return None
    block = [[own_share(disparity, coverage, n + a, m + b, d, link) for b in (-1, 0, 1)] for a in (-1, 0, 1)]
    shares, weights = np.array(block), np.array([1.0, 2.0, 1.0])
    own = float(shares[1, 1])
    gradient = weights @ (shares[2] - shares[0]), weights @ (shares[:, 2] - shares[:, 0])
    steep = math.hypot(*gradient)
    if steep < 1.5:
        return None
    down, right = (float(part) / steep for part in gradient)
    step = np.arange(-1, 2)
    alone = level_of(down, right, own, 1.0) if 0.1 < own < 0.9 else math.nan
    inside = np.add.outer(down * step, right * step) - alone
    reach, on_it = 0.5 * (abs(down) + abs(right)), np.abs(values - d) <= link
    shares = np.where(on_it & (inside >= reach), 1.0, np.where(~on_it & (inside <= -reach), 0.0, shares))
    level = level_of(down, right, shares.sum(), 3.0)
    shown = shares.max() >= 0.9 and shares.min() <= 0.1 and abs(min(max(0.5 - level, 0.0), 1.0) - own) <= 0.2
    return -level if shown else math.nan, (down, right)


def level_of(down: float, right: float, area: float, side: float) -> float:
    """Distance from the centre of a square at which a straight edge leaves an area of it beyond."""
    low, high = -3.0, 3.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if area_beyond(down, right, middle, side) > area else (low, middle)
    return low


def corner(
    disparity: Any,
    coverage: Any,
    n: int,
    m: int,
    found: tuple[float, Offset],
    y: float,
    x: float,
    d: float,
    link: float,
) -> float | None:
    """Distance of a place inside the corner of the surface of d in a pixel, from edges 2 px away; None without them."""
    own, fits = own_share(disparity, coverage, n, m, d, link), dict[float, float]()
    down, right = (math.copysign(2, part) for part in found[1])
    for way in (-1, 1):
        edges = []
        for a, b in ((way * int(down), 0), (0, way * int(right))):
            one_edge = straight(disparity, coverage, n + a, m + b, d, link)
            if one_edge is not None and not math.isnan(one_edge[0]):
                edges.append((one_edge[0] - a * one_edge[1][0] - b * one_edge[1][1], *one_edge[1]))
        if len(edges) < 2 or abs(edges[0][1] * edges[1][1] + edges[0][2] * edges[1][2]) >= 0.6:
            continue
        one, other = (min(max(0.5 + inside, 0.0), 1.0) for inside, _, _ in edges)
        places = [inside + a * (y - n) + b * (x - m) for inside, a, b in edges]
        if way > 0:  # both edges bound it
            fits[abs(one * other - own)] = min(places)
        else:
            fits[abs(1 - (1 - one) * (1 - other) - own)] = max(places)
    limit = 0.2 if math.isnan(found[0]) else abs(min(max(0.5 + found[0], 0.0), 1.0) - own)
    return fits[min(fits)] if fits and min(fits) < limit else None


def edge(disparity: Any, coverage: Any, y: float, x: float, d: float, link: float) -> tuple[float, float, float] | None:
    """Distance inside the surface of d and the direction inwards, (0, 0) at corners."""
    n, m = math.floor(y + 0.5), math.floor(x + 0.5)
    beside = [((n + np.sign(y - n), m), abs(y - n)), ((n, m + np.sign(x - m)), abs(x - m))]
    places = [(n, m), *(place for place, away in sorted(beside, key=lambda one: -one[1]) if away > 0)]
    for a, b in places:
        found = straight(disparity, coverage, int(a), int(b), d, link)
        at_corner = (a, b) == (n, m) and found is not None and min(map(abs, found[1])) > 0.2
        if at_corner and found is not None:
            place = corner(disparity, coverage, n, m, found, y, x, d, link)
            if place is not None:
                return place, 0.0, 0.0
        if found is not None and not math.isnan(found[0]):
            inside, (down, right) = found
            return inside + down * (y - a) + right * (x - b), down, right
        if at_corner:
            return None
    return None


def share(disparity: Any, coverage: Any, y: float, x: float, d: float, link: float) -> float:
    """Of the surface of d at a place: by its distance from the outline, else bilinear between the pixels around."""
    outline = edge(disparity, coverage, y, x, d, link)
    if outline is not None:
        return 0.5 + outline[0]
    y, x = (min(max(p, 0.0), s - 1.0) for p, s in zip((y, x), disparity.shape, strict=True))
    n, m = (min(math.floor(p), s - 2) for p, s in zip((y, x), disparity.shape, strict=True))
    total = 0.0
    for a, b in ((n, m), (n, m + 1), (n + 1, m), (n + 1, m + 1)):
        total += own_share(disparity, coverage, a, b, d, link) * (1 - abs(y - a)) * (1 - abs(x - b))
    return total


def outlined(
    disparity: NDArray[Any], slopes: Any, coverage: Any, rim: NDArray[Any], others: Sequence[Any], link: float
) -> NDArray[np.float64]:
    """The map with rims moved so that their outlines meet those in `others`: (map, coverage, offset) of each."""
    steps: dict[tuple[int, int], tuple[float, float, float]] = {}
    for n, m in np.argwhere(rim).tolist():
        d, apart = float(disparity[n, m]), list[tuple[float, float]]()
        outline = edge(disparity, coverage, n, m, d, link)
        if outline is None or abs(outline[0]) >= 1:
            continue
        inside, down, right = outline
        y, x = n - inside * down, m - inside * right
        there = d + fallen(slopes, n, m, y, x, link, 2.0)
        for other, covered, (oy, ox) in others:
            seen = edge(other, covered, y - there * oy, x - there * ox, d, link)
            if seen is not None and abs(seen[0]) < 0.9 and seen[1] * down + seen[2] * right > 0.6:
                apart.append((seen[0], oy * down + ox * right))
        if len(apart) >= 2:
            steps[n, m] = moved_by(apart, (0.15 / (0.17 * link)) ** 2), down, right
    out = disparity.astype(np.float64)
    for (n, m), (_, down, right) in steps.items():
        near = [
            (math.exp(-((a - n) ** 2 + (b - m) ** 2) / 9), step)
            for (a, b), (step, along, across) in steps.items()
            if max(abs(a - n), abs(b - m)) <= 5
            and along * down + across * right > 0.6
            and abs(disparity[a, b] - disparity[n, m]) <= link
        ]
        mean = sum(weight * step for weight, step in near) / sum(weight for weight, _ in near)
        out[n, m] += min(max(mean, -link / 2), link / 2)
    return out


def moved_by(apart: Sequence[tuple[float, float]], ridge: float) -> float:
    """Step of disparity that explains distances between outlines, by offsets along the normal; Cauchy's weights."""
    step = 0.0
    for _ in range(4):
        weights = [1 / (1 + ((shift - step * along) / 0.3) ** 2) for shift, along in apart]
        top = sum(weight * along * shift for weight, (shift, along) in zip(weights, apart, strict=True))
        bottom = sum(weight * along * along for weight, (_, along) in zip(weights, apart, strict=True))
        step = top / (ridge + bottom)
    return step


def fallen(slopes: Any, n: int, m: int, y: float, x: float, link: float, steeper: float = 1.0) -> float:
    """Step from a pixel to a place on its surface."""
    down, right = (float(slope) for slope in slopes[:, n, m])
    return min(max(steeper * (down * (y - n) + right * (x - m)), -link), link)


def beside(
    disparity: Any, slopes: Any, n: int, m: int, i: int, j: int, link: float, anchor: Offset, pose: Pose
) -> tuple[float, float]:
    """Where the anchor has what the camera sees at (i, j), on the surface of (n, m), which is twice as steep there."""
    y, x = origin(i, j, float(disparity[n, m]), anchor, pose)
    for _ in range(3):
        y, x = origin(i, j, float(disparity[n, m]) + fallen(slopes, n, m, y, x, link, 2.0), anchor, pose)
    return y, x


def carried(
    disparity: NDArray[Any],
    slopes: NDArray[Any],
    coverage: NDArray[Any],
    kept: NDArray[Any],
    link: float,
    anchor: Offset,
    pose: Pose,
    size: tuple[int, int],
    slack: float,
) -> NDArray[np.float64]:
    """The nearest surface that lands on each pixel, where its ray meets it."""
    boxes = []
    for n, m in np.argwhere(kept):
        y, x = landing(n, m, float(disparity[n, m]), anchor, pose)
        sides = [extent(disparity, n, m, side, link, anchor, pose) for side in SIDES]
        up, down, left, right = (px + slack for px, _ in sides)
        inside = -WIDEST <= y <= size[0] + WIDEST and -WIDEST <= x <= size[1] + WIDEST
        if inside:
            least = max(end for _, end in sides)
            boxes.append((y - up, y + down, x - left, x + right, least, n, m))
    out = np.full(size, np.nan)
    for i, j in np.ndindex(size):
        landed = []
        for top, bottom, left, right, least, n, m in boxes:
            if top <= i <= bottom and left <= j <= right:
                place, d = beside(disparity, slopes, n, m, i, j, link, anchor, pose), float(disparity[n, m])
                if least == 0 or share(disparity, coverage, *place, d, link) >= least - slack:
                    landed.append(d)
        if landed:
            out[i, j] = met(disparity, slopes, i, j, max(landed), link + slack, anchor, pose)
    return out


def threaded(
    disparity: NDArray[Any],
    coverage: NDArray[Any],
    kept: NDArray[Any],
    link: float,
    anchor: Offset,
    pose: Pose,
    known: NDArray[Any],
    slack: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The known map with the pixels that are nearer than both neighbours in a row or column, at the pixels nearest to
    their middle; and the pixel [H, W, 2] from which each value comes, −1 if it is an earlier one."""
    out, origins = known.astype(np.float64), np.full((*known.shape, 2), -1)
    own = np.nan_to_num(coverage.astype(np.float64), nan=1.0)
    rows, columns = np.mgrid[: known.shape[0], : known.shape[1]]
    for n, m in np.argwhere(kept):
        d, size = float(disparity[n, m]), scale(float(disparity[n, m]), pose)
        for down, right in ((1, 0), (0, 1)):
            sides = [(n - down, m - right), (n + down, m + right)]
            if min(sides[0]) < 0 or sides[1][0] >= disparity.shape[0] or sides[1][1] >= disparity.shape[1]:
                continue
            if max(float(disparity[side]) for side in sides) >= d - link - slack:
                continue
            before, after = (1 - own[side] for side in sides)
            width = own[n, m] + before + after
            middle = (after - before) / width
            y, x = landing(n + middle * down, m + middle * right, d, anchor, pose)
            across, along = 0.5 * max(min(width, 1.0) * size, 1.0) + slack, 0.6 * size + slack
            high, broad = (across, along) if down else (along, across)
            there = (np.abs(rows - y) <= high) & (np.abs(columns - x) <= broad) & ~(d <= out + link + slack)
            out[there], origins[there] = d, (n, m)
    return out, origins


def met(
    disparity: NDArray[Any], slopes: Any, i: int, j: int, d: float, link: float, anchor: Offset, pose: Pose
) -> float:
    """Three steps of d = map(origin of the pixel), fewer if one is small."""
    for _ in range(3):
        y, x = origin(i, j, d, anchor, pose)
        n, m = (min(max(math.floor(p), 0), s - 2) for p, s in zip((y, x), disparity.shape, strict=True))
        taps = [(a, b) for a in (n, n + 1) for b in (m, m + 1) if abs(float(disparity[a, b]) - d) <= link]
        weights = [max(1 - abs(y - a), 0.0) * max(1 - abs(x - b), 0.0) for a, b in taps]
        sloping = sum(weights) < 0.999
        values = [float(disparity[a, b]) + sloping * fallen(slopes, a, b, y, x, link) for a, b in taps]
        before = d
        if sum(weights) > 1e-6:
            d = float(np.average(values, weights=weights))
        if abs(d - before) < 1e-4:
            break
    return d


def compared(disparity: Any, other: Any, link: float, offset: Offset, slack: float) -> NDArray[np.float64]:
    """[2, N, M]: whether another view sees each point, and whether it has the same there."""
    height, width = disparity.shape
    out = np.zeros((2, height, width))
    for n, m in np.ndindex(height, width):
        d = float(disparity[n, m])
        y, x = n - d * offset[0], m - d * offset[1]
        if -0.5 - slack <= y <= height - 0.5 + slack and -0.5 - slack <= x <= width - 0.5 + slack:
            i, j = min(max(math.floor(y + slack), 0), height - 2), min(max(math.floor(x + slack), 0), width - 2)
            touched = [(a, b) for a in (i, i + 1) for b in (j, j + 1) if max(abs(y - a), abs(x - b)) < 1 + slack]
            steps = np.array([float(other[pixel]) for pixel in touched]) - d
            out[:, n, m] = (steps <= link + slack).any(), (np.abs(steps) <= link + slack).any()
    return out


def filled(values: NDArray[Any]) -> NDArray[np.float64]:
    """Holes get the farther end of the shorter run through them."""
    out = values.astype(np.float64)
    for n, m in np.argwhere(np.isnan(values)):
        runs = []
        for line, at in ((values[:, m], n), (values[n], m)):
            known = np.flatnonzero(~np.isnan(line))
            before, after = known[known < at], known[known > at]
            length = at - before[-1] if before.size else 2 * (at + 1)
            length += after[0] - at if after.size else 2 * (line.size - at)
            ends = [float(line[k]) for k in (*before[-1:], *after[:1])]
            if ends:
                runs.append((length, min(ends)))
        if runs:
            out[n, m] = min(runs, key=lambda run: run[0])[1]
    return out


def cubic(t: float, a: float = -0.75) -> float:
    """Keys' interpolating cubic with the slope a at distance 1."""
    t = abs(t)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


def cubic_sample(image: NDArray[Any], y: float, x: float) -> NDArray[np.float64]:
    total = np.zeros(image.shape[2])
    for a in range(math.floor(y) - 1, math.floor(y) + 3):
        for b in range(math.floor(x) - 1, math.floor(x) + 3):
            pixel = image[min(max(a, 0), image.shape[0] - 1), min(max(b, 0), image.shape[1] - 1)]
            total += cubic(y - a) * cubic(x - b) * pixel
    return total


def seen_by_views(
    images: NDArray[Any],
    maps: NDArray[Any],
    places: NDArray[Any],
    near: NDArray[Any],
    i: int,
    j: int,
    d: float,
    pose: Pose,
    links: NDArray[Any],
    slack: float,
) -> tuple[NDArray[np.float64], float, float]:
    """Mean colour of the surface of d in the views, by their weights `near` (0 if left out) and whether they see it,
    each within its own difference `links` [V]; the share of the weights that see it; the largest share of the pixels
    around it on its surface."""
    height, width = maps.shape[1:]
    total, weights, seen, asked, largest = np.zeros(images.shape[3]), 0.0, 0.0, 1e-6, 0.0
    for v in np.flatnonzero(near):
        y, x = origin(i, j, d, tuple(places[v]), pose)
        sight = 1e-6
        if -slack <= y <= height - 1 + slack and -slack <= x <= width - 1 + slack:
            n, m = min(max(math.floor(y), 0), height - 2), min(max(math.floor(x), 0), width - 2)
            taps = [(a, b) for a in (n, n + 1) for b in (m, m + 1) if abs(maps[v, a, b] - d) <= links[v] + slack]
            same = sum(max(1 - abs(y - a), 0) * max(1 - abs(x - b), 0) for a, b in taps)
            sight, asked, largest = 1e-3 + same, asked + near[v], max(largest, 1e-3 + same)
            seen += near[v] * sight if same > 1e-3 + slack else 0.0
        total += near[v] * sight * cubic_sample(images[v], y, x)
        weights += near[v] * sight
    return total / weights, seen / asked, largest


def blended(
    images: NDArray[Any],
    maps: NDArray[Any],
    places: NDArray[Any],
    target: NDArray[Any],
    wide: NDArray[Any],
    anchored: NDArray[Any],
    pose: Pose,
    link: float,
    step: float,
    close: float,
    slack: float,
) -> NDArray[np.float64]:
    """Each pixel as the mean of the views [V, N, M, C], weighted by closeness to its ray and by whether they see it.

    Where `wide` has a nearer surface, both are blended by the squared shares of the views that see them, the nearer one
    with twice the weight. If less than a quarter of the views around the ray see it, all views colour it, gradually.
    Negative where no view is within 0.75 steps or has half of the pixels around it on it, 0.05 if an anchor saw it.
    """
    out = np.empty((*target.shape, images.shape[3]))
    for i, j in np.ndindex(target.shape):
        d, front = float(target[i, j]), float(wide[i, j])
        ray = np.array(
            [pose.dy - pose.nearer * (i - pose.cy) / pose.zoom, pose.dx - pose.nearer * (j - pose.cx) / pose.zoom]
        )
        away = np.linalg.norm(places - ray, axis=1)
        every = (step**2 / (away**2 + (close * step) ** 2)) ** 2
        around = np.where(away <= away.min() + 1.5 * step + slack, every, 0.0)
        given, links = (images, maps, places), np.clip(0.7 / np.maximum(away, 1e-9), 0.5 * link, link)
        colour, share, largest = seen_by_views(*given, around, i, j, d, pose, links, slack)
        if share < 0.25 + slack:
            near, part = colour, (share / 0.25) ** 2
            colour, share, largest = seen_by_views(*given, every, i, j, d, pose, links, slack)
            colour = part * near + (1 - part) * colour
        if front > d:
            nearer, covered, whole = seen_by_views(*given, around, i, j, front, pose, links, slack)
            if covered > 0:
                colour = (2 * covered**2 * nearer + share**2 * colour) / (2 * covered**2 + share**2)
            largest = max(largest, whole)
        known = largest > (0.05 if anchored[i, j] else 0.5) + slack or away.min() <= 0.75 * step + slack
        out[i, j] = colour if known else -colour
    return out


def smooth_rims(
    disparity: NDArray[Any], wanted: NDArray[np.bool_], rim: NDArray[np.bool_], link: float
) -> NDArray[np.float64]:
    """The map, on a quadratic surface through the pixels of the same surface within 6 px where `wanted`."""
    out = disparity.astype(np.float64)
    for n, m in np.argwhere(wanted):
        fit = rim_surface(disparity, rim, n, m, link)
        if fit is not None and abs(fit[0]) <= link:
            out[n, m] += fit[0]
    return out


def stretched(
    disparity: NDArray[Any], known: NDArray[Any], trust: NDArray[Any], moving: NDArray[np.bool_], link: float
) -> NDArray[np.float64]:
    """The membrane through known differences where it is `moving`: the solution of its linear equations."""
    step = known.astype(np.float64)
    number = {tuple(pixel): k for k, pixel in enumerate(np.argwhere(moving).tolist())}
    left, right = np.zeros((len(number), len(number))), np.zeros(len(number))
    for (n, m), k in number.items():
        left[k, k] = 0.05 * float(trust[n, m]) ** 2
        if np.isfinite(known[n, m]):
            left[k, k] += 1
            right[k] += known[n, m]
        for down, across in SIDES.values():
            beside = n + down, m + across
            inside = 0 <= beside[0] < disparity.shape[0] and 0 <= beside[1] < disparity.shape[1]
            if not inside or abs(float(disparity[beside]) - float(disparity[n, m])) > link:
                continue
            left[k, k] += 2
            if beside in number:
                left[k, number[beside]] -= 2
            else:
                right[k] += 2 * step[beside]
    for (pixel, k), value in zip(number.items(), np.linalg.solve(left, right), strict=True):
        step[pixel] = value if left[k, k] else 0.0
    return step


def slopes(disparity: NDArray[Any], rim: NDArray[np.bool_], link: float) -> NDArray[np.float64]:
    """[2, N, M]: down and right, of the same surfaces at pixels of a rim."""
    out = np.zeros((2, *disparity.shape))
    for n, m in np.argwhere(rim):
        fit = rim_surface(disparity, rim, n, m, link)
        if fit is not None:
            out[:, n, m] = fit[1:3]
    return out


def rim_surface(
    disparity: NDArray[Any], rim: NDArray[np.bool_], n: int, m: int, link: float
) -> NDArray[np.float64] | None:
    """Coefficients of 1, y, x, y², yx, x² of the surface through pixels within 6 px, from a pixel; None if too few."""
    own = float(disparity[n, m])
    around = [
        (a - n, b - m, float(disparity[a, b]) - own, 0.3 if rim[a, b] else 1.0)
        for a, b in np.ndindex(disparity.shape)
        if math.hypot(a - n, b - m) <= 6 and abs(float(disparity[a, b]) - own) <= link
    ]
    if len(around) < 8:
        return None
    y, x, step, weight = np.array(around).T
    weight = weight * np.exp(-(y * y + x * x) / 18)
    terms = np.stack([np.ones_like(y), y, x, y * y, y * x, x * x], axis=1)
    ridge = 0.01 * np.diag([0, 1, 1, 4, 4, 4])
    return np.asarray(np.linalg.solve(terms.T @ (weight[:, None] * terms) + ridge, terms.T @ (weight * step)))


def fitted(
    images: NDArray[Any],
    maps: NDArray[Any],
    places: NDArray[Any],
    target: NDArray[Any],
    picture: NDArray[Any],
    pose: Pose,
    link: float,
    noise: float,
    close: float,
    slack: float,
) -> NDArray[np.float64]:
    """The picture, moved to a quadratic surface through the samples of views [V, N, M, C] one step apart.

    Only where nine in ten samples are on the surface; by less where one view has most of the weight, or where the
    difference is within the noise.
    """
    out = picture.astype(np.float64)
    for i, j in np.ndindex(target.shape):
        d = float(target[i, j])
        ray = [pose.dy - pose.nearer * (i - pose.cy) / pose.zoom, pose.dx - pose.nearer * (j - pose.cx) / pose.zoom]
        near = (np.sum((places - ray) ** 2, axis=1) + close**2) ** -2.0
        near = np.where(near >= (0.02 - slack) * near.max(), near / near.max(), 0.0)
        samples = [
            (near[v], (a - y, b - x), images[v, a, b])
            for v in np.flatnonzero(near)
            for y, x in [origin(i, j, d, tuple(places[v]), pose)]
            for a in range(max(math.floor(y) - 1, 0), min(math.floor(y) + 3, maps.shape[1]))
            for b in range(max(math.floor(x) - 1, 0), min(math.floor(x) + 3, maps.shape[2]))
            if abs(maps[v, a, b] - d) <= link + slack
        ]
        if sum(weight for weight, _, _ in samples) < 16 * (0.9 - slack) * near.sum():
            continue
        square = np.array([y * y + x * x for _, (y, x), _ in samples])
        weights = np.array([weight for weight, _, _ in samples])
        weights *= (1 / (1 + square / 0.25**2) * np.maximum(1 - square / 4.5, 0)) ** 2
        terms = np.array([(1, y, x, y * y, y * x, x * x) for _, (y, x), _ in samples])
        ridge = 1e-6 * weights.sum() * np.diag([0, 1, 1, 1, 1, 1])
        colours = np.array([colour for _, _, colour in samples], np.float64)
        fit = np.linalg.solve(terms.T @ (weights[:, None] * terms) + ridge, terms.T @ (weights[:, None] * colours))[0]
        several = min(near.sum() ** 2 / np.sum(near**2) - 1, 1.0)
        apart = np.mean((fit - out[i, j]) ** 2)
        out[i, j] += several * apart / (apart + noise) * (fit - out[i, j])
    return out


def coloured_by_surface(picture: NDArray[Any], seen: NDArray[Any], target: NDArray[Any], link: float) -> NDArray[Any]:
    """Unseen pixels as the mean of seen ones of their surface, by inverse square distance, in a growing square."""
    out = picture.astype(np.float64)
    rows, columns = np.mgrid[: seen.shape[0], : seen.shape[1]]
    for i, j in np.argwhere(~seen):
        ring = np.maximum(abs(rows - i), abs(columns - j))
        usable = seen & (np.abs(target - target[i, j]) <= link) & (ring <= 32)
        if usable.any():
            usable &= ring <= 2 * ring[usable].min()
            weights = 1.0 / ((rows - i) ** 2 + (columns - j) ** 2)[usable]
            out[i, j] = weights @ picture[usable].astype(np.float64) / weights.sum()
    return out
