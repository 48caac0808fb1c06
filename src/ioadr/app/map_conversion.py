"""Conversion of maps: between disparity and depth, and between file formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ioadr.app.terminal import Terminal
from ioadr.errors import InputError, OutputError

if TYPE_CHECKING:
    from ioadr.camera import Camera

Quantity = Literal["disparity", "depth"]
FORMATS = (".pfm", ".npy", ".png", ".tif", ".tiff")
"""Extensions that only maps have; .npz may be a map or a light field."""
UNKNOWN = "unknown unit"
"""Unit of a depth map whose file does not state it: it may be relative."""


def is_map(source: str, target: str) -> bool:
    """Whether this conversion is between maps."""
    first, last = Path(source).suffix.lower(), Path(target).suffix.lower()
    return last in FORMATS or (last == ".npz" and ((first in FORMATS and first != ".npy") or _is_result(source)))


def _is_result(path: str) -> bool:
    from ioadr.io.results.save import ARCHIVE

    return Path(path).name == ARCHIVE or (Path(path) / ARCHIVE).is_file()


def convert_map(
    terminal: Terminal, source: str, target: str, given: Quantity | None, wanted: Quantity, scene: str | None
) -> None:
    """Read a map, convert disparity to depth or back if requested, and write it."""
    from ioadr.geometry.points import depth_from_disparity, disparity_from_depth
    from ioadr.io.results.map_files import UNITS, read_map, write_map
    from ioadr.io.results.maps import Label

    if Path(target).exists():
        raise OutputError(f"{target}: already exists. Remove it, or choose another name.")
    given = given or (wanted if Path(source).is_dir() else "disparity")
    values, _, unit = read_map(source, given)
    if given != wanted:
        if unit == "relative":
            raise InputError(f"{source}: relative depth cannot become disparity. Convert the disparity map.")
        turn = depth_from_disparity if wanted == "depth" else disparity_from_depth
        values, unit = turn(values, _camera(scene, values.shape)), "m"
    unit = UNITS.get(wanted) or unit or UNKNOWN
    write_map(target, values, Label(wanted, unit, json.dumps({"source": source, "quantity": wanted})))
    text = f"wrote {target}: {wanted} [{unit}], {values.shape[1]}×{values.shape[0]} px"
    terminal.answer(text, {"file": target, "quantity": wanted, "unit": unit, "size": list(values.shape)})


def _camera(scene: str | None, shape: tuple[int, ...]) -> Camera:
    from ioadr.io.scene_parameters import read_scene_parameters

    if scene is None:
        raise InputError(
            "convert: turning disparity into depth or back needs a camera. Give --scene, a folder with parameters.cfg."
        )
    camera = read_scene_parameters(scene).camera
    if (camera.height, camera.width) != shape:
        raise InputError(
            f"{scene}: expected the camera of a map of {shape[1]}×{shape[0]} px, found {camera.width}×{camera.height}."
        )
    return camera
