"""The drawing of docs/formats.md: order of views, sign of the disparity, axes and units.

python scripts/convention_figure.py [docs/images]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes

matplotlib.use("agg")
matplotlib.rcParams["svg.hashsalt"] = "ioadr"  # names inside the file, the same every time
TARGET = Path(__file__).resolve().parents[1] / "docs" / "images"
INK, PALE, NEAR, FAR = "#26242e", "#b9b6c4", "#d1345b", "#147a99"


def main(folder: Path = TARGET) -> None:
    figure, (grid, views, depth) = pyplot.subplots(
        1, 3, figsize=(13, 4.6), layout="constrained", gridspec_kw={"width_ratios": [1.05, 1.4, 1.35]}
    )
    draw_grid(grid)
    draw_views(views)
    draw_depth(depth)
    for axes in (grid, views, depth):
        axes.set_aspect("equal")
        axes.title.set_fontsize(10)
        axes.set_axis_off()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "conventions.svg", metadata={"Date": None}, bbox_inches="tight")


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str = INK) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.6})


def frame(axes: Axes, corner: tuple[float, float], size: tuple[float, float], colour: str) -> None:
    axes.add_patch(pyplot.Rectangle(corner, *size, facecolor="#f4f3f8", edgecolor=colour, linewidth=1.6))


def draw_grid(axes: Axes) -> None:
    """Views as the camera sees: row 0 on top."""
    for row, column in np.ndindex(3, 3):
        centre = (row, column) == (1, 1)
        frame(axes, (column * 1.2, -row * 1.2), (1, 1), NEAR if centre else PALE)
        text = f"({row}, {column})" + ("\nreference" if centre else "")
        axes.text(column * 1.2 + 0.5, -row * 1.2 + 0.5, text, ha="center", va="center", fontsize=9)
    arrow(axes, (0, 1.25), (3.4, 1.25))
    arrow(axes, (-0.25, 1.0), (-0.25, -2.4))
    axes.text(1.7, 1.35, "column k of the grid", ha="center")
    axes.text(-0.4, -0.7, "row l of the grid", rotation=90, va="center", ha="right")
    axes.set(xlim=(-0.9, 3.7), ylim=(-2.9, 1.9), title="views [l, k, n, m, c]: (0, 0) at the top left")


def draw_views(axes: Axes) -> None:
    """A near and a far point in the reference view and in its right neighbour."""
    for left, name in ((0.0, "reference view (l, k)"), (3.6, "its right neighbour (l, k + 1)")):
        frame(axes, (left, 0), (3, 3), PALE)
        axes.text(left + 1.5, -0.35, name, ha="center", va="top")
    for height, shift, colour, text in (
        (2.1, -0.6, NEAR, "near, d > 0:\nmoves left by d px"),
        (0.9, 0.5, FAR, "far, d < 0:\nmoves right"),
    ):
        axes.plot(1.6, height, "o", color=colour, markersize=9)
        axes.plot(5.2, height, "o", color=colour, markersize=9, markerfacecolor="none")
        axes.plot(5.2 + shift, height, "o", color=colour, markersize=9)
        arrow(axes, (5.2, height), (5.2 + shift, height), colour)
        axes.text(5.1, height - 0.18, text, color=colour, fontsize=8, ha="center", va="top")
    arrow(axes, (0.1, 2.9), (1.1, 2.9))
    arrow(axes, (0.1, 2.9), (0.1, 1.9))
    axes.text(1.15, 2.9, "m", va="center")
    axes.text(0.1, 1.8, "n", ha="center", va="top")
    axes.set(xlim=(-0.2, 6.8), ylim=(-0.9, 3.4), title="m = m0 − d·(k − k_ref),  n = n0 − d·(l − l_ref)")


def draw_depth(axes: Axes) -> None:
    """Cameras from above: rays to a near and a far point, and the plane where d = 0."""
    for camera in (-1.0, 0.0, 1.0):
        axes.plot(camera, 0, "^", color=INK, markersize=10)
        for place, height, colour in ((0.15, 1.5, NEAR), (-0.3, 4.0, FAR)):
            axes.plot([camera, place], [0, height], color=colour, linewidth=0.8, alpha=0.6)
    axes.plot([-2.2, 2.2], [2.6, 2.6], "--", color=PALE)
    axes.text(2.25, 2.6, "d = 0: focus distance", va="center", fontsize=9)
    axes.text(0.35, 1.5, "d > 0, nearer", color=NEAR, fontsize=9, va="center")
    axes.text(-0.1, 4.05, "d < 0, farther", color=FAR, fontsize=9, va="center")
    axes.plot([0.15], [1.5], "o", color=NEAR)
    axes.plot([-0.3], [4.0], "o", color=FAR)
    arrow(axes, (0, -0.3), (1, -0.3))
    axes.text(0.5, -0.45, "baseline unit: one column, baseline_mm", ha="center", va="top", fontsize=9)
    arrow(axes, (-2.4, 0), (-2.4, 4.2))
    axes.text(-2.5, 2.1, "depth Z along the axis, m", rotation=90, va="center", ha="right", fontsize=9)
    axes.text(-2.2, -1.15, "arrays: x right, y down, z away;  PLY, GLB: x right, y up, z to the viewer", fontsize=8)
    axes.set(xlim=(-3.0, 4.4), ylim=(-1.4, 4.6), title="from above: px of d, m of depth")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:2]))
