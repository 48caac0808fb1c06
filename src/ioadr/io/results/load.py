"""Reads back what `save_estimate` wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.io.decoding.npz import npz_arrays
from ioadr.io.results.save import ARCHIVE
from ioadr.io.safety.doors import damage_explained, one_line
from ioadr.lightfield import DisparityRange
from ioadr.parameters import Parameters
from ioadr.result import Estimate, SweepRecord


def load_estimate(path: str | os.PathLike[str]) -> Estimate:
    """The estimate in a results folder, or in its estimate.npz."""
    archive = Path(path) / ARCHIVE if Path(path).is_dir() else Path(path)
    if not archive.is_file():
        raise InputError(
            f"{path}: expected a folder with {ARCHIVE}, found none. Give the folder that `ioadr estimate --out` wrote, "
            "with npz among its formats."
        )
    arrays = _arrays(archive)
    try:
        return _estimate(arrays, json.loads(str(arrays["provenance"])))
    except Exception as error:
        # Foreign content may fail anywhere; also our own errors, which do not know the file.
        raise InputError(
            f"{archive}: expected what `ioadr estimate` writes, found: {one_line(error)}. Run the estimation again."
        ) from error


def _arrays(archive: Path) -> dict[str, NDArray[Any]]:
    with (
        damage_explained(archive, "a NumPy archive", "Run the estimation again."),
        npz_arrays(archive, "maps") as content,
    ):
        return {name: content[name] for name in content.files}


def _estimate(arrays: Mapping[str, NDArray[Any]], provenance: Mapping[str, Any]) -> Estimate:
    camera = provenance["camera"]
    shape = arrays["disparity"].shape
    for name in ("confidence", "visible_views", "image"):
        if len(shape) != 2 or arrays[name].shape[:2] != shape:
            raise InputError(f"expected maps of one size, found disparity {shape} and {name} {arrays[name].shape}")
    return Estimate(
        disparity=arrays["disparity"],
        costs={name.removeprefix("cost_"): arrays[name] for name in arrays if name.startswith("cost_")},
        visible_views=arrays["visible_views"],
        confidence=arrays["confidence"],
        image=arrays["image"],
        white=float(arrays["white"]),
        camera=_camera(camera) if camera else None,
        range=DisparityRange(**provenance["range"]),
        parameters=_parameters(provenance["parameters"]),
        seed=provenance["seed"],
        history=tuple(_record(values) for values in provenance["history"]),
        seconds=provenance["seconds"],
        source=provenance["source"],
    )


def _camera(values: Mapping[str, Any]) -> Camera:
    """Infinity was written as a text, tuples as lists."""
    return Camera(**{name: _original(value) for name, value in values.items()})


def _original(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_original(item) for item in value)
    return float(value) if isinstance(value, str) else value


def _record(values: Mapping[str, Any]) -> SweepRecord:
    """A cost that was not known was written as null."""
    cost = values["mean_cost"]
    return SweepRecord(**{**values, "mean_cost": float("nan") if cost is None else cost})


def _parameters(groups: Mapping[str, Mapping[str, Any]]) -> Parameters:
    return Parameters().vary(
        {f"{group}.{name}": value for group, items in groups.items() for name, value in items.items()}
    )
