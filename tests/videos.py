"""How steady are videos? Differences between consecutive frames around depth discontinuities, aligned by their maps.

ioadr estimate SCENE --every-view --out RESULT
python -m tests.videos SCENE RESULT        # an orbit of 24 frames, as in docs/every-view.md
python -m tests.videos SCENE RESULT dolly
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import ioadr
from ioadr.colours import rgb8
from ioadr.views.paths import PATHS
from ioadr.views.pose import Pose, Viewpoint
from ioadr.views.result import Views
from ioadr.views.surfaces import link_of

FRAMES = 24
CLOSE = 2
"""Distance, px, from a discontinuity up to which pixels count."""
Map = NDArray[np.floating[Any]]
Mask = NDArray[np.bool_]


class Frame(NamedTuple):
    image: Map
    """[H, W, C], 0 … 255."""
    disparity: Map
    pose: Pose


def moved(frame: Frame, pose: Pose) -> tuple[Map, Map]:
    """Rows and columns at which another camera sees the points of a frame."""
    d, own = frame.disparity.astype(np.float64), frame.pose
    i, j = np.mgrid[: d.shape[0], : d.shape[1]]
    s = (1.0 - own.nearer * d - own.closer) / own.zoom
    n, m = own.n0 + s * (i - own.cy) + d * own.dy, own.m0 + s * (j - own.cx) + d * own.dx
    s = pose.zoom / (1.0 - pose.nearer * d - pose.closer)
    return pose.cy + s * (n - d * pose.dy - pose.n0), pose.cx + s * (m - d * pose.dx - pose.m0)


def sampled(image: Map, y: Map, x: Map) -> Map:
    """Samples of an image, by cubic interpolation: bilinear samples would differ more from sharper frames."""
    n, m = np.floor(y).astype(int), np.floor(x).astype(int)
    total = np.zeros((*y.shape, image.shape[-1]))
    for a in range(-1, 3):
        for b in range(-1, 3):
            row, column = np.clip(n + a, 0, image.shape[0] - 1), np.clip(m + b, 0, image.shape[1] - 1)
            total += (cubic(np.abs(y - n - a)) * cubic(np.abs(x - m - b)))[..., None] * image[row, column]
    return total


def cubic(t: Map) -> Map:
    """Weight of a sample at distance t, 0 … 2 (Keys 1981)."""
    inner, outer = (1.5 * t - 2.5) * t * t + 1.0, ((2.5 - 0.5 * t) * t - 4.0) * t + 2.0
    return np.where(t < 1.0, inner, outer)


def around_discontinuities(disparity: Map, link: float) -> Mask:
    """Pixels within `CLOSE` of a step between two surfaces."""
    near = np.zeros(disparity.shape, bool)
    down, right = np.abs(np.diff(disparity, axis=0)) > 2 * link, np.abs(np.diff(disparity, axis=1)) > 2 * link
    for _ in range(CLOSE):
        near[1:] |= down
        near[:-1] |= down
        near[:, 1:] |= right
        near[:, :-1] |= right
        down, right = near[1:] | near[:-1], near[:, 1:] | near[:, :-1]
    return near


def difference(one: Frame, other: Frame, link: float) -> float:
    """Mean difference, grey levels, around discontinuities, of points that both frames show."""
    height, width = one.disparity.shape
    y, x = moved(one, other.pose)
    n, m = np.clip(np.rint(y).astype(int), 0, height - 1), np.clip(np.rint(x).astype(int), 0, width - 1)
    shown = (y >= 0) & (y <= height - 1) & (x >= 0) & (x <= width - 1)
    shown &= np.abs(other.disparity[n, m] - one.disparity) <= 2 * link
    apart = np.abs(one.image - sampled(other.image, y, x)).mean(axis=-1)
    return float(apart[shown & around_discontinuities(one.disparity, link)].mean())


def sharpness(image: Map) -> float:
    """Mean gradient, grey levels per px."""
    grey = image.mean(axis=-1)
    return float(np.abs(np.diff(grey, axis=0)).mean() + np.abs(np.diff(grey, axis=1)).mean()) / 2


def pose_of(views: Views, viewpoint: Viewpoint) -> Pose:
    return viewpoint.pose(views.layout, views.estimate.rays, views.size, views.size)


def video(views: Views, path: str) -> list[Frame]:
    frames = []
    for viewpoint in PATHS[path](views, FRAMES):
        made = views.render(viewpoint, steady=True)
        image = rgb8(made.image, views.estimate.white).astype(np.float32)
        frames.append(Frame(image, made.disparity, pose_of(views, viewpoint)))
    return frames


def captured(views: Views, lightfield: ioadr.LightField, row: int, column: int) -> Frame:
    y, x = (float(place) for place in views.layout.positions[row, column][:2])
    image = rgb8(lightfield.views[row, column], lightfield.white).astype(np.float32)
    return Frame(image, views.map_of((row, column)), pose_of(views, Viewpoint(y, x)))


def captured_differences(views: Views, lightfield: ioadr.LightField, apart: int, link: float) -> list[float]:
    """Differences of captured views that lie `apart` steps from each other, down and to the right."""
    present = views.layout.present
    rows, columns = present.shape
    found = []
    for row, column in np.ndindex(rows, columns):
        if row % max(apart, rows // 4) or column % max(apart, columns // 4):
            continue
        for there in ((row + apart, column), (row, column + apart)):
            if there[0] < rows and there[1] < columns and present[row, column] and present[there]:
                one, other = captured(views, lightfield, row, column), captured(views, lightfield, *there)
                found.append(difference(one, other, link))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene")
    parser.add_argument("result")
    parser.add_argument("path", nargs="?", choices=tuple(PATHS), default="orbit")
    given = parser.parse_args()
    lightfield = ioadr.read(given.scene)
    views = ioadr.load_views(given.result, lightfield)
    link = link_of(views.estimate)
    frames = video(views, given.path)
    consecutive = [difference(one, other, link) for one, other in pairwise(frames)]
    step = np.mean([np.hypot(b.pose.dy - a.pose.dy, b.pose.dx - a.pose.dx) for a, b in pairwise(frames)])
    apart = max(1, round(float(step)))
    between = captured_differences(views, lightfield, apart, link)
    sharp = [sharpness(frame.image) for frame in frames]
    sys.stdout.write(
        f"rendered frames, {step:.2f} steps apart: {np.mean(consecutive):.2f}, at most {np.max(consecutive):.2f}\n"
        f"captured views, {apart} steps apart: {np.mean(between):.2f}, at most {np.max(between):.2f}\n"
        f"standard deviation of the sharpness: {100 * np.std(sharp) / np.mean(sharp):.1f} %\n"
    )


if __name__ == "__main__":
    main()
