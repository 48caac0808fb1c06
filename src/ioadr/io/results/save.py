"""Saves an estimate: the table of formats, and all files together or none."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import colours
from ioadr.errors import InputError, unknown
from ioadr.io.results import cloud, glb, maps
from ioadr.io.safety.atomic import MARKER, atomic_folder
from ioadr.io.safety.doors import noted
from ioadr.io.safety.fingerprint import digest_files
from ioadr.machine import cores
from ioadr.result import Estimate

Writer = Callable[[Path], None]
ARCHIVE = "estimate.npz"
MAPS = ("disparity", "depth", "normals", "confidence", "visible_views", "occlusion_boundary")
TRUSTED = ("disparity", "depth", "confidence")
"""Maps for formats of one channel."""
FROM_HERE = "lightfield_from_here"
"""Key in the provenance: the light field's path relative to the result."""
DERIVED = ("report.html", "leave_out.json")
"""Files derived from a result later, which a new result makes stale."""


class _Saving:
    """One estimate being saved: data that several writers share."""

    def __init__(self, estimate: Estimate, folder: Path, min_confidence: float) -> None:
        self.estimate, self.min_confidence = estimate, min_confidence
        self.provenance = plain(estimate.provenance) | _from_here(estimate, folder)
        if min_confidence:
            self.provenance["min_confidence"] = min_confidence
        self.text = json.dumps(self.provenance, separators=(",", ":"), allow_nan=False)
        self.depth_unit = self.provenance["depth_unit"]

    @cached_property
    def cloud(self) -> cloud.Cloud:
        return cloud.point_cloud(self.estimate, self.min_confidence)

    def label(self, name: str, unit: str | None = None) -> maps.Label:
        units = {"disparity": "px per baseline unit", "depth": self.depth_unit}
        return maps.Label(name, unit or units.get(name, "1"), self.text)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All maps by name."""
        return {name: getattr(self.estimate, name) for name in MAPS}

    def maps_as(self, pattern: str, write: Callable[..., None], *names: str) -> dict[str, Writer]:
        arrays = self.arrays()
        return {pattern.format(name): partial(write, values=arrays[name], label=self.label(name)) for name in names}

    def extras(self) -> dict[str, Any]:
        return {"unit": self.depth_unit, "provenance": self.provenance}


@dataclass(frozen=True)
class Format:
    """One output format."""

    help: str
    names: tuple[str, ...]
    """Names of the files."""
    files: Callable[[_Saving], Mapping[str, Writer]]


def _pfm(saving: _Saving) -> Mapping[str, Writer]:
    return saving.maps_as("{}.pfm", maps.write_pfm, "disparity", "depth")


def _npy(saving: _Saving) -> Mapping[str, Writer]:
    return saving.maps_as("{}.npy", maps.write_npy, *MAPS)


def _png16(saving: _Saving) -> Mapping[str, Writer]:
    return saving.maps_as("{}_16bit.png", maps.write_png16, *TRUSTED)


def _tiff(saving: _Saving) -> Mapping[str, Writer]:
    return saving.maps_as("{}.tiff", maps.write_tiff, *TRUSTED)


def _exr(saving: _Saving) -> Mapping[str, Writer]:
    arrays = saving.arrays()
    normals = {f"normal.{axis}": arrays["normals"][..., i] for i, axis in enumerate("XYZ")}
    planes = {name: arrays[name] for name in ("disparity", "depth", "confidence", "visible_views")} | normals
    label = saving.label("disparity, depth, normals, confidence, visible views", f"px, {saving.depth_unit}, 1, 1, 1")
    return {"maps.exr": lambda path: maps.write_exr(path, planes, label)}


def _png(saving: _Saving) -> Mapping[str, Writer]:
    estimate = saving.estimate
    pictures: dict[str, Callable[[], NDArray[np.uint8]]] = {
        "disparity": lambda: colours.coloured(estimate.disparity, *colours.shown_range(estimate.disparity)),
        "normals": lambda: colours.coloured_normals(estimate.normals),
        "confidence": lambda: colours.coloured(estimate.confidence, 0, 1, "confidence"),
    }
    return {
        f"{name}.png": partial(_write_picture, picture, saving.label(name, "picture"))
        for name, picture in pictures.items()
    }


def _npz(saving: _Saving) -> Mapping[str, Writer]:
    estimate = saving.estimate
    content: dict[str, Any] = saving.arrays() | {f"cost_{name}": values for name, values in estimate.costs.items()}
    optional = {"coverage": estimate.coverage, "two_minima": estimate.two_minima}
    content |= {name: values for name, values in optional.items() if values is not None}
    if estimate.way is not None:
        content |= {f"way_{name}": values for name, values in vars(estimate.way).items() if values is not None}
    content |= {"image": estimate.image, "white": estimate.white, "provenance": saving.text}
    return {ARCHIVE: lambda path: np.savez(path, allow_pickle=False, **content)}


def _ply(saving: _Saving) -> Mapping[str, Writer]:
    return {"points.ply": partial(cloud.write_ply, points=saving.cloud, unit=saving.depth_unit, provenance=saving.text)}


def _xyz(saving: _Saving) -> Mapping[str, Writer]:
    return {"points.xyz": partial(cloud.write_xyz, points=saving.cloud)}


def _glb(saving: _Saving) -> Mapping[str, Writer]:
    estimate, points = saving.estimate, saving.cloud
    image = colours.rgb8(estimate.image, estimate.white)
    return {"mesh.glb": lambda path: glb.write_glb_mesh(path, points, estimate.triangles, image, saving.extras())}


def _glb_points(saving: _Saving) -> Mapping[str, Writer]:
    return {"points.glb": partial(glb.write_glb_points, points=saving.cloud, extras=saving.extras())}


FORMATS: Mapping[str, Format] = {
    "pfm": Format(
        "disparity and depth as PFM (float32, bottom row first, little-endian)", ("disparity.pfm", "depth.pfm"), _pfm
    ),
    "png": Format(
        "pictures of disparity, normals and confidence", ("disparity.png", "normals.png", "confidence.png"), _png
    ),
    "npz": Format("all maps, costs and the reference view in estimate.npz, which ioadr reads again", (ARCHIVE,), _npz),
    "ply": Format("point cloud: binary PLY with colours, normals and confidence", ("points.ply",), _ply),
    "npy": Format("every map as its own NumPy file", tuple(f"{name}.npy" for name in MAPS), _npy),
    "png16": Format(
        "disparity, depth and confidence as 16-bit PNG, scale and offset in its metadata",
        tuple(f"{name}_16bit.png" for name in TRUSTED),
        _png16,
    ),
    "tiff": Format("disparity, depth and confidence as float TIFF", tuple(f"{name}.tiff" for name in TRUSTED), _tiff),
    "exr": Format("all maps as channels of one EXR file (needs the extra exr)", ("maps.exr",), _exr),
    "glb": Format("textured mesh, cut at depth discontinuities, as GLB", ("mesh.glb",), _glb),
    "glb-points": Format("point cloud as GLB", ("points.glb",), _glb_points),
    "xyz": Format("point cloud as text: x y z red green blue", ("points.xyz",), _xyz),
}
DEFAULT = ("pfm", "png", "npz", "ply")


def check_formats(names: Iterable[str]) -> list[str]:
    """The names without repetition, if all are known."""
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name not in FORMATS:
            raise unknown("format", name, FORMATS, "⟦save⟧: ")
    return chosen


def file_names(formats: Iterable[str]) -> list[str]:
    """Names of the files of these formats."""
    return [name for key in check_formats(formats) for name in FORMATS[key].names]


def save_estimate(
    estimate: Estimate,
    folder: str | os.PathLike[str],
    formats: Sequence[str] | str = DEFAULT,
    overwrite: bool = False,
    also: Mapping[str, Writer] | None = None,
    min_confidence: float = 0.0,
) -> list[Path]:
    """Write an estimate's files, all of them or none, `provenance.json` among them.

    Parameters
    ----------
    estimate : Estimate
    folder : str or path
        New, or the folder of an earlier result if `overwrite`.
    formats : sequence of str, or str
        Some of `FORMATS`; as a string, separated by commas.
    overwrite : bool
        Replace the earlier result in the folder.
    also : mapping of str to callable, optional
        Further files of the result: name → function that writes it.
    min_confidence : float
        0 … 1; pixels of lower confidence are left out of point clouds and meshes. Maps keep all pixels.

    Returns
    -------
    list of Path

    Raises
    ------
    OutputError
        The folder cannot be written to, or holds files already.
    """
    if not 0 <= min_confidence <= 1:
        raise InputError(f"⟦min-confidence⟧: expected 0 … 1, found {min_confidence:g}.")
    formats = [name.strip() for name in formats.split(",")] if isinstance(formats, str) else formats
    further = also or {}
    names = [*file_names(formats), *further, MARKER]
    with atomic_folder(folder, overwrite, replacing=_earlier_files(Path(folder)), names=names) as staging:
        saving = _Saving(estimate, Path(folder), min_confidence)
        chosen = check_formats(formats)
        writers = {name: write for key in chosen for name, write in FORMATS[key].files(saving).items()}
        _write_all(staging, {**further, **writers})  # a report takes longest
        digests = {name: digest_files([staging / name], staging / name) for name in names if name != MARKER}
        content = saving.provenance | {"files": names, "digests": digests}
        (staging / MARKER).write_text(json.dumps(content, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    return [Path(folder) / name for name in names]


def plain(value: Any) -> Any:
    """The same in JSON types: NaN becomes null, infinity a string."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _from_here(estimate: Estimate, folder: Path) -> dict[str, str]:
    """The light field's path relative to the result, so that both can be moved together."""
    path = estimate.source.path
    if not os.path.isabs(path):
        return {}
    try:
        return {FROM_HERE: Path(os.path.relpath(os.path.realpath(path), os.path.realpath(folder))).as_posix()}
    except ValueError:  # another drive
        return {}


def _write_all(folder: Path, writers: Mapping[str, Writer]) -> None:
    """Write all files in threads: compression releases the interpreter's lock."""
    with ThreadPoolExecutor(min(8, cores())) as pool:
        jobs = [pool.submit(write, folder / name) for name, write in writers.items()]
        try:
            for job in jobs:
                job.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _write_picture(picture: Callable[[], NDArray[np.uint8]], label: maps.Label, path: Path) -> None:
    maps.write_picture(path, picture(), label)


def _earlier_files(folder: Path) -> list[str]:
    """Files of an earlier result, which a new result makes stale."""
    try:
        names = noted(folder / MARKER)["files"]
        return [*DERIVED, *(name for name in names if isinstance(name, str) and Path(name).name == name)]
    except (KeyError, TypeError):
        return []
