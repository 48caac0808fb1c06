"""Blender: an EXR file with colour, depth and normals of the reference view, and the camera that belongs to it.

Normals are in the frame of a camera without rotation: x right, y up, z towards the viewer. Depth is along the axis.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ioadr.colours import linear_from_srgb
from ioadr.errors import Note
from ioadr.io.exports.target import Target
from ioadr.io.posed import Scene
from ioadr.io.results.cloud import AXES
from ioadr.io.results.maps import Label, write_exr

NOTHING = 1e10
"""Depth where there is none, as Blender writes it."""
SENSOR = 36.0
"""Width of Blender's default sensor, mm."""


def write(scene: Scene, folder: Path) -> None:
    depth = scene.depth
    finite = np.isfinite(depth)
    colours = linear_from_srgb(scene.image(scene.reference))
    normals = np.where(finite[..., None], np.nan_to_num(scene.estimate.normals * AXES), 0.0)
    channels = {name: colours[..., i] for i, name in enumerate("RGB")}
    channels |= {"Z": np.where(finite, depth, NOTHING)}
    channels |= {f"Normal.{axis}": normals[..., i] for i, axis in enumerate("XYZ")}
    write_exr(folder / "scene.exr", channels, Label("colour, depth Z, normals", f"1, {scene.unit}, 1", ""))
    (folder / "camera.json").write_text(json.dumps(_camera(scene), indent=1) + "\n", encoding="utf-8")


def _camera(scene: Scene) -> dict[str, float | str]:
    """Settings of Blender's camera, by their names there."""
    (width, height), (cx, cy) = scene.size, scene.reference.principal
    side = max(width, height)
    return {
        "sensor_fit": "HORIZONTAL" if width >= height else "VERTICAL",
        "sensor_width": SENSOR,
        "sensor_height": SENSOR,
        "lens": scene.focal[0] * SENSOR / side,
        "shift_x": (0.5 * (width - 1) - cx) / side,
        "shift_y": (cy - 0.5 * (height - 1)) / side,
    }


def notes(scene: Scene) -> list[Note]:
    return [Note(f"pixels without depth have Z = {NOTHING:g}, as Blender writes them")]


TARGET = Target("EXR with depth and normals", ("scene.exr", "camera.json"), write, notes)
