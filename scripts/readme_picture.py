"""Makes docs/images/readme.jpg: one view, its depth, its normals, and the scene seen from the side.

    python scripts/readme_picture.py SCENE [docs/images/readme.jpg]

SCENE is the project's rendered scene `toys`, or any light field whose camera is known.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import ioadr
from ioadr.camera import RayModel
from ioadr.colours import coloured, coloured_normals, rgb8, shown_range

SIDE, GAP = 480, 10
"""px, of a panel and between panels."""
YAW, PITCH = -30.0, 10.0
"""Degrees by which the scene is turned for the last panel."""
ZOOM_OUT = 1.12
"""Of its field of view."""
GROUND = np.array([24, 26, 33], np.uint8)
FINE = 5
"""Points along a triangle's edge."""


def main(scene: str, target: str = "docs/images/readme.jpg") -> None:
    estimate = ioadr.estimate(ioadr.read(scene), ioadr.preset("best"))
    view = rgb8(estimate.image, estimate.white)
    depth = coloured(-estimate.depth, *shown_range(-estimate.depth))
    normals = coloured_normals(estimate.normals)
    panels = [_resized(picture) for picture in (view, depth, normals, seen_from_the_side(estimate, view))]
    strip = np.full((SIDE, 4 * SIDE + 3 * GAP, 3), 255, np.uint8)
    for index, panel in enumerate(panels):
        strip[:, index * (SIDE + GAP) : index * (SIDE + GAP) + SIDE] = panel
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(strip).save(target, quality=88, optimize=True)
    print(f"{target}: {Path(target).stat().st_size / 1000:.0f} kB")


def seen_from_the_side(estimate: ioadr.Estimate, view: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The surfaces as a dense coloured cloud, turned around their middle; what no view saw stays dark."""
    corners = estimate.triangles
    points, colours = estimate.points.reshape(-1, 3), view.reshape(-1, 3).astype(np.float32)
    seen = [(shares @ points[corners], shares @ colours[corners]) for shares in _shares()]
    cloud = np.concatenate([points for points, _ in seen])
    paint = np.concatenate([colours for _, colours in seen])
    middle = np.median(points, axis=0)
    middle[2] = 0.5 * (np.percentile(points[:, 2], 2) + np.percentile(points[:, 2], 98))
    turned = (cloud - middle) @ _turn().T + middle
    return _drawn(turned, paint, estimate.camera_or_relative.pinhole(), view.shape[1])


def _shares() -> list[NDArray[np.float32]]:
    """Barycentric coordinates of points spread over a triangle."""
    steps = [(i, j, FINE - 1 - i - j) for i in range(FINE) for j in range(FINE - i)]
    return [np.array(step, np.float32) / np.float32(FINE - 1) for step in steps]


def _turn() -> NDArray[np.float64]:
    yaw, pitch = np.radians(YAW), np.radians(PITCH)
    around_y = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    around_x = np.array([[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]])
    return np.asarray(around_x @ around_y)


def _drawn(cloud: NDArray[Any], paint: NDArray[Any], rays: RayModel, width: int) -> NDArray[np.uint8]:
    """The nearest point of each pixel, at twice the size, averaged down."""
    size = 2 * SIDE
    pitch = ZOOM_OUT * rays.pitch_x * width / size
    column = np.round(cloud[:, 0] / cloud[:, 2] / pitch + 0.5 * size).astype(int)
    row = np.round(cloud[:, 1] / cloud[:, 2] / pitch + 0.5 * size).astype(int)
    inside = (row >= 0) & (row < size) & (column >= 0) & (column < size) & (cloud[:, 2] > 0)
    order = np.argsort(-cloud[inside, 2], kind="stable")
    picture = np.broadcast_to(GROUND, (size, size, 3)).copy()
    picture[row[inside][order], column[inside][order]] = paint[inside][order].astype(np.uint8)
    return picture


def _resized(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray(picture).resize((SIDE, SIDE), Image.Resampling.LANCZOS))


if __name__ == "__main__":
    main(*sys.argv[1:])
