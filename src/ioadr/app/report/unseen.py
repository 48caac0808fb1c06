"""Points that other views see and the reference view does not, for the pages' 3D scenes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.app.report.packing import packed, packed_values
from ioadr.colours import coloured_normals, rgb8

if TYPE_CHECKING:
    from ioadr.camera import RayModel
    from ioadr.views.points import FusedPoints
    from ioadr.views.result import Views


def unseen_points(views: Views, thin: int = 1) -> dict[str, Any]:
    """Data for `web/unseen.js`, one of thin² points; `flying` marks pixels of the reference view on no surface."""
    points = views.points()
    chosen = np.flatnonzero(~points.centre_saw)[:: thin * thin]
    rows, columns, disparity = rays_of(points, chosen, views.estimate.rays)
    return {
        "count": len(chosen),
        "views": views.estimate.layout.view_count,
        "rows": packed_values(rows[None]),
        "columns": packed_values(columns[None]),
        "disparity": packed_values(disparity[None]),
        "image": packed(rgb8(points.colours[chosen][None], views.estimate.white)),
        "normals": packed(coloured_normals(points.normals[chosen][None])),
        "confidence": packed(np.rint(np.nan_to_num(points.confidence[chosen]) * 255).astype(np.uint8)[None]),
        "seeing": packed(points.views[chosen][None]),
        "flying": packed((~np.asarray(views.surfaces[0].kept)[::thin, ::thin]).astype(np.uint8)),
    }


def rays_of(points: FusedPoints, chosen: NDArray[Any], rays: RayModel) -> tuple[NDArray[np.float64], ...]:
    """Row, column and disparity that hidden points would have in the reference view."""
    x, y, z = points.positions[chosen].astype(np.float64).T
    return y / (z * rays.pitch_y) + rays.n0, x / (z * rays.pitch_x) + rays.m0, (1.0 / z - rays.offset) / rays.slope
