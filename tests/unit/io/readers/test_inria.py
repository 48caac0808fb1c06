"""INRIA's synthetic folder: lf_R_C.png from 1, with true disparities that are not looked at."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr import InputError
from ioadr.io import read
from tests.builders import make_views, save_png
from tests.layouts import AS_STORED


def test_views_by_row_and_column_from_one(tmp_path):
    views = make_views(grid=(3, 4))
    for row, column in np.ndindex(3, 4):
        save_png(tmp_path / f"lf_{row + 1}_{column + 1}.png", views[row, column])
        np.save(tmp_path / f"disparity_{row + 1}_{column + 1}.npy", np.zeros((20, 24), np.float32))
    lightfield = read(tmp_path, **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert lightfield.source.format == "inria"
    assert "rows of views counted from 1, columns from 1, as in the names" in lightfield.source.notes
    assert any("12 other files in the folder not read: disparity_1_1.npy" in n for n in lightfield.source.notes)
    assert lightfield.range is None


def test_folders_without_such_views(tmp_path):
    with pytest.raises(InputError, match=r"holds no views lf_1_1.png"):
        read(tmp_path, format="inria")
