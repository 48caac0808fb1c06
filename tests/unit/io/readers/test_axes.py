"""What an array's axes are: told by their lengths and said, or refused."""

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
    assert '25 views: taken for a 5×5 grid, along rows (grid="1x25" for a line' in notes
    np.testing.assert_array_equal(stored(tmp_path, flat, grid="1x25").views[0], flat)
    with pytest.raises(InputError, match="expected a square number of views, found 24"):
        stored(tmp_path, flat[:24])


def test_channels_before_the_pixels_of_counted_views(tmp_path):
    views = make_views(grid=(5, 5), size=(26, 30))
    flat = views.reshape(25, 26, 30, 3).transpose(0, 3, 1, 2)
    with pytest.raises(InputError, match=r"which may be grey views or \[views, channels, height, width\]"):
        stored(tmp_path, flat)
    np.testing.assert_array_equal(stored(tmp_path, flat, grid="5x5").views, views)
    assert stored(tmp_path, flat, grid="25x3").channels == 1


def test_grey_views_are_said_to_be_so(tmp_path):
    views = make_views(grid=(3, 3), channels=1)
    lightfield = stored(tmp_path, views[..., 0])
    np.testing.assert_array_equal(lightfield.views, views)
    assert "axes read as [rows, columns, height, width], grey" in lightfield.source.notes


def test_more_views_than_pixels_are_not_guessed(tmp_path):
    with pytest.raises(InputError, match=r"which may be grey views or \[views, height, width, channels\]"):
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
