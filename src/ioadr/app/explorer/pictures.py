"""Pictures for the page: views, EPIs, refocused views."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from ioadr.app.report.content import views_in_line
from ioadr.colours import Rgb, rgb8

if TYPE_CHECKING:
    from ioadr.lightfield import LightField

QUALITY = 93


def view(lightfield: LightField, row: int, column: int) -> bytes:
    """JPEG of one view."""
    return encoded(rgb8(lightfield.views[row, column], lightfield.white), "JPEG")


def refocused(lightfield: LightField, disparity: float) -> bytes:
    """JPEG of the mean of all views, sharp at a disparity."""
    from ioadr.geometry.synthesis import refocus

    return encoded(rgb8(refocus(lightfield, disparity), lightfield.white), "JPEG")


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
