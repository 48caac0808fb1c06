"""The figures of docs/concepts.md, from the built-in scene and its exact ground truth.

python scripts/concept_figures.py [docs/images]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

import ioadr
from ioadr import Estimate, Window
from ioadr._jit import Workers
from ioadr.evaluation.synthetic import Rendered, demo
from ioadr.solver.finish import Finisher
from ioadr.solver.problem import pack_rays
from ioadr.solver.replay import Replay

matplotlib.use("agg")
TARGET = Path(__file__).resolve().parents[1] / "docs" / "images"
HIDDEN = (126, 44)
"""A pixel of the box beside a bar of the trellis, which hides it in a third of the views."""
SEEN = {"bar": (126, 48), "marble": (126, 150), "wall": (126, 110)}
"""Pixels of near and far surfaces: (row, column)."""
BALL = (196, 125)
LIMB = (120, 190)
"""A pixel of the marble near its outline."""
COLOURS = {"bar": "#ff4f79", "marble": "#ffd23f", "wall": "#37d5ff"}
INK, PALE = "#26242e", "#9b98a6"


def main(folder: Path = TARGET) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    scene = demo()
    for draw in (epi, point_projection_plane, point_projection_image, occlusion):
        save(draw(scene), folder / f"{draw.__name__}.png")
    estimate = ioadr.estimate(scene.lightfield, "best")
    for explain in (finish, border):
        save(explain(scene, estimate), folder / f"{explain.__name__}.png")


def finish(scene: Rendered, estimate: Estimate) -> Figure:
    """Targets of the views on the marble, and the surface that is fitted to them."""
    row, column = LIMB
    assert estimate.way is not None
    with Workers() as workers:
        whole = Window(0, 0, *estimate.disparity.shape)
        replay = Replay(scene.lightfield, estimate, whole, workers)
        fitted, _ = replay.surface(row, column)
        finisher = Finisher(replay.refinement, replay.closing)
        before, target, precision = replay.wanted(finisher, estimate.way, (row, column))
    assert fitted is not None
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.9), layout="constrained", width_ratios=[1, 1.45])
    half = fitted.radius + 3
    rows, columns = slice(row - half, row + half + 1), slice(column - half, column + half + 1)
    left.imshow(estimate.image[rows, columns], extent=(-half - 0.5, half + 0.5, half + 0.5, -half - 0.5))
    belongs = fitted.weights > 0
    for kind, colour in ((~belongs, "black"), (belongs, "#2de0ff")):
        left.scatter(fitted.members[kind, 1], fitted.members[kind, 0], s=3, color=colour)
    left.set(title=f"the patch: {fitted.radius} px, {belongs.mean():.0%} belong to it", xticks=[], yticks=[])
    place = np.arange(-half, half + 1)
    at = row, columns
    error = np.minimum(1 / np.sqrt(np.maximum(precision[at], 1e-6)), 0.2)
    right.errorbar(place, target[at], error, fmt=".", color=PALE, elinewidth=0.8, label="targets of the views")
    right.plot(place, before[at], color=COLOURS["bar"], linewidth=1, label="before")
    after = estimate.disparity[row, columns]
    right.plot(place, after, color=INK, linewidth=1.6, label="the result")
    low, high = np.percentile(after, [0, 100])
    right.set(xlabel="px along the row", ylabel="disparity d, px", ylim=(low - 0.06, high + 0.06))
    right.legend(frameon=False)
    return figure


def border(scene: Rendered, estimate: Estimate) -> Figure:
    """The trellis before and after the border step, and how much of each pixel the surface covers."""
    assert estimate.way is not None
    assert estimate.coverage is not None
    before = estimate.way.map_after(-3, estimate.disparity)  # holes are opened first, a step of its own
    part = slice(100, 148), slice(28, 84)
    limits = {"vmin": -1.7, "vmax": 1.1, "cmap": "inferno"}
    figure, axes = pyplot.subplots(1, 4, figsize=(11, 2.9), layout="constrained")
    axes[0].imshow(estimate.image[part])
    axes[1].imshow(before[part], **limits)
    axes[2].imshow(estimate.disparity[part], **limits)
    axes[3].imshow(estimate.coverage[part], vmin=0.5, vmax=1, cmap="gray")
    titles = ("the centre view", "disparity before", "disparity after", "share that its surface covers")
    for axis, title in zip(axes, titles, strict=True):
        axis.set(title=title, xticks=[], yticks=[])
    return figure


def save(figure: Figure, path: Path) -> None:
    """A PNG of 255 colours: a third of the size, and no difference to see."""
    figure.savefig(path, dpi=110, metadata={"Software": None})
    pyplot.close(figure)
    Image.open(path).convert("RGB").quantize(255, dither=Image.Dither.NONE).save(path, optimize=True)


def epi(scene: Rendered) -> Figure:
    """A view, and one of its rows through all views of a row of cameras: slopes are disparities."""
    views, disparity = scene.lightfield.views, scene.truth.disparity
    row = HIDDEN[0]
    figure, (above, below) = pyplot.subplots(
        2, 1, figsize=(8, 6.2), layout="constrained", gridspec_kw={"height_ratios": [2.3, 1]}
    )
    above.imshow(views[4, 4][40:212], extent=(-0.5, 255.5, 211.5, 39.5))
    above.axhline(row, color="white", linewidth=1.2)
    above.set(title=f"the centre view, its row {row} marked", ylabel="row n, px")
    below.imshow(views[4, :, row], aspect="auto", interpolation="nearest")
    offsets = np.arange(-4, 5)
    for name in ("bar", "wall"):
        column = SEEN[name][1]
        d = disparity[row, column]
        below.plot(
            column - d * offsets, offsets + 4, color=COLOURS[name], linewidth=2.5, label=f"{name}: d = {d:.2f} px"
        )
    below.set(title=f"its EPI: row {row} of the nine views side by side", xlabel="column m, px", ylabel="view k")
    below.set(xlim=(-0.5, 255.5), yticks=range(0, 9, 2))
    below.legend(loc="upper right", framealpha=0.9)
    return figure


def point_projection_plane(scene: Rendered) -> Figure:
    """Where three points are seen in nine of the views, and the straight lines behind it."""
    figure = pyplot.figure(figsize=(9.5, 5.4), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.35, 1])
    for axes, (row, column) in zip(left.subplots(3, 3).flat, np.ndindex(3, 3), strict=True):
        place = (4 * row, 4 * column)
        axes.imshow(scene.lightfield.views[place])
        axes.set(xlim=(25, 175), ylim=(215, 85))
        axes.set_title(f"view ({place[0]}, {place[1]})", fontsize=8, pad=2)
        axes.set_axis_off()
        for name, pixel in SEEN.items():
            n, m = projected(scene, pixel, (place[0] - 4, place[1] - 4))
            axes.plot(pixel[1], pixel[0], "+", markersize=9, color="white")
            axes.plot(m, n, "o", markersize=7, markerfacecolor="none", markeredgewidth=2, color=COLOURS[name])
    for axes, letters, axis in zip(right.subplots(2, 1), (("k", "m"), ("l", "n")), (1, 0), strict=True):
        _lines(scene, axes, letters, axis)
    return figure


def _lines(scene: Rendered, axes: Axes, letters: tuple[str, str], axis: int) -> None:
    offsets = np.arange(-4, 5)
    for name, pixel in SEEN.items():
        d = scene.truth.disparity[pixel]
        shift = np.array([projected(scene, pixel, (int(step), int(step)))[axis] for step in offsets]) - pixel[axis]
        axes.plot(offsets + 4, shift, "o-", color=COLOURS[name], markeredgecolor=INK, label=f"{name}: d = {d:.2f}")
    view, place = letters
    axes.set(xlabel=f"view {view}", ylabel=f"{place} − {place}0, px", title=f"{place} = {place}0 − d·({view} − 4)")
    axes.grid(alpha=0.3)
    if axis == 1:
        axes.legend(fontsize=8)


def projected(scene: Rendered, pixel: tuple[int, int], offset: tuple[int, int]) -> tuple[float, float]:
    """The point of a pixel in the view `offset` rows and columns away from the centre (Eq. 8)."""
    d = float(scene.truth.disparity[pixel])
    return pixel[0] - d * offset[0], pixel[1] - d * offset[1]


def point_projection_image(scene: Rendered) -> Figure:
    """4D-PPIs: of the right disparity, of a wrong one, and of a point that a bar hides in some views."""
    d, behind = (float(scene.truth.disparity[pixel]) for pixel in (BALL, HIDDEN))
    cases = [
        (BALL, d, f"ball, right: d = {d:.2f}"),
        (BALL, d - 0.8, f"ball, wrong: d = {d - 0.8:.2f}"),
        (HIDDEN, behind, f"box behind the trellis,\nright: d = {behind:.2f}"),
        (HIDDEN, behind + 0.8, f"box behind the trellis,\nwrong: d = {behind + 0.8:.2f}"),
    ]
    figure, plots = pyplot.subplots(1, 4, figsize=(11, 3.5), layout="constrained")
    for axes, (pixel, disparity, title) in zip(plots, cases, strict=True):
        colours = sampled(scene, pixel, disparity)
        deviation = abs(colours - colours[4, 4]).mean(axis=-1)
        axes.imshow(colours.astype(np.uint8), interpolation="nearest")
        _grid_axes(axes, f"{title}\nmean deviation {deviation.sum() / 80:.1f}")
    _cross_out(plots[2], scene.visible[:, :, *HIDDEN])
    return figure


def sampled(scene: Rendered, pixel: tuple[int, int], d: float) -> NDArray[np.float32]:
    """The 4D-PPI [L, K, 3] in grey levels, by the kernel that the costs use."""
    from ioadr.geometry.ppp import point_projection_image as fill

    rays = pack_rays(scene.lightfield)
    colours, inside = np.empty((81, 3), np.float32), np.empty(81, bool)
    fill(rays, *pixel, np.float32(d), colours, inside)
    return colours.reshape(9, 9, 3)


def occlusion(scene: Rendered) -> Figure:
    """Two 4D-PPPs meet in one view, where the nearer point hides the farther; a bar hides a band of views."""
    view = _hidden_view(scene)
    occluder = _occluder(scene, view)
    figure, (rows, columns, one, all_views) = pyplot.subplots(1, 4, figsize=(12.5, 3.5), layout="constrained")
    for axes, axis, letters in ((rows, 1, ("k", "m")), (columns, 0, ("l", "n"))):
        _meeting(scene, axes, axis, letters, occluder, view)
    single = np.ones((9, 9), bool)
    single[view] = False
    one.imshow(np.broadcast_to(np.uint8(236), (9, 9, 3)))
    _cross_out(one, single)
    _grid_axes(one, f"both agree in view {view} only:\nthere the bar's pixel hides it")
    colours = sampled(scene, HIDDEN, float(scene.truth.disparity[HIDDEN]))
    all_views.imshow(colours.astype(np.uint8), interpolation="nearest")
    _cross_out(all_views, scene.visible[:, :, *HIDDEN])
    _grid_axes(all_views, "all pixels of the trellis together:\nthe views that do not count")
    return figure


def _hidden_view(scene: Rendered) -> tuple[int, int]:
    """A hidden view away from the centre's row and column and from the edge, so that the lines can be seen to cross."""
    hidden = 1 + np.argwhere(~scene.visible[1:-1, 1:-1, *HIDDEN])
    row, column = max(hidden.tolist(), key=lambda place: (min(abs(place[0] - 4), abs(place[1] - 4)), place))
    return int(row), int(column)


