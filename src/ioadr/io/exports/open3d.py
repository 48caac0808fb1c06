"""Open3D: colour, depth in millimetres and intrinsics of the reference view, as its RGB-D functions take them.

Pixels are counted from the middle of the first one.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import Note
from ioadr.io.exports.target import Target
from ioadr.io.posed import Scene, write_png

FARTHEST = 65535
"""mm that 16 bits hold."""


def write(scene: Scene, folder: Path) -> None:
    write_png(folder / "color.png", scene.image(scene.reference))
    write_png(folder / "depth.png", millimetres(scene.depth))
    (width, height), (fx, fy), (cx, cy) = scene.size, scene.focal, scene.reference.principal
    matrix = [fx, 0.0, 0.0, 0.0, fy, 0.0, cx, cy, 1.0]  # column after column
    text = json.dumps({"width": width, "height": height, "intrinsic_matrix": matrix}, indent=1)
    (folder / "intrinsics.json").write_text(text + "\n", encoding="utf-8")


def millimetres(depth: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Metres as 16-bit millimetres; 0 where depth is missing or too large."""
    samples = np.rint(np.nan_to_num(depth * 1000.0))
    return np.where(samples <= FARTHEST, samples, 0).astype(np.uint16)


def notes(scene: Scene) -> list[Note]:
    depth = scene.depth[np.isfinite(scene.depth)]
    farthest = f"Open3D truncates depth at 3 m by default: give it depth_trunc={depth.max(initial=0.0):.3g} or more"
    lost = int((millimetres(depth) == 0).sum())
    without = f"{lost} pixels have depth that 16 bits of millimetres cannot hold (0.001 … 65.535 m): written as 0"
    return [Note(farthest), *([Note(without)] if lost else [])]


TARGET = Target(
    "colour, depth in mm, intrinsics", ("color.png", "depth.png", "intrinsics.json"), write, notes, metres=True
)
