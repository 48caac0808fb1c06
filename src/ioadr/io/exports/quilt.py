"""Looking Glass quilts: one image of views from the left to the right, tile by tile from the bottom left.

The cameras stand side by side, in parallel; their tiles are shifted (off-axis), so that one plane, the focus, is at the
same place in all of them. On the display it lies in the screen.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ioadr.colours import Rgb, rgb8
from ioadr.errors import InputError, Note
from ioadr.io.exports.target import Target
from ioadr.io.posed import Scene, write_png
from ioadr.views.pose import Viewpoint
from ioadr.views.rendering import render

SHOWN = (2.0, 98.0)
"""Percentiles of the disparities between which the scene counts."""
BUDGET = 0.25
"""Share of a tile's width by which the nearest and the farthest surface may move from the first tile to the last; the
display blurs larger motion."""
NARROWEST = 0.5
"""Share of the views' width that must remain when tiles are shifted."""


@dataclass(frozen=True)
class Device:
    """Quilt format of a display, from its vendor."""

    columns: int
    rows: int
    size: tuple[int, int]
    """Size (width, height) of the quilt, px."""
    aspect: str
    """Aspect ratio (width / height) of a view as displayed, as in file names. Tiles may have another aspect ratio."""

    @property
    def name(self) -> str:
        return f"quilt_qs{self.columns}x{self.rows}a{self.aspect}.png"

    @property
    def tile(self) -> tuple[int, int]:
        """Size (width, height) of a tile, px."""
        return self.size[0] // self.columns, self.size[1] // self.rows


SETTINGS = {
    "portrait": Device(8, 6, (3360, 3360), "0.75"),
    "go": Device(11, 6, (4092, 4092), "0.5625"),
    "16": Device(7, 7, (5999, 5999), "1.777"),
    "32": Device(5, 9, (8192, 8192), "1.777"),
    "65": Device(8, 9, (8192, 8192), "1.777"),
}


@dataclass(frozen=True)
class Cut:
    """The source of the tiles."""

    focus: float
    """Disparity that lies in the screen, px."""
    row: float
    columns: NDArray[np.float64]
    """Columns of the cameras in the grid of views, from left to right."""
    window: tuple[float, float, float, float]
    """Left, top, right, bottom in px from the corner of the reference view's first pixel."""
    moves: float
    """Largest motion of a surface from the first tile to the last, as a share of a tile's width."""
    limited: bool
    """Whether the depth budget limits that motion, not the extent of the captured views."""


def write(scene: Scene, folder: Path) -> None:
    device, cut = _device(scene), plan(scene)
    width, height = device.tile
    quilt = np.zeros((device.size[1], device.size[0], 3), np.uint8)
    for number in range(device.columns * device.rows):
        up, right = divmod(number, device.columns)
        bottom = device.size[1] - up * height
        quilt[bottom - height : bottom, right * width : (right + 1) * width] = _tile(scene, cut, number, device.tile)
    write_png(folder / device.name, quilt)


def notes(scene: Scene) -> list[Note]:
    device, cut = _device(scene), plan(scene)
    count = device.columns * device.rows
    left, top, right, bottom = cut.window
    why = "as much as displays show sharply" if cut.limited else "as far as the captured views reach"
    return [
        Note(
            f"{count} views of {right - left:.0f}×{bottom - top:.0f} px, shown with the aspect ratio {device.aspect} "
            f"and stored in tiles of {device.tile[0]}×{device.tile[1]} px"
        ),
        Note(f"disparity {cut.focus:.3g} px lies in the screen, the middle of the scene (⟦focus D⟧)"),
        Note(f"from the first view to the last, surfaces move by up to {100 * cut.moves:.1f} % of the width, {why}"),
    ]


def plan(scene: Scene) -> Cut:
    """Choose focus, cameras and window from the map."""
    estimate, device = scene.estimate, _device(scene)
    near, far = np.percentile(estimate.disparity, SHOWN[::-1])
    focus = _focus(scene, 0.5 * float(near + far))
    layout = estimate.layout
    row, middle = (float(value) for value in layout.positions[layout.reference][:2])
    places = layout.positions[layout.present][:, 1]
    reach = min(middle - places.min(), places.max() - middle) * layout.eta[1]
    if not reach > 0:
        raise InputError(
            "quilt: the views must reach to both sides of the reference view. Estimate again with ⟦reference ROW COL⟧ "
            "in the middle."
        )
    moved = max(abs(near - focus), abs(far - focus), 1e-9)
    sharp = _sharp(scene.size, float(device.aspect), moved, abs(focus))
    used = min(reach, sharp)
    columns = middle + np.linspace(-used, used, device.columns * device.rows) / layout.eta[1]
    window = _window(scene.size[0] - 2 * abs(focus) * used, scene, device)
    return Cut(focus, row, columns, window, 2 * moved * used / (window[2] - window[0]), sharp < reach)


def _sharp(size: tuple[int, int], aspect: float, moved: float, focus: float) -> float:
    """Largest offset of a camera from the middle: within the budget, and with enough of the views left in all tiles.

    Surfaces move by 2·moved·o on a window that the shift for the focus makes narrower by 2·focus·o.
    """
    width, height = size
    budget = min(BUDGET * height * aspect / moved, BUDGET * width / (moved + BUDGET * focus))
    return 0.5 * min(budget, (1 - NARROWEST) * width / max(focus, 1e-9))


def _focus(scene: Scene, middle: float) -> float:
    if scene.focus is None:
        return middle
    low, high = float(np.min(scene.estimate.disparity)), float(np.max(scene.estimate.disparity))
    if not low <= scene.focus <= high:
        raise InputError(
            f"⟦focus⟧: expected a disparity of the scene, {low:.3g} … {high:.3g} px, found {scene.focus:g}."
        )
    return scene.focus


def _window(wide: float, scene: Scene, device: Device) -> tuple[float, float, float, float]:
    """The largest window of the display's aspect ratio around the middle."""
    (width, height), aspect = scene.size, float(device.aspect)
    across, down = min(wide, height * aspect), min(float(height), wide / aspect)
    return 0.5 * (width - across), 0.5 * (height - down), 0.5 * (width + across), 0.5 * (height + down)


def _tile(scene: Scene, cut: Cut, number: int, size: tuple[int, int]) -> Rgb:
    """One view, resampled once from its window to the tile."""
    from PIL import Image

    assert scene.every_view is not None
    column = float(cut.columns[number])
    made = render(scene.every_view, Viewpoint(cut.row, column))
    picture = rgb8(made.image, made.white)
    layout = scene.estimate.layout
    right = (column - float(layout.positions[layout.reference][1])) * layout.eta[1]
    # A point of the focus is at m − d·o of a view at offset o.
    left, top, end, bottom = cut.window
    box = (max(left - cut.focus * right, 0.0), top, min(end - cut.focus * right, float(scene.size[0])), bottom)
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS, box=box))


def _device(scene: Scene) -> Device:
    return SETTINGS[scene.device]


TARGET = Target(
    "quilt for Looking Glass displays",
    tuple(device.name for device in SETTINGS.values()),
    write,
    notes,
    every_view=True,
)
