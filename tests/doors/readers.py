"""Light fields of all formats."""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.io
import zarr
from numpy.typing import NDArray

from tests import layouts
from tests.builders import make_views, save_png, scene_parameters, write_hci_scene
from tests.doors import files
from tests.doors.cases import Arguments, Case

Damage = Callable[[bytes], bytes]
Layout = Callable[[Path, NDArray[Any]], tuple[Path, dict[str, Any]]]

DAMAGED: dict[str, tuple[Layout, str, tuple[str, ...]]] = {
    "HCI folder, a view": (layouts.hci, "hci/input_Cam004.png", ()),
    "HCI folder, parameters.cfg": (layouts.hci, "hci/parameters.cfg", ()),
    "Stanford folder, a view": (layouts.stanford, "stanford/out_01_01_-102.500000_-37.500000_.png", ()),
    "folder of TIFF views, a view": (layouts.tiff_folder, "tiff/v_1_1.tif", ()),
    "mosaic": (layouts.quilt, "quilt.png", ("--quilt", "3x3")),
    "HDF5": (layouts.hdf5, "lf.h5", ()),
    "MATLAB v5": (layouts.matlab_v5, "v5.mat", ()),
    "MATLAB v7.3": (layouts.matlab_v73, "v73.mat", ()),
    "NumPy array": (layouts.npy, "views.npy", ()),
    "NumPy archive": (layouts.npz, "views.npz", ()),
    "Zarr, metadata": (layouts.zarr_v3, "v3.zarr/zarr.json", ()),
    "manifest lightfield.toml": (layouts.manifest, "lightfield.toml", ()),
}
"""By door: a valid light field, the file of it that is damaged, and the options that read it."""
HOLES_ALLOWED = (layouts.stanford, layouts.tiff_folder)
"""Formats that do not declare the number of views: a missing one is noted, and the others are read."""


def cases() -> Iterator[Case]:
    for door, (layout, name, options) in DAMAGED.items():
        if layout not in HOLES_ALLOWED:
            yield Case(door, "missing", partial(_missing, layout, name, options))
            yield Case(door, files.PIPE, partial(_piped, layout, name, options))
        for kind, damage in files.DAMAGES.items():
            yield Case(door, kind, partial(_damaged, layout, name, options, damage))
    for door, kind, make in SPECIAL:
        yield Case(door, kind, make)
    yield Case("raw Lytro file", "not decoded", _lytro)
    yield Case("any", "not a light field", _text)
    for name in ("hdf5", "matlab", "numpy", "mosaic"):
        yield Case("any", f"{files.PIPE} and --format {name}", partial(_pipe_of_format, name))
    yield Case("any", "a name that is too long", lambda folder: ["info", "x" * 5000])


def _damaged(layout: Layout, name: str, options: Arguments, damage: Damage, folder: Path) -> Arguments:
    path, _ = layout(folder, make_views())
    file = folder / name
    file.write_bytes(damage(file.read_bytes()))
    return ["info", path.name if path != folder else ".", *options]


def _missing(layout: Layout, name: str, options: Arguments, folder: Path) -> Arguments:
    path, _ = layout(folder, make_views())
    (folder / name).unlink()
    return ["info", path.name if path != folder else name, *options]


def _piped(layout: Layout, name: str, options: Arguments, folder: Path) -> Arguments:
    arguments = _damaged(layout, name, options, bytes, folder)
    files.pipe(folder / name)
    return arguments


def _changed_settings(folder: Path, **changes: str) -> Arguments:
    write_hci_scene(folder / "hci")
    (folder / "hci/parameters.cfg").write_text(scene_parameters((3, 3, 20, 24), changes), encoding="utf-8")
    return ["info", "hci"]


def _png_view(folder: Path, width: int, height: int, rows: int | None = None) -> Arguments:
    write_hci_scene(folder / "hci")
    files.bomb_png(folder / "hci/input_Cam000.png", width, height, rows=rows)
    return ["info", "hci"]


def _of_two_sizes(folder: Path) -> Arguments:
    write_hci_scene(folder / "hci")
    save_png(folder / "hci/input_Cam004.png", make_views(size=(20, 25))[0, 0])
    return ["info", "hci"]


def _tiff_view(folder: Path) -> Arguments:
    path, _ = layouts.tiff_folder(folder, make_views())
    for file in path.iterdir():
        files.tiff(file, 60_000, 60_000)
    return ["info", path.name]


