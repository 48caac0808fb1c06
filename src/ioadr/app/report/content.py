"""Data for the report's page: maps, rays, lines of views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.app import why
from ioadr.app.report.packing import jpegs, packed, packed_values
from ioadr.app.report.unseen import unseen_points
from ioadr.colours import coloured_normals, rgb8, scale, shown_range
from ioadr.geometry.discontinuity import surface_cells

if TYPE_CHECKING:
    from ioadr.evaluation.truth import Truth
    from ioadr.lightfield import LightField
    from ioadr.result import Estimate
    from ioadr.views.result import Views

LARGEST = 640
"""Largest side of a map, px; larger ones are thinned out, so that a page stays below 12 MB."""
MOST_VIEWS = 17
"""Largest number of views of a row or column; more are thinned out evenly."""
EPI_BUDGET = 6_000_000
"""Largest size of the views of the EPIs, in characters."""


def page_data(
    estimate: Estimate, lightfield: LightField | None, truth: Truth | None, all_views: Views | None = None
) -> dict[str, Any]:
    """Everything for `web/report.js`."""
    thin = -(-max(estimate.disparity.shape) // LARGEST)
    height, width = estimate.disparity[::thin, ::thin].shape
    return {
        "height": height,
        "width": width,
        "thin": thin,
        "unit": estimate.depth_unit,
        "rays": estimate.rays._asdict(),
        "views": why.views_used(estimate),
        "layers": _layers(estimate, truth, thin),
        "cells": packed(surface_cells(estimate.points[::thin, ::thin])),
        "scales": {name: packed(scale(name)[None]) for name in ("depth", "confidence", "signed")},
        "epis": _epis(lightfield, thin) if lightfield else {},
        "why": _why(estimate, thin),
        "unseen": unseen_points(all_views, thin) if all_views is not None else None,
    }


def _layers(estimate: Estimate, truth: Truth | None, thin: int) -> dict[str, Any]:
    kept = (slice(None, None, thin), slice(None, None, thin))
    layers = {
        "image": packed(rgb8(estimate.image[kept], estimate.white)),
        "disparity": _shown(estimate.disparity[kept]),
        "normals": packed(coloured_normals(estimate.normals[kept])),
        "confidence": packed(np.rint(np.nan_to_num(estimate.confidence[kept]) * 255).astype(np.uint8)),
        "visible": packed(np.minimum(estimate.visible_views[kept], 65535).astype(np.uint16)),
    }
    if truth is not None:
        factor = thin * truth.scale
        true = truth.disparity[::factor, ::factor]
        layers |= {"truth": packed_values(true), "error": packed_values(estimate.disparity[kept] - true)}
    return layers


def _why(estimate: Estimate, thin: int) -> dict[str, Any]:
    """Data with which `web/why.js` explains a pixel: sentence templates, and maps of their values."""
    kept = (slice(None, None, thin), slice(None, None, thin))
    texts: dict[str, Any] = {
        **why.templates(),
        "views": why.views_used(estimate),
        "deviation": packed_values(estimate.costs["data"][kept]),
        "percent": packed(np.floor(100 * np.nan_to_num(estimate.confidence[kept])).astype(np.uint8)),
    }
    if estimate.two_minima is not None:
        texts["two_minima"] = packed(estimate.two_minima[kept].astype(np.uint8))
    if estimate.way is not None:
        stories, which, moved = why.stories(estimate.way, estimate.disparity)
        texts |= {"stories": stories, "story": packed(which[kept]), "moved": packed_values(moved[kept])}
    return texts


def _shown(values: NDArray[Any]) -> dict[str, Any]:
    return packed_values(values) | {"shown": shown_range(values)}


def _epis(lightfield: LightField, thin: int) -> dict[str, Any]:
    """Views of the reference's row and column, with their distance from it in px of shift per px of disparity."""
    lines = {name: thinned_out(views_in_line(lightfield, axis)) for name, axis in (("row", 1), ("column", 0))}
    wanted = list({view for views in lines.values() for view, _ in views})
    pictures = [rgb8(lightfield.views[view][::thin, ::thin], lightfield.white) for view in wanted]
    made = dict(zip(wanted, jpegs(pictures, EPI_BUDGET), strict=True))
    return {
        name: [{"offset": offset, "jpeg": made[view]} for view, offset in views]
        for name, views in lines.items()
        if len(views) >= 3
    }


def views_in_line(lightfield: LightField, axis: int) -> list[tuple[tuple[int, int], float]]:
    """Present views of the reference's row (axis 1) or column (axis 0) in order, with their offsets along it."""
    offsets = lightfield.offsets
    return [(view, round(float(offsets[view][axis]), 4)) for view in lightfield.layout.line(axis)]


def thinned_out(views: list[Any]) -> list[Any]:
    return views[:: -(-len(views) // MOST_VIEWS) or 1]
