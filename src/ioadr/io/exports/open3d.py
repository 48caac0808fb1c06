"""Open3D: colour, depth in millimetres and intrinsics, as its RGB-D functions expect them.

For the reference view, or for every view if all of them have a map. Pixel coordinates are relative to the centre of
the first pixel.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ioadr.errors import Note
from ioadr.io.exports.depth_images import millimetres, too_far
from ioadr.io.exports.target import Target
from ioadr.io.posed import Scene, View, write_png


def write(scene: Scene, folder: Path) -> None:
    write_png(folder / "color.png", scene.image(scene.reference))
    write_png(folder / "depth.png", millimetres(scene.depth))
    _write_json(folder / "intrinsics.json", _intrinsic(scene, scene.reference))
    if scene.every_view is None:
        return
    scene.write_images(folder / "color")
    (folder / "depth").mkdir()
    for view in scene.views:
        write_png(folder / "depth" / view.name, millimetres(scene.depth_of(view)))
    _write_json(folder / "trajectory.json", _trajectory(scene))


def _intrinsic(scene: Scene, view: View) -> dict[str, Any]:
    (width, height), (fx, fy), (cx, cy) = scene.size, view.focal, view.principal
    # Column after column.
    return {"width": width, "height": height, "intrinsic_matrix": [fx, 0.0, 0.0, 0.0, fy, 0.0, cx, cy, 1.0]}


def _trajectory(scene: Scene) -> dict[str, Any]:
    """Cameras in the order of their images, as `open3d.io.read_pinhole_camera_trajectory` expects them."""
    version = {"version_major": 1, "version_minor": 0}
    cameras = []
    for view in scene.views:
        pose = np.eye(4)
        pose[:3, 3] = 0.0 - np.array(view.centre)
        extrinsic = {"class_name": "PinholeCameraParameters", "extrinsic": pose.ravel(order="F").tolist()}
        cameras.append({**extrinsic, "intrinsic": _intrinsic(scene, view), **version})
    return {"class_name": "PinholeCameraTrajectory", "parameters": cameras, **version}


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def notes(scene: Scene) -> list[Note]:
    depth = scene.depth[np.isfinite(scene.depth)]
    farthest = f"Open3D truncates depth at 3 m by default: give it depth_trunc={depth.max(initial=0.0):.3g} or more"
    lost = too_far(depth)
    without = f"{lost} pixels have depth that 16 bits of millimetres cannot hold (0.001 … 65.535 m): written as 0"
    return [Note(farthest), *([Note(without)] if lost else [])]


TARGET = Target(
    "colour, depth in mm, intrinsics",
    ("color.png", "depth.png", "intrinsics.json", "color", "depth", "trajectory.json"),
    write,
    notes,
    metres=True,
    depth_of_views=True,
)