def _mosaic(folder: Path, side: int, rows: int | None) -> Arguments:
    files.bomb_png(folder / "quilt.png", side, side, rows=rows)
    return ["info", "quilt.png", "--quilt", "3x3"]


def _hdf5(folder: Path, **options: Any) -> Arguments:
    with h5py.File(folder / "lf.h5", "w") as file:
        made = file.create_dataset("LF", dtype="u1", **options)
        if options.get("compression"):
            made[0, 0, :1, :1] = 1
    return ["info", "lf.h5"]


def _hdf5_link(folder: Path) -> Arguments:
    with h5py.File(folder / "elsewhere.h5", "w") as file:
        file["LF"] = make_views()
    with h5py.File(folder / "lf.h5", "w") as file:
        file["LF"] = h5py.ExternalLink("elsewhere.h5", "/LF")
    return ["info", "lf.h5"]


def _hdf5_raw(folder: Path) -> Arguments:
    (folder / "raw.bin").write_bytes(make_views().tobytes())
    return _hdf5(folder, shape=make_views().shape, external=[("raw.bin", 0, 10**6)])


def _matlab(folder: Path) -> Arguments:
    scipy.io.savemat(folder / "v5.mat", {"LF": make_views()})
    content = (folder / "v5.mat").read_bytes()
    true, false = struct.pack("<5i", *make_views().shape), struct.pack("<5i", *files.HUGE)
    (folder / "v5.mat").write_bytes(content.replace(true, false))
    return ["info", "v5.mat"]


def _matlab_bomb(folder: Path) -> Arguments:
    stream = io.BytesIO()
    scipy.io.savemat(stream, {"LF": np.zeros(BOMB_SHAPE, np.uint8)})
    plain = stream.getvalue()
    packed = zlib.compress(plain[128:], 1)  # scipy packs harder, and takes longer
    (folder / "v5.mat").write_bytes(plain[:128] + struct.pack("<II", 15, len(packed)) + packed)
    return ["info", "v5.mat"]


def _npy(folder: Path, content: bytes) -> Arguments:
    (folder / "views.npy").write_bytes(content)
    return ["info", "views.npy"]


def _npz(folder: Path, start: bytes, zeros: int) -> Arguments:
    files.packed_zeros(folder / "views.npz", {"LF.npy": (start, zeros)})
    return ["info", "views.npz"]


def _zarr(folder: Path, chunks: tuple[int, ...]) -> Arguments:
    zarr.create_array(str(folder / "v3.zarr"), shape=files.HUGE, chunks=chunks, dtype="u1")
    return ["info", "v3.zarr"]


def _zarr_codec(folder: Path) -> Arguments:
    path, _ = layouts.zarr_v2_group(folder, make_views())
    file = path / "pictures" / ".zarray"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"filters": [{"id": "pickle"}]}))
    return ["info", path.name]


