"""The HCI benchmark's folder: `input_Cam000.png` … counted along rows, and `parameters.cfg`."""

from __future__ import annotations

import configparser
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.geometry.camera import Camera
from ioadr.io.capture import MOST_VIEWS, Capture, Window, numbered_grid
from ioadr.io.images import SUFFIXES, Header, read_header, read_images
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.registry import Format
from ioadr.lightfield import DisparityRange

VIEW = re.compile(r"input_Cam(\d{1,5})(\.\w+)", re.IGNORECASE)
PARAMETERS = "parameters.cfg"


def recognise(path: Path, options: ReadOptions) -> bool:
    if path.name == PARAMETERS and path.is_file():
        return True
    return path.is_dir() and bool(_view_files(path)) and options.pattern is None


def open_folder(path: Path, options: ReadOptions) -> Capture:
    """The folder's views, camera and disparity range; samples are not read yet."""
    folder = path.parent if path.name == PARAMETERS else path
    files = _view_files(folder)
    if not files:
        raise InputError(
            f"{folder}/: expected views input_Cam000.png …, found none. Check the folder, "
            "or give the file names with --format folder --pattern."
        )
    settings = _Settings.read(folder, len(files), options)
    index = numbered_grid(settings.grid, options.order)
    suffix = next(iter(files.values())).suffix
    names = [f"input_Cam{number:03d}{suffix}" for number in range(index.size)]
    header = read_header(files[min(files)])
    settings.check_size(header)

    def load(numbers: Sequence[int], window: Window) -> NDArray[Any]:
        return read_images([files[number] for number in numbers], header, window)

    return Capture(
        format="hci",
        path=folder,
        index=index,
        height=header.height,
        width=header.width,
        channels=header.channels,
        dtype=header.dtype,
        load=load,
        names=names,
        available=np.isin(index, list(files)),
        complete=True,
        camera=settings.camera(header),
        range=settings.range(),
        notes=settings.notes,
    )


FORMAT = Format("hci", "HCI benchmark folder (input_Cam*.png, parameters.cfg)", recognise, open_folder)


def _view_files(folder: Path) -> Mapping[int, Path]:
    """View number → file, in order."""
    found = {}
    for file in sorted(folder.iterdir()):
        match = VIEW.fullmatch(file.name)
        if match and match[2].lower() in SUFFIXES and file.is_file():
            found[int(match[1])] = file
    return found


class _Settings:
    """parameters.cfg, or the grid that the user gave in its place."""

    def __init__(self, path: Path, sections: configparser.ConfigParser | None, grid: Pair | None) -> None:
        self.path = path
        self._sections = sections
        self.grid = grid or (self._integer("num_cams_y"), self._integer("num_cams_x"))
        if not 0 < self.grid[0] * self.grid[1] <= MOST_VIEWS:
            raise InputError(
                f"{path}: expected 3×3 to 256×256 views, found num_cams_y = {self.grid[0]}, "
                f"num_cams_x = {self.grid[1]}. Correct them, or give --grid ROWSxCOLUMNS."
            )

    @classmethod
    def read(cls, folder: Path, count: int, options: ReadOptions) -> _Settings:
        path = folder / PARAMETERS
        if path.is_file():
            return cls(path, _parse(path), options.grid)
        if options.grid is None:
            side = max(3, math.isqrt(count))
            raise InputError(
                f"{folder}/: expected {PARAMETERS} beside the {count} views, found none. Restore it, "
                f"or give the grid with --grid, such as --grid {side}x{side} (then depth is relative)."
            )
        return cls(path, None, options.grid)

    @property
    def notes(self) -> tuple[str, ...]:
        return () if self._sections else (f"no {PARAMETERS}: depth is relative",)

    def check_size(self, header: Header) -> None:
        if not self._sections:
            return
        width, height = self._integer("image_resolution_x_px"), self._integer("image_resolution_y_px")
        if (header.width, header.height) != (width, height):
            raise InputError(
                f"{self.path}: expected image_resolution_x_px × image_resolution_y_px of the views, "
                f"{header.width}×{header.height}, found {width}×{height}. "
                "Correct them, and disp_min and disp_max if the views were scaled."
            )

    def camera(self, header: Header) -> Camera | None:
        if not self._sections:
            return None
        return Camera(
            focal_length_mm=self._number("focal_length_mm"),
            sensor_size_mm=self._number("sensor_size_mm"),
            baseline_mm=self._number("baseline_mm"),
            focus_distance_m=self._number("focus_distance_m"),
            width=header.width,
            height=header.height,
        )

    def range(self) -> DisparityRange | None:
        if not self._sections or not self._sections.has_option("meta", "disp_min"):
            return None
        low, high = self._number("disp_min"), self._number("disp_max")
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise InputError(f"{self.path}: expected finite disp_min < disp_max, found {low} and {high}. Correct them.")
        return DisparityRange(low, high, "file")

    def _integer(self, key: str) -> int:
        value = self._number(key)
        if not (value == round(value) if math.isfinite(value) else False):
            raise InputError(f"{self.path}: expected a whole number for {key}, found {value}. Correct it.")
        return int(value)

    def _number(self, key: str) -> float:
        assert self._sections is not None
        section = SECTIONS[key]
        text = self._sections.get(section, key, fallback=None)
        try:
            return float(text or "")
        except ValueError:
            found = "none" if text is None else repr(text)
            raise InputError(
                f"{self.path}: expected a number for {key} in [{section}], found {found}. "
                "Correct the file, or set it aside and give --grid ROWSxCOLUMNS."
            ) from None


SECTIONS = {
    "focal_length_mm": "intrinsics",
    "image_resolution_x_px": "intrinsics",
    "image_resolution_y_px": "intrinsics",
    "sensor_size_mm": "intrinsics",
    "num_cams_x": "extrinsics",
    "num_cams_y": "extrinsics",
    "baseline_mm": "extrinsics",
    "focus_distance_m": "extrinsics",
    "disp_min": "meta",
    "disp_max": "meta",
}


def _parse(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        if path.stat().st_size > 10**6:
            raise InputError(f"{path}: expected a few lines of settings, found {path.stat().st_size} bytes.")
        parser.read_string(path.read_text(encoding="utf-8"))
    except (configparser.Error, UnicodeDecodeError, OSError) as error:
        reason = str(error).split("\n")[0]
        raise InputError(
            f"{path}: expected [section] headers and key = value lines, found: {reason} "
            "Restore the file, or set it aside and give --grid ROWSxCOLUMNS."
        ) from error
    return parser
