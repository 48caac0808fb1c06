"""What is written reads back: all of it in NPZ and Zarr, and in a folder with its manifest."""

from __future__ import annotations

import asyncio
import errno
import itertools
import math
import os
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from zarr.codecs import ZstdCodec

from ioadr import DisparityRange, OutputError
from ioadr.io import read
from ioadr.io.lightfield_files import write_lightfield
from ioadr.part import Part, Window
from tests.builders import make_camera, make_lightfield

NAMES = ["out.npz", "out.zarr", "folder"]


def same(found, expected):
    np.testing.assert_array_equal(found.views, expected.views)
    np.testing.assert_allclose(found.positions, expected.positions, atol=1e-12)
    np.testing.assert_array_equal(found.present, expected.present)
    for name in ("camera", "reference", "eta", "white", "name"):
        assert getattr(found, name) == getattr(expected, name), name
    assert (found.range and (found.range.minimum, found.range.maximum)) == (
        expected.range and (expected.range.minimum, expected.range.maximum)
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("dtype", "channels"), [("uint8", 3), ("uint16", 3), ("uint16", 1)])
def test_an_ordinary_light_field(name, dtype, channels, tmp_path):
    lightfield = make_lightfield(camera=make_camera(), dtype=dtype, channels=channels, name=name)
    path = write_lightfield(lightfield, tmp_path / name)
    same(read(path), lightfield)
    assert (tmp_path / "folder" / "lightfield.toml").exists() is False


@pytest.mark.parametrize("name", NAMES)
def test_everything_a_light_field_knows(name, tmp_path):
    random = np.random.default_rng(0)
    present = np.ones((3, 4), bool)
    present[2, 1] = False
    lightfield = make_lightfield(
        grid=(3, 4),
        camera=replace(make_camera(30, 40), axis_offset=(0.0, 0.5), focus_distance_m=math.inf),
        part=Part(Window(3, 5, 23, 29), 40, 30),
        positions=random.uniform(0, 3, (3, 4, 2)),
        present=present,
        reference=(0, 2),
        eta=(1.0, 0.9),
        white=222.0,
        range=DisparityRange(-0.25, 1.75, "user"),
        name='ünïcode "name"',
    )
    lightfield.views[2, 1] = 0
    same(read(write_lightfield(lightfield, tmp_path / name)), lightfield)


@pytest.mark.parametrize("name", NAMES)
def test_without_a_camera(name, tmp_path):
    lightfield = make_lightfield(range=None, name="plain")
    same(read(write_lightfield(lightfield, tmp_path / name)), lightfield)


@pytest.mark.parametrize("name", NAMES)
def test_floats(name, tmp_path):
    lightfield = make_lightfield(dtype="float32", camera=make_camera(), name=name)
    found = read(write_lightfield(lightfield, tmp_path / name))
    if name == "folder":
        assert found.views.dtype == np.uint16
        np.testing.assert_allclose(found.views / 65535, lightfield.views, atol=1e-5)
    else:
        same(found, lightfield)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_replaced(name, tmp_path):
    lightfield = make_lightfield(camera=make_camera())
    path = write_lightfield(lightfield, tmp_path / name)
    with pytest.raises(OutputError, match="already exists"):
        write_lightfield(lightfield, path)
    same(read(path), lightfield.with_(name=read(path).name))


def test_a_failure_leaves_nothing(tmp_path, monkeypatch):
    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ioadr.io.lightfield_files._write_png", fail)
    with pytest.raises(OutputError, match="disk is full"):
        write_lightfield(make_lightfield(), tmp_path / "out" / "folder")
    assert not (tmp_path / "out" / "folder").exists()
    assert list(tmp_path.rglob("*.png")) == []


@pytest.mark.parametrize("camera", [None, make_camera()])
def test_floats_beyond_white_are_not_clipped(camera, tmp_path):
    views = make_lightfield(dtype="float32").views * 3.0
    lightfield = make_lightfield(dtype="float32", camera=camera).with_(views=views, white=1.25)
    found = read(write_lightfield(lightfield, tmp_path / "folder"), flip_rows=False, flip_columns=False)
    assert found.white is not None
    assert found.white < 65535
    np.testing.assert_allclose(found.views / found.white, views / 1.25, atol=1e-4)
    assert found.views.max() == 65535


def test_negative_floats_are_no_png(tmp_path):
    views = make_lightfield(dtype="float32").views - 0.2
    with pytest.raises(OutputError, match="cannot hold negative samples; the smallest is -0.1.*NAME.npz or NAME.zarr"):
        write_lightfield(make_lightfield(dtype="float32").with_(views=views), tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
    path = write_lightfield(make_lightfield(dtype="float32").with_(views=views), tmp_path / "a.npz")
    np.testing.assert_array_equal(read(path).views, views)


def test_what_a_description_says_beyond_is_noted(tmp_path):
    import zarr

    path = write_lightfield(make_lightfield(), tmp_path / "a.zarr")
    assert read(path).source.notes == ()
    zarr.open_array(str(path), mode="r+").attrs["exposure"] = 3
    assert read(path).source.notes == ("the file has unused entries: exposure",)


def test_a_full_disk_leaves_nothing_of_a_zarr_array(tmp_path, monkeypatch):
    """Its other chunks are still being packed when the first one fails; none may be written afterwards."""
    pack, times = ZstdCodec._encode_single, itertools.count()

    async def late(self: Any, *arguments: Any) -> Any:
        if next(times) == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        await asyncio.sleep(0.2)
        return await pack(self, *arguments)

    monkeypatch.setattr(ZstdCodec, "_encode_single", late)
    with pytest.raises(OutputError, match="the disk is full"):
        write_lightfield(make_lightfield(), tmp_path / "a.zarr")
    time.sleep(0.4)
    assert list(tmp_path.iterdir()) == []
