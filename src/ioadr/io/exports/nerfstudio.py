"""Nerfstudio: `transforms.json`, images of all views and a seed cloud.

World and cameras have x right, y up and look along −z. Pixels are counted from the corner of the first one.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from ioadr.errors import Note
from ioadr.io.posed import Scene, View
from ioadr.io.results.cloud import AXES, write_ply

NAMES = ("transforms.json", "images", "seeds.ply")


def write(scene: Scene, folder: Path) -> None:
    scene.write_images(folder / "images")
    seeds = scene.seeds.cloud
    upright = replace(seeds, positions=seeds.positions * AXES, normals=seeds.normals * AXES)
    write_ply(folder / "seeds.ply", upright, scene.unit, "")
    content = {
        "camera_model": "OPENCV",
        "ply_file_path": "seeds.ply",
        "frames": [_frame(scene, view) for view in scene.views],
    }
    (folder / "transforms.json").write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _frame(scene: Scene, view: View) -> dict[str, Any]:
    """No lens distortion: the readers assume none of a light field's views."""
    (width, height), (x, y) = scene.size, view.centre
    return {
        "file_path": f"images/{view.name}",
        "fl_x": scene.focal[0],
        "fl_y": scene.focal[1],
        "cx": view.principal[0] + 0.5,
        "cy": view.principal[1] + 0.5,
        "w": width,
        "h": height,
        "transform_matrix": [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, 0.0 - y], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
    }


def notes(scene: Scene) -> list[Note]:
    return [
        Note("no depth images: Nerfstudio wants one for every view, and only the reference view has one"),
        Note(
            "Nerfstudio's auto_scale_poses changes the unit: it scales all lengths until the farthest view is at 1. "
            "Switch it off to keep the unit; docs/neighbours.md has the command"
        ),
    ]
