"""Checks of the arguments of a light field."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.layout import LEAST_REACH, Layout
from ioadr.part import Part

WHITE = {"uint8": 255.0, "uint16": 65535.0, "float32": 1.0}
"""Full white of the supported sample types."""
SMALL = 256
"""Smallest image size for the limit on disparities, px."""


def supported(views: NDArray[Any]) -> NDArray[Any]:
    """The views as [L, K, N, M, C] of a supported type; others are refused."""
    if views.ndim == 4 and views.shape[3] in (2, 3, 4) and views.shape[2] > 4:
        # No image is so narrow.
        raise InputError(
            f"views: expected [rows, columns, height, width, channels], found shape {views.shape}, which looks "
            "like [views, height, width, channels]. Add the axis of rows: views[None] is one row of views, "
            "views.reshape(rows, columns, *views.shape[1:]) a grid."
        )
    views = views[..., None] if views.ndim == 4 else views
    if views.ndim != 5 or views.shape[4] not in (1, 3) or min(views.shape) == 0:
        raise InputError(
            f"views: expected [rows, columns, height, width, channels] with 1 or 3 channels, found shape {views.shape}."
        )
    if views.dtype.kind == "f":
        return views.astype(np.float32, copy=False)
    if views.dtype.name not in WHITE:
        raise InputError(f"views: expected uint8, uint16 or float samples, found {views.dtype}. Convert them first.")
    return views


def check_sizes(views: NDArray[Any], layout: Layout, part: Part) -> None:
    """Refuse a layout or part that does not fit the views."""
    size, window = views.shape[2:4], part.window
    if layout.grid != views.shape[:2] or size != (window.height, window.width):
        raise InputError(
            f"views: expected a grid of {layout.grid} and {window.width}×{window.height} px, found {views.shape[:2]} "
            f"and {size[1]}×{size[0]} px. Cut views with `LightField.crop`."
        )


def check_plane(layout: Layout, camera: Camera | None) -> None:
    """Refuse views out of plane without a camera."""
    if camera is None and not layout.planar:
        raise InputError(
            "view layout: positions out of the plane of the cameras need a camera, because their effect depends on "
            "the focal length. Give the camera, or set their third coordinate to 0."
        )


def check_range(limits: tuple[float, float] | None, layout: Layout, side: int) -> None:
    """Refuse a range in which no point is visible in two views: it would need unboundedly many planes."""
    distances = layout.distances
    most = max(side, SMALL) / distances[distances >= distances.max() * LEAST_REACH].min()
    if limits is not None and max(-limits[0], limits[1]) > most:
        raise InputError(
            f"disparity range: {limits[0]:g} {limits[1]:g} exceeds {most:.4g} px, beyond which no point is "
            "visible in two views. Correct it, or leave it out to have it estimated."
        )


def check_values(views: list[NDArray[Any]], white: float) -> None:
    """Refuse NaN, infinity and an impossible white."""
    if views[0].dtype.kind == "f" and not all(np.isfinite(view).all() for view in views):
        raise InputError("views: some samples are NaN or infinite. Replace them, or leave the views out with ⟦skip⟧.")
    if not white > 0:
        raise InputError(f"white: expected a positive sample value, found {white}.")


def check_texture(views: list[NDArray[Any]]) -> None:
    """Refuse views without texture, unless a range is given; the map then has low confidence."""
    first = views[0].flat[0]
    if all((view == first).all() for view in views):
        raise InputError(
            f"views: every sample is {first}, so nothing can be matched. "
            "Depth needs contrast: check the exposure, and whether these are the right images."
        )
