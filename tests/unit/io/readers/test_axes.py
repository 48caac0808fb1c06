"""Axes of an array: recognised by their lengths and reported, or refused."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from ioadr import InputError, LightField
from ioadr.io import read
from tests.builders import make_views
from tests.layouts import AS_STORED, hdf5_old_archive


def stored(folder, array, **options):
    np.save(folder / "a.npy", array)
    return read(folder / "a.npy", **AS_STORED, **options)


def test_colour_views_in_one_axis(tmp_path):
    views = make_views(grid=(5, 5), size=(26, 30))
    flat = views.reshape(25, 26, 30, 3)
    lightfield = stored(tmp_path, flat)
    np.testing.assert_array_equal(lightfield.views, views)
    notes = " | ".join(lightfield.source.notes)
    assert "axes read as [views, height, width, channels]" in notes
    assert '25 views: read as a 5×5 grid, along rows (grid="1x25" for a line' in notes
    np.testing.assert_array_equal(stored(tmp_path, flat, grid="1x25").views[0], flat)
    with pytest.raises(InputError, match="24 views do not fill a square grid"):
        stored(tmp_path, flat[:24])


def test_channels_before_the_pixels_of_counted_views(tmp_path):
    views = make_views(grid=(5, 5), size=(26, 30))
    flat = views.reshape(25, 26, 30, 3).transpose(0, 3, 1, 2)
    with pytest.raises(
        InputError, match=r"grey or \[views, channels, height, width\]\. Say which with axes=.vuyx. or axes=.ncyx."
    ):
        stored(tmp_path, flat)
    np.testing.assert_array_equal(stored(tmp_path, flat, grid="5x5").views, views)
    assert stored(tmp_path, flat, grid="25x3").channels == 1


def test_grey_views_are_said_to_be_so(tmp_path):
    views = make_views(grid=(3, 3), channels=1)
    lightfield = stored(tmp_path, views[..., 0])
    np.testing.assert_array_equal(lightfield.views, views)
    assert "axes read as [rows, columns, height, width], grey (`axes`)" in lightfield.source.notes


def test_more_views_than_pixels_are_not_guessed(tmp_path):
    with pytest.raises(InputError, match=r"may be \[views, height, width, channels\] or "):
        stored(tmp_path, np.zeros((100, 96, 64, 3), np.uint8))


def test_a_grid_that_the_array_contradicts(tmp_path):
    with pytest.raises(InputError, match="expected the 4×3 views of `grid`, found an array of 3×4"):
        stored(tmp_path, make_views(grid=(3, 4)), grid="4x3")


def test_a_row_of_colour_images_is_no_grid_of_slivers():
    row = make_views(grid=(1, 9))
    with pytest.raises(InputError, match=r"looks like \[views, height, width, channels\].*views\[None\] is one row"):
        LightField(row[0])
    assert LightField(row[0][None]).grid == (1, 9)


def test_the_old_archives_vertical_distance_becomes_eta(tmp_path):
    path, options = hdf5_old_archive(tmp_path, make_views())
    assert read(path, **options).eta == (1.0, 1.0)
    with h5py.File(path, "r+") as file:
        file.attrs["dV"] = 0.06
    lightfield = read(path, **options)
    assert lightfield.eta == pytest.approx((1.2, 1.0))
    assert any("rows of views are dV = 0.06 apart, columns dH = 0.05" in note for note in lightfield.source.notes)
    with h5py.File(path, "r+") as file:
        file.attrs["dV"] = -0.06
    with pytest.raises(InputError, match="expected positive camera distances dH and dV"):
        read(path, **options)


ORDERS = ("vucyx", "yxvuc", "yxcvu", "cvuyx", "cyxvu", "vyuxc", "yvxuc")


@pytest.mark.parametrize("letters", ORDERS)
def test_axes_in_any_usual_order(letters, tmp_path):
    views = make_views(grid=(7, 5), size=(20, 24))
    array = views.transpose(["vuyxc".index(letter) for letter in letters])
    lightfield = stored(tmp_path, array)
    np.testing.assert_array_equal(lightfield.views, views)
    assert any(note.startswith("axes read as [") and "`axes`" in note for note in lightfield.source.notes)
    np.testing.assert_array_equal(stored(tmp_path, array, axes=letters).views, views)


def test_axes_that_fit_twice_are_refused_and_may_be_given(tmp_path):
    views = make_views(grid=(3, 3), size=(20, 24))
    with pytest.raises(InputError, match=r"Say which with axes=.vucyx. or axes=.cvuyx."):
        stored(tmp_path, views.transpose(4, 0, 1, 2, 3))
    np.testing.assert_array_equal(stored(tmp_path, views.transpose(4, 0, 1, 2, 3), axes="cvuyx").views, views)
    last = make_views(grid=(1, 9), size=(20, 24))[0].transpose(1, 2, 3, 0)
    with pytest.raises(InputError, match=r"axes=.yxvu. or axes=.yxcn."):
        stored(tmp_path, last)
    assert stored(tmp_path, last, grid="3x3").channels == 3
    assert stored(tmp_path, last[:, :, 0], grid="3x3").channels == 1
    with pytest.raises(InputError, match="expected 4 letters for `axes`"):
        stored(tmp_path, last, axes="vuyxc")
    with pytest.raises(InputError, match="does not name the axes. Use v and u"):
        stored(tmp_path, last, axes="rcyx")


def test_the_array_of_views_among_others(tmp_path):
    views, other = make_views(grid=(3, 3)), np.zeros((300, 300, 3))
    np.savez(tmp_path / "a.npz", lf=views, colours=other, depth=np.zeros((3, 3, 20, 24, 3)), names=np.array(["x"]))
    lightfield = read(tmp_path / "a.npz", **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "array lf read, not colours, depth, names (`array`)" in lightfield.source.notes
    np.savez(tmp_path / "b.npz", left=views, right=views[::-1])
    with pytest.raises(InputError, match="holds several arrays that may be the views: left .* and right "):
        read(tmp_path / "b.npz")
    np.testing.assert_array_equal(read(tmp_path / "b.npz", array="right", **AS_STORED).views, views[::-1])
    with pytest.raises(InputError, match="has no array 'up'. Give one of its arrays: `array` left, right"):
        read(tmp_path / "b.npz", array="up")
    with h5py.File(tmp_path / "c.h5", "w") as file:
        file["data"], file["label"] = views, np.zeros((3, 3, 20, 24), np.float64)
    assert "array data read, not label (`array`)" in read(tmp_path / "c.h5", **AS_STORED).source.notes


def test_arrays_in_groups_of_hdf5(tmp_path):
    """`--array data/views` answered that the file had no arrays."""
    views = make_views()
    with h5py.File(tmp_path / "d.h5", "w") as file:
        file["data/views"], file["#refs#/views"] = views, views
        file["data/again"] = file["data"]  # a group inside itself
    np.testing.assert_array_equal(read(tmp_path / "d.h5", **AS_STORED).views, views)
    np.testing.assert_array_equal(read(tmp_path / "d.h5", array="data/views", **AS_STORED).views, views)
    with h5py.File(tmp_path / "e.h5", "w") as file:
        file["data"] = h5py.ExternalLink("d.h5", "/data")
    with pytest.raises(InputError, match="has no array 'data/views'. It has none of 3 to 5 axes"):
        read(tmp_path / "e.h5", array="data/views")
