"""What was checked is what is read: links, entries of archives, codecs; damage inside arrays is bad input."""

from __future__ import annotations

import io
import json
import math
import os
import subprocess
import sys
import zipfile
from typing import Any

import h5py
import numpy as np
import pytest
import zarr
from zarr.codecs import Crc32cCodec

from ioadr import Camera, InputError
from ioadr.io import read
from tests.builders import make_views, scene_parameters, write_hci_scene
from tests.layouts import AS_STORED, zarr_v2_group, zarr_v3


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("what", ["chunk", "folder", "metadata"])
def test_zarr_does_not_follow_links_out_of_its_folder(what, tmp_path):
    path, _ = zarr_v3(tmp_path, make_views())
    chunk = next(file for file in path.rglob("*") if file.is_file() and file.name != "zarr.json")
    victim = {"chunk": chunk, "folder": path / "c", "metadata": path / "zarr.json"}[what]
    victim.rename(tmp_path / "secret")
    victim.symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match="a link to .*secret, outside .*, which is not followed"):
        read(path, **AS_STORED)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_zarr_may_be_named_by_a_link_and_hold_links_inside(tmp_path):
    views = make_views()
    path, _ = zarr_v3(tmp_path, views)
    chunk = next(file for file in path.rglob("*") if file.is_file() and file.name != "zarr.json")
    chunk.rename(path / "kept")
    chunk.symlink_to(path / "kept")
    (tmp_path / "name.zarr").symlink_to(path)
    np.testing.assert_array_equal(read(tmp_path / "name.zarr", **AS_STORED).views, views)


def stored(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize("other", ["views", "x/views.npy"])
def test_the_entry_of_an_archive_that_was_checked_is_loaded(other, tmp_path, monkeypatch):
    views = make_views()
    large = stored(np.zeros((3, 3, 500, 500, 3), np.uint8))
    for names in (("views.npy", other), (other, "views.npy")):
        with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                archive.writestr(name, stored(views) if name == "views.npy" else large)
        monkeypatch.setenv("IOADR_MEMORY_LIMIT", "1M")
        np.testing.assert_array_equal(read(tmp_path / "a.npz", **AS_STORED).views, views)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_one_name_twice_in_an_archive_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("views.npy", stored(make_views()))
        archive.writestr("views.npy", stored(make_views()))
    with pytest.raises(InputError, match="two arrays are called views"):
        read(tmp_path / "a.npz", **AS_STORED)


@pytest.mark.parametrize(
    "codec", [{"id": "gzip", "name": "numcodecs.pickle"}, {"id": "pickle", "name": "gzip"}, "evil"]
)
@pytest.mark.parametrize("layout", [zarr_v2_group, zarr_v3])
def test_every_name_of_a_codec_is_checked(layout, codec, tmp_path):
    path, options = layout(tmp_path, make_views())
    file = path / "zarr.json" if layout is zarr_v3 else path / "pictures" / ".zarray"
    metadata = json.loads(file.read_text())
    metadata["codecs" if layout is zarr_v3 else "filters"] = [*metadata.get("codecs", ()), codec]
    file.write_text(json.dumps(metadata))
    with pytest.raises(InputError, match=r"the codec (numcodecs\.)?(pickle|evil).* is not supported"):
        read(path, **options)


def test_metadata_of_both_versions_is_refused(tmp_path):
    path, options = zarr_v3(tmp_path, make_views())
    harmless = {"zarr_format": 2, "shape": list(make_views().shape), "chunks": [1, 1, 1, 1, 1], "dtype": "|u1"}
    (path / ".zarray").write_text(json.dumps(harmless))
    with pytest.raises(InputError, match=r"both zarr\.json and \.zarray"):
        read(path, **options)


@pytest.mark.parametrize("options", [AS_STORED, {}])
def test_a_damaged_chunk_is_bad_input(options, tmp_path):
    """Also where the order of views is tested before they are read for good."""
    views = make_views(size=(64, 64))
    with h5py.File(tmp_path / "lf.h5", "w") as file:
        made = file.create_dataset("LF", data=views, chunks=(1, 1, *views.shape[2:]), compression="gzip")
        place = made.id.get_chunk_info(4).byte_offset
    with (tmp_path / "lf.h5").open("r+b") as stream:
        stream.seek(place)
        stream.write(b"\xff" * 64)
    with pytest.raises(InputError, match=r"lf\.h5: cannot be read as an array of views"):
        read(tmp_path / "lf.h5", **options)
    array = zarr.create_array(str(tmp_path / "a.zarr"), shape=views.shape, chunks=(1, 1, 64, 64, 3), dtype="u1")
    array[:] = views
    (tmp_path / "a.zarr" / "c" / "1" / "1" / "0" / "0" / "0").write_bytes(b"\xff" * 64)
    with pytest.raises(InputError, match=r"a\.zarr: cannot be read as an array of views"):
        read(tmp_path / "a.zarr", **options)


@pytest.mark.parametrize("name", ["focal_length_mm", "sensor_size_mm", "baseline_mm"])
def test_infinite_lenses_are_refused(name, tmp_path):
    numbers: dict[str, Any] = {
        "focal_length_mm": 1.0,
        "sensor_size_mm": 1.0,
        "baseline_mm": 1.0,
        "focus_distance_m": math.inf,
    }
    Camera(**numbers, width=4, height=4)
    with pytest.raises(InputError, match=f"expected a positive {name}, found inf"):
        Camera(**(numbers | {name: math.inf}), width=4, height=4)
    scene = write_hci_scene(tmp_path / "scene")
    (scene / "parameters.cfg").write_text(scene_parameters((3, 3, 20, 24), {name: "inf"}))
    with pytest.raises(InputError, match=f"expected a positive {name}, found inf"):
        read(scene)


def test_a_damaged_chunk_is_all_that_is_told(tmp_path):
    """The library leaves other chunks unread; it prints nothing about them when the process ends."""
    views = make_views(size=(32, 32))
    codec = [Crc32cCodec()]
    zarr.create_array(str(tmp_path / "a.zarr"), data=views, chunks=(1, 1, 4, 4, 1), compressors=codec)
    for file in sorted((tmp_path / "a.zarr" / "c").rglob("*"))[::7]:
        if file.is_file():
            file.write_bytes(b"\0" + file.read_bytes()[1:])
    command = [sys.executable, "-m", "ioadr", "info", str(tmp_path / "a.zarr")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot be read as an array of views: Stored and computed checksum do not match" in done.stderr


@pytest.mark.parametrize("layout", [zarr_v2_group, zarr_v3])
def test_chunks_without_a_file_are_told(layout, tmp_path):
    path, options = layout(tmp_path, make_views())
    assert not any("no file" in note for note in read(path, **options).source.notes)
    array = path / "pictures" if layout is zarr_v2_group else path
    chunk = next(file for file in sorted(array.rglob("*")) if file.is_file() and "z" not in file.name)
    chunk.unlink()
    if layout is zarr_v3:  # its only one
        with pytest.raises(InputError):
            read(path, **options)
        return
    found = read(path, **options, dark="keep")
    assert "1 of 9 chunks have no file: read as 0, the fill value" in found.source.notes
