"""Bad input: one paragraph that names the file, what was expected and found, and the next step."""

from __future__ import annotations

import json
import os
import pickle
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.io
import zarr
from PIL import Image

from ioadr import InputError, LightField
from ioadr.extras import install
from ioadr.io import read
from tests.builders import make_views, save_png, scene_parameters, write_hci_scene
from tests.layouts import hdf5, matlab_v5, npy, npz, quilt, row_and_column, stanford, zarr_v2_group, zarr_v3
from tests.messages import explains


def refused(path: Path | str, *parts: str, **options: Any) -> str:
    """The message, which must hold all parts and be one paragraph with a next step."""
    with pytest.raises(InputError) as caught:
        read(path, **options)
    message = str(caught.value)
    assert explains(message), message
    for part in parts:
        assert part in message, message
    return message


@pytest.fixture
def scene(tmp_path):
    return write_hci_scene(tmp_path / "scene", make_views(grid=(9, 9), size=(6, 8)))


def test_a_missing_view_is_named_with_the_complete_centre(scene):
    (scene / "input_Cam072.png").unlink()
    message = refused(scene)
    assert message == (
        f"{scene}/: expected 81 views (9×9 in parameters.cfg), found 80; missing input_Cam072.png. "
        'Restore it, use the complete centred grid with views="7x7", or continue without: skip="8,0".'
    )
    assert read(scene, views="7x7").grid == (7, 7)
    assert read(scene, skip=((8, 0),)).view_count == 80
    assert read(scene, skip="missing").view_count == 80


def test_many_missing_views(scene):
    for number in (0, 40, 41, 50, 60, 70, 80):
        (scene / f"input_Cam{number:03d}.png").unlink()
    message = refused(scene, "found 74", "input_Cam000.png, input_Cam040.png", "…", 'skip="missing"')
    assert "views=" not in message
    lightfield = read(scene, skip="missing")
    assert lightfield.view_count == 74
    assert lightfield.reference != (4, 4)


def test_views_of_different_sizes(scene):
    save_png(scene / "input_Cam013.png", make_views(size=(7, 8))[0, 0])
    refused(scene, "input_Cam013.png", "expected 8×6 px", "found 8×7 px", "skip")


def test_views_of_different_kinds(scene):
    save_png(scene / "input_Cam013.png", make_views(size=(6, 8), channels=1)[0, 0])
    refused(scene, "input_Cam013.png", "3 × uint8", "1 × uint8")


@pytest.mark.parametrize("content", [b"", b"no image", b"\x89PNG\r\n\x1a\n", "cut"])
def test_an_unreadable_image(scene, content):
    file = scene / "input_Cam013.png"
    file.write_bytes(file.read_bytes()[:60] if content == "cut" else content)
    refused(scene, "input_Cam013.png", "Copy or export the file again")


def test_a_missing_parameters_file(scene):
    (scene / "parameters.cfg").unlink()
    refused(scene, f"{scene}/: parameters.cfg is missing", 'grid="9x9"')
    lightfield = read(scene, grid="9x9")
    assert lightfield.camera is None
    assert any("relative" in note for note in lightfield.source.notes)


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"num_cams_x": ""}, ("num_cams_x", "[extrinsics]")),
        ({"num_cams_x": "many"}, ("num_cams_x", "many")),
        ({"num_cams_x": "-9"}, ("num_cams_x", "-9")),
        ({"num_cams_x": "nan"}, ("num_cams_x", "nan")),
        ({"num_cams_x": "999999", "num_cams_y": "999999"}, ("at most 65536 views", "grid")),
        ({"focal_length_mm": "0"}, ("positive focal_length_mm",)),
        ({"baseline_mm": "nan"}, ("positive baseline_mm",)),
        ({"disp_min": "2", "disp_max": "1"}, ("MIN < MAX",)),
        ({"image_resolution_x_px": "9"}, ("image_resolution_x_px", "8×6", "9×6", "disp_min")),
    ],
)
def test_malformed_parameters(scene, changes, parts):
    text = scene_parameters((9, 9, 6, 8), changes)
    (scene / "parameters.cfg").write_text(text, encoding="utf-8")
    refused(scene, str(scene / "parameters.cfg") if "999999" not in changes.values() else str(scene), *parts)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"no sections", b"[intrinsics\n", b"x" * 2_000_000])
