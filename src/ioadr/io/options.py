"""Options for reading a light field."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from ioadr.errors import InputError, unknown
from ioadr.lightfield import DisparityRange

Pair = tuple[int, int]
ORDERS = ("row", "column", "serpentine", "serpentine-column")
AXES = {
    "v": "rows",
    "u": "columns",
    "n": "views",
    "y": "height",
    "x": "width",
    "c": "channels",
}
"""Letters of an array's axes."""


def _option(default: Any, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class ReadOptions:
    """Options of `ioadr.read`; None leaves the choice to the file.

    Grid indices are (row, column) with row 0 on top and column 0 at the left, after `order` and the flips.
    """

    format: str | None = _option(None, "format name instead of recognition by content")
    grid: tuple[int, int] | None = _option(None, "rows × columns of views")
    pattern: str | None = _option(None, "file names, such as {row}_{col}.png, view_{index:03d}.jpg or left_*.png")
    order: Literal["row", "column", "serpentine", "serpentine-column"] | None = _option(
        None, "views are counted along rows (the default) or columns; a serpentine turns back after each"
    )
    axes: str | None = _option(
        None, "axes of an array in their order: v row, u column of views (or n, counted), y, x of pixels, c channel"
    )
    array: str | None = _option(None, "name of the array of views in a file that holds several")
    transpose: bool | None = _option(None, "swap rows and columns of views; None swaps them where that is certain")
    flip_rows: bool | None = _option(None, "reverse the rows of views; None reverses them where that is certain")
    flip_columns: bool | None = _option(None, "reverse the columns of views; None reverses them where that is certain")
    flip_both: bool = _option(False, "reverse rows and columns of views: near becomes far")
    eslf: tuple[int, int] | None = _option(None, "one image of lenslets of rows × columns pixels, one per view")
    quilt: tuple[int, int] | None = _option(None, "one image of rows × columns sub-images")
    views: str | None = _option(None, "RxC centred views, or cross")
    every: int = _option(1, "keep every n-th row and column of views, counted from the centre")
    view_step: int = _option(1, "load every n-th view in each direction from the reference view, the grid stays")
    skip: tuple[Pair, ...] | Literal["missing"] = _option((), "views to leave out, or those whose file is missing")
    crop: tuple[int, int, int, int] | None = _option(None, "px, top left height width of each view")
    scale: float = _option(1.0, "factor on the image size")
    range: tuple[float, float] | None = _option(None, "disparities of the light field as read, px")
    reference: tuple[int, int] | None = _option(None, "view to estimate, in the grid as read")
    eta: tuple[float, float] | None = _option(None, "spacing of rows and columns of views, in baselines")
    baseline_mm: float | None = _option(None, "distance between neighbouring views, mm")
    focal_length_mm: float | None = _option(None, "focal length of the lens, mm")
    sensor_size_mm: float | None = _option(None, "sensor size along the longer image side, mm")
    focus_distance_m: float | None = _option(None, "distance at which the disparity is zero, m")
    pose_unit: float | None = _option(None, "metres, one unit of the poses that came with the views")
    white: float | None = _option(None, "sample value of white")
    encoding: Literal["sRGB", "linear"] = _option("sRGB", "linear samples are converted to sRGB")
    alpha: Literal["auto", "ignore", "views"] = _option(
        "auto", "ignore it, or leave out views that are mostly transparent; auto does so for lenslet weights only"
    )
    dark: Literal["drop", "keep"] = _option("drop", "drop or keep vignetted views")

    def __post_init__(self) -> None:
        for name in ("grid", "eslf", "quilt"):
            value = getattr(self, name)
            if isinstance(value, str):
                object.__setattr__(self, name, parse_grid(name, value))
            elif value is not None:
                object.__setattr__(self, name, _positive_pair(name, value))
        if self.flip_both:
            self._flip_both()
        self._check_numbers()
        self._check_choices()

    @property
    def counting(self) -> str:
        """The order in which views are counted."""
        return self.order or "row"

    @property
    def orders_views(self) -> bool:
        """Whether the user defined the order of rows and columns of views."""
        return any(value is not None for value in (self.transpose, self.flip_rows, self.flip_columns))

    def _flip_both(self) -> None:
        if False in (self.flip_rows, self.flip_columns):
            raise InputError("⟦flip-both⟧ contradicts ⟦no-flip-rows⟧ or ⟦no-flip-columns⟧. Leave one of them out.")
        object.__setattr__(self, "flip_rows", True)
        object.__setattr__(self, "flip_columns", True)

    @classmethod
    def of(cls, base: ReadOptions | None = None, **changes: Any) -> ReadOptions:
        """Options by name; an unknown name raises an InputError that lists the known ones."""
        names = [item.name for item in fields(cls)]
        for name in changes:
            if name not in names:
                raise unknown("option", name, names, "reading: ")
        return replace(base or cls(), **changes)

    @property
    def centred(self) -> Pair | None:
        """Rows × columns of `views`, None for all or a cross."""
        return None if self.views in (None, "cross") else parse_grid("views", str(self.views))

    def _check_numbers(self) -> None:
        if self.views not in (None, "cross"):
            parse_grid("views", str(self.views))
        for name, value in (("⟦every⟧", self.every), ("view_step", self.view_step)):
            if value < 1:
                raise InputError(f"{name}: expected a whole number of at least 1, found {value}.")
        if not 0 < self.scale <= 16:
            raise InputError(f"⟦scale⟧: expected a factor above 0, at most 16, found {self.scale}.")
        if self.range is not None:
            DisparityRange(*self.range)
        if self.white is not None and not 0 < self.white < math.inf:
            raise InputError(f"⟦white⟧: expected a positive sample value, found {self.white}.")
        if self.pose_unit is not None and not 0 < self.pose_unit < math.inf:
            raise InputError(f"⟦pose-unit⟧: expected metres above 0, found {self.pose_unit}.")
        if self.crop is not None and (min(self.crop) < 0 or min(self.crop[2:]) < 1):
            raise InputError(f"⟦crop⟧: expected TOP LEFT HEIGHT WIDTH in pixels, found {self.crop}.")

    def _check_choices(self) -> None:
        if self.axes is not None and "".join(sorted(self.axes)) not in ("uvxy", "cuvxy", "nxy", "cnxy"):
            raise InputError(
                f"⟦axes⟧: {self.axes!r} does not name the axes. Use v and u (rows and columns of views) or n (a list "
                "of views), y and x (height and width), and c (channels, if any), such as vuyxc or nyxc."
            )
        for name, choices in (
            ("order", (None, *ORDERS)),
            ("encoding", ("sRGB", "linear")),
            ("alpha", ("auto", "ignore", "views")),
            ("dark", ("drop", "keep")),
        ):
            if getattr(self, name) not in choices:
                allowed, value = [choice for choice in choices if choice], getattr(self, name)
                raise unknown("value", value, allowed, f"⟦{name}⟧: ")


def parse_grid(name: str, text: str) -> Pair:
    """ "5x9" → (5, 9)."""
    match = re.fullmatch(r"\s*(\d{1,5})\s*[x×X*]\s*(\d{1,5})\s*", text)
    if not match:
        raise InputError(f"⟦{name}⟧: expected ROWSxCOLUMNS such as 5x9, found {text!r}.")
    return _positive_pair(name, (int(match[1]), int(match[2])))


def _positive_pair(name: str, value: Sequence[int]) -> Pair:
    if len(value) != 2 or min(value) < 1:
        raise InputError(f"⟦{name}⟧: expected rows and columns of at least 1, found {tuple(value)}.")
    return int(value[0]), int(value[1])
