"""Pictures for the page: views, EPIs, refocused views."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from ioadr.app.report.content import views_in_line
from ioadr.colours import Rgb, rgb8
from ioadr.geometry.synthesis import refocus, synthesise

if TYPE_CHECKING:
    from ioadr.app.explorer.study import Study
    from ioadr.layout import Layout
    from ioadr.lightfield import LightField

QUALITY = 93
HIDDEN = 128
"""Grey level of unknown pixels."""


def view(lightfield: LightField, row: int, column: int) -> bytes:
    """JPEG of one view."""
    return encoded(rgb8(lightfield.views[row, column], lightfield.white), "JPEG")


def refocused(lightfield: LightField, disparity: float) -> bytes:
    """JPEG of the mean of all views, sharp at a disparity."""
    return encoded(rgb8(refocus(lightfield, disparity), lightfield.white), "JPEG")


def between(study: Study, key: str, viewpoint: tuple[float, float], thin: int) -> bytes:
    """JPEG of a synthesised view, every thin-th pixel, from the maps of all views if the result has them.

    Otherwise the reference view is warped by its own map; areas that it does not see are grey.
    """
    views, lightfield = study.views(key), study.lightfield
    if views is not None:
        size = (max(lightfield.height // thin, 2), max(lightfield.width // thin, 2))
        return encoded(rgb8(views.render(viewpoint, size).image, lightfield.white), "JPEG")
    disparity = study.result(key).estimate.disparity
    thinned, step = study.thinned(thin)
    image = thinned.reference_view
    made = synthesise(image, disparity[::step, ::step] / step, offset_of(lightfield.layout, viewpoint))
    seen = np.isfinite(made).all(axis=-1, keepdims=True)
    return encoded(np.where(seen, rgb8(np.nan_to_num(made), lightfield.white), np.uint8(HIDDEN)), "JPEG")


def offset_of(layout: Layout, viewpoint: tuple[float, float]) -> tuple[float, float]:
    """Offset, as in `Layout.offsets`, of a viewpoint given in the unit of positions."""
    row, column = (
        (where - float(layout.positions[layout.reference][axis])) * layout.eta[axis]
        for axis, where in enumerate(viewpoint)
    )
    return row, column


def epis(lightfield: LightField, row: int, column: int) -> dict[str, Any]:
    """The EPIs through a pixel, along the reference's row and column of views: PNG, and the views' offsets."""
    strips = {}
    for name, axis in (("row", 1), ("column", 0)):
        line = views_in_line(lightfield, axis)
        if len(line) < 3:
            continue
        cut = (row, slice(None)) if axis else (slice(None), column)
        samples = np.stack([lightfield.views[place][cut] for place, _ in line])
        png = base64.b64encode(encoded(rgb8(samples, lightfield.white), "PNG")).decode("ascii")
        strips[name] = {"png": png, "views": [place for place, _ in line], "offsets": [offset for _, offset in line]}
    return strips


def encoded(picture: Rgb, kind: str) -> bytes:
    from PIL import Image

    content = io.BytesIO()
    options: dict[str, Any] = {"quality": QUALITY, "subsampling": 0} if kind == "JPEG" else {"compress_level": 1}
    Image.fromarray(picture).save(content, kind, **options)
    return content.getvalue()
