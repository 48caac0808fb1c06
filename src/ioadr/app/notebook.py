"""Display of light fields and estimates in notebooks: text, thumbnails, figures.

`LightField` and `Estimate` call this module when they are shown; figures need the extra `plot`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.app.pages import render
from ioadr.camera import depth_unit
from ioadr.colours import coloured, coloured_normals, rgb8, scale, shown_range
from ioadr.errors import InputError, unknown
from ioadr.extras import install

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL import Image

    from ioadr.lightfield import DisparityRange, LightField
    from ioadr.result import Estimate

THUMBNAIL = 220
"""Longer side of a thumbnail, px."""
LINES = 48
"""Number of slopes drawn into an EPI."""
MAPS = ("image", "disparity", "depth", "normals", "confidence")
SHORT = {"m": "in metres", "pose unit": "in the unit of the poses", "relative": "relative: no camera"}
UNITS = {"m": "m", "pose unit": "(unit of the poses)", "relative": "(relative: no camera)"}
"""Descriptions, by `Estimate.depth_unit`."""


def lightfield_facts(lightfield: LightField) -> dict[str, str]:
    rows, columns = lightfield.grid
    missing = rows * columns - lightfield.view_count
    colour = "grey" if lightfield.channels == 1 else "colour"
    return {
        "views": f"{rows}×{columns} of {lightfield.width}×{lightfield.height} px, {colour}, {lightfield.views.dtype}"
        + (f", {missing} missing" if missing else ""),
        "reference": f"{lightfield.reference}",
        "range": _range(lightfield.range),
        "depth": SHORT[depth_unit(lightfield.camera)],
    }


def estimate_facts(estimate: Estimate) -> dict[str, str]:
    height, width = estimate.disparity.shape
    return {
        "disparity": f"{width}×{height} px, {_extent(estimate.disparity)} px",
        "depth": f"{_extent(estimate.depth)} {UNITS[estimate.depth_unit]}",
        "confidence": f"{np.mean(estimate.confidence):.2f} on average",
        "range": _range(estimate.range),
        "seconds": ", ".join(f"{name} {value:.1f}" for name, value in estimate.seconds.items()),
    }


def text(kind: str, name: str, facts: Mapping[str, str]) -> str:
    """One line: `LightField('cotton', views 9×9 of …, …)`."""
    return f"{kind}({name!r}, {'; '.join(f'{key} {value}' for key, value in facts.items() if value)})"


def html(kind: str, name: str, facts: Mapping[str, str], pictures: Sequence[NDArray[np.uint8]]) -> str:
    """Thumbnails next to the facts."""
    thumbnails = [_thumbnail(picture) for picture in pictures]
    return render("notebook.html", kind=kind, name=name, facts=facts, pictures=thumbnails, height=THUMBNAIL)


def lightfield_html(lightfield: LightField) -> str:
    pictures = [rgb8(lightfield.reference_view, lightfield.white)]
    return html("light field", lightfield.name, lightfield_facts(lightfield), pictures)


def estimate_html(estimate: Estimate) -> str:
    pictures = [
        rgb8(estimate.image, estimate.white),
        coloured(estimate.disparity, *shown_range(estimate.disparity)),
        coloured_normals(estimate.normals),
    ]
    return html("estimate", estimate.name, estimate_facts(estimate), pictures)


def plot_estimate(estimate: Estimate, maps: Sequence[str] = MAPS) -> Figure:
    """The maps side by side, with colour bars."""
    if not maps:
        raise InputError(f"maps: the list is empty. Choose from {', '.join(MAPS)}.")
    for name in maps:
        if name not in MAPS:
            raise unknown("map", name, MAPS, "maps: ")
    height, width = estimate.disparity.shape
    figure = _figure(len(maps) * 3.4, 3.4 * height / width + 0.6)
    for axes, name in zip(figure.subplots(1, len(maps), squeeze=False)[0], maps, strict=True):
        _draw(axes, estimate, name)
    return figure


def plot_epi(
    lightfield: LightField, row: int | None = None, column: int | None = None, disparity: NDArray[Any] | None = None
) -> Figure:
    """The EPI through a pixel row (or column) of the reference view; the slopes of `disparity` [N, M] are drawn in."""
    if (row is None) == (column is None):
        raise InputError("plot_epi: give either a row or a column.")
    axis, line = (1, row) if row is not None else (0, column or 0)
    pixels, offsets = _epi(lightfield, axis, line)
    figure = _figure(11, 2.6)
    axes = figure.subplots()
    axes.imshow(pixels, aspect="auto", interpolation="nearest")
    axes.set_yticks(range(len(offsets)), [f"{offset:g}" for offset in offsets])
    axes.set_xlabel("column, px" if axis == 1 else "row, px")
    axes.set_ylabel("view")
    axes.set_title(f"{lightfield.name}: EPI through {'row' if axis == 1 else 'column'} {line}")
    if disparity is not None:
        _draw_slopes(axes, disparity[line] if axis == 1 else disparity[:, line], offsets)
    return figure


def _extent(values: NDArray[Any]) -> str:
    low, high = shown_range(values)
    return f"{low:.3g} … {high:.3g}"


def _range(limits: DisparityRange | None) -> str:
    return "not given" if limits is None else f"{limits.minimum:g} … {limits.maximum:g} px ({limits.origin})"


def _thumbnail(picture: NDArray[np.uint8]) -> Image.Image:
    from PIL import Image

    image = Image.fromarray(picture)
    image.thumbnail((THUMBNAIL, THUMBNAIL))
    return image


def _figure(width: float, height: float) -> Figure:
    """A figure detached from pyplot, so that a notebook shows it only once, as the cell's value."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise InputError(f"figures need the package matplotlib. {install('plot')}") from error
    figure = pyplot.figure(figsize=(width, height), layout="constrained")
    pyplot.close(figure)
    return figure


