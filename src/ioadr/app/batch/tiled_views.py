"""Maps of every view, joined from tiles: each tile has its own anchors, the whole has all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.app.batch.tiling import Tile
from ioadr.errors import InputError
from ioadr.layout import Index
from ioadr.result import Estimate
from ioadr.views.outside import Outside, by_view
from ioadr.views.remarks import as_captured, remarked
from ioadr.views.result import Views
from ioadr.views.surfaces import NOTHING, Surface

Arrays = Mapping[str, NDArray[Any]]
PREFIX = "views_"
"""Prefix of the names of a tile's arrays that are joined here."""
MAPS = ("disparity", "confidence", "source")
LAYERS = ("disparity", "confidence", "coverage", "kept", "image")
"""Arrays of a surface."""


def views_core(views: Views, inner: tuple[slice, slice]) -> dict[str, NDArray[Any]]:
    """The part of a tile's maps and surfaces that is kept."""
    maps = {name: np.asarray(getattr(views, name))[:, *inner] for name in MAPS}
    layers = {f"layer_{name}": np.stack([getattr(s, name)[inner] for s in views.surfaces]) for name in LAYERS}
    anchors = {"anchors": np.array([surface.view for surface in views.surfaces])}
    anchors["outside"] = np.array([[*there.view, *there[1:]] for there in views.outside]).reshape(-1, 6)
    return {f"{PREFIX}{name}": np.ascontiguousarray(values) for name, values in (maps | layers | anchors).items()}


def join_views(estimate: Estimate, cores: Iterable[tuple[Tile, Arrays]]) -> Views:
    """Maps and surfaces of the whole image, whose reference view's estimate is given; it gets the tiles' notes."""
    index = np.argwhere(estimate.layout.present)
    maps: dict[str, NDArray[Any]] = {}
    layers: dict[Index, dict[str, NDArray[Any]]] = {}
    outside: list[Outside] = []
    for tile, core in cores:
        anchors = [(int(row), int(column)) for row, column in core[f"{PREFIX}anchors"]]
        for number, anchor in enumerate(anchors):
            layer = layers.setdefault(anchor, {})
            for name in LAYERS:
                part = core[f"{PREFIX}layer_{name}"][number]
                _whole(layer, name, part, estimate.disparity.shape, ())[tile.core.slices] = part
        known = list(layers)
        if len(known) >= NOTHING:
            raise InputError(
                f"tiles: {len(known)} anchors in all; at most {NOTHING - 1} are possible. Use larger tiles."
            )
        numbers = np.full(NOTHING + 1, NOTHING, np.uint8)
        numbers[: len(anchors)] = [known.index(anchor) for anchor in anchors]
        for name in MAPS:
            part = core[f"{PREFIX}{name}"]
            part = numbers[part] if name == "source" else part
            _whole(maps, name, part, estimate.disparity.shape, (len(index),))[:, *tile.core.slices] = part
        outside += [
            Outside((int(row), int(column)), int(points), int(clear), float(low), float(high))
            for row, column, points, clear, low, high in core[f"{PREFIX}outside"]
        ]
    surfaces = tuple(Surface(view, _offset(estimate, view), **layer) for view, layer in layers.items())
    outside = by_view(outside)
    estimate = as_captured(remarked(estimate, index, maps["confidence"], outside), estimate.layout)
    return Views(estimate, index, maps["disparity"], maps["confidence"], maps["source"], surfaces, outside=outside)


def _whole(
    arrays: dict[str, NDArray[Any]], name: str, like: NDArray[Any], size: tuple[int, ...], before: tuple[int, ...]
) -> NDArray[Any]:
    """The array of the whole image, created if need be. An anchor has no disparity in tiles that do not use it."""
    if name not in arrays:
        shape = (*before, *size, *like.shape[len(before) + 2 :])
        arrays[name] = np.full(shape, np.nan if name == "disparity" else 0, like.dtype)
    return arrays[name]


def _offset(estimate: Estimate, view: Index) -> tuple[float, float]:
    row, column = estimate.layout.offsets[view]
    return float(row), float(column)