def test_parameters_that_are_no_settings(scene, content):
    (scene / "parameters.cfg").write_bytes(content)
    refused(scene, str(scene / "parameters.cfg"))


def test_nan_is_named_by_its_view(tmp_path):
    views = make_views(dtype="float32")
    views[1, 2, 3, 4, 0] = np.nan
    path, _ = npy(tmp_path, views)
    refused(path, str(path), "NaN", "1, 2", "skip")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_out_of_the_folder_are_told(scene, tmp_path):
    inside, outside = scene / "input_Cam001.png", scene / "input_Cam003.png"
    outside.rename(tmp_path / "elsewhere.png")
    outside.symlink_to(tmp_path / "elsewhere.png")
    inside.rename(scene / "first")
    inside.symlink_to("first")
    (note,) = [note for note in read(scene).source.notes if "links" in note]
    example = f"such as input_Cam003.png to {tmp_path / 'elsewhere.png'}"
    assert note == f"1 of 81 views are links to files outside the folder, {example}"


def test_a_constant_view_is_named(scene):
    save_png(scene / "input_Cam013.png", np.full((6, 8, 3), 77, np.uint8))
    refused(scene, "constant value (77)", "input_Cam013.png (view 1,4)", "skip")


@pytest.mark.parametrize("value", [0, 77, 255])
def test_a_constant_light_field(tmp_path, value):
    """With a given range, the map has no confidence; without one, the light field is refused."""
    path, _ = npy(tmp_path, np.full((3, 3, 8, 8, 3), value, np.uint8))
    refused(path, str(path), f"every sample is {value}", "contrast")
    assert (read(path, range=(-1, 1)).views == value).all()


@pytest.mark.parametrize("grid", [(2, 2), (1, 1), (1, 2), (2, 1)])
def test_too_few_views(grid, tmp_path):
    scene = write_hci_scene(tmp_path / "scene", make_views(grid=grid))
    refused(scene, str(scene), "3×3", f"{grid[0]}×{grid[1]}")


def test_nothing_there(tmp_path):
    refused(tmp_path / "absent", "no such file or folder")
    (tmp_path / "text.txt").write_text("hello")
    refused(tmp_path / "text.txt", "manifest, hci, stanford", "lightfield.toml", "format")
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", "an empty folder")
    (tmp_path / "empty.h5").touch()
    refused(tmp_path / "empty.h5", "an empty file")
    refused("", "the name is empty")


def test_a_raw_lytro_file_names_its_decoders(tmp_path):
    (tmp_path / "IMG_0001.LFR").write_bytes(b"\x89LFP\r\n\x1a\n\0\0\0\1" + b"\0" * 100)
    refused(tmp_path / "IMG_0001.LFR", "raw Lytro file", "Light Field Toolbox", ".mat", "PlenoptiCam", "_eslf.png")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"views": "9"}, ("views", "5x9")),
        ({"views": "11x3"}, ("exceeds the 9×9",)),
        ({"every": 0}, ("every",)),
        ({"view_step": 0}, ("view_step: expected a whole number", "found 0")),
        ({"scale": 0.0}, ("scale",)),
        ({"crop": (0, 0, 7, 8)}, ("crop", "8×6 px")),
        ({"crop": (0, 0, 0, 8)}, ("crop", "TOP LEFT HEIGHT WIDTH")),
        ({"skip": ((9, 0),)}, ("skip", "9,0")),
        ({"range": (2.0, 1.0)}, ("MIN < MAX", "range")),
        ({"reference": (9, 0)}, ("reference view", "reference=(ROW, COL)")),
        ({"order": "diagonal"}, ("order", "row, column")),
        ({"unknown": 1}, ("unknown", "flip_rows")),
        ({"format": "folder", "pattern": "view_{number}.png"}, ("pattern", "{index:03d}")),
        ({"format": "folder", "pattern": "../{index}.png"}, ("pattern",)),
        ({"format": "folder", "pattern": "cam{index}.png"}, ("cam{index}.png", "input_Cam000.png")),
        ({"grid": "3x3x3"}, ("grid",)),
    ],
)
def test_options_that_do_not_fit(scene, options, parts):
    refused(scene, *parts, **options)


