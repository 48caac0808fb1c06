"""Reads back what `save_estimate` wrote."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.io.capture import check_grid
from ioadr.io.decoding.npz import npz_arrays
from ioadr.io.description import without_origin
from ioadr.io.results.save import ARCHIVE, FROM_HERE
from ioadr.io.results.typed import checked, made
from ioadr.io.safety.doors import absent, damage_explained, one_line
from ioadr.layout import Layout
from ioadr.lightfield import DisparityRange, Source
from ioadr.parameters import Parameters
from ioadr.part import Part, Window
from ioadr.result import Estimate, SweepRecord
from ioadr.way import Origin, Way

RETIRED = {"congruence.average_angles", "finish.border_passes", "finish.border_contrast"}
"""Parameters of earlier versions that no longer exist."""
LARGEST = 1e6
"""Largest plausible disparity, px."""
KINDS = {"image": "uf", "visible_views": "iu", "two_minima": "b"}
"""NumPy's kinds of numbers in maps; others are floats."""
_SOURCE = [known.name for known in fields(Source)]


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
    if not Path(path).exists():
        raise absent(Path(path), "result")
    if not archive.is_file():
        raise InputError(
            f"{path}: {ARCHIVE} is missing. Give a folder of results that was saved with npz among its formats."
        )
    arrays = _arrays(archive)
    try:
        provenance = checked(json.loads(str(arrays["provenance"])), Mapping[str, Any], "provenance")
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
    shape = _check_maps(arrays)
    camera, part = _camera_and_part(provenance, shape)
    source = checked(provenance["source"], Mapping[str, Any], "source")
    for name in {"ioadr", "depth_unit"} & set(provenance):
        checked(provenance[name], str, name)
    if isinstance(verdict := provenance.get("verdict", ""), tuple):  # doubts
        checked(verdict, tuple[str, ...], "verdict")
    else:
        checked(verdict, str, "verdict")
    return Estimate(
        disparity=arrays["disparity"],
        costs={name.removeprefix("cost_"): arrays[name] for name in arrays if name.startswith("cost_")},
        visible_views=arrays["visible_views"],
        confidence=arrays["confidence"],
        image=arrays["image"],
        white=_white(arrays["white"]),
        camera=camera,
        range=_range(provenance["range"]),
        parameters=_parameters(provenance["parameters"]),
        seed=checked(provenance["seed"], int, "seed"),
        layout=_layout(source, provenance.get("layout")),
        part=part,
        name=checked(source.get("name", ""), str, "source.name"),
        history=tuple(_record(values) for values in checked(provenance["history"], tuple[Any, ...], "history")),
        seconds=checked(provenance["seconds"], Mapping[str, float], "seconds"),
        source=made(Source, {name: source[name] for name in _SOURCE if name in source}, "source"),
        coverage=arrays.get("coverage"),
        two_minima=arrays.get("two_minima"),
        way=_way(arrays, shape),
    )


def _check_maps(arrays: Mapping[str, NDArray[Any]]) -> tuple[int, int]:
    """The common size of all maps; refuse maps of other sizes or types."""
    shape = arrays["disparity"].shape
    costs = {"cost_data", *(name for name in arrays if name.startswith("cost_"))}
    optional = [name for name in ("coverage", "two_minima") if name in arrays]
    for name in ("disparity", "confidence", "visible_views", "image", *optional, *costs):
        values = arrays[name]
        if len(shape) != 2 or values.shape[:2] != shape or values.ndim != (3 if name == "image" else 2):
            raise InputError(f"expected maps of one size, found disparity {shape} and {name} {values.shape}")
        if values.dtype.kind not in KINDS.get(name, "f"):
            raise InputError(f"{name} has the type {values.dtype}")
    if arrays["image"].shape[2] not in (1, 3) or not np.isfinite(arrays["image"]).all():
        raise InputError(f"an image of {arrays['image'].shape[2]} channels, or with NaN or infinity")
    _check_values("disparity", arrays["disparity"], -LARGEST, LARGEST)
    _check_values("confidence", arrays["confidence"], 0.0, 1.0)
    return shape


def _check_values(name: str, values: NDArray[Any], least: float, most: float) -> None:
    """Refuse a map without values; single pixels may be NaN."""
    finite = values[~np.isnan(values)]
    if not finite.size or finite.min() < least or finite.max() > most:
        raise InputError(f"{name} has no values, or some outside {least:g} … {most:g}")


def _range(values: Any) -> DisparityRange:
    limits = made(DisparityRange, values, "range")
    if max(-limits.minimum, limits.maximum) > LARGEST:
        raise InputError(f"a range of {limits.minimum:g} … {limits.maximum:g} px")
    return limits


def _white(stored: NDArray[Any]) -> float:
    white: float = checked(stored.item(), float, "white")
    if white <= 0:
        raise InputError(f"a white of {white:g}")
    return white


