"""Nerfstudio: `transforms.json`, images of all views, their masks and depth where known, and a seed cloud.

Cameras have x right, y up and look along −z, and so has the world, unless the views came with poses.
Pixel coordinates are relative to the corner of the first pixel.
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
from ioadr.io.results.cloud import UPRIGHT, write_ply

UP = (1.0, -1.0, -1.0)


def write(scene: Scene, folder: Path) -> None:
    scene.write_images(folder / "images")
    scene.write_masks(folder / "masks")
    if scene.every_view is not None:
        _write_depth(scene, folder / "depth")
    seeds = scene.placed(scene.seeds.cloud, UP)
    write_ply(folder / "seeds.ply", seeds, scene.unit, "", scene.frame(UPRIGHT))
    content = {
        "camera_model": "OPENCV",
        "ply_file_path": "seeds.ply",
        "frames": [_frame(scene, view) for view in scene.views],
    }
    (folder / "transforms.json").write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _write_depth(scene: Scene, folder: Path) -> None:
    """Thousandths of the unit of poses, by which Nerfstudio's `depth_unit_scale_factor` multiplies; 0 is unknown."""
    folder.mkdir()
    for view in scene.views:
        write_png(folder / view.name, millimetres(scene.depth_of(view)))


def _frame(scene: Scene, view: View) -> dict[str, Any]:
    """One frame, without lens distortion, which views of a light field do not have."""
    width, height = scene.size
    turn, origin = scene.world(UP)
    pose = np.eye(4)
    # Adding 0 makes −0 a plain 0.
    pose[:3, :3], pose[:3, 3] = turn * UP + 0.0, turn @ view.centre + origin + 0.0
    masks = {"mask_path": f"masks/{view.name}"} if scene.valid_area else {}
    depth = {"depth_file_path": f"depth/{view.name}"} if scene.every_view else {}
    return {
        "file_path": f"images/{view.name}",
        **masks,
        **depth,
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
        *_depth_notes(scene),
        *_mask_notes(scene),
        Note(
            "Nerfstudio's auto_scale_poses changes the unit: it scales all lengths until the farthest view is at 1. "
            "Switch it off to keep the unit; docs/neighbours.md has the command"
        ),
    ]


def _depth_notes(scene: Scene) -> list[Note]:
    if scene.every_view is None:
        return [
            Note(
                "no depth images: Nerfstudio needs one for every view, and only the reference view has one. "
                "Estimate every view to get them"
            )
        ]
    lost = too_far(scene.depth)
    return [Note(f"{lost} pixels of the reference view have depth that 16 bits cannot hold: written as 0")] * bool(lost)


def _mask_notes(scene: Scene) -> list[Note]:
    if scene.valid_area is None:
        return []
    share = float(np.mean([~scene.valid_area.mask(view.index) for view in scene.views]))
    why = "which do not show the scene: they are dark, or were filled in by the alignment"
    return [Note(f"masks leave out {100 * share:.1f} % of the pixels, {why}")]


TARGET = Target(
    "transforms.json, all views, seed cloud",
    ("transforms.json", "images", "masks", "depth", "seeds.ply"),
    write,
    notes,
    all_views=True,
    depth_of_views=True,
)
