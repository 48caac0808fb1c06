"""lightfield.toml: any arrangement of cameras."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ioadr import InputError
from ioadr.io import read
from tests.builders import make_views, save_png
from tests.layouts import AS_STORED


def write(folder, text, views):
    for number, view in enumerate(views):
        save_png(folder / f"cam_{number:02d}.png", view)
    (folder / "lightfield.toml").write_text(text)
    return folder


def test_without_a_name_the_folder_names_the_light_field(tmp_path):
    """Reports of all captures were called "lightfield.toml"."""
    views = make_views().reshape(9, 20, 24, 3)
    folder = write(tmp_path / "photos", 'files = "cam_{index:02d}.png"\ngrid = [3, 3]\n', views)
    assert read(folder).name == read(folder / "lightfield.toml").name == "photos"
    text = (folder / "lightfield.toml").read_text(encoding="utf-8")
    (folder / "lightfield.toml").unlink()
    (folder / "left.toml").write_bytes(text.encode("utf-8-sig"))  # as editors of Windows write it
    assert read(folder / "left.toml").name == "left.toml"


def test_an_irregular_array(tmp_path):
    random = np.random.default_rng(1)
    positions = random.uniform(0, 4, (12, 2))
    views = make_views(grid=(3, 4)).reshape(12, 20, 24, 3)
    text = f"""
        name = "ring"
        files = "cam_{{index:02d}}.png"
        positions = {positions.tolist()}
        unit = 2.0
        reference = 7
        range = [-1.5, 2.0]
        eta = [1.0, 1.2]
        white = 250
        [camera]
        focal_length_mm = 50
        sensor_size_mm = 36
        baseline_mm = 12.5
        focus_distance_m = 3
    """
    lightfield = read(write(tmp_path, text, views))
    assert lightfield.grid == (1, 12)
    assert lightfield.reference == (0, 7)
    expected = (positions - positions[7]) / 2.0 * np.array([1.0, 1.2])
    np.testing.assert_allclose(lightfield.offsets[0], expected, atol=1e-12)
    assert lightfield.name == "ring"
    assert lightfield.white == 250
    assert lightfield.camera is not None
    assert (lightfield.camera.width, lightfield.camera.height) == (24, 20)
    assert lightfield.range is not None
    assert (lightfield.range.minimum, lightfield.range.maximum, lightfield.range.origin) == (-1.5, 2.0, "file")
    np.testing.assert_array_equal(lightfield.views[0], views)


@pytest.mark.parametrize(("scale", "noted"), [(0.02, True), (0.5, False), (1.0, False), (3.0, False), (25.0, True)])
def test_positions_in_another_unit_are_noted(scale, noted, tmp_path):
    """In metres or millimetres, maps were less accurate, and nothing said why."""
    positions = scale * np.moveaxis(np.mgrid[:3, :3], 0, -1).reshape(9, 2)
    text = f'files = "cam_{{index:02d}}.png"\npositions = {positions.tolist()}\n'
    path = write(tmp_path, text, make_views().reshape(9, 20, 24, 3))
    message = f"neighbouring views are {scale:g} baseline units apart"
    assert any(message in note for note in read(path).source.notes) == noted
    (path / "lightfield.toml").write_text(f"unit = {scale}\n{text}")
    assert not any("baseline units apart" in note for note in read(path).source.notes)


def test_the_reference_survives_a_subset(tmp_path):
    views = make_views(grid=(5, 5)).reshape(25, 20, 24, 3)
    path = write(tmp_path, 'files = "cam_{index}.png"\ngrid = [5, 5]\nreference = 6', views)
    assert read(path, **AS_STORED).reference == (1, 1)
    assert read(path, views="3x3", **AS_STORED).reference == (0, 0)
    assert read(path, every=2, **AS_STORED).reference == (1, 1), "gone: the centre takes its place"


def test_missing_views_in_a_list(tmp_path):
    views = make_views(grid=(3, 3)).reshape(9, 20, 24, 3)
    names = [f"cam_{number:02d}.png" if number != 4 else "" for number in range(9)]
    lightfield = read(write(tmp_path, f"files = {json.dumps(names)}\ngrid = [3, 3]", views), **AS_STORED)
    assert lightfield.view_count == 8
    assert lightfield.present is not None
    assert not lightfield.present[1, 1]


@pytest.mark.parametrize("order", ["row", "column", "serpentine"])
def test_the_order_of_counting(order, tmp_path):
    views = make_views(grid=(3, 4))
    counted = views.swapaxes(0, 1) if order == "column" else views.copy()
    if order == "serpentine":
        counted[1] = views[1, ::-1]
    text = f'files = "cam_{{index}}.png"\ngrid = [3, 4]\norder = "{order}"'
    lightfield = read(write(tmp_path, text, counted.reshape(12, 20, 24, 3)), **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)


def test_any_toml_name_and_rows_and_columns(tmp_path):
    views = make_views(grid=(3, 3))
    for row, column in np.ndindex(3, 3):
        save_png(tmp_path / "deep" / f"{row}" / f"{column}.png", views[row, column])
    (tmp_path / "scene.toml").write_text('files = "deep/{row}/{col}.png"')
    np.testing.assert_array_equal(read(tmp_path / "scene.toml", **AS_STORED).views, views)


def by_row_and_column(folder, text, views, missing=()):
    for row, column in np.ndindex(*views.shape[:2]):
        if (row, column) not in missing:
            save_png(folder / f"v_{row}_{column}.png", views[row, column])
    (folder / "lightfield.toml").write_text('files = "v_{row}_{col}.png"\n' + text)
    return folder


def test_positions_of_files_by_row_and_column_are_used(tmp_path):
    views = make_views(grid=(3, 4))
    positions = np.random.default_rng(0).uniform(0, 4, (12, 2))
    text = f"positions = {positions.tolist()}\nunit = 2.0\nreference = 5\ngrid = [3, 4]"
    lightfield = read(by_row_and_column(tmp_path, text, views))
    np.testing.assert_array_equal(lightfield.views, views)
    assert lightfield.positions is not None
    np.testing.assert_allclose(lightfield.positions, positions.reshape(3, 4, 2) / 2)
    assert lightfield.reference == (1, 1)


def test_positions_and_reference_count_the_files_that_are_there(tmp_path):
    views, missing = make_views(grid=(3, 4)), ((0, 1), (2, 0))
    positions = np.random.default_rng(0).uniform(0, 4, (10, 2))
    lightfield = read(by_row_and_column(tmp_path, f"positions = {positions.tolist()}\nreference = 9", views, missing))
    assert lightfield.positions is not None
    np.testing.assert_allclose(lightfield.positions[lightfield.present], positions)
    assert lightfield.reference == (2, 3)


UNUSED = {
    "grid": ("grid = [4, 3]", "the file names have 3×4 views"),
    "order": ('order = "column"', "expected no order, because the file names have {row} and {col}"),
    "unit": ("unit = 2.0", "expected a positive unit, together with positions"),
    "positions": ("positions = [[0, 0], [0, 1]]", r"finite numbers of shape \(12, 2\) for positions"),
    "fractions": ("grid = [3.5, 4]", "expected whole rows and columns for grid"),
}


@pytest.mark.parametrize(("text", "message"), UNUSED.values(), ids=UNUSED)
def test_what_is_declared_and_cannot_be_used_is_refused(text, message, tmp_path):
    with pytest.raises(InputError, match=message):
        read(by_row_and_column(tmp_path, text, make_views(grid=(3, 4))))


def test_an_order_needs_a_grid(tmp_path):
    positions = np.random.default_rng(0).uniform(0, 4, (12, 2)).tolist()
    text = f'files = "cam_{{index}}.png"\npositions = {positions}\norder = "column"'
    with pytest.raises(InputError, match="expected a grid for the order"):
        read(write(tmp_path, text, make_views(grid=(3, 4)).reshape(12, 20, 24, 3)))


def test_the_order_on_the_command_line_goes_before_the_manifest(tmp_path):
    views = make_views(grid=(3, 4)).reshape(12, 20, 24, 3)
    text = 'files = "cam_{index:02d}.png"\ngrid = [3, 4]\norder = "column"\n'
    folder = write(tmp_path, text, views)
    by_column = read(folder, **AS_STORED).views
    np.testing.assert_array_equal(by_column, views.reshape(4, 3, 20, 24, 3).swapaxes(0, 1))
    by_row = read(folder, order="row", **AS_STORED).views
    np.testing.assert_array_equal(by_row, views.reshape(3, 4, 20, 24, 3))
