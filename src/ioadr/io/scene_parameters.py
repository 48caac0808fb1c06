"""`parameters.cfg` of a benchmark scene: camera, grid and disparity range."""

from __future__ import annotations

import configparser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.io.safety.doors import check_file, one_line
from ioadr.lightfield import DisparityRange

FILE_NAME = "parameters.cfg"
LARGEST_FILE = 1_000_000
Made = TypeVar("Made")


@dataclass(frozen=True)
class SceneParameters:
    """A scene's `parameters.cfg`."""

    camera: Camera
    grid: tuple[int, int]
    """Rows, columns of views."""
    range: DisparityRange | None
    """`disp_min`, `disp_max`; None where the file has none."""
    name: str


def read_scene_parameters(folder: str | Path) -> SceneParameters:
    """Read `parameters.cfg` of a scene folder."""
    path = Path(folder) / FILE_NAME
    parser = configparser.ConfigParser(interpolation=None)
    check_file(path, "a file with the scene's camera and range", "Give a benchmark scene folder.")
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path}: {path.stat().st_size} bytes are too many for a file of parameters.")
        parser.read_string(path.read_text(encoding="utf-8-sig"))  # Windows editors write a byte order mark
    except OSError as error:
        raise InputError(
            f"{path}: cannot read the scene's camera and range: {error.strerror or error}. "
            "Give a benchmark scene folder."
        ) from error
    except (configparser.Error, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}: expected [section] and key = value lines, found: {one_line(error)}. "
            "Restore the file, or set it aside and give ⟦grid ROWSxCOLUMNS⟧."
        ) from error
    return _interpret(parser, path)


def format_scene_parameters(parameters: SceneParameters) -> str:
    """The text of a `parameters.cfg` that reads back as `parameters`."""
    camera = parameters.camera
    lines = [
        "[intrinsics]",
        f"focal_length_mm = {camera.focal_length_mm!r}",
        f"image_resolution_x_px = {camera.width}",
        f"image_resolution_y_px = {camera.height}",
        f"sensor_size_mm = {camera.sensor_size_mm!r}",
        "",
        "[extrinsics]",
        f"num_cams_x = {parameters.grid[1]}",
        f"num_cams_y = {parameters.grid[0]}",
        f"baseline_mm = {camera.baseline_mm!r}",
        f"focus_distance_m = {camera.focus_distance_m!r}",
        "",
        "[meta]",
        f"scene = {parameters.name}",
    ]
    if parameters.range is not None:
        lines += [f"disp_min = {parameters.range.minimum!r}", f"disp_max = {parameters.range.maximum!r}"]
    return "\n".join(lines) + "\n"


def _interpret(parser: configparser.ConfigParser, path: Path) -> SceneParameters:
    def number(section: str, key: str) -> float:
        try:
            return parser.getfloat(section, key)
        except (configparser.Error, ValueError) as error:
            there = parser.has_option(section, key)
            fault = f"expected a number for {key}, found {parser[section][key]!r}" if there else f"{key} is missing"
            raise InputError(
                f"{path}: [{section}]: {fault}. Correct the file, or set it aside and give ⟦grid ROWSxCOLUMNS⟧."
            ) from error

    def count(section: str, key: str) -> int:
        value = number(section, key)
        if not (1 <= value <= 1_000_000 and value == int(value)):
            raise InputError(f"{path}: expected a positive whole number for {key} in [{section}], found {value}.")
        return int(value)

    camera = _made(
        path,
        Camera,
        focal_length_mm=number("intrinsics", "focal_length_mm"),
        sensor_size_mm=number("intrinsics", "sensor_size_mm"),
        baseline_mm=number("extrinsics", "baseline_mm"),
        focus_distance_m=number("extrinsics", "focus_distance_m"),
        width=count("intrinsics", "image_resolution_x_px"),
        height=count("intrinsics", "image_resolution_y_px"),
    )
    grid = (count("extrinsics", "num_cams_y"), count("extrinsics", "num_cams_x"))
    has_range = parser.has_option("meta", "disp_min") or parser.has_option("meta", "disp_max")
    limits = None
    if has_range:
        values = {"minimum": number("meta", "disp_min"), "maximum": number("meta", "disp_max")}
        limits = _made(path, DisparityRange, **values, origin="file")
    return SceneParameters(camera, grid, limits, parser.get("meta", "scene", fallback=path.absolute().parent.name))


def _made(path: Path, kind: Callable[..., Made], **values: Any) -> Made:
    """A camera or range from the file's numbers; an error names the file."""
    try:
        return kind(**values)
    except InputError as error:
        raise InputError(f"{path}: {error.marked}") from error