def _occluder(scene: Rendered, view: tuple[int, int]) -> tuple[float, float, float]:
    """(n, m, d) of the nearer surface whose point lands where HIDDEN's does in that view (Eqs. 14, 15)."""
    offset = np.subtract(view, (4, 4))
    d = float(scene.truth.disparity[HIDDEN])
    best = (np.inf, 0.0, 0.0, 0.0)
    for nearer in np.arange(d + 0.05, 1.5, 0.01):
        place = np.add(HIDDEN, (nearer - d) * offset)
        found = float(scene.truth.disparity[tuple(np.round(place).astype(int))])
        best = min(best, (abs(found - nearer), float(place[0]), float(place[1]), float(nearer)))
    return best[1:]


def _meeting(
    scene: Rendered,
    axes: Axes,
    axis: int,
    letters: tuple[str, str],
    occluder: tuple[float, float, float],
    view: tuple[int, int],
) -> None:
    offsets = np.arange(-4, 5)
    d = float(scene.truth.disparity[HIDDEN])
    name, place = letters
    axes.plot(offsets + 4, HIDDEN[axis] - d * offsets, "o-", color="#147a99", label=f"box: d = {d:.2f}")
    near = occluder[2]
    axes.plot(offsets + 4, occluder[axis] - near * offsets, "o-", color="#d1345b", label=f"bar: d = {near:.2f}")
    axes.axvline(view[axis], color=PALE, linestyle="--")
    axes.set(xlabel=f"view {name}", ylabel=f"{place}, px", title=f"their lines meet in {name} = {view[axis]}")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)


def _grid_axes(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=9)
    axes.set(xticks=range(0, 9, 4), yticks=range(0, 9, 4), xlabel="view k", ylabel="view l")
    axes.set_xticks(np.arange(0.5, 8), minor=True)
    axes.set_yticks(np.arange(0.5, 8), minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="minor", length=0)


def _cross_out(axes: Axes, visible: NDArray[np.bool_]) -> None:
    rows, columns = np.nonzero(~visible)
    axes.plot(columns, rows, "x", color="#ff3b30", markersize=9, markeredgewidth=2)


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:2]))
