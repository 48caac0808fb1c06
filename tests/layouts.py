"""One light field in every layout that people have: each writer returns the path and the options that read it back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.io
import tifffile
import zarr
from numpy.typing import NDArray

from tests.builders import save_png, write_hci_scene

Views = NDArray[Any]
Written = tuple[Path, dict[str, Any]]
AS_STORED: dict[str, Any] = {"flip_rows": False, "flip_columns": False}


def hci(folder: Path, views: Views) -> Written:
    return write_hci_scene(folder / "hci", views), AS_STORED


def hci_reversed_rows(folder: Path, views: Views) -> Written:
    return write_hci_scene(folder / "reversed", views[::-1]), {"flip_rows": True}


def hci_reversed_columns(folder: Path, views: Views) -> Written:
    return write_hci_scene(folder / "reversed", views[:, ::-1]), {"flip_columns": True}


def hci_along_columns(folder: Path, views: Views) -> Written:
    rows, columns = views.shape[:2]
    swapped = views.swapaxes(0, 1).reshape(views.shape)
    return write_hci_scene(folder / "columns", swapped), {"order": "column", "grid": (rows, columns)} | AS_STORED


def stanford(folder: Path, views: Views) -> Written:
    rows, columns = views.shape[:2]
    for row in range(rows):
        for column in range(columns):
            name = f"out_{row:02d}_{column:02d}_{-100 - 2.5 * row:.6f}_{-40 + 2.5 * column:.6f}_.png"
            save_png(folder / "stanford" / name, views[rows - 1 - row, column])
    return folder / "stanford", AS_STORED


def row_and_column(folder: Path, views: Views) -> Written:
    for row, column in np.ndindex(*views.shape[:2]):
        save_png(folder / "grid" / f"2067_{row + 1:02d}_{column + 1:02d}.png", views[row, column])
    return folder / "grid", AS_STORED


def column_and_row(folder: Path, views: Views) -> Written:
    for row, column in np.ndindex(*views.shape[:2]):
        save_png(folder / "grid" / f"x{10 * column}" / f"y{10 * row}.png", views[row, column])
    return folder / "grid", {"pattern": "x{col}/y{row}.png"} | AS_STORED


def counted_from_one(folder: Path, views: Views) -> Written:
    for number, view in enumerate(views.reshape(-1, *views.shape[2:])):
        save_png(folder / "counted" / f"view_{number + 1:03d}.png", view)
    return folder / "counted", {"grid": views.shape[:2], "pattern": "view_{index:03d}.png"} | AS_STORED


def tiff_folder(folder: Path, views: Views) -> Written:
    (folder / "tiff").mkdir()
    for row, column in np.ndindex(*views.shape[:2]):
        image, path = views[row, column], folder / "tiff" / f"v_{row}_{column}.tif"
        grey = image.shape[-1] == 1
        tifffile.imwrite(path, image[..., 0] if grey else image, photometric="minisblack" if grey else "rgb")
    return folder / "tiff", AS_STORED


def quilt(folder: Path, views: Views) -> Written:
    rows, columns, height, width, channels = views.shape
    image = views.transpose(0, 2, 1, 3, 4).reshape(rows * height, columns * width, channels)
    save_png(folder / "quilt.png", image)
    return folder / "quilt.png", {"quilt": f"{rows}x{columns}"} | AS_STORED


def lenslets(folder: Path, views: Views) -> Written:
    rows, columns, height, width, channels = views.shape
    image = views.transpose(2, 0, 3, 1, 4).reshape(rows * height, columns * width, channels)
    save_png(folder / "lenslets.png", image)
    return folder / "lenslets.png", {"eslf": f"{rows}x{columns}"} | AS_STORED


def hdf5(folder: Path, views: Views) -> Written:
    with h5py.File(folder / "lf.h5", "w") as file:
        file.create_dataset("LF", data=views, chunks=(1, 1, *views.shape[2:]), compression="gzip")
    return folder / "lf.h5", AS_STORED


def hdf5_old_archive(folder: Path, views: Views) -> Written:
    with h5py.File(folder / "lf.h5", "w") as file:
        file["LF"] = views[:, ::-1]
        file["GT_DEPTH"] = np.ones(views.shape[:4], np.float32)
        file.attrs.update({"dH": 0.05, "focalLength": 200.0, "shift": 2.0, "camDistance": 5.0})
    return folder / "lf.h5", AS_STORED


def matlab_v5(folder: Path, views: Views) -> Written:
    scipy.io.savemat(folder / "v5.mat", {"LF": views, "note": "x"}, do_compression=True)
    return folder / "v5.mat", AS_STORED


def matlab_v73(folder: Path, views: Views) -> Written:
    path = folder / "v73.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["LF"] = views.T
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + b"\0" * 8 + b"\x00\x02IM")
    return path, AS_STORED


def npy(folder: Path, views: Views) -> Written:
    np.save(folder / "views.npy", views)
    return folder / "views.npy", AS_STORED


def npy_counted(folder: Path, views: Views) -> Written:
    np.save(folder / "views.npy", views.reshape(-1, *views.shape[2:]))
    return folder / "views.npy", {"grid": views.shape[:2]} | AS_STORED


def npy_channels_before_pixels(folder: Path, views: Views) -> Written:
    np.save(folder / "views.npy", views.transpose(0, 1, 4, 2, 3))
    return folder / "views.npy", AS_STORED | {"axes": "vucyx"}


def npy_views_last(folder: Path, views: Views) -> Written:
    np.save(folder / "views.npy", views.transpose(2, 3, 0, 1, 4))
    return folder / "views.npy", AS_STORED | {"axes": "yxvuc"}


def npz(folder: Path, views: Views) -> Written:
    np.savez_compressed(folder / "views.npz", LF=views, other=np.zeros(3))
    return folder / "views.npz", AS_STORED


def zarr_v3(folder: Path, views: Views) -> Written:
    array = zarr.create_array(str(folder / "v3.zarr"), shape=views.shape, chunks=views.shape, dtype=views.dtype)
    array[:] = views
    return folder / "v3.zarr", AS_STORED


def zarr_v2_group(folder: Path, views: Views) -> Written:
    group = zarr.open_group(str(folder / "v2.zarr"), mode="w", zarr_format=2)
    group.create_array("tiny", shape=(3,), dtype="u1")
    array = group.create_array("pictures", shape=views.shape, chunks=(1, 1, *views.shape[2:]), dtype=views.dtype)
    array[:] = views
    return folder / "v2.zarr", AS_STORED


def manifest(folder: Path, views: Views) -> Written:
    rows, columns = views.shape[:2]
    names = []
    for row, column in np.ndindex(rows, columns):
        names.append(f"images/{chr(97 + row)}{chr(97 + column)}.png")
        save_png(folder / names[-1], views[row, column])
    positions = [[5.0 * row, 5.0 * column] for row in range(rows) for column in range(columns)]
    lines = {"files": names, "grid": [rows, columns], "positions": positions, "unit": 5.0}
    (folder / "lightfield.toml").write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in lines.items()))
    return folder, AS_STORED


LAYOUTS: tuple[Callable[[Path, Views], Written], ...] = (
    *(hci, hci_reversed_rows, hci_reversed_columns, hci_along_columns, stanford, row_and_column, column_and_row),
    *(counted_from_one, tiff_folder, quilt, lenslets, hdf5, hdf5_old_archive, matlab_v5, matlab_v73, npy, npy_counted),
    *(npy_channels_before_pixels, npy_views_last, npz, zarr_v3, zarr_v2_group, manifest),
)
FLOAT_LAYOUTS = (tiff_folder, hdf5, matlab_v5, matlab_v73, npy, npz, zarr_v3, zarr_v2_group)
