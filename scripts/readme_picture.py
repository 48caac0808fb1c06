"""Makes docs/images/readme.jpg: one view, its depth, its normals, and the scene seen from the side.

    python scripts/readme_picture.py SCENE [docs/images/readme.jpg]

SCENE is the project's rendered scene `toys`, or any light field whose camera is known. Prints how much of the last
panel is dark with the surfaces of the reference view, of the fused mesh, and of each view's own map.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from PIL import Image

import ioadr
from ioadr.colours import coloured, coloured_normals, rgb8, shown_range
from ioadr.geometry.discontinuity import surface_cells, triangles
from ioadr.views.points import anchor_place, surface_points
from ioadr.views.surfaces import Surface

SIDE, GAP = 480, 10
"""Side of a panel, and distance between panels, px."""
YAW, PITCH = -30.0, 10.0
"""Rotation of the scene in the last panel, degrees."""
ZOOM_OUT = 1.12
"""Factor on the field of view of the last panel."""
GROUND = (24, 26, 33)


def main(scene: str, target: str = "docs/images/readme.jpg") -> None:
    views = ioadr.estimate_views(ioadr.read(scene), "best")
    estimate = views.estimate
    view = rgb8(estimate.image, estimate.white)
    depth = coloured(-estimate.depth, *shown_range(-estimate.depth))
    normals = coloured_normals(estimate.normals)
    side = Side(estimate)
    mesh = views.mesh()
    side.draw(mesh.points.positions, rgb8(mesh.points.colours[None], estimate.white)[0], mesh.triangles)
    panels = [_resized(picture) for picture in (view, depth, normals, side.picture)]
    strip = np.full((SIDE, 4 * SIDE + 3 * GAP, 3), 255, np.uint8)
    for index, panel in enumerate(panels):
        strip[:, index * (SIDE + GAP) : index * (SIDE + GAP) + SIDE] = panel
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(strip).save(target, quality=88, optimize=True)
    print(f"{target}: {Path(target).stat().st_size / 1000:.0f} kB")
    _report(views, side, view)


def _report(views: ioadr.Views, fused: Side, view: NDArray[np.uint8]) -> None:
    """Print the dark share of the last panel, and how much of what any view saw is missing from it."""
    estimate = views.estimate
    single, every = Side(estimate), Side(estimate)
    single.draw(estimate.points.reshape(-1, 3), view.reshape(-1, 3), estimate.triangles)
    for surface in _maps(views):
        points, camera = surface_points(surface, estimate.rays), anchor_place(surface, estimate.rays)
        every.draw(points.reshape(-1, 3), view.reshape(-1, 3), triangles(surface_cells(points - camera)))
    seen = ~every.dark
    print(
        f"dark: {100 * single.dark.mean():.2f} % with the reference view alone, {100 * fused.dark.mean():.2f} % with "
        f"the fused mesh, {100 * every.dark.mean():.2f} % with the maps of all views\n"
        f"seen by a view, but dark: {100 * np.mean(single.dark & seen):.2f} % with the reference view alone, "
        f"{100 * np.mean(fused.dark & seen):.2f} % with the fused mesh"
    )


def _maps(views: ioadr.Views) -> list[Surface]:
    """The map of each view as a surface."""
    maps = []
    for (row, column), values in zip(views.index.tolist(), views.disparity, strict=True):
        down, right = views.layout.offsets[row, column]
        blank = np.ones(values.shape, bool)
        maps.append(Surface((row, column), (float(down), float(right)), values, values, values, blank, values))
    return maps


class Side:
    """A picture of triangles, turned around the middle of the reference view's points; the rest stays dark."""

    def __init__(self, estimate: ioadr.Estimate) -> None:
        points = estimate.points.reshape(-1, 3)
        self.middle = np.nanmedian(points, axis=0)
        self.middle[2] = 0.5 * (np.nanpercentile(points[:, 2], 2) + np.nanpercentile(points[:, 2], 98))
        size = 2 * SIDE
        self.pitch = ZOOM_OUT * estimate.rays.pitch_x * estimate.disparity.shape[1] / size
        self.near = np.zeros((size, size), np.float64)
        self.picture = np.empty((size, size, 3), np.uint8)
        self.picture[:] = GROUND

    def draw(self, points: NDArray[Any], colours: NDArray[np.uint8], corners: NDArray[np.int32]) -> None:
        """Draw triangles of points [P, 3]."""
        x, y, z = ((points - self.middle) @ _turn().T + self.middle).T
        with np.errstate(invalid="ignore"):
            flat = np.stack([x, y], axis=1) / z[:, None] / self.pitch + SIDE
        _fill(flat, 1.0 / z, colours, corners, self.near, self.picture)

    @property
    def dark(self) -> NDArray[np.bool_]:
        return np.asarray(self.near == 0)


@njit
def _fill(flat: Any, inverse: Any, colours: Any, corners: Any, near: Any, picture: Any) -> None:
    """Draw triangles between points `flat` [P, 2] in px; `near` [H, W] is 1/z of the nearest one so far."""
    height, width = near.shape
    for t in range(len(corners)):
        a, b, c = corners[t]
        (ax, ay), (bx, by), (cx, cy) = flat[a], flat[b], flat[c]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0 or min(inverse[a], inverse[b], inverse[c]) <= 0:
            continue
        for i in range(max(0, int(np.ceil(min(ay, by, cy)))), min(height, int(np.floor(max(ay, by, cy))) + 1)):
            for j in range(max(0, int(np.ceil(min(ax, bx, cx)))), min(width, int(np.floor(max(ax, bx, cx))) + 1)):
                u = ((j - ax) * (cy - ay) - (i - ay) * (cx - ax)) / area
                v = ((bx - ax) * (i - ay) - (by - ay) * (j - ax)) / area
                if u < -1e-9 or v < -1e-9 or u + v > 1 + 1e-9:
                    continue
                w = 1 - u - v
                z = w * inverse[a] + u * inverse[b] + v * inverse[c]
                if z > near[i, j]:
                    near[i, j] = z
                    for k in range(3):
                        picture[i, j, k] = w * colours[a, k] + u * colours[b, k] + v * colours[c, k]


def _turn() -> NDArray[np.float64]:
    yaw, pitch = np.radians(YAW), np.radians(PITCH)
    around_y = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    around_x = np.array([[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]])
    return np.asarray(around_x @ around_y)


def _resized(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray(picture).resize((SIDE, SIDE), Image.Resampling.LANCZOS))


if __name__ == "__main__":
    main(*sys.argv[1:])
