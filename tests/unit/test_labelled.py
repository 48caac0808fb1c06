"""Arrays with named dimensions."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

from ioadr import InputError, LightField
from ioadr.extras import install
from tests.builders import make_views
from tests.scenes import make_estimate


def test_without_xarray_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(InputError, match=re.escape(install("xarray"))):
        make_estimate(np.zeros((20, 24))).to_xarray()


def test_maps_have_names_dimensions_and_units():
    pytest.importorskip("xarray", reason="the extra xarray is not installed")
    estimate = make_estimate(np.linspace(-1, 1, 480).reshape(20, 24))
    found = estimate.to_xarray()
    assert dict(found.sizes) == {"row": 20, "column": 24, "axis": 3, "channel": 3}
    np.testing.assert_array_equal(found.disparity, estimate.disparity)
    assert found.depth.attrs["units"] == "relative"
    np.testing.assert_array_equal(found.normals.sel(axis="z"), estimate.normals[..., 2])


def test_views_have_names_and_offsets():
    pytest.importorskip("xarray", reason="the extra xarray is not installed")
    lightfield = LightField(make_views(grid=(3, 5), size=(8, 9)))
    found = lightfield.to_xarray()
    assert found.dims == ("view_row", "view_column", "row", "column", "channel")
    np.testing.assert_array_equal(found.offset_column.sel(view_row=0), [-2, -1, 0, 1, 2])
