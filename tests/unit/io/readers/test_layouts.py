"""The same light field comes out of every layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ioadr import InputError, LightField
from ioadr.io import read
from ioadr.io.registry import formats
from tests.builders import make_lightfield, make_views
from tests.layouts import FLOAT_LAYOUTS, LAYOUTS, npy, row_and_column
from tests.messages import explains

FORMATS = {
    "tiff_folder": "folder",
    "row_and_column": "folder",
    "column_and_row": "folder",
    "counted_from_one": "folder",
    "lenslets": "mosaic",
    "quilt": "mosaic",
    "npz": "numpy",
}


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_every_layout_reads_back(layout, tmp_path):
    views = make_views(grid=(3, 4), size=(10, 14))
    path, options = layout(tmp_path, views)
    lightfield = read(path, **options)
    np.testing.assert_array_equal(lightfield.views, views)
    regular = make_lightfield(grid=(3, 4), size=(10, 14))
    np.testing.assert_allclose(lightfield.offsets, regular.offsets, atol=1e-9)
    expected = FORMATS.get(layout.__name__, layout.__name__.split("_")[0])
    assert lightfield.source.format == {"npy": "numpy"}.get(expected, expected)
    assert lightfield.source.recognised is True


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize(("dtype", "channels"), [("uint8", 1), ("uint16", 1), ("uint16", 3)])
def test_grey_and_16_bits(layout, dtype, channels, tmp_path):
    views = make_views(grid=(3, 3), size=(12, 10), dtype=dtype, channels=channels)
    path, options = layout(tmp_path, views)
    lightfield = read(path, **options)
    np.testing.assert_array_equal(lightfield.views, views)
    assert lightfield.views.dtype == dtype


@pytest.mark.parametrize("layout", FLOAT_LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats(layout, dtype, tmp_path):
    views = make_views(grid=(3, 3), size=(12, 10), dtype=dtype)
    path, options = layout(tmp_path, views)
    lightfield = read(path, **options)
    np.testing.assert_array_equal(lightfield.views, views.astype(np.float32))
    assert lightfield.white == 1.0


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout.__name__ != "hci_along_columns"])
def test_a_part_of_every_layout(layout, tmp_path):
    views = make_views(grid=(5, 5), size=(12, 10))
    path, options = layout(tmp_path, views)
    lightfield = read(path, views="3x3", crop=(2, 1, 7, 8), skip=((1, 2),), **options)
    expected = views[1:4, 1:4, 2:9, 1:9].copy()
    expected[0, 1] = 0
    np.testing.assert_array_equal(lightfield.views, expected)
    assert lightfield.present is not None
    assert not lightfield.present[0, 1]
    assert lightfield.view_count == 8


def test_the_users_format_wins_and_unknown_ones_are_listed(tmp_path):
    path, options = row_and_column(tmp_path, make_views())
    lightfield = read(path, format="folder", **options)
    assert lightfield.source.recognised is False
    with pytest.raises(InputError, match="unknown format 'png'. Available: manifest, hci, .*folder"):
        read(path, format="png")
    with pytest.raises(InputError, match=r"holds no views input_Cam000.png"):
        read(path, format="hci")


def test_names_are_unique_and_the_order_is_meant():
    names = [item.name for item in formats()]
    assert len(set(names)) == len(names)
    assert names[:2] == ["manifest", "hci"]
    assert names[-2:] == ["mosaic", "folder"]


def test_a_question_mark_lists_the_formats(tmp_path):
    with pytest.raises(InputError, match=", ".join(item.name for item in formats())):
        read(tmp_path, format="?")


@pytest.mark.parametrize("missing", [(0, 0), (1, 2)])
def test_a_hole_in_a_folder_is_an_absent_view(missing, tmp_path):
    views = make_views(grid=(3, 4))
    path, options = row_and_column(tmp_path, views)
    (path / f"2067_{missing[0] + 1:02d}_{missing[1] + 1:02d}.png").unlink()
    lightfield = read(path, **options)
    assert lightfield.view_count == 11
    assert lightfield.present is not None
    assert not lightfield.present[missing]
    assert f"1 of 12 views has no file: {missing[0]},{missing[1]}" in lightfield.source.notes


def read_or_refusal(path: Path, **options: Any) -> LightField | str:
    try:
        return read(path, **options)
    except InputError as error:
        return str(error)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.integers(1, 6),
    columns=st.integers(1, 6),
    height=st.integers(1, 40),
    width=st.integers(1, 40),
    channels=st.integers(1, 5),
    dtype=st.sampled_from(["uint8", "uint16", "float32", "float64", "float16", "int32", "bool", "complex64"]),
    every=st.integers(1, 3),
    scale=st.sampled_from([0.3, 0.5, 1.0, 1.7]),
)
def test_any_array_works_or_says_why_not(tmp_path, rows, columns, height, width, channels, dtype, every, scale):
    """Law: a light field that fits its options, or one InputError in one paragraph."""
    random = np.random.default_rng(rows * columns * height * width)
    views = (random.random((rows, columns, height, width, channels)) * 200).astype(dtype)
    path, _ = npy(tmp_path, views)
    lightfield = read_or_refusal(path, every=every, scale=scale)
    if isinstance(lightfield, str):
        assert explains(lightfield), lightfield
        return
    assert np.isfinite(lightfield.views).all()
    assert lightfield.channels in (1, 3)
    assert lightfield.views.dtype.name in ("uint8", "uint16", "float32")
