"""Maps of every view come back from their file, one at a time."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

from ioadr import InputError, load_views
from ioadr.io.results.view_files import views_writer
from tests.unit.views.scenes import every_view


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    target = tmp_path_factory.mktemp("views") / "out"
    every_view().save(target, report=False)
    return target


def test_everything_comes_back(folder):
    saved, loaded = every_view(), load_views(folder)
    for name in ("index", "disparity", "confidence", "source"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(saved, name))
    np.testing.assert_array_equal(loaded.estimate.disparity, saved.estimate.disparity)
    for one, other in zip(saved.surfaces, loaded.surfaces, strict=True):
        assert (one.view, one.offset) == (other.view, other.offset)
        for name in ("disparity", "confidence", "coverage", "kept", "image"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert loaded.lightfield is None


def test_maps_stay_in_the_file(folder):
    assert isinstance(load_views(folder).disparity, np.memmap)


def test_numpy_reads_it_too_and_dimensions_have_names(folder):
    with np.load(folder / "views.npz") as content:
        np.testing.assert_array_equal(content["disparity"], every_view().disparity)
    labelled = load_views(folder).to_xarray()
    assert labelled["disparity"].dims == ("view", "row", "column")
    corner = labelled.set_index(view=("view_row", "view_column")).sel(view_row=0, view_column=6)
    np.testing.assert_array_equal(np.squeeze(corner["disparity"].values), every_view().map_of((0, 6)))


def test_packed_again_by_others_it_is_still_read(folder, tmp_path):
    for name in ("estimate.npz", "provenance.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with (
        zipfile.ZipFile(folder / "views.npz") as old,
        zipfile.ZipFile(tmp_path / "views.npz", "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name))
    np.testing.assert_array_equal(load_views(tmp_path).disparity, every_view().disparity)


def test_a_result_without_all_views_is_named(tmp_path):
    every_view().estimate.save(tmp_path / "one", report=False)
    with pytest.raises(InputError, match=r"holds no maps of every view \(views.npz\).*--every-view.*estimate_views"):
        load_views(tmp_path / "one")


@pytest.mark.parametrize("damage", ["cut", "missing", "size", "text"])
def test_a_damaged_file_is_explained(folder, tmp_path, damage):
    for name in ("estimate.npz", "provenance.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    content = (folder / "views.npz").read_bytes()
    target = tmp_path / "views.npz"
    if damage == "cut":
        target.write_bytes(content[: len(content) // 2])
    elif damage == "text":
        target.write_text("no archive")
    else:
        with np.load(folder / "views.npz") as arrays:
            kept = {name: arrays[name] for name in arrays.files if damage == "size" or name != "source"}
        if damage == "size":
            kept["disparity"] = kept["disparity"][:, :-1]
        with zipfile.ZipFile(folder / "views.npz") as old:
            description = old.read("description.json")
        np.savez(target, **kept)
        with zipfile.ZipFile(target, "a") as archive:
            archive.writestr("description.json", description)
    with pytest.raises(InputError, match="views.npz"):
        load_views(tmp_path)


def repacked(folder, target, **changes):
    """The result with other arrays or another text; None leaves one out."""
    for name in ("estimate.npz", "provenance.json"):
        (target / name).write_bytes((folder / name).read_bytes())
    with zipfile.ZipFile(folder / "views.npz") as old, zipfile.ZipFile(target / "views.npz", "w") as new:
        for name in old.namelist():
            key = name.partition(".")[0]
            if key not in changes:
                new.writestr(name, old.read(name))
            elif isinstance(changes[key], np.ndarray):
                with new.open(name, "w") as stream:
                    np.lib.format.write_array(stream, changes[key], allow_pickle=False)
            else:
                new.writestr(name, json.dumps(changes[key]))
    return target


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("disparity", lambda maps: maps.astype(np.int32)),
        ("source", lambda maps: maps.astype(np.float32)),
        ("index", lambda index: index + 1000),
        ("index", lambda index: index.astype("U4")),
        ("anchor_kept", lambda kept: kept.astype(np.uint8)),
        ("anchor_image", lambda images: images[:, :, :-1]),
    ],
)
def test_arrays_that_no_result_holds_are_refused(folder, tmp_path, name, change):
    with np.load(folder / "views.npz") as arrays:
        changed = change(arrays[name])
    with pytest.raises(InputError, match=r"views\.npz: not what `ioadr estimate` writes"):
        load_views(repacked(folder, tmp_path, **{name: changed}))


@pytest.mark.parametrize(
    "anchors", [None, "x", [[[0, "a"], [0, 0]]], [[[0, 0], [0, float("nan")]]], [[[99, 0], [0, 0]]]]
)
def test_anchors_that_no_result_holds_are_refused(folder, tmp_path, anchors):
    with pytest.raises(InputError, match=r"views\.npz: not what `ioadr estimate` writes"):
        load_views(repacked(folder, tmp_path, description={"anchors": anchors}))


def test_damage_inside_a_map_is_noticed_though_maps_stay_in_the_file(folder, tmp_path):
    for name in ("estimate.npz", "provenance.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    content = bytearray((folder / "views.npz").read_bytes())
    content[5000] ^= 1
    (tmp_path / "views.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"views\.npz: cannot be read as maps of every view: Bad CRC-32"):
        load_views(tmp_path)


def test_the_same_maps_are_the_same_bytes(folder, tmp_path, monkeypatch):
    """At another time."""
    monkeypatch.setattr("time.time", lambda: 1e9)
    monkeypatch.setattr("time.localtime", lambda *_: (2001, 9, 9, 1, 46, 40))
    views_writer(every_view())(tmp_path / "views.npz")
    assert (tmp_path / "views.npz").read_bytes() == (folder / "views.npz").read_bytes()


def test_bombs_are_refused_before_they_are_unpacked(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("IOADR_MEMORY_LIMIT", "20M")
    for name in ("estimate.npz", "provenance.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    for bomb in ("description.json", "disparity.npy"):
        with zipfile.ZipFile(tmp_path / "views.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(bomb, b" " * 30_000_000)
            if bomb != "description.json":
                archive.writestr("description.json", "{}")
        with pytest.raises(InputError, match=r"a description of 30000000 bytes|the limit is 20 MB"):
            load_views(tmp_path)
