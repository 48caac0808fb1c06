"""Maps of every view as one uncompressed NPZ file, so that single views can be read."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.colours import rgb8
from ioadr.errors import InputError
from ioadr.io.decoding.npz import array_members, mapped_array
from ioadr.io.results import cloud, glb
from ioadr.io.results.load import load_estimate
from ioadr.io.results.typed import checked
from ioadr.io.safety.doors import LARGEST_TEXT, absent, damage_explained, one_line
from ioadr.io.safety.limits import check_memory
from ioadr.lightfield import LightField
from ioadr.result import Estimate
from ioadr.views.points import FusedMesh, FusedPoints, fused
from ioadr.views.result import DIMENSIONS, Views
from ioadr.views.surfaces import Surface

ARCHIVE = "views.npz"
DESCRIPTION = "description.json"
ANCHORS = tuple[tuple[tuple[int, int], tuple[float, float]], ...]
"""Names of the arrays with the grid index and offset of each view."""
ANCHOR_ARRAYS = ("disparity", "confidence", "coverage", "kept", "image")


def views_writer(views: Views) -> Callable[[Path], None]:
    """A writer of the file, view by view; without timestamps, so that equal maps give equal bytes."""

    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for name in DIMENSIONS:
                _store(archive, name, getattr(views, name))
            for name in ANCHOR_ARRAYS:
                _store(archive, f"anchor_{name}", np.stack([getattr(surface, name) for surface in views.surfaces]))
            archive.writestr(zipfile.ZipInfo(DESCRIPTION), json.dumps(_description(views)))

    return write


def views_writers(
    views: Views, formats: Sequence[str] | str, min_confidence: float = 0.0
) -> dict[str, Callable[[Path], None]]:
    """Writers of the additional files: all maps, and clouds of all surfaces if `formats` includes clouds."""
    names = [name.strip() for name in formats.split(",")] if isinstance(formats, str) else formats
    writers = {ARCHIVE: views_writer(views)}
    if not {"ply", "glb", "glb-points"} & set(names):
        return writers
    cloud_points, mesh = fused(views, min_confidence)
    points, unit = fused_cloud(views, cloud_points, min_confidence), views.estimate.depth_unit
    about = {"unit": unit, "anchors": _anchors(views)}
    if "ply" in names:
        writers["scene.ply"] = lambda path: cloud.write_ply(path, points, unit, json.dumps(about))
    if "glb-points" in names:
        writers["scene.glb"] = lambda path: glb.write_glb_points(path, points, about)
    return writers | _mesh_writers(views, mesh, names, min_confidence, about)


def _mesh_writers(
    views: Views, mesh: FusedMesh, names: Sequence[str], min_confidence: float, about: dict[str, Any]
) -> dict[str, Callable[[Path], None]]:
    """Writers of the mesh of all surfaces."""
    if not len(mesh.triangles):
        return {}
    points, faces, unit = fused_cloud(views, mesh.points, min_confidence), mesh.triangles, about["unit"]
    writers: dict[str, Callable[[Path], None]] = {}
    if "ply" in names:
        text = json.dumps(about)
        writers["scene_mesh.ply"] = lambda path: cloud.write_ply(path, points, unit, text, triangles=faces)
    if "glb" in names:
        writers["scene_mesh.glb"] = lambda path: glb.write_glb_coloured(path, points, faces, about)
    return writers


def fused_cloud(views: Views, points: FusedPoints, min_confidence: float) -> cloud.Cloud:
    """Fused points in the frame of the files."""
    if not len(points.positions):
        raise InputError(f"⟦min-confidence {min_confidence:g}⟧: no point of any view has that confidence.")
    return cloud.Cloud(
        positions=points.positions * cloud.AXES,
        normals=points.normals * cloud.AXES,
        colours=rgb8(points.colours[None], views.estimate.white)[0],
        confidence=points.confidence,
        index=np.arange(len(points.positions), dtype=np.int32),
        views=points.views,
    )


def has_views(folder: str | os.PathLike[str]) -> bool:
    """Whether a result has maps of every view."""
    return (Path(folder) / ARCHIVE).is_file()


def load_views(path: str | os.PathLike[str], lightfield: LightField | None = None) -> Views:
    """Load the maps of every view from the folder in which `Views.save` or the command line put them.

    Parameters
    ----------
    path : str or path
        The folder of the result.
    lightfield : LightField, optional
        The one that was estimated; new views can be rendered only with it.

    Returns
    -------
    Views
        Its maps stay in the file until they are asked for.

    Raises
    ------
    InputError
        There is no such result, it is damaged, or it was estimated from another light field.

    Examples
    --------
    >>> views = ioadr.estimate_views(lightfield, "fast")
    >>> files = views.save("every", report=False, overwrite=True)
    >>> bool((ioadr.load_views("every").map_of((0, 0)) == views.map_of((0, 0))).all())
    True
    """
    archive = Path(path) / ARCHIVE
    if not Path(path).exists():
        raise absent(Path(path), "result")
    if not archive.is_file():
        raise InputError(
            f"{path}: holds no maps of every view ({ARCHIVE}). Estimate them with `ioadr estimate SCENE --every-view`, "
            "or in Python with ioadr.estimate_views."
        )
    estimate = load_estimate(path)
    with damage_explained(archive, "maps of every view", "Run the estimation again."):
        arrays, description = _open(archive)
    try:
        index, anchors = np.asarray(arrays["index"]), checked(description["anchors"], ANCHORS, "anchors")
        surfaces = tuple(
            Surface(view, offset, *(arrays[f"anchor_{name}"][number] for name in ANCHOR_ARRAYS))
            for number, (view, offset) in enumerate(anchors)
        )
        disparity, confidence, source = (arrays[name] for name in ("disparity", "confidence", "source"))
        views = Views(estimate, index, disparity, confidence, source, surfaces)
        _check(views)
    except (InputError, KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
        raise InputError(f"{archive}: not what `ioadr estimate` writes: {one_line(error)}. Estimate again.") from error
    return views if lightfield is None else _with_pictures(views, lightfield)


def _with_pictures(views: Views, lightfield: LightField) -> Views:
    """The views with the light field they were estimated from; others are refused."""
    if not isinstance(lightfield, LightField):
        raise TypeError(f"load_views: expected a LightField, not {type(lightfield).__name__}.")
    views.check_lightfield(lightfield)
    return replace(views, lightfield=lightfield.replace(reference=views.layout.reference))


def _store(archive: zipfile.ZipFile, name: str, values: NDArray[Any]) -> None:
    with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as stream:
        np.lib.format.write_array(stream, np.ascontiguousarray(values), allow_pickle=False)


def _description(views: Views) -> dict[str, Any]:
    return {
        "dimensions": {name: list(axes) for name, axes in DIMENSIONS.items()},
        "unit": "px per baseline unit",
        "anchors": _anchors(views),
    }


def _anchors(views: Views) -> list[list[list[float]]]:
    """Grid index and offset of each anchor."""
    return [[list(surface.view), list(surface.offset)] for surface in views.surfaces]


def _open(path: Path) -> tuple[Mapping[str, NDArray[Any]], Mapping[str, Any]]:
    """Memory-mapped arrays by name, and their metadata."""
    wanted = (*DIMENSIONS, *(f"anchor_{name}" for name in ANCHOR_ARRAYS))
    with zipfile.ZipFile(path) as archive:
        members = {name: member for name, member in array_members(path, archive).items() if name in wanted}
        packed = sum(member.file_size for member in members.values() if member.compress_type != zipfile.ZIP_STORED)
        check_memory(path, packed, "packed maps", "Unpack them")
        text = archive.getinfo(DESCRIPTION)
        if text.file_size > LARGEST_TEXT:
            raise InputError(
                f"{path}: a description of {text.file_size} bytes is implausible. Run the estimation again."
            )
        arrays = {name: mapped_array(path, archive, member) for name, member in members.items()}
        return arrays, json.loads(archive.read(text))


def _check(views: Views) -> None:
    """Check sizes, types and indices."""
    size = (len(views.index), *views.estimate.disparity.shape)
    for name, kind in (("disparity", "f"), ("confidence", "f"), ("source", "u")):
        values = getattr(views, name)
        if values.shape != size or values.dtype.kind != kind:
            raise ValueError(f"{name} of shape {values.shape}, {values.dtype}, instead of {size}")
    index, rows_columns = views.index, views.layout.grid
    if index.shape != (size[0], 2) or index.dtype.kind != "i" or not views.surfaces:
        raise ValueError(f"an index of shape {index.shape}, {index.dtype}, and {len(views.surfaces)} anchors")
    if (index < 0).any() or (index >= rows_columns).any():
        raise ValueError(f"views outside a grid of {rows_columns[0]}×{rows_columns[1]}")
    for surface in views.surfaces:
        _check_surface(surface, views.estimate)


def _check_surface(surface: Surface, estimate: Estimate) -> None:
    for name in ANCHOR_ARRAYS:
        values, like = getattr(surface, name), estimate.image if name == "image" else estimate.disparity
        kind = "b" if name == "kept" else like.dtype.kind
        if values.shape != like.shape or values.dtype.kind != kind:
            raise ValueError(f"anchor_{name} of shape {values.shape}, {values.dtype}, instead of {like.shape}")
    if not all(0 <= index < length for index, length in zip(surface.view, estimate.layout.grid, strict=True)):
        raise ValueError(f"an anchor at {surface.view}")
