"""Which files are views, and where they belong: decided by names and said, or refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ioadr import InputError
from ioadr.io import read
from ioadr.io.capture import numbered_grid
from tests.builders import make_views, save_png, write_hci_scene
from tests.layouts import AS_STORED, row_and_column


def save(folder: Path, views: Any, name: str) -> Path:
    """Views of a grid as files; `name` is formatted with row, col and index."""
    for index, (row, col) in enumerate(np.ndindex(*views.shape[:2])):
        save_png(folder / name.format(row=row, col=col, index=index), views[row, col])
    return folder


def notes(lightfield: Any) -> str:
    return " | ".join(lightfield.source.notes)


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(path, **(AS_STORED | options))
    return str(caught.value)


@pytest.mark.parametrize(("name", "grid"), [("01_{index:02d}.png", (1, 9)), ("r{index:02d}_c04.png", (9, 1))])
def test_a_constant_row_or_column_is_a_line(name, grid, tmp_path):
    views = make_views(grid=grid)
    line = read(save(tmp_path, views, name), **AS_STORED)
    assert line.grid == grid
    np.testing.assert_array_equal(line.views, views)
    assert '9 views in a line (grid="3x3" for a grid)' in notes(line)
    folded = read(tmp_path, grid="3x3", **AS_STORED)
    np.testing.assert_array_equal(folded.views, views.reshape(3, 3, *views.shape[2:]))


@pytest.mark.parametrize("name", ["view_{index:03d}.png", "2067_{index}.png", "scene1_{index:03d}.png"])
def test_counted_files_are_a_square_and_that_is_said(name, tmp_path):
    lightfield = read(save(tmp_path, make_views(grid=(3, 3)), name), **AS_STORED)
    assert lightfield.grid == (3, 3)
    assert 'read as a 3×3 grid, along rows (grid="1x9" for a line, `order`)' in notes(lightfield)


LETTERED = ["{R}{n}.png", "{r}{n:02d}.png", "view_{r}_{n}.png", "cam-{R}-{n}.png", "2067_{R}{n:03d}_v2.png"]
LETTERED += ["{t}{n}.png", "cam{R}{n}.png", "row_{r}_col_{n}.png", "row{R}col{n}.png", "col_{n}_row_{r}.png"]


def lettered(folder, views, name):
    for row, col in np.ndindex(*views.shape[:2]):
        save_png(folder / name.format(R="ABCDE"[row], r="abcde"[row], t="tuvw"[row % 4], n=col + 1), views[row, col])
    return folder


@pytest.mark.parametrize("name", LETTERED)
def test_letters_are_rows_and_that_is_said(name, tmp_path):
    """Each letter was mistaken for a separate capture, and the advice was to read one row only."""
    views = make_views(grid=(4, 5))
    lightfield = read(lettered(tmp_path, views, name), **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "are rows, numbers columns (transpose=True)" in notes(lightfield)


@pytest.mark.parametrize("name", ["{n}{R}.png", "row_{n}_col_{r}.png"])
def test_letters_behind_numbers_are_columns(name, tmp_path):
    views = make_views(grid=(4, 5))
    lightfield = read(lettered(tmp_path, views, name), **AS_STORED)
    np.testing.assert_array_equal(lightfield.views.swapaxes(0, 1), views)
    assert "are columns, numbers rows (transpose=True)" in notes(lightfield)


def test_a_pattern_may_name_letters(tmp_path):
    views = make_views(grid=(3, 9))
    lettered(tmp_path, views, "cam{R}-{n}.png")
    message = refusal(tmp_path)
    assert "holds several sets of views: 9 like camA-1.png" in message
    assert 'If the letters are rows or columns, read all with pattern="cam{row}-{col}.png"' in message
    np.testing.assert_array_equal(read(tmp_path, pattern="cam{row}-{col}.png", **AS_STORED).views, views)


def test_a_missing_lettered_view_is_a_hole(tmp_path):
    lettered(tmp_path, make_views(grid=(4, 5)), "{R}{n}.png")
    (tmp_path / "B3.png").unlink()
    assert "1 of 20 views has no file: 1,2" in notes(read(tmp_path, **AS_STORED))


def test_letters_that_name_captures_are_refused(tmp_path):
    """Left and right images, and letters far apart, are not rows."""
    views = make_views(grid=(3, 3))
    for folder, letters in (("stereo", "LR"), ("apart", "AFX")):
        (tmp_path / folder).mkdir()
        for letter in letters:
            save(tmp_path / folder, views, letter + "_{index}.png")
        assert "holds several sets of views" in refusal(tmp_path / folder)


def test_gaps_in_counted_files_are_refused_and_may_be_named(tmp_path):
    views = make_views(grid=(5, 5))
    save(tmp_path, views, "view_{index:02d}.png")
    lost = (1, 3, 6, 8, 12, 15, 17, 20, 22)
    for number in lost:
        (tmp_path / f"view_{number:02d}.png").unlink()
    message = refusal(tmp_path)
    assert "16 of 25 files, view_00.png to view_24.png; missing number 1, 3, 6, 8, 12, 15 …" in message
    assert 'grid="5x5" skip="missing"' in message
    assert "missing" in refusal(tmp_path, grid="5x5")
    lightfield = read(tmp_path, grid="5x5", skip="missing", **AS_STORED)
    assert lightfield.present is not None
    assert sorted(np.flatnonzero(~lightfield.present.ravel())) == list(lost)
    np.testing.assert_array_equal(lightfield.views[4, 4], views[4, 4])


def test_seconds_are_not_positions(tmp_path):
    """Nine photographs within a minute were read as 9 of 32 views of a line, as far apart as the seconds."""
    views = make_views().reshape(9, 20, 24, 3)
    for second, view in zip((17, 21, 24, 27, 31, 35, 40, 44, 48), views, strict=True):
        save_png(tmp_path / f"2021-04-30_08.06.{second}.png", view)
    assert "the file numbers have gaps: 9 of 32 files" in refusal(tmp_path)
    lightfield = read(tmp_path, grid="3x3", **AS_STORED)
    np.testing.assert_array_equal(lightfield.views.reshape(views.shape), views)


def test_views_missing_at_the_end_keep_their_places(tmp_path):
    views = make_views(grid=(3, 4))
    save(tmp_path, views, "view_{index:02d}.png")
    (tmp_path / "view_11.png").unlink()
    lightfield = read(tmp_path, grid="3x4", skip="missing", **AS_STORED)
    np.testing.assert_array_equal(lightfield.views[lightfield.present], views.reshape(12, 20, 24, 3)[:11])
    assert "11 views, view_00.png to view_10.png, do not fill the grid of 3×4" in refusal(tmp_path, grid="3x4")


def test_hci_numbered_from_one(tmp_path):
    views = make_views(grid=(3, 4))
    scene = write_hci_scene(tmp_path / "scene", views)
    for number in reversed(range(12)):
        (scene / f"input_Cam{number:03d}.png").rename(scene / f"input_Cam{number + 1:03d}.png")
    lightfield = read(scene, **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "views numbered from 1, as the last is input_Cam012.png" in notes(lightfield)
    (scene / "input_Cam005.png").unlink()
    assert "missing input_Cam005.png" in refusal(scene)


def test_hci_with_surplus_views_or_another_grid_is_refused(tmp_path):
    scene = write_hci_scene(tmp_path / "scene", make_views(grid=(5, 5)))
    message = refusal(scene, grid="3x3")
    assert "views beyond the 3×3 grid (0 … 8): input_Cam009.png" in message
    shutil.copy(scene / "input_Cam000.png", scene / "input_Cam025.png")
    assert "views beyond the 5×5 grid (0 … 24): input_Cam025.png" in refusal(scene)


@pytest.mark.parametrize("name", ["v_{row:d}_{col:d}.png", "{row:d}_{col:d}.png", "v{row:d}_{col:d}.png"])
def test_rows_and_columns_around_zero(name, tmp_path):
    views = make_views(grid=(5, 5))
    for row, col in np.ndindex(5, 5):
        save_png(tmp_path / name.format(row=row - 2, col=col - 2), views[row, col])
    np.testing.assert_array_equal(read(tmp_path, **AS_STORED).views, views)
    np.testing.assert_array_equal(read(tmp_path, pattern=name.replace(":d", ""), **AS_STORED).views, views)


def test_a_dash_is_no_minus(tmp_path):
    views = make_views(grid=(1, 9)).reshape(3, 3, 20, 24, 3)
    save(tmp_path, views, "view-{row}-{col}.png")
    np.testing.assert_array_equal(read(tmp_path, **AS_STORED).views, views)


@pytest.mark.parametrize("kind", ["depth", "disparity", "mask", "thumb"])
def test_maps_never_win_over_views_and_are_named(kind, tmp_path):
    views = make_views(grid=(3, 3))
    save(tmp_path, 255 - make_views(grid=(4, 4)), kind + "_{row}_{col}.png")
    save(tmp_path, views, "view_{row}_{col}.png")
    lightfield = read(tmp_path, **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert f"16 other files in the folder not read: {kind}_0_0.png" in notes(lightfield)


def test_two_sets_of_views_are_refused(tmp_path):
    save(tmp_path, make_views(), "left_{row}_{col}.png")
    save(tmp_path, make_views(), "right_{row}_{col}.png")
    message = refusal(tmp_path)
    assert "several sets of views: 9 like left_0_0.png and 9 like right_0_0.png" in message
    assert 'pattern="left_*_*.png"' in message
    assert read(tmp_path, pattern="left_*.png", **AS_STORED).grid == (3, 3)


def test_two_files_for_one_view_are_refused_with_both_names(tmp_path):
    scene = write_hci_scene(tmp_path / "scene", make_views())
    save_png(scene / "INPUT_cam004.webp", make_views()[0, 0])
    message = refusal(scene)
    assert "INPUT_cam004.webp" in message
    assert "input_Cam004.png" in message
    path, _ = row_and_column(tmp_path, make_views())
    save_png(path / "2067_1_1.bmp", make_views()[0, 0])
    assert "2067_01_01.png and 2067_1_1.bmp" in refusal(path)
    save(tmp_path / "times", make_views(), "{row}_{col}_16.png")
    save_png(tmp_path / "times" / "0_0_17.png", make_views()[0, 0])
    assert "0_0_16.png and 0_0_17.png" in refusal(tmp_path / "times", pattern="{row}_{col}_*.png")


def test_a_grid_that_the_names_contradict_is_refused(tmp_path):
    path, _ = row_and_column(tmp_path, make_views(grid=(3, 4)))
    assert "`grid` is 3×3, but the file names have 3×4 views" in refusal(path, grid="3x3")
    assert read(path, grid="3x4", **AS_STORED).grid == (3, 4)


def test_numbers_that_both_tell_all_files_apart_are_no_grid(tmp_path):
    for number in range(9):
        save_png(tmp_path / f"frame_{number}_{1000 + 37 * number}.png", make_views()[number // 3, number % 3])
    assert "one of which is different in every file" in refusal(tmp_path)
    assert read(tmp_path, pattern="frame_{index}_*.png", **AS_STORED).grid == (3, 3)


def test_patterns_with_wildcards_and_all_three_fields(tmp_path):
    views = make_views(grid=(3, 4))
    save(tmp_path / "a", views, "shot{index:02d}_{row}x{col}_f8.png")
    for pattern in ("shot{index}_{row}x{col}_f8.png", "shot*_{row}x{col}*.png", "shot{index}_{row}x{col}_*"):
        np.testing.assert_array_equal(read(tmp_path / "a", pattern=pattern, **AS_STORED).views, views)
    line = read(tmp_path / "a", pattern="shot*_1x{col}_*", **AS_STORED)
    np.testing.assert_array_equal(line.views, views[1:2])
    assert "8 other files in the folder not read" in notes(line)
    assert "expected a file name" in refusal(tmp_path / "a", pattern="{index}_{row}.png")


@pytest.mark.parametrize("order", ["serpentine", "serpentine-column"])
def test_a_serpentine_order(order, tmp_path):
    views = make_views(grid=(3, 4))
    path = [(r, c if r % 2 == 0 else 3 - c) for r in range(3) for c in range(4)]
    if order == "serpentine-column":
        path = [(r if c % 2 == 0 else 2 - r, c) for c in range(4) for r in range(3)]
    for number, (row, column) in enumerate(path):
        save_png(tmp_path / f"v{number:02d}.png", views[row, column])
    np.testing.assert_array_equal(read(tmp_path, grid="3x4", order=order, **AS_STORED).views, views)
    assert [tuple(np.argwhere(numbered_grid((3, 4), order) == n)[0]) for n in range(12)] == path
    grid, _ = row_and_column(tmp_path / "grid", views)
    assert "rows and columns" in refusal(grid, order=order)


@pytest.mark.parametrize("option", [{"quilt": "3x3"}, {"eslf": "3x3"}])
def test_options_that_mean_nothing_here_are_refused(option, tmp_path):
    path, _ = row_and_column(tmp_path, make_views())
    assert f"`{next(iter(option))}`" in refusal(path, **option)
    scene = write_hci_scene(tmp_path / "scene")
    (scene / "lightfield.toml").write_text('files = "input_Cam{index}.png"')
    assert "`pattern`" in refusal(scene, pattern="input_Cam{index}.png")


def test_a_folder_around_one_light_field_names_it(tmp_path):
    write_hci_scene(tmp_path / "unpacked" / "scene")
    message = refusal(tmp_path / "unpacked")
    assert message.endswith(f"not a light field, but contains one: scene. Name it: {tmp_path / 'unpacked' / 'scene'}")


def test_a_folder_for_each_view_is_read_by_the_pattern_that_is_advised(tmp_path):
    views = make_views()
    for number, view in enumerate(views.reshape(9, 20, 24, 3)):
        (tmp_path / f"cam{number}").mkdir()
        save_png(tmp_path / f"cam{number}" / f"IMG_{100 + 7 * number}.png", view)
    message = refusal(tmp_path)
    assert "holds 9 folders with one image each, such as cam0/IMG_100.png" in message
    assert 'pattern="cam{index}/*.png"' in message
    np.testing.assert_array_equal(read(tmp_path, pattern="cam{index}/*.png", **AS_STORED).views, views)


def test_numbers_that_count_nothing(tmp_path):
    views = make_views()
    for number, view in zip((3, 812, 77, 90210, 5, 6, 1000, 44, 31), views.reshape(9, 20, 24, 3), strict=True):
        save_png(tmp_path / f"photo{number}.png", view)
    message = refusal(tmp_path)
    assert "photo3.png to photo90210.png, are neither positions nor a count" in message
    assert 'grid="3x3" reads the 9 files in the order of their numbers' in message


def test_a_folder_of_light_fields_names_them(tmp_path):
    for name in ("one", "two", "three"):
        write_hci_scene(tmp_path / name)
    message = refusal(tmp_path)
    assert "contains 3 light fields: one, three, two. Name one of them" in message


def test_folders_of_rows_are_named_by_a_pattern(tmp_path):
    views = make_views()
    for (row, column), _ in np.ndenumerate(np.empty(views.shape[:2])):
        save_png(tmp_path / f"row {row + 1} left" / f"2024_shot_{column}.png", views[row, column])
    pattern, message = "row {row} left/*_shot_{col}.png", refusal(tmp_path)
    assert f'pattern="{pattern}"' in message
    np.testing.assert_array_equal(read(tmp_path, pattern=pattern, **AS_STORED).views, views)


@pytest.mark.parametrize("name", ["cam{row:02d}_frame{column:04d}.png", "ev{row}_view{column}.png"])
def test_frames_and_exposures_are_no_columns(name, tmp_path):
    views = make_views()
    for (row, column), _ in np.ndenumerate(np.empty(views.shape[:2])):
        save_png(tmp_path / name.format(row=row, column=column), views[row, column])
    assert "holds several images for each view: the numbers after" in refusal(tmp_path)
    pattern = name.replace(":02d", "").replace(":04d", "").replace("column", "col")
    np.testing.assert_array_equal(read(tmp_path, pattern=pattern, **AS_STORED).views, views)


def test_too_few_images_and_one_image(tmp_path):
    save_png(tmp_path / "input_Cam000.png", make_views()[0, 0])
    assert "holds only 1 image; a light field needs at least 3 views" in refusal(tmp_path)
    save_png(tmp_path / "other" / "a.png", make_views()[0, 0])
    save_png(tmp_path / "other" / "b.png", make_views()[0, 0])
    assert "holds only 2 images; a light field needs at least 3 views" in refusal(tmp_path / "other")
    save_png(tmp_path / "other" / "c.png", make_views()[0, 0])
    assert "from the names of 3 images, such as a.png, b.png, c.png" in refusal(tmp_path / "other")
    message = refusal(tmp_path / "other" / "a.png")
    assert 'one image. If it holds all views, give eslf="ROWSxCOLUMNS"' in message
    assert 'quilt="ROWSxCOLUMNS"' in message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("views.zip", "an archive. Unpack it, and name the folder or file"),
        ("views.tar.gz", "an archive. Unpack it"),
        ("scene.mp4", "a video. Extract its frames as PNG files into a folder"),
    ],
)
def test_files_that_hold_the_views_for_other_programs(name, message, tmp_path):
    (tmp_path / name).write_bytes(b"PK\x03\x04 and more")
    assert message in refusal(tmp_path / name)


@pytest.mark.parametrize("name", ["IMG_{index:04d}_eslf.png", "shot{index}_qs4x3a0.75.png"])
def test_images_that_hold_light_fields_are_not_views_of_one(name, tmp_path):
    save(tmp_path, make_views(), name)
    assert f"contains 9 light fields: {name.format(index=0)}" in refusal(tmp_path)


@pytest.mark.parametrize(
    "stamp",
    [
        lambda n: f"IMG_20240703_{142209 + 7 * n + 4000 * (n // 7)}.png",
        lambda n: f"2024-07-03 14.{50 + n // 4}.{(n % 4) * 13 + n:02d}.png",
        lambda n: f"2024-07-03 {20 + n // 6}.{(n % 6) * 9:02d}.{(n * 17) % 60:02d}.png",
    ],
)
def test_date_stamped_photographs_are_taken_in_their_order_where_the_grid_is_given(stamp, tmp_path):
    views = make_views(grid=(4, 3))
    for number, view in enumerate(views.reshape(12, *views.shape[2:])):
        save_png(tmp_path / stamp(number), view)
    assert "the order of their numbers" in refusal(tmp_path)
    lightfield = read(tmp_path, grid="4x3", **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "12 files such as" in notes(lightfield)
    assert "read in the order of their numbers" in notes(lightfield)
    assert "9 files" not in refusal(tmp_path, grid="3x3")


@pytest.mark.parametrize("name", ["x{col}_y{row}.png", "cam_U{col:02d}V{row:02d}.png", "col-{col}_row-{row}.png"])
def test_words_in_names_say_which_number_is_the_column(name, tmp_path):
    views = make_views(grid=(3, 4))
    lightfield = read(save(tmp_path, views, name), **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "in the names is the column" in notes(lightfield)


def test_a_cross_is_no_scatter(tmp_path):
    """Of rows and columns, as those of a clock's minutes and seconds are."""
    views = make_views(grid=(5, 5))
    save(tmp_path, views, "v_{row}_{col}.png")
    for row, col in np.argwhere((np.arange(5)[:, None] != 2) & (np.arange(5) != 2)):
        (tmp_path / f"v_{row}_{col}.png").unlink()
    assert read(tmp_path, **AS_STORED).view_count == 9
    (tmp_path / "v_2_1.png").unlink()
    save_png(tmp_path / "v_7_9.png", views[0, 0])
    assert "too few for 6 rows and 5 columns" in refusal(tmp_path)


def test_hidden_files_are_no_views(tmp_path):
    save(tmp_path, make_views(), "v_{row:+d}_{col:+d}.png")
    for file in [*tmp_path.iterdir()]:
        (tmp_path / f"._{file.name}").write_bytes(b"\0\5\x16\7Mac OS X")
    assert read(tmp_path, **AS_STORED).grid == read(tmp_path, pattern="*.png", **AS_STORED).grid == (3, 3)


def test_images_of_a_kind_that_is_not_read(tmp_path):
    for number in range(9):
        (tmp_path / f"IMG_{number}.HEIC").write_bytes(b"ftypheic")
    assert "holds 9 .heic images, a type that ioadr cannot read. Convert them" in refusal(tmp_path)
