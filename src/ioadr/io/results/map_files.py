"""Reads maps of any format, and writes them by file ending."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.io.decoding import tiff_files
from ioadr.io.decoding.images import read_image
from ioadr.io.decoding.npz import npz_arrays
from ioadr.io.decoding.pillow_files import pillow_image, without_warnings
from ioadr.io.results.maps import Label, read_png16, write_npy, write_pfm, write_png16, write_tiff
from ioadr.io.results.pfm import read_pfm
from ioadr.io.results.save import ARCHIVE
from ioadr.io.safety.atomic import MARKER, atomic_file
from ioadr.io.safety.doors import damage_explained, noted, starts_with
from ioadr.io.safety.limits import check_memory

SUFFIXES = (".pfm", ".npy", ".npz", ".png", ".tif", ".tiff")
LONGEST_UNIT = 40
UNITS = {"disparity": "px per baseline unit"}
"""Units of maps, if always the same."""


class StoredMap(NamedTuple):
    """A map and, if known, its run time and unit."""

    values: NDArray[Any]
    """[N, M], floating point."""
    seconds: float | None = None
    unit: str | None = None
    """Unit: px per baseline unit, m, relative, …"""


def read_map(path: str | Path, name: str = "disparity") -> StoredMap:
    """The map in a PFM, NPY, NPZ, 16-bit PNG or TIFF file, or the one called `name` in a folder of results."""
    path = Path(path)
    if path.is_dir():
        return StoredMap(_from_folder(path, name), _seconds(path), _unit(path, name))
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"{path}: expected a map ({', '.join(SUFFIXES)}) or a folder written by `ioadr estimate`, "
            f"found {path.suffix or 'a name without an extension'}."
        )
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. Check the name.")
    with damage_explained(path, f"a map in {path.suffix[1:].upper()} format"):
        values = _checked(_READERS[path.suffix.lower()](path, name), path)
        return StoredMap(values, unit=_unit(path, name))


def write_map(path: str | Path, values: NDArray[Any], label: Label) -> Path:
    """Write PFM, NPY, NPZ, 16-bit PNG or TIFF by the ending of the name, completely or not at all."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: the name must end in one of {', '.join(SUFFIXES)}.")
    with atomic_file(path) as temporary:
        if path.suffix.lower() == ".npz":
            content: dict[str, Any] = {label.name: values, "unit": label.unit}
            np.savez_compressed(temporary, allow_pickle=False, **content)
        else:
            _WRITERS[path.suffix.lower()](temporary, values, label)
    return path


def _from_folder(folder: Path, name: str) -> NDArray[Any]:
    for file in (folder / ARCHIVE, *(folder / f"{name}{suffix}" for suffix in SUFFIXES if suffix != ".png")):
        if file.is_file():
            return read_map(file, name).values
    raise InputError(f"{folder}: holds neither {ARCHIVE} nor {name}.pfm. Give a folder of results, or the map itself.")


def _seconds(folder: Path) -> float | None:
    """Wall time of the estimation, where provenance.json has it."""
    try:
        seconds = _provenance(folder)["seconds"]
        if isinstance(seconds, dict):
            seconds = seconds["total"] if "total" in seconds else sum(seconds.values())
        return float(seconds)
    except (ValueError, KeyError, TypeError):
        return None


def _unit(path: Path, name: str) -> str | None:
    """Unit of the map `name` in a folder or file, if stored; PFM and NPY cannot hold it."""
    path = path.parent if path.name == ARCHIVE else path
    if path.is_dir():
        return UNITS.get(name) or _depth_unit(_provenance(path))
    read_unit = _UNITS.get(path.suffix.lower())
    unit = read_unit(path) if read_unit else None
    return unit if unit is None or len(unit) <= LONGEST_UNIT else None


def _depth_unit(provenance: Mapping[str, Any]) -> str | None:
    unit = provenance.get("depth_unit")
    return unit if unit in ("m", "relative") else None


def _provenance(folder: Path) -> Mapping[str, Any]:
    """provenance.json, or nothing."""
    content = noted(folder / MARKER)
    return content if isinstance(content, dict) else {}


def _npz_unit(path: Path) -> str | None:
    with npz_arrays(path, "arrays", "Give a smaller map") as content:
        return str(content["unit"]) if "unit" in content.files and content["unit"].ndim == 0 else None


def _png_unit(path: Path) -> str | None:
    with without_warnings(), pillow_image(path, "a PNG map", ["PNG"]) as picture:
        return str(picture.info["unit"]) if "unit" in picture.info else None


def _checked(values: NDArray[Any], path: Path) -> NDArray[Any]:
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[..., 0]
    if values.ndim != 2 or values.dtype.kind not in "fiu" or values.size == 0:
        raise InputError(
            f"{path}: expected one map [height, width] of numbers, found shape {values.shape} of {values.dtype}."
        )
    return values if values.dtype.kind == "f" else values.astype(np.float64)


def _npy(path: Path, name: str) -> NDArray[Any]:
    # Mapped first: numpy checks the declared size against the file's before anything is allocated.
    if not starts_with(path, b"\x93NUMPY"):
        raise InputError(f"{path}: not a NumPy array. Copy or export the file again.")
    values = np.load(path, mmap_mode="r", allow_pickle=False)
    check_memory(path, values.nbytes, f"an array of shape {values.shape}", "Give a smaller map")
    return np.array(values)


def _npz(path: Path, name: str) -> NDArray[Any]:
    with npz_arrays(path, "arrays", "Give a smaller map") as content:
        flat = [key for key in content.files if name == key or content[key].ndim == 2]
        if name not in flat and len(flat) != 1:
            raise InputError(
                f"{path}: holds no array called {name}, only {', '.join(content.files) or 'an empty archive'}."
            )
        return np.asarray(content[name if name in flat else flat[0]])


def _tiff(path: Path, name: str) -> NDArray[Any]:
    # Not by Pillow where that can be helped: its library writes what is wrong with a file to stderr.
    if not any(starts_with(path, start) for start in tiff_files.STARTS):
        raise InputError(f"{path}: not a TIFF file. Copy or export the file again.")
    return read_image(path, "Give a smaller map")


_READERS = {
    ".pfm": lambda path, name: read_pfm(path),
    ".npy": _npy,
    ".npz": _npz,
    ".png": lambda path, name: read_png16(path),
    ".tif": _tiff,
    ".tiff": _tiff,
}
_WRITERS = {".pfm": write_pfm, ".npy": write_npy, ".png": write_png16, ".tif": write_tiff, ".tiff": write_tiff}
_UNITS: Mapping[str, Callable[[Path], str | None]] = {".npz": _npz_unit, ".png": _png_unit}
