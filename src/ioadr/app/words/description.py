"""A light field in words, and the time and memory to estimate it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ioadr.app.words.expectation import expected_bytes, expected_seconds
from ioadr.app.words.quantities import disparities, duration, optics
from ioadr.camera import is_posed
from ioadr.consistency.single_views import examine
from ioadr.errors import as_options
from ioadr.lightfield import LightField
from ioadr.presets import DEFAULT
from ioadr.spilled import is_spilled

NEIGHBOURS = {
    True: "two swapped views would be noticed",
    False: "cannot tell whether two views were swapped: they differ too little, or noise hides it",
}


def described(lightfield: LightField, preset: str = DEFAULT) -> dict[str, str]:
    """Facts in words, the most important first."""
    rows, columns = lightfield.grid
    reference = lightfield.reference
    colour = "grey" if lightfield.channels == 1 else "colour"
    missing = rows * columns - lightfield.view_count
    return {
        "format": _format(lightfield),
        "views": f"{rows}×{columns}" + (f", {missing} of them missing" if missing else ""),
        "image": f"{lightfield.width}×{lightfield.height} px, {colour}, {lightfield.views.dtype}",
        "white": f"{lightfield.white:g}",
        "positions": _positions(lightfield),
        "reference": f"row {reference[0]}, column {reference[1]} (from 0 0 at the top left)",
        "order": lightfield.source.order or "not checked",
        "camera": _camera(lightfield),
        "range": _range(lightfield),
        "time": _time(lightfield, preset),
        "memory": f"{lightfield.views.nbytes / 1e6:.0f} MB for the views"
        f"{' in a temporary file' if is_spilled(lightfield.views) else ''}, "
        f"about {expected_bytes(lightfield, preset) / 1e6:.0f} MB to estimate with the preset {preset}",
    }


def neighbours(lightfield: LightField) -> str:
    """Whether two swapped neighbouring views would have been noticed."""
    *_, examination = examine(lightfield)
    return swapped(lightfield, examination.neighbours_told and not lightfield.source.order.startswith("unknown"))


def swapped(lightfield: LightField, noticed: bool) -> str:
    """The same in words."""
    return "not checked: the poses determine the order" if is_posed(lightfield.camera) else NEIGHBOURS[noticed]


def facts(lightfield: LightField, preset: str = DEFAULT) -> dict[str, Any]:
    """The same facts for JSON."""
    camera, limits = lightfield.camera, lightfield.range
    return {
        "name": lightfield.name,
        "format": lightfield.source.format,
        "path": lightfield.source.path or None,
        "order": lightfield.source.order,
        "notes": [as_options(note) for note in lightfield.source.notes],
        "grid": list(lightfield.grid),
        "present": lightfield.view_count,
        "size": [lightfield.height, lightfield.width],
        "channels": lightfield.channels,
        "dtype": str(lightfield.views.dtype),
        "white": lightfield.white,
        "positions": lightfield.positions.tolist(),
        "reference": list(lightfield.reference),
        "eta": list(lightfield.eta),
        "camera": {key: value if value != math.inf else None for key, value in vars(camera).items()}
        if camera
        else None,
        "range": [limits.minimum, limits.maximum, limits.origin] if limits else None,
        "bytes": lightfield.views.nbytes,
        "preset": preset,
        "expected_seconds": round(expected_seconds(lightfield, preset), 2),
        "expected_bytes": expected_bytes(lightfield, preset),
    }


def _time(lightfield: LightField, preset: str) -> str:
    asked, fast = (duration(max(1, expected_seconds(lightfield, name))) for name in (preset, "fast"))
    doubt = "" if lightfield.range else "; less certain, because the range is unknown"
    other = "" if preset == "fast" else f", {fast} with fast"
    return f"about {asked} to estimate with the preset {preset}{other}, after the first compilation{doubt}"


def _format(lightfield: LightField) -> str:
    source = lightfield.source
    how = "recognised by content; --format names another" if source.recognised else "as given"
    return f"{source.format} ({how})"


def _positions(lightfield: LightField) -> str:
    used, deviation = lightfield.positions[lightfield.present], lightfield.layout.deviation
    if deviation < 1e-6:
        return "regular grid"
    low, high = used.min(axis=0), used.max(axis=0)
    text = (
        f"measured, rows {low[0]:.2f} … {high[0]:.2f}, columns {low[1]:.2f} … {high[1]:.2f} baseline units, "
        f"up to {deviation:.2f} off a regular grid"
    )
    return text if lightfield.layout.planar else f"{text}{_out_of_plane(lightfield)}"


def _out_of_plane(lightfield: LightField) -> str:
    """How far views lie out of the plane, which the estimation corrects with a first map."""
    from ioadr.geometry.off_plane import residual

    forward, limits = np.abs(lightfield.layout.forward).max(), lightfield.range
    off = residual(lightfield, limits.minimum, limits.maximum) if limits else None
    moved = "" if off is None else f", which moves points by up to {off:.2g} px"
    return f"; up to {forward:.2f} out of plane{moved}, corrected with a first map"


def _camera(lightfield: LightField) -> str:
    return optics(lightfield.camera) if lightfield.camera else "unknown: depth will be relative"


def _range(lightfield: LightField) -> str:
    return disparities(lightfield.range) if lightfield.range else "not given: will be estimated from the views"
