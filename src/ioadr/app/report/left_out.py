"""The report's section on views left out: a map of the views, and a comparison with simple methods."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ioadr.colours import coloured

if TYPE_CHECKING:
    from ioadr.layout import Layout

NAMES = {
    "views": "every view",
    "nearest": "nearest view",
    "blend": "linear blend",
    "centre": "centre warped",
    "script": "median warped",
}
"""Descriptions of `views.leave_out.METHODS`."""
MEANINGS = {
    "views": "this method: blended from the kept views, using the maps of all of them",
    "nearest": "the nearest kept view, unchanged",
    "blend": "mean of the nearest kept views, weighted by distance",
    "centre": "the reference view, warped by its own map",
    "script": "median of the six nearest kept views, warped by the map of the reference view",
}
SIDE = 40
"""Side of a view's square, px."""
DARK = 140
"""Brightness of a square below which its number is white."""
MEASURES = {"psnr": ("PSNR", " dB", 1), "ssim": ("SSIM", "", 3)}
"""Label, unit and decimals of each measure."""


def left_out_section(facts: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
    """Content of `left_out.html.j2`."""
    lead = (
        f"The geometry was estimated again from {facts['kept']} of the {layout.view_count} views. "
        f"The other {facts['left_out']} views were synthesised and compared with the photographs. "
        "Higher is better."
    )
    names = [name for name in NAMES if name in facts["means"]]
    return {
        "lead": lead,
        "maps": [left_out_map(facts, layout, measure) for measure in MEASURES],
        "rows": [
            (NAMES[name], *(text(facts["means"][name][measure], measure) for measure in MEASURES), MEANINGS[name])
            for name in names
        ],
        "heads": ["view", *(f"{NAMES[name]}, {label}" for name in names for label, _, _ in MEASURES.values())],
        "views": [
            (
                "{} {}".format(*row["view"]),
                *(text(row[name][measure], measure) for name in names for measure in MEASURES),
            )
            for row in facts["by_view"]
        ],
    }


def left_out_map(facts: Mapping[str, Any], layout: Layout, measure: str) -> dict[str, Any]:
    """The grid of views, each left out one coloured by how well it was synthesised."""
    label, _, decimals = MEASURES[measure]
    rows, columns = layout.grid
    values = np.full(layout.grid, np.nan)
    for row in facts["by_view"]:
        values[tuple(row["view"])] = row["views"][measure]
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    left = ~np.isnan(values)
    colours = coloured(np.where(np.isinf(values), high, values), low, high, "confidence")
    cells = [
        {
            "x": SIDE * place[1],
            "y": SIDE * place[0],
            "view": "{} {}".format(*place),
            "left_out": bool(left[place]),
            "colour": "rgb({} {} {})".format(*colours[place]),
            "ink": "#fff" if colours[place].mean() < DARK else "#000",
            "value": text(values[place], measure),
            "short": "∞" if math.isinf(values[place]) else f"{values[place]:.{decimals}f}".removeprefix("0"),
        }
        for place in map(tuple, np.argwhere(layout.present))
    ]
    return {"label": label, "measure": measure, "width": SIDE * columns, "height": SIDE * rows, "cells": cells}


def text(value: float, measure: str) -> str:
    """A value with its unit."""
    _, unit, decimals = MEASURES[measure]
    return "∞" if math.isinf(value) else f"{value:.{decimals + 1}f}{unit}"