def _manifest(folder: Path, text: str) -> Arguments:
    for number in range(9):
        save_png(folder / "array" / f"{number}.png", make_views()[number // 3, number % 3])
    save_png(folder / "outside.png", make_views()[0, 0])
    (folder / "array/lightfield.toml").write_text(text)
    return ["info", "array"]


def _manifest_link(folder: Path) -> Arguments:
    arguments = _manifest(folder, 'files = "{index}.png"')
    (folder / "array/4.png").unlink()
    (folder / "array/4.png").symlink_to("../outside.png")
    return arguments


def _with_nan(layout: Layout, folder: Path) -> Arguments:
    views = make_views(dtype="float32")
    views[1, 2, 3, 4, 0] = np.nan
    views[2, 2, 0, 0, 0] = np.inf
    path, _ = layout(folder, views)
    return ["info", path.name]


def _constant(folder: Path) -> Arguments:
    return _npy(folder, files.npy_header((3, 3, 20, 24, 3)) + bytes(3 * 3 * 20 * 24 * 3))


def _lytro(folder: Path) -> Arguments:
    (folder / "IMG_0001.LFR").write_bytes(b"\x89LFP\r\n\x1a\n\0\0\0\1" + bytes(100))
    return ["info", "IMG_0001.LFR"]


def _text(folder: Path) -> Arguments:
    (folder / "notes.txt").write_bytes(files.TEXT)
    return ["info", "notes.txt"]


def _pipe_of_format(name: str, folder: Path) -> Arguments:
    files.pipe(folder / "pipe")
    return ["info", "pipe", "--format", name, "--quilt", "3x3"]


DECLARED, BOMB, NAN = "declares more than it holds", "decompression bomb", "NaN or infinity"
BEYOND = "an implausible number"
PICKLE, OUTSIDE, LINK = "pickle", "path outside its folder", "link to a file outside its folder"
BOMB_SHAPE = (3, 3, 2000, 2000, 3)
LARGE_CHUNK: dict[str, Any] = {"shape": (3, 3, 20, 24, 3), "maxshape": (None,) * 5, "chunks": BOMB_SHAPE}
LARGE_CHUNK |= {"compression": "gzip"}

SPECIAL: tuple[tuple[str, str, Callable[[Path], Arguments]], ...] = (
    ("HCI folder, a view", DECLARED, partial(_png_view, width=30_000, height=30_000, rows=10)),
    ("HCI folder, a view", BOMB, partial(_png_view, width=10_500, height=10_500)),
    ("HCI folder, a view", "another size than the others", _of_two_sizes),
    ("HCI folder, parameters.cfg", DECLARED, partial(_changed_settings, num_cams_x="1000000", num_cams_y="1000000")),
    ("HCI folder, parameters.cfg", NAN, partial(_changed_settings, baseline_mm="nan")),
    ("HCI folder, parameters.cfg", BEYOND, partial(_changed_settings, disp_max="1e30")),
    ("folder of TIFF views, a view", DECLARED, _tiff_view),
    ("mosaic", DECLARED, partial(_mosaic, side=30_000, rows=10)),
    ("mosaic", BOMB, partial(_mosaic, side=10_500, rows=None)),
    ("HDF5", DECLARED, partial(_hdf5, shape=files.HUGE, chunks=(1, 1, 100, 100, 3))),
    ("HDF5", BOMB, partial(_hdf5, shape=BOMB_SHAPE, chunks=(1, 1, 2000, 2000, 3), compression="gzip")),
    (
        "HDF5",
        "a chunk larger than memory",
        partial(_hdf5, **LARGE_CHUNK),
    ),
    ("HDF5", NAN, partial(_with_nan, layouts.hdf5)),
    ("HDF5", OUTSIDE, _hdf5_link),
    ("HDF5", LINK, _hdf5_raw),
    ("MATLAB v5", DECLARED, _matlab),
    ("MATLAB v5", BOMB, _matlab_bomb),
    ("MATLAB v5", NAN, partial(_with_nan, layouts.matlab_v5)),
    ("MATLAB v7.3", NAN, partial(_with_nan, layouts.matlab_v73)),
    ("NumPy array", DECLARED, partial(_npy, content=files.npy_header(files.HUGE) + bytes(100))),
    ("NumPy array", NAN, partial(_with_nan, layouts.npy)),
    ("NumPy array", PICKLE, partial(_npy, content=files.pickled())),
    ("NumPy array", "only one colour", _constant),
    ("NumPy archive", DECLARED, partial(_npz, start=files.npy_header(files.HUGE), zeros=100)),
    ("NumPy archive", BOMB, partial(_npz, start=files.npy_header(BOMB_SHAPE), zeros=9 * 2000 * 2000 * 3)),
    ("NumPy archive", NAN, partial(_with_nan, layouts.npz)),
    ("NumPy archive", PICKLE, partial(_npz, start=files.pickled(), zeros=0)),
    ("Zarr, metadata", DECLARED, partial(_zarr, chunks=(1, 1, 100, 100, 3))),
    ("Zarr, metadata", "a chunk larger than memory", partial(_zarr, chunks=files.HUGE)),
    ("Zarr, metadata", NAN, partial(_with_nan, layouts.zarr_v3)),
    ("Zarr, metadata", PICKLE, _zarr_codec),
    ("manifest lightfield.toml", DECLARED, partial(_manifest, text='files = "{index}.png"\ngrid = [100000, 100000]')),
    ("manifest lightfield.toml", NAN, partial(_manifest, text='files = "{index}.png"\nrange = [nan, 1]')),
    (
        "manifest lightfield.toml",
        BEYOND,
        partial(_manifest, text='files = "{index}.png"\neta = [1e30, 1]'),
    ),
    ("manifest lightfield.toml", "nested too deeply", partial(_manifest, text="files = " + "[" * 5000)),
    ("manifest lightfield.toml", OUTSIDE, partial(_manifest, text='files = ["../outside.png"]')),
    ("manifest lightfield.toml", "absolute path", partial(_manifest, text='files = ["/etc/passwd"]')),
    ("manifest lightfield.toml", LINK, _manifest_link),
)
