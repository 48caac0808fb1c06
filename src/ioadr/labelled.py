"""Arrays with named dimensions, for xarray users; xarray is imported on demand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ioadr.errors import InputError
from ioadr.extras import install

if TYPE_CHECKING:
    import xarray

    from ioadr.lightfield import LightField
    from ioadr.result import Estimate

MEANINGS = {
    "disparity": ("px per baseline unit", "positive is nearer than the focus plane"),
    "confidence": ("1", "probability that the disparity is within 0.07 px of the truth"),
    "visible_views": ("1", "views that see the pixel's point"),
    "occlusion_boundary": ("1", "a neighbour is nearer by enough to hide the pixel in some view"),
}


def estimate_dataset(estimate: Estimate) -> xarray.Dataset:
    """All maps of an estimate by name, dimensions row and column, units in the attributes."""
    library = _xarray()
    unit = estimate.depth_unit
    maps: dict[str, Any] = {name: _map(getattr(estimate, name), *MEANINGS[name]) for name in MEANINGS}
    maps["depth"] = _map(estimate.depth, unit, "along the optical axis")
    maps |= {f"cost_{name}": _map(values, "grey levels", "cost term") for name, values in estimate.costs.items()}
    maps["normals"] = (("row", "column", "axis"), estimate.normals, {"units": "1", "long_name": "facing the camera"})
    maps["points"] = (("row", "column", "axis"), estimate.points, {"units": unit})
    maps["image"] = (("row", "column", "channel"), estimate.image, {"white": estimate.white})
    height, width = estimate.disparity.shape
    coordinates = {"row": np.arange(height), "column": np.arange(width), "axis": ["x", "y", "z"]}
    about = {"depth_unit": unit, "seed": estimate.seed, "parameters": json.dumps(estimate.parameters.to_dict())}
    return library.Dataset(maps, coordinates, about)


def lightfield_array(lightfield: LightField) -> xarray.DataArray:
    """Views [view_row, view_column, row, column, channel]; offsets of the views are coordinates."""
    library = _xarray()
    dimensions = ("view_row", "view_column", "row", "column", "channel")
    grid, offsets = dimensions[:2], lightfield.offsets
    coordinates: dict[str, Any] = {
        name: np.arange(size) for name, size in zip(dimensions, lightfield.views.shape, strict=True)
    }
    coordinates |= {"offset_row": (grid, offsets[..., 0]), "offset_column": (grid, offsets[..., 1])}
    coordinates["present"] = (grid, lightfield.present)
    about = {"white": lightfield.white, "reference": list(lightfield.reference)}
    return library.DataArray(lightfield.views, coordinates, dimensions, lightfield.name, about)


def _map(values: Any, unit: str, meaning: str) -> tuple[tuple[str, str], Any, dict[str, str]]:
    return ("row", "column"), values, {"units": unit, "long_name": meaning}


def _xarray() -> Any:
    try:
        import xarray
    except ImportError as error:
        raise InputError(f"to_xarray needs the package xarray. {install('xarray')}") from error
    return xarray