def test_an_incomplete_camera_lists_what_lacks(tmp_path):
    path, _ = row_and_column(tmp_path, make_views())
    refused(path, "focal_length_mm", "sensor_size_mm", "focus_distance_m", baseline_mm=1.0)


def test_a_mosaic_that_does_not_divide(tmp_path):
    path, _ = quilt(tmp_path, make_views(size=(20, 24)))
    refused(path, "divided into 7×3 views", "quilt", quilt="7x3")
    refused(path, "eslf", "quilt", format="mosaic")
    refused(path, "cannot be combined", eslf="3x3", quilt="3x3")


def test_a_number_of_images_that_makes_no_square(tmp_path):
    for number in range(7):
        save_png(tmp_path / "line" / f"v{number}.png", make_views()[0, 0])
    refused(tmp_path / "line", "7 views, v0.png to v6.png, do not fill a square grid", "grid")


def test_names_with_too_many_numbers(tmp_path):
    for number in range(4):
        save_png(tmp_path / "many" / f"{number}_{number}_{number}.png", make_views()[0, 0])
    refused(tmp_path / "many", "the 3 numbers that change", "is different in every file", "pattern")


def test_arrays_of_wrong_shape_or_type(tmp_path):
    path, _ = npy(tmp_path, np.zeros((5, 5), np.uint8))
    refused(path, "shape (5, 5)", "grid")
    path, _ = npy(tmp_path, make_views().astype(np.int64))
    refused(path, "int64", "uint8, uint16 or float")


def declares(tmp_path: Path, shape: tuple[int, ...]) -> Path:
    """A small .npy that claims to be large."""
    path = tmp_path / "hostile.npy"
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * 100)
    return path


def test_an_array_larger_than_its_file(tmp_path):
    refused(declares(tmp_path, (9, 9, 100_000, 100_000, 3)), "hostile.npy")