def _draw(axes: Axes, estimate: Estimate, name: str) -> None:
    from matplotlib.colors import ListedColormap

    axes.set_axis_off()
    unit = {"disparity": " [px]", "depth": f" [{estimate.depth_unit}]" if estimate.camera else " (relative)"}.get(
        name, ""
    )
    axes.set_title(f"{'reference view' if name == 'image' else name}{unit}")
    if name in ("image", "normals"):
        picture = rgb8(estimate.image, estimate.white) if name == "image" else coloured_normals(estimate.normals)
        axes.imshow(picture, interpolation="nearest")
        return
    values = getattr(estimate, name)
    low, high = (0.0, 1.0) if name == "confidence" else shown_range(values)
    colours = scale("confidence" if name == "confidence" else "depth") / 255.0
    colours = colours[::-1] if name == "depth" else colours
    shown = axes.imshow(values, cmap=ListedColormap(colours), vmin=low, vmax=high, interpolation="nearest")
    axes.figure.colorbar(shown, ax=axes, shrink=0.8)


def _epi(lightfield: LightField, axis: int, line: int) -> tuple[NDArray[np.uint8], list[float]]:
    """Lines of pixels [view, position, 3] of the views in the reference's row or column, and their offsets."""
    size = lightfield.height if axis == 1 else lightfield.width
    if not 0 <= line < size:
        raise InputError(f"plot_epi: expected a line in 0 … {size - 1}, found {line}.")
    used = lightfield.layout.line(axis)
    views = (rgb8(lightfield.views[view], lightfield.white) for view in used)
    pixels = np.stack([view[line] if axis == 1 else view[:, line] for view in views])
    return pixels, [float(lightfield.offsets[view][axis]) for view in used]


def _draw_slopes(axes: Axes, disparities: NDArray[Any], offsets: Sequence[float]) -> None:
    height = np.arange(len(offsets))
    for at in range(0, len(disparities), max(1, len(disparities) // LINES)):
        axes.plot(at - disparities[at] * np.asarray(offsets), height, color="white", linewidth=0.8, alpha=0.8)
    axes.set_xlim(-0.5, len(disparities) - 0.5)