def _way(arrays: Mapping[str, NDArray[Any]], shape: tuple[int, ...]) -> Way | None:
    """The history of the map; earlier versions stored none, or less."""
    if "way_origins" not in arrays:
        return None
    kinds, differences, origins = (arrays[f"way_{name}"] for name in ("kinds", "differences", "origins"))
    spread, exact, glossy, contours = (arrays.get(f"way_{name}") for name in ("spread", "exact", "glossy", "contours"))
    stored = ((kinds, "U"), (differences, "f"), (origins, "u"), (exact, "f"), (glossy, "b"), (contours, "f"))
    types = [(values.dtype, kind) for values, kind in stored if values is not None]
    if any(found.kind != kind for found, kind in types):
        raise InputError(f"a history of {', '.join(str(found) for found, _ in types)}")
    if spread is not None and (spread.dtype.kind != "f" or spread.shape not in ((), shape) or not (spread > 0).all()):
        raise InputError(f"a history whose spread is {spread}")
    if origins.shape[1:] != shape or origins.max(initial=0) > max(Origin):
        raise InputError(f"a history of {origins.shape} instead of {shape} pixels, with origins up to {origins.max()}")
    spread = spread if spread is None else np.full(shape, spread, np.float16)
    try:
        return Way(tuple(kinds.tolist()), differences, origins, spread, exact, glossy, contours)
    except ValueError as error:
        raise InputError(str(error)) from error


def _placed(source: Mapping[str, Any], from_here: str | None, folder: Path) -> Mapping[str, Any]:
    """The source with its current path, if result and light field were moved together."""
    path = checked(source, Mapping[str, Any], "source").get("path")
    if not path or from_here is None or Path(checked(path, str, "source.path")).exists():
        return source
    moved = os.path.normpath(os.path.join(os.path.realpath(folder), checked(from_here, str, FROM_HERE)))
    return {**source, "path": moved} if os.path.exists(moved) else source


def _camera_and_part(provenance: Mapping[str, Any], shape: tuple[int, int]) -> tuple[Camera | None, Part]:
    """Camera and part. Infinity is stored as text; 0.1 stored the part's origin in the camera."""
    part = Part.whole(*shape)
    if "part" in provenance:
        numbers = checked(provenance["part"], Mapping[str, Any], "part")
        part = made(Part, {**numbers, "window": made(Window, numbers["window"], "part.window")}, "part")
    values = provenance["camera"]
    if values is not None:
        values = checked(values, Mapping[str, Any], "camera")
    if values and "origin" in values:
        values, part = without_origin(Path(ARCHIVE), values, shape)
    window = part.window
    inside = window.top >= 0 and window.bottom <= part.height and window.left >= 0 and window.right <= part.width
    if (window.height, window.width) != shape or not inside:
        raise InputError(f"maps of {shape} px are not the part {window} of {part.height}×{part.width} px")
    return _camera(values) if values else None, part


def _camera(values: Mapping[str, Any]) -> Camera:
    far = values.get("focus_distance_m") == str(math.inf)
    camera = made(Camera, {**values, "focus_distance_m": 1.0} if far else values, "camera")
    if min(camera.width, camera.height) < 1:
        raise InputError(f"a camera of {camera.width}×{camera.height} px")
    return replace(camera, focus_distance_m=math.inf) if far else camera


def _layout(source: Mapping[str, Any], stored: Any) -> Layout:
    """The layout. 0.1 stored only the reach of the views: a regular grid of the same reach replaces them."""
    rows, columns = checked(source.get("grid", (9, 9)), tuple[int, int], "source.grid")
    check_grid(Path(ARCHIVE), (rows, columns))
    middle = (rows - 1) // 2, (columns - 1) // 2
    row, column = checked(source.get("reference", middle), tuple[int, int], "source.reference")
    distances = max(row, rows - 1 - row), max(column, columns - 1 - column)
    reach = checked(source.get("reach", distances), tuple[float, float], "source.reach")
    if stored is not None:
        numbers = checked(stored, Mapping[str, Any], "layout")
        eta = checked(numbers["eta"], tuple[float, float], "layout.eta")
        return Layout.of((rows, columns), (row, column), eta, numbers["positions"], numbers["present"])
    vertical, horizontal = (far / max(steps, 1) for far, steps in zip(reach, distances, strict=True))
    return Layout.of((rows, columns), (row, column), (vertical, horizontal))


def _record(values: Any) -> SweepRecord:
    """A sweep's record; an unknown cost is stored as null."""
    record = checked(values, Mapping[str, Any], "history")
    if record["mean_cost"] is not None:
        return made(SweepRecord, record, "history")
    return replace(made(SweepRecord, {**record, "mean_cost": 0.0}, "history"), mean_cost=math.nan)


def _parameters(groups: Mapping[str, Mapping[str, Any]]) -> Parameters:
    values = {f"{group}.{name}": value for group, items in groups.items() for name, value in items.items()}
    return Parameters().vary({name: value for name, value in values.items() if name not in RETIRED})