def test_no_pickle_is_opened(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was opened",))

    np.save(tmp_path / "objects.npy", np.array([Bomb()] * 3, dtype=object), allow_pickle=True)
    refused(tmp_path / "objects.npy", "objects.npy")
    np.savez(tmp_path / "objects.npz", views=np.array([Bomb()] * 3, dtype=object))
    refused(tmp_path / "objects.npz", "objects.npz")
    (tmp_path / "plain.npy").write_bytes(pickle.dumps(Bomb()))
    refused(tmp_path / "plain.npy", "plain.npy", format="numpy")


def test_a_zarr_codec_that_unpickles_is_refused(tmp_path):
    path, _ = zarr_v2_group(tmp_path, make_views())
    file = path / "pictures" / ".zarray"
    metadata = json.loads(file.read_text()) | {"filters": [{"id": "pickle"}]}
    file.write_text(json.dumps(metadata))
    refused(path, "the codec pickle", "is not supported")


def png_of_size(path: Path, width: int, height: int, padding: int = 0) -> None:
    """A PNG whose header declares a size that its data does not have."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"tEXt", b"\0" * padding)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + data + chunk(b"IEND", b""))


def test_an_image_that_declares_more_than_it_can_hold(tmp_path):
    png_of_size(tmp_path / "quilt.png", 30_000, 30_000)
    refused(tmp_path / "quilt.png", "cut off or damaged", quilt="3x3")


def test_an_image_beyond_the_memory_limit(tmp_path, monkeypatch):
    monkeypatch.setenv("IOADR_MEMORY_LIMIT", "1M")
    png_of_size(tmp_path / "quilt.png", 3000, 3000, padding=100_000)
    refused(tmp_path / "quilt.png", "the limit is 1 MB", "27 MB", "IOADR_MEMORY_LIMIT=", quilt="3x3")
    monkeypatch.setenv("IOADR_MEMORY_LIMIT", "plenty")
    refused(tmp_path / "quilt.png", "IOADR_MEMORY_LIMIT", "plenty", quilt="3x3")


@pytest.mark.parametrize("layout", [hdf5, matlab_v5, npy, npz, zarr_v3, row_and_column, stanford])
def test_views_beyond_the_memory_limit(layout, tmp_path, monkeypatch):
    path, options = layout(tmp_path, make_views(grid=(5, 5), size=(40, 40)))
    monkeypatch.setenv("IOADR_MEMORY_LIMIT", "50 kB")
    refused(path, "the limit is 50 kB", **options)
    if layout is row_and_column:
        assert read(path, views="3x3", **options).grid == (3, 3)


@pytest.mark.parametrize("layout", [hdf5, zarr_v3])
def test_an_array_that_declares_more_than_it_can_hold(layout, tmp_path):
    """Nine views of 20000×20000, never written: nothing is stored, so nothing may be allocated."""
    shape, chunks = (3, 3, 20_000, 20_000, 3), (1, 1, 100, 100, 3)
    path, options = layout(tmp_path, make_views())
    if layout is hdf5:
        with h5py.File(path, "w") as file:
            file.create_dataset("LF", shape=shape, dtype="u1", chunks=chunks)
    else:
        zarr.create_array(str(path), shape=shape, chunks=chunks, dtype="u1", overwrite=True)
    refused(path, "cut off or damaged", **options)


def test_hdf5_that_points_elsewhere_is_not_followed(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["LF"] = make_views()
    with h5py.File(tmp_path / "link.h5", "w") as file:
        file["LF"] = h5py.ExternalLink("secret.h5", "/LF")
    refused(tmp_path / "link.h5", "has no dataset LF of views in the file itself")
    (tmp_path / "raw.bin").write_bytes(make_views().tobytes())
    with h5py.File(tmp_path / "external.h5", "w") as file:
        file.create_dataset(
            "LF", shape=make_views().shape, dtype="u1", external=[(str(tmp_path / "raw.bin"), 0, 10**6)]
        )
    refused(tmp_path / "external.h5", "has no dataset LF of views in the file itself")


def test_files_without_views(tmp_path):
    with h5py.File(tmp_path / "empty.h5", "w") as file:
        file["names"] = "text"
    refused(tmp_path / "empty.h5", "dataset LF", "names")
    scipy.io.savemat(tmp_path / "empty.mat", {"x": np.eye(3)})
    refused(tmp_path / "empty.mat", "such as LF")
    np.savez(tmp_path / "empty.npz")
    refused(tmp_path / "empty.npz", "empty.npz")
    zarr.open_group(str(tmp_path / "empty.zarr"), mode="w")
    refused(tmp_path / "empty.zarr", "a Zarr group without an array")


MANIFESTS = {
    "no TOML": "files = [",
    "no files": "grid = [3, 3]",
    "unknown key": 'files = "{index}.png"\nfocal = 3',
    "outside": 'files = ["../outside.png"]',
    "absolute": 'files = ["/etc/passwd"]',
    "absent": 'files = ["a.png", "b.png", "c.png"]\npositions = [[0,0],[0,1],[0,2]]',
    "positions of another number": 'files = "{index}.png"\npositions = [[0, 0]]',
    "positions of text": 'files = "{index}.png"\npositions = "left"',
    "infinite grid": 'files = "{index}.png"\ngrid = [inf, 3]',
    "negative unit": 'files = "{index}.png"\nunit = -1\npositions = [' + "[0,0]," * 9 + "]",
    "camera without lens": 'files = "{index}.png"\n[camera]\nbaseline_mm = 3',
    "range": 'files = "{index}.png"\nrange = [2, 1]',
    "reference": 'files = "{index}.png"\nreference = 99',
    "order": 'files = "{index}.png"\norder = "spiral"',
    "no list": "files = 3",
}


@pytest.mark.parametrize("text", MANIFESTS.values(), ids=MANIFESTS)
def test_manifests_that_do_not_fit(text, tmp_path):
    folder = tmp_path / "array"
    for number in range(9):
        save_png(folder / f"{number}.png", make_views()[0, 0])
    Image.fromarray(make_views()[0, 0]).save(tmp_path / "outside.png")
    (folder / "lightfield.toml").write_text(text)
    refused(folder, str(folder))


def test_a_manifest_does_not_follow_links_out_of_its_folder(tmp_path):
    folder = tmp_path / "array"
    folder.mkdir()
    Image.fromarray(make_views()[0, 0]).save(tmp_path / "outside.png")
    (folder / "a.png").symlink_to(tmp_path / "outside.png")
    (folder / "lightfield.toml").write_text('files = ["a.png"]')
    refused(folder, "is outside the manifest's folder")


@pytest.mark.parametrize(("layout", "package"), [(hdf5, "h5py"), (matlab_v5, "scipy.io"), (zarr_v3, "zarr")])
def test_a_library_that_is_not_installed_is_named(layout, package, tmp_path, monkeypatch):
    path, options = layout(tmp_path, make_views())
    monkeypatch.setitem(sys.modules, package, None)
    refused(path, package.split(".")[0], install("formats"), **options)


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".bmp"])
def test_a_view_that_was_not_copied_to_its_end(suffix, tmp_path):
    for number, view in enumerate(make_views(size=(40, 48)).reshape(9, 40, 48, 3)):
        Image.fromarray(view).save(tmp_path / f"v{number}{suffix}")
    broken = tmp_path / f"v4{suffix}"
    broken.write_bytes(broken.read_bytes()[:-400])
    refused(tmp_path, f"v4{suffix}", "cannot be read as an image: it ends too early", "Copy or export the file again")


def test_one_array_for_each_view(tmp_path):
    views = make_views()
    arrays: dict[str, Any] = {f"v{row}{column}": views[row, column] for row, column in np.ndindex(3, 3)}
    np.savez(tmp_path / "a.npz", **arrays)
    message = refused(
        tmp_path / "a.npz", "holds 9 arrays of shape (20, 24, 3), probably one for each view, such as v00"
    )
    assert "np.stack" in message


@pytest.mark.filterwarnings("error")
def test_infinite_samples_are_refused_without_a_warning(tmp_path):
    views = make_views(size=(64, 64)).astype(np.float32) / 255
    views[1, 1, :10] = np.inf
    np.save(tmp_path / "a.npy", views)
    refused(tmp_path / "a.npy", "contains NaN or infinite samples")


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (
            "baseline_mm = 50.0",
            "baseline_mm = twelve",
            "[extrinsics]: expected a number for baseline_mm, found 'twelve'",
        ),
        ("[intrinsics]", "[lens]", "[intrinsics]: focal_length_mm is missing"),
    ],
)
def test_what_is_wrong_in_parameters_cfg(before, after, found, tmp_path):
    scene = write_hci_scene(tmp_path / "scene")
    text = (scene / "parameters.cfg").read_text()
    assert before in text
    (scene / "parameters.cfg").write_text(text.replace(before, after))
    refused(scene, "parameters.cfg", found)


def test_views_at_one_position():
    views = make_views()
    with pytest.raises(InputError, match=r"a grid of 3×3 with 9 views at 1 position\. Add views"):
        LightField(views, positions=np.zeros((3, 3, 2)))
