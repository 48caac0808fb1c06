"""Is a light field the one that a result was estimated from?"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.layout import Index, Layout
from ioadr.lightfield import LightField
from ioadr.tones import mean_of_channels

LOG = logging.getLogger("ioadr")
SAME = 0.8
"""Smallest correlation of two pictures of one view. Strong compression, noise and other exposures leave 0.85 or more;
different scenes reach 0.4, and mirrored pictures 0.73."""
ROUNDING = 0.01
"""Mean difference, grey levels of 255, that needs no remark: the same picture in another type of samples."""
FLAT = 1.0
"""Standard deviation, grey levels of 255, below which a picture has no content to compare."""


def check_identity(
    lightfield: LightField,
    layout: Layout,
    pictures: Mapping[Index, NDArray[Any]],
    white: float,
    exact: bool = False,
    known: Mapping[Index, NDArray[np.bool_]] | None = None,
) -> None:
    """Refuse a light field that a result was not estimated from; log how one with altered pictures differs.

    `pictures` are the views that the result contains, by their place in the grid, `white` is their full white, and
    `known` marks the pixels that they have. If `exact`, altered pictures are also refused.
    """
    check_layout(lightfield, layout, next(iter(pictures.values())).shape[:2])
    pixels = {view: (known or {}).get(view, np.s_[:, :]) for view in pictures}
    altered = [
        view for view, kept in pixels.items() if not np.array_equal(lightfield.views[view][kept], pictures[view][kept])
    ]
    found = [
        (picture_difference(*_grey_levels(lightfield, white, view, pictures[view], pixels[view])), view)
        for view in altered
    ]
    difference, (row, column) = max(found, default=(0.0, layout.reference))
    if difference == np.inf or (altered and exact):
        raise _other(f"its view {row} {column} differs")
    if difference > ROUNDING:
        LOG.warning(
            "light field: doubtful whether it is the one that was estimated: view %d %d differs by %.2g grey levels of "
            "255 on average, as after another compression or exposure",
            *(row, column, difference),
        )


def check_layout(lightfield: LightField, layout: Layout, size: tuple[int, ...]) -> None:
    """Refuse a light field whose views have another size, grid or position than those of a result."""
    if lightfield.views.shape[2:4] != size:
        height, width = size
        raise _other(f"expected views of {width}×{height} px, found {lightfield.width}×{lightfield.height}")
    if lightfield.grid != layout.grid:
        (rows, columns), found = layout.grid, lightfield.grid
        raise _other(f"expected {rows}×{columns} views, found {found[0]}×{found[1]}")
    absent = np.argwhere(layout.present & ~lightfield.present)
    if len(absent):
        raise _other(f"view {absent[0][0]} {absent[0][1]} is missing")
    offsets = lightfield.replace(reference=layout.reference).offsets
    if not np.allclose(offsets[layout.present], layout.offsets[layout.present]):
        raise _other("the positions of its views differ")


def _grey_levels(
    lightfield: LightField, white: float, view: Index, picture: NDArray[Any], pixels: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Some pixels of a view and of its picture in a result, as grey levels of 255."""
    return lightfield.views[view][pixels] * (255.0 / lightfield.white), picture[pixels] * (255.0 / white)


def picture_difference(found: NDArray[Any], expected: NDArray[Any]) -> float:
    """Mean difference of two pictures of one view, in their unit; infinite if they show two scenes."""
    grey, before = (mean_of_channels(picture, np.float64) for picture in (found, expected))
    contrast = float(grey.std()), float(before.std())
    alike = max(contrast) < FLAT or (min(contrast) > 0 and np.corrcoef(grey.ravel(), before.ravel())[0, 1] > SAME)
    if not alike:
        return np.inf
    return float(np.mean(np.abs(found - expected if found.shape == expected.shape else grey - before)))


def _other(reason: str) -> InputError:
    return InputError(f"not the light field that was estimated: {reason}.")
