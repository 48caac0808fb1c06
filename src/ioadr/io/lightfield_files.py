"""Light fields as files: the benchmark's folder form, NPZ or Zarr."""

from __future__ import annotations

import json
import math
import os
import re
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import OutputError
from ioadr.io import scene_parameters
from ioadr.io.decoding.own_loop import awaited
from ioadr.io.description import VIEWS, describe
from ioadr.io.readers import manifest
from ioadr.io.safety.atomic import atomic_file, atomic_folder
from ioadr.io.safety.doors import required
from ioadr.lightfield import WHITE, LightField
from ioadr.machine import cores

NO_MORE: dict[str, Any] = {"axis_offset": (0.0, 0.0), "world": None, "metric": True}
"""Values of a camera that `parameters.cfg` describes completely."""
TILE = 512
"""Largest side of a Zarr chunk, px: a chunk is a part of one view, so that parts can be read alone."""


def write_lightfield(lightfield: LightField, path: str | os.PathLike[str]) -> Path:
    """Write to `path`: `.npz` and `.zarr` keep everything; a name without an extension is a folder of PNG views.

    The folder has a `parameters.cfg` if the camera is known, and a `lightfield.toml` for everything else. Floats
    become 16-bit samples without clipping; negative ones are refused. Existing files are never replaced.
    """
    target = Path(path)
    check_target(target)
    writers: Mapping[str, Callable[[LightField, Path], None]] = {".npz": _write_npz, ".zarr": _write_zarr}
    writers.get(target.suffix.lower(), _write_folder)(lightfield, target)
    return target


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse an existing name, or one whose extension belongs to another format."""
    target = Path(path)
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        raise OutputError(f"{target}: already exists. Remove it, or choose another name.")
    if re.fullmatch(r"\.[A-Za-z]\w{0,5}", target.suffix) and target.suffix.lower() not in (".npz", ".zarr"):
        raise OutputError(
            f"{target}: light fields are written as NAME.npz, NAME.zarr or a folder of PNG views, whose name does not "
            f"end with {target.suffix}. Choose one of them."
        )


def _write_npz(lightfield: LightField, path: Path) -> None:
    # Stored, not packed: images hardly shrink, and packing would take longer than everything else.
    with atomic_file(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        # Entries without times: the same light field is the same bytes.
        with archive.open(zipfile.ZipInfo(f"{VIEWS}.npy"), "w", force_zip64=True) as stream:
            np.lib.format.write_array(stream, np.ascontiguousarray(lightfield.views), allow_pickle=False)
        archive.writestr(zipfile.ZipInfo("description.json"), json.dumps(describe(lightfield)))


def _write_zarr(lightfield: LightField, path: Path) -> None:
    zarr = required("zarr", path)
    views = lightfield.views
    chunks = (1, 1, min(TILE, views.shape[2]), min(TILE, views.shape[3]), views.shape[4])

    async def write(folder: Path) -> None:
        array = await zarr.api.asynchronous.create_array(
            str(folder), shape=views.shape, chunks=chunks, dtype=views.dtype, attributes=describe(lightfield)
        )
        await array.setitem(..., views)

    with atomic_folder(path) as folder:
        awaited(write(folder))


def _write_folder(lightfield: LightField, path: Path) -> None:
    least = lightfield.views.min() if lightfield.views.dtype.kind == "f" else 0
    if least < 0:
        raise OutputError(
            f"{path}: PNG cannot hold negative samples; the smallest is {least:.4g}. "
            "Write NAME.npz or NAME.zarr, which keep floats."
        )
    with atomic_folder(path) as folder:
        _write_views(lightfield, folder)
        camera = lightfield.camera
        plain = camera is not None and lightfield.part.is_whole and camera == replace(camera, **NO_MORE)
        if camera is not None and plain:
            described = scene_parameters.SceneParameters(camera, lightfield.grid, lightfield.range, lightfield.name)
            text = scene_parameters.format_scene_parameters(described)
            (folder / scene_parameters.FILE_NAME).write_text(text, encoding="utf-8")
        if not (plain and _is_benchmark_like(lightfield)):
            (folder / manifest.FILE_NAME).write_text(_manifest(lightfield), encoding="utf-8")


def _is_benchmark_like(lightfield: LightField) -> bool:
    """Whether `parameters.cfg` is sufficient: a full regular grid, its centre as reference, the type's own white."""
    rows, columns = lightfield.grid
    stored = "uint16" if lightfield.views.dtype.kind == "f" else lightfield.views.dtype.name
    return (
        lightfield.view_count == rows * columns
        and lightfield.layout.deviation == 0
        and lightfield.reference == ((rows - 1) // 2, (columns - 1) // 2)
        and lightfield.eta == (1.0, 1.0)
        and _stored_white(lightfield) == WHITE[stored]
    )


def _write_views(lightfield: LightField, folder: Path) -> None:
    columns = lightfield.grid[1]
    factor = _stored_white(lightfield) / lightfield.white

    def write(place: tuple[int, int]) -> None:
        number = place[0] * columns + place[1]
        _write_png(folder / f"input_Cam{number:03d}.png", _integers(lightfield.views[place], factor))

    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(write, ((int(row), int(column)) for row, column in np.argwhere(lightfield.present))))


def _integers(view: NDArray[Any], factor: float) -> NDArray[Any]:
    """Floats as 16-bit samples, scaled without clipping."""
    return view if view.dtype.kind == "u" else np.rint(view.astype(np.float64) * factor).astype(np.uint16)


def _stored_white(lightfield: LightField) -> float:
    """White level of floats in 16 bits, with room for the brightest sample; otherwise unchanged."""
    white = lightfield.white
    if lightfield.views.dtype.kind == "u":
        return white
    return 65535.0 * min(1.0, white / max(float(lightfield.views.max()), white))


def _write_png(path: Path, view: NDArray[Any]) -> None:
    """Write a PNG; Pillow cannot write 16 bits per colour."""
    samples = view[..., 0] if view.shape[2] == 1 else view
    if samples.dtype == np.uint16 and samples.ndim == 3:
        path.write_bytes(required("imagecodecs", path).png_encode(np.ascontiguousarray(samples)))
        return
    from PIL import Image

    Image.fromarray(samples).save(path)


def _manifest(lightfield: LightField) -> str:
    """Manifest of everything that parameters.cfg cannot express."""
    data = describe(lightfield)
    rows, columns = lightfield.grid
    names = [f"input_Cam{number:03d}.png" for number in range(rows * columns)]
    present = lightfield.present.ravel()
    values: dict[str, Any] = {
        "name": lightfield.name,
        "files": [name if there else "" for name, there in zip(names, present, strict=True)],
        "grid": [rows, columns],
        "positions": lightfield.layout.stored_positions.reshape(rows * columns, -1).tolist(),
        "reference": lightfield.reference[0] * columns + lightfield.reference[1],
        "eta": data["eta"],
        "white": _stored_white(lightfield),
        "range": data["range"],
        "part": data["part"],
    }
    lines = [f"{key} = {_toml(value)}" for key, value in values.items() if value is not None]
    if data["camera"]:
        lines += ["", "[camera]", *(f"{key} = {_toml(value)}" for key, value in data["camera"].items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """A value as TOML, which equals JSON for strings, numbers and lists, except infinity."""
    return "inf" if value == math.inf else json.dumps(value, ensure_ascii=False)
