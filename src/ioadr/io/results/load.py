"""Reads back what `save_estimate` wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.io.decoding.npz import npz_arrays
from ioadr.io.description import without_origin
from ioadr.io.results.save import ARCHIVE, FROM_HERE
from ioadr.io.safety.doors import damage_explained, one_line
from ioadr.layout import Layout
from ioadr.lightfield import DisparityRange, Source
from ioadr.parameters import Parameters
from ioadr.part import Part, Window
from ioadr.result import Estimate, SweepRecord
from ioadr.way import Origin, Way

RETIRED = {"congruence.average_angles", "finish.border_passes", "finish.border_contrast"}
"""Parameters of earlier versions that are gone."""


def load_estimate(path: str | os.PathLike[str]) -> Estimate:
    """Load a result that was saved with `npz` among its formats.

    Parameters
    ----------
    path : str or path
        The folder of the result, or its ``estimate.npz``.

    Returns
    -------
    Estimate

    Raises
    ------
    InputError
        There is no result, or it is damaged.

    Examples
    --------
    >>> files = estimate.save("out", overwrite=True)
    >>> bool((ioadr.load_estimate("out").disparity == estimate.disparity).all())
    True
    """
    archive = Path(path) / ARCHIVE if Path(path).is_dir() else Path(path)
    if not archive.is_file():
        raise InputError(
            f"{path}: {ARCHIVE} is missing. Give a folder of results that was saved with npz among its formats."
        )
    arrays = _arrays(archive)
    try:
        provenance = json.loads(str(arrays["provenance"]))
        provenance["source"] = _placed(provenance["source"], provenance.get(FROM_HERE), archive.parent)
        return _estimate(arrays, provenance)
    except Exception as error:
        # Foreign content may fail anywhere; also our own errors, which do not know the file.
        raise InputError(
            f"{archive}: not what `ioadr estimate` writes: {one_line(error)}. Run the estimation again."
        ) from error


def _arrays(archive: Path) -> dict[str, NDArray[Any]]:
    with (
        damage_explained(archive, "a NumPy archive", "Run the estimation again."),
        npz_arrays(archive, "maps") as content,
    ):
        return {name: content[name] for name in content.files}


def _estimate(arrays: Mapping[str, NDArray[Any]], provenance: Mapping[str, Any]) -> Estimate:
    shape = arrays["disparity"].shape
    optional = [name for name in ("coverage", "two_minima") if name in arrays]
    for name in ("confidence", "visible_views", "image", *optional):
        if len(shape) != 2 or arrays[name].shape[:2] != shape:
            raise InputError(f"expected maps of one size, found disparity {shape} and {name} {arrays[name].shape}")
    camera, part = _camera_and_part(provenance, shape)
    return Estimate(
        disparity=arrays["disparity"],
        costs={name.removeprefix("cost_"): arrays[name] for name in arrays if name.startswith("cost_")},
        visible_views=arrays["visible_views"],
        confidence=arrays["confidence"],
        image=arrays["image"],
        white=float(arrays["white"]),
        camera=camera,
        range=DisparityRange(**provenance["range"]),
        parameters=_parameters(provenance["parameters"]),
        seed=provenance["seed"],
        layout=_layout(provenance),
        part=part,
        name=str(provenance["source"].get("name", "")),
        history=tuple(_record(values) for values in provenance["history"]),
        seconds=provenance["seconds"],
        source=_source(provenance["source"]),
        coverage=arrays.get("coverage"),
        two_minima=arrays.get("two_minima"),
        way=_way(arrays, shape),
    )


def _way(arrays: Mapping[str, NDArray[Any]], shape: tuple[int, ...]) -> Way | None:
    """Earlier versions kept none."""
    if "way_origins" not in arrays:
        return None
    kinds, differences, origins = (arrays[f"way_{known.name}"] for known in fields(Way))
    if origins.shape[1:] != shape or origins.max(initial=0) > max(Origin):
        raise InputError(f"expected the way of {shape} pixels, found {origins.shape} and origins up to {origins.max()}")
    return Way(tuple(str(kind) for kind in kinds), differences, origins)


def _placed(source: Mapping[str, Any], from_here: str | None, folder: Path) -> Mapping[str, Any]:
    """The source with its path as it is now, if result and light field were moved together."""
    path = source.get("path")
    if not path or from_here is None or Path(path).exists():
        return source
    moved = os.path.normpath(os.path.join(os.path.realpath(folder), from_here))
    return {**source, "path": moved} if os.path.exists(moved) else source


def _camera_and_part(provenance: Mapping[str, Any], shape: tuple[int, ...]) -> tuple[Camera | None, Part]:
    """Infinity was written as a text, tuples as lists; 0.1 wrote no part, but where it begins into the camera."""
    part = Part.whole(shape[0], shape[1])
    if "part" in provenance:
        part = Part(**{**provenance["part"], "window": Window(**provenance["part"]["window"])})
    if not provenance["camera"]:
        return None, part
    values = {
        name: float(value) if isinstance(value, str) else _tuples(value) for name, value in provenance["camera"].items()
    }
    if "origin" in values:
        values, part = without_origin(Path(ARCHIVE), values, (shape[0], shape[1]))
    return Camera(**values), part


def _layout(provenance: Mapping[str, Any]) -> Layout:
    """0.1 wrote no positions, only how far views reach: a regular grid that reaches as far stands for them."""
    source, known = provenance["source"], provenance.get("layout")
    rows, columns = source.get("grid", (9, 9))
    row, column = source.get("reference", ((rows - 1) // 2, (columns - 1) // 2))
    if known is not None:
        return Layout.of((rows, columns), (row, column), known["eta"], known["positions"], known["present"])
    distances = max(row, rows - 1 - row), max(column, columns - 1 - column)
    reach = source.get("reach", distances)
    vertical, horizontal = (far / max(steps, 1) for far, steps in zip(reach, distances, strict=True))
    return Layout.of((rows, columns), (row, column), (vertical, horizontal))


def _source(values: Mapping[str, Any]) -> Source:
    return Source(**{known.name: _tuples(values[known.name]) for known in fields(Source) if known.name in values})


def _tuples(value: Any) -> Any:
    """JSON has no tuples."""
    if isinstance(value, dict):
        return {name: _tuples(item) for name, item in value.items()}
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _record(values: Mapping[str, Any]) -> SweepRecord:
    """A cost that was not known was written as null."""
    cost = values["mean_cost"]
    return SweepRecord(**{**values, "mean_cost": float("nan") if cost is None else cost})


def _parameters(groups: Mapping[str, Mapping[str, Any]]) -> Parameters:
    values = {f"{group}.{name}": value for group, items in groups.items() for name, value in items.items()}
    return Parameters().vary({name: value for name, value in values.items() if name not in RETIRED})
