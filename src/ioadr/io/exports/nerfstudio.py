"""Nerfstudio: `transforms.json`, images of all views and a seed cloud.

Cameras have x right, y up and look along −z, and so has the world, unless the views came with poses.
Pixels are counted from the corner of the first one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ioadr.errors import Note
from ioadr.io.exports.target import Target
from ioadr.io.posed import Scene, View
from ioadr.io.results.cloud import UPRIGHT, write_ply

UP = (1.0, -1.0, -1.0)


def write(scene: Scene, folder: Path) -> None:
    scene.write_images(folder / "images")
    seeds = scene.placed(scene.seeds.cloud, UP)
    write_ply(folder / "seeds.ply", seeds, scene.unit, "", scene.frame(UPRIGHT))
    content = {
        "camera_model": "OPENCV",
        "ply_file_path": "seeds.ply",
        "frames": [_frame(scene, view) for view in scene.views],
    }
    (folder / "transforms.json").write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _frame(scene: Scene, view: View) -> dict[str, Any]:
    """One frame, without lens distortion, which views of a light field do not have."""
    width, height = scene.size
    turn, place = scene.world(UP)
    pose = np.eye(4)
    # Adding 0 makes −0 a plain 0.
    pose[:3, :3], pose[:3, 3] = turn * UP + 0.0, turn @ view.centre + place + 0.0
    return {
        "file_path": f"images/{view.name}",
        "fl_x": view.focal[0],
        "fl_y": view.focal[1],
        "cx": view.principal[0] + 0.5,
        "cy": view.principal[1] + 0.5,
        "w": width,
        "h": height,
        "transform_matrix": pose.tolist(),
    }


def notes(scene: Scene) -> list[Note]:
    return [
        Note("no depth images: Nerfstudio wants one for every view, and only the reference view has one"),
        Note(
            "Nerfstudio's auto_scale_poses changes the unit: it scales all lengths until the farthest view is at 1. "
            "Switch it off to keep the unit; docs/neighbours.md has the command"
        ),
    ]


TARGET = Target(
    "transforms.json, all views, seed cloud", ("transforms.json", "images", "seeds.ply"), write, notes, all_views=True
)
