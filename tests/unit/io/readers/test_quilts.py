"""Looking Glass quilts by their names: columns × rows, from the bottom left, one row of views."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from ioadr import InputError
from ioadr.evaluation.synthetic import random_light_field
from ioadr.io import read
from ioadr.io.repetition import repeats
from tests.builders import make_views, save_png
from tests.layouts import AS_STORED


def written(path, views, columns, rows, spare=(0, 0)):
    """As the vendor defines it: view 0 at the bottom left, then to the right, then upwards; the rest is black."""
    height, width = views.shape[1:3]
    image = np.zeros((rows * height + spare[0], columns * width + spare[1], 3), np.uint8)
    for number, view in enumerate(views):
        bottom = image.shape[0] - (number // columns) * height
        left = (number % columns) * width
        image[bottom - height : bottom, left : left + width] = view
    save_png(path, image)
    return path


@pytest.mark.parametrize("spare", [(0, 0), (1, 3)])
def test_a_quilt_is_one_row_of_views(spare, tmp_path):
    views = make_views(grid=(1, 12), size=(20, 15))
    path = written(tmp_path / "truck_qs4x3a0.75.png", views[0], 4, 3, spare)
    lightfield = read(path, **AS_STORED)
    assert lightfield.grid == (1, 12)
    np.testing.assert_array_equal(lightfield.views, views)
    assert any("4 columns × 3 rows from the bottom left, one row of 12 views" in n for n in lightfield.source.notes)
    np.testing.assert_array_equal(read(path, crop=(2, 1, 9, 8), **AS_STORED).views, views[:, :, 2:11, 1:9])


def test_another_aspect_ratio_is_said(tmp_path):
    path = written(tmp_path / "a_qs4x3a0.6.png", make_views(grid=(1, 12), size=(20, 15))[0], 4, 3)
    assert "views are 15×20 px, to be shown with the aspect ratio 0.6" in read(path, **AS_STORED).source.notes


def test_who_says_quilt_gets_a_grid_and_a_word(tmp_path):
    views = make_views(grid=(3, 4), size=(20, 16))
    image = views.transpose(0, 2, 1, 3, 4).reshape(60, 64, 3)
    save_png(tmp_path / "a_qs4x3a0.8.png", image)
    lightfield = read(tmp_path / "a_qs4x3a0.8.png", quilt="3x4", **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert any("but `quilt` says otherwise" in note for note in lightfield.source.notes)


def test_one_image_has_no_grid_option(tmp_path):
    path = written(tmp_path / "a_qs4x3a0.75.png", make_views(grid=(1, 12), size=(20, 15))[0], 4, 3)
    with pytest.raises(InputError, match="`grid` does not apply to one image"):
        read(path, grid="3x4")
    save_png(tmp_path / "a_qs900x3a0.75.png", make_views()[0, 0])
    with pytest.raises(
        InputError, match="cannot be divided into 900 columns and 3 rows of sub-images, the numbers in its name"
    ):
        read(tmp_path / "a_qs900x3a0.75.png")


def sheet(views, gutter, margin, colour=200):
    """The views side by side, with lines of one colour between and around them."""
    rows, columns, height, width = views.shape[:4]
    tops = [margin + row * (height + gutter) for row in range(rows)]
    lefts = [margin + column * (width + gutter) for column in range(columns)]
    image = np.full((tops[-1] + height + margin, lefts[-1] + width + margin, 3), colour, np.uint8)
    for row, column in np.ndindex(rows, columns):
        image[tops[row] : tops[row] + height, lefts[column] : lefts[column] + width] = views[row, column]
    return image


def smooth_views(grid, size):
    """Pictures that JPEG keeps well, all different: colours that change slowly."""
    random = np.random.default_rng(3)
    coarse = random.integers(0, 256, (*grid, 5, 5, 3), np.uint8)
    views = np.empty((*grid, *size, 3), np.uint8)
    for place in np.ndindex(*grid):
        views[place] = Image.fromarray(coarse[place]).resize(size[::-1], Image.Resampling.BICUBIC)
    return views


def centred(views, height, width):
    """The part of views that is closest to another size; blur takes a line or two."""
    top, left = (views.shape[2] - height + 1) // 2, (views.shape[3] - width + 1) // 2
    return views[:, :, top : top + height, left : left + width].astype(float)


@pytest.mark.parametrize(("gutter", "margin"), [(3, 0), (6, 0), (1, 1), (4, 4)])
def test_gutters_are_left_out(gutter, margin, tmp_path):
    """Equal parts of a sheet of 3 rows, with 6 px between them, would start 2 px later in each row."""
    views = make_views(grid=(3, 4), size=(20, 16))
    save_png(tmp_path / "a.png", sheet(views, gutter, margin))
    lightfield = read(tmp_path / "a.png", quilt="3x4", **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "lines of one colour around sub-images of 16×20 px left out" in lightfield.source.notes
    part = read(tmp_path / "a.png", quilt="3x4", crop=(2, 1, 9, 8), **AS_STORED)
    np.testing.assert_array_equal(part.views, views[:, :, 2:11, 1:9])


@pytest.mark.parametrize(
    ("grid", "gutter", "margin", "colour"),
    [((1, 4), 4, 0, 0), ((3, 4), 12, 0, 128), ((3, 4), 2, 2, 255), ((5, 5), 5, 5, 0), ((5, 5), 5, 0, 128)],
)
def test_blurred_gutters_are_left_out(grid, gutter, margin, colour, tmp_path):
    """JPEG writes no line of exactly one colour next to a picture; equal parts would start `gutter / rows` px later."""
    views = smooth_views(grid, (50, 61))
    Image.fromarray(sheet(views, gutter, margin, colour)).save(tmp_path / "a.jpg", quality=75)
    lightfield = read(tmp_path / "a.jpg", quilt=f"{grid[0]}x{grid[1]}", **AS_STORED)
    assert any("lines of one colour around sub-images" in note for note in lightfield.source.notes)
    height, width = lightfield.views.shape[2:4]
    assert 48 <= height <= 50
    assert 59 <= width <= 61
    differences = lightfield.views.astype(float) - centred(views, height, width)
    assert np.abs(differences).mean() < 8


@pytest.mark.parametrize("bar", [0, 4])
def test_no_gutters_in_a_lossy_sheet(bar, tmp_path):
    views = smooth_views((3, 4), (50, 61))
    views[:, :, :, :bar] = views[:, :, :, 61 - bar :] = views[:, :, :bar] = 0
    Image.fromarray(sheet(views, 0, 0)).save(tmp_path / "a.jpg", quality=75)
    lightfield = read(tmp_path / "a.jpg", quilt="3x4", **AS_STORED)
    assert lightfield.views.shape == views.shape
    assert not any("lines of one colour" in note for note in lightfield.source.notes)


def test_gutters_of_a_resized_sheet_are_uncertain(tmp_path):
    """Sub-images then start every 53.1 px, which no cut at whole pixels can follow."""
    image = Image.fromarray(sheet(smooth_views((3, 4), (50, 61)), 8, 0, 255))
    image.resize((round(image.width * 0.77), round(image.height * 0.77))).save(tmp_path / "a.png")
    notes = read(tmp_path / "a.png", quilt="3x4", **AS_STORED).source.notes
    assert any("blur hides their exact edges, so disparities may be up to 1 px off" in note for note in notes)


def test_a_margin_that_was_cut_off_and_a_single_row(tmp_path):
    views = make_views(grid=(1, 4), size=(20, 16))
    save_png(tmp_path / "a.png", sheet(views, 3, 3)[3:-3, :-1])
    np.testing.assert_array_equal(read(tmp_path / "a.png", quilt="1x4", **AS_STORED).views, views)


@pytest.mark.parametrize("colour", [0, 128, 255])
@pytest.mark.parametrize("gutter", [0, 4])
def test_a_frame_of_any_width_is_left_out(gutter, colour, tmp_path):
    """Equal parts would start up to 4 px later in each row, and give all disparities that much too small."""
    views = smooth_views((3, 4), (50, 61))
    save_png(tmp_path / "a.png", sheet(views, gutter, 12 - gutter, colour))
    lightfield = read(tmp_path / "a.png", quilt="3x4", **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "lines of one colour around sub-images of 61×50 px left out" in lightfield.source.notes


@pytest.mark.parametrize("turned", [False, True])
def test_gutters_along_one_axis_are_left_out(turned, tmp_path):
    views = smooth_views((3, 3), (50, 61))
    image = sheet(views, 3, 0)
    kept = np.concatenate([np.arange(start, start + 61) for start in (0, 64, 128)])
    image = image[:, kept]
    save_png(tmp_path / "a.png", image.swapaxes(0, 1) if turned else image)
    found = read(tmp_path / "a.png", quilt="3x3", **AS_STORED).views
    np.testing.assert_array_equal(found.transpose(1, 0, 3, 2, 4) if turned else found, views)


def test_an_object_on_a_plain_background_is_no_sheet_with_gutters(tmp_path):
    """It moves from view to view, as wide gutters would make equal parts do, but its outline is not straight."""
    down, across = np.ogrid[-24:24, -24:24]
    disc = down**2 + across**2 < 22**2
    views = np.zeros((3, 4, 60, 60, 3), np.uint8)
    for row, column in np.ndindex(3, 4):
        views[row, column, 4 + row : 52 + row, 3 + column : 51 + column][disc] = smooth_views((1, 1), (48, 48))[0, 0][
            disc
        ]
    save_png(tmp_path / "a.png", sheet(views, 0, 0))
    np.testing.assert_array_equal(read(tmp_path / "a.png", quilt="3x4", **AS_STORED).views, views)


def test_bars_that_are_no_gutters_stay(tmp_path):
    """They are at the same place of each view; and a small object on a plain background moves from view to view."""
    views = make_views(grid=(3, 4), size=(20, 16))
    views[:, :, :3] = views[:, :, :, -2:] = 0
    save_png(tmp_path / "bars.png", sheet(views, 0, 0))
    np.testing.assert_array_equal(read(tmp_path / "bars.png", quilt="3x4", **AS_STORED).views, views)
    alone = np.zeros_like(views)
    for row, column in np.ndindex(3, 4):
        alone[row, column, 4 + row : 10 + row, 3 + column : 9 + column] = views[row, column, 4:10, 3:9]
    save_png(tmp_path / "object.png", sheet(alone, 0, 0))
    np.testing.assert_array_equal(read(tmp_path / "object.png", quilt="3x4", **AS_STORED).views, alone)


@pytest.mark.parametrize(("given", "meant"), [("1x5", "5x5"), ("5x1", "5x5"), ("1x1", "5x5"), ("5x5", None)])
@pytest.mark.parametrize(("family", "seed"), [("mixed", 7), ("planes", 0), ("low-texture", 4), ("noise", 5)])
def test_a_sheet_cut_into_too_few_views_is_doubted(given, meant, family, seed, tmp_path):
    """It was accepted silently."""
    views = random_light_field(seed, family, size=(60, 64), grid=(5, 5)).lightfield.views
    save_png(tmp_path / "sheet.png", sheet(views, 0, 0))
    if given == "1x1":
        assert repeats(sheet(views, 0, 0)) == (5, 5)
        return
    notes = read(tmp_path / "sheet.png", quilt=given, **AS_STORED).source.notes
    doubts = [str(note) for note in notes if "repeats" in note]
    assert len(doubts) == (meant is not None)
    assert all(f"try `quilt={meant!r}`" in doubt or f'try quilt="{meant}"' in doubt for doubt in doubts), doubts


def test_gutters_do_not_hide_that_sub_images_repeat(tmp_path):
    views = random_light_field(7, "mixed", size=(60, 64), grid=(3, 6)).lightfield.views
    save_png(tmp_path / "sheet.png", sheet(np.concatenate(np.split(views, 2, axis=1), axis=3), 0, 0))
    notes = read(tmp_path / "sheet.png", quilt="3x3", **AS_STORED).source.notes
    assert any("repeats 1× down and 2× across" in note for note in notes)


def test_one_colour_repeats_nothing():
    assert repeats(np.full((40, 48, 3), 9, np.uint8)) == (1, 1)
