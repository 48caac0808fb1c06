"""Depth of samples, white, alpha, encoding, dark views."""

from __future__ import annotations

import numpy as np
import OpenEXR
import pytest
import scipy.io
from PIL import Image

from ioadr import InputError
from ioadr.io import ReadOptions, read
from ioadr.io.parts import survey
from tests.builders import make_views, save_png
from tests.layouts import AS_STORED, lenslets, npy, row_and_column


def with_last(views, last):
    """Views with one more channel."""
    return np.concatenate([views, last[..., None].astype(views.dtype)], axis=-1)


def test_alpha_is_ignored_or_drops_transparent_views(tmp_path):
    views = make_views()
    alpha = np.full(views.shape[:4], 255, np.uint8)
    alpha[0, 0] = 0
    path, _ = row_and_column(tmp_path, with_last(views, alpha))
    ignored = read(path, **AS_STORED)
    np.testing.assert_array_equal(ignored.views, views)
    assert "alpha channel ignored" in ignored.source.notes
    used = read(path, alpha="views", **AS_STORED)
    assert used.present is not None
    assert not used.present[0, 0]
    assert used.view_count == 8
    assert "alpha channel: 1 views mostly transparent, left out" in used.source.notes


def test_toolbox_weights_drop_views_by_themselves(tmp_path):
    views = make_views(dtype="uint16")
    weight = np.full(views.shape[:4], 65535, np.uint16)
    weight[2, 2] = 100
    scipy.io.savemat(tmp_path / "toolbox.mat", {"LF": with_last(views, weight)})
    lightfield = read(tmp_path / "toolbox.mat", **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert lightfield.view_count == 8
    assert lightfield.present is not None
    assert not lightfield.present[2, 2]
    assert read(tmp_path / "toolbox.mat", alpha="ignore", **AS_STORED).view_count == 9


def test_grey_with_alpha(tmp_path):
    views = make_views(channels=1)
    path, _ = row_and_column(tmp_path, with_last(views, np.full(views.shape[:4], 255)))
    np.testing.assert_array_equal(read(path, **AS_STORED).views, views)


def test_dark_views_are_left_out_and_named(tmp_path):
    views = make_views(grid=(5, 5))
    views[0, 0] //= 8
    views[4, 4] = 0
    path, _ = row_and_column(tmp_path, views)
    lightfield = read(path, **AS_STORED)
    assert lightfield.present is not None
    assert np.argwhere(~lightfield.present).tolist() == [[0, 0], [4, 4]]
    assert any("2067_01_01.png" in note and 'dark="keep"' in note for note in lightfield.source.notes)
    assert read(path, dark="keep", **AS_STORED).view_count == 25


def behind_round_lenslets(views):
    """Views as of a lenslet's pixels: light falls within a circle that moves by a view over the image."""
    rows, columns, height, width, _ = views.shape
    row, column, n, m = np.ogrid[:rows, :columns, :height, :width]
    down = row - (rows - 1) / 2 - 2 * n / (height - 1) + 1
    across = column - (columns - 1) / 2 - 2 * m / (width - 1) + 1
    gain = np.clip((rows / 2 - np.hypot(down, across)) / 1.4, 0, 1)
    return (views * gain[..., None]).astype(views.dtype), gain


def test_views_at_the_rim_of_lenslets_are_left_out(tmp_path):
    views, gain = behind_round_lenslets(make_views(grid=(14, 14), size=(32, 32), channels=1))
    path, options = lenslets(tmp_path, views)
    lightfield = read(path, **options)
    darkest = gain.reshape(14, 14, 4, 8, 4, 8).mean(axis=(3, 5)).min(axis=(2, 3))
    assert lightfield.present is not None
    assert lightfield.present[darkest > 0.6].all()
    assert not lightfield.present[darkest < 0.4].any()
    assert 60 < lightfield.view_count < 100
    assert any('left out (dark="keep"): sub-image 0, 0 (view 0,0),' in note for note in lightfield.source.notes)


def test_a_dark_part_alone_is_what_the_view_shows(tmp_path):
    """With wide baselines a view may well have something dark where others have not."""
    views = make_views(grid=(5, 5), size=(40, 40))
    views[0, 0, :20, :20] //= 8
    views[4, 4] //= 8
    path, _ = npy(tmp_path, views)
    assert read(path, **AS_STORED).view_count == 24


def test_pixels_that_no_view_sees_are_noted(tmp_path):
    views = make_views(size=(32, 32))
    views[:, :, :16] = 0
    path, _ = npy(tmp_path, views)
    expected = "50 % of the pixels are black in all views: their depth is filled in from their surroundings"
    assert expected in read(path, **AS_STORED).source.notes


@pytest.mark.parametrize(("bits", "white"), [(10, 1023.0), (12, 4095.0), (16, 65535.0)])
def test_white_of_10_to_16_bits(bits, white, tmp_path):
    views = np.round(make_views(dtype="float64", size=(40, 40)) / 0.9 * (2**bits - 1)).clip(0, 2**bits - 1)
    path, _ = npy(tmp_path, views.astype(np.uint16))
    lightfield = read(path, **AS_STORED)
    assert lightfield.white == white
    assert any(f"{bits} bits" in note for note in lightfield.source.notes) == (bits < 16)


def test_white_of_floats(tmp_path):
    views = make_views(dtype="float32")
    path, _ = npy(tmp_path, views * 255)
    assert read(path, **AS_STORED).white == 255.0
    path, _ = npy(tmp_path, views**8 * 5e4)
    high = read(path, **AS_STORED)
    assert high.white is not None
    assert 255 < high.white < 5e4
    assert any("white taken as" in note for note in high.source.notes)
    assert read(path, white=4e4, **AS_STORED).white == 4e4


@pytest.mark.parametrize("scale", [1.8, 4.0, 30.0])
def test_white_of_high_dynamic_range_leaves_something_to_see(scale, tmp_path):
    """Most such images end between 1.5 and 255; none of them is made of bytes."""
    views = make_views(dtype="float32", size=(40, 40))
    views = np.where(views > 0.8, views * scale, views).astype(np.float32)
    path, _ = npy(tmp_path, views)
    lightfield = read(path, **AS_STORED)
    bright = np.quantile(views, 0.99)
    assert lightfield.white == pytest.approx(max(1.0, bright), rel=0.01)
    assert any("99 % of them up to" in note and "(`white`)" in note for note in lightfield.source.notes)
    assert read(path, white=2.0, **AS_STORED).white == 2.0


def test_white_does_not_depend_on_single_pixels(tmp_path):
    views = make_views(dtype="float32", size=(40, 40))
    views[1, 1, 4, 8] = 5000.0
    path, _ = npy(tmp_path, views)
    assert read(path, **AS_STORED).white == 1.0


@pytest.mark.parametrize("place", [(0, 0), (1, 2), (3, 3)])
@pytest.mark.parametrize("dtype", ["float32", "uint16"])
def test_white_sees_all_pixels_and_so_do_parts(dtype, place, tmp_path):
    """One pixel of every 16 is bright: whichever it is, white is the same, read whole or in parts."""
    views = make_views(dtype="float32", size=(40, 40)) * 4000 / (1 if dtype == "uint16" else 1000)
    views[:, :, place[0] :: 4, place[1] :: 4] *= 2.5
    path, _ = npy(tmp_path, views.astype(dtype))
    lightfield = read(path, **AS_STORED)
    expected = 16383.0 if dtype == "uint16" else np.quantile(views, 0.99)
    assert lightfield.white == pytest.approx(expected, rel=0.01)
    assert survey(path, ReadOptions.of(**AS_STORED)).samples.white == lightfield.white


def test_alpha_that_is_not_there_is_said(tmp_path):
    path, _ = npy(tmp_path, make_views())
    notes = read(path, alpha="views", **AS_STORED).source.notes
    assert 'alpha="views" has no effect: the files have no alpha channel' in notes


def test_linear_samples_are_encoded(tmp_path):
    views = make_views(dtype="uint16")
    path, _ = npy(tmp_path, views)
    lightfield = read(path, encoding="linear", **AS_STORED)
    light = views / 65535
    code = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    np.testing.assert_allclose(lightfield.views, code, atol=1e-6)
    assert lightfield.white == 1.0


def test_exr_views(tmp_path):
    views = make_views(dtype="float32")
    for row, column in np.ndindex(3, 3):
        channels = {"RGB": np.ascontiguousarray(views[row, column])}
        OpenEXR.File({}, channels).write(str(tmp_path / f"v_{row}_{column}.exr"))
    np.testing.assert_array_equal(read(tmp_path, **AS_STORED).views, views)


@pytest.mark.parametrize("mode", ["P", "1", "CMYK", "I;16", "JPEG"])
def test_other_kinds_of_images(mode, tmp_path):
    views = make_views(size=(24, 24))
    for row, column in np.ndindex(3, 3):
        image = Image.fromarray(views[row, column])
        stem = tmp_path / f"v_{row}_{column}"
        if mode == "JPEG":
            image.save(f"{stem}.jpg", quality=100, subsampling=0)
        elif mode == "CMYK":
            image.convert("CMYK").save(f"{stem}.tif")
        elif mode == "I;16":
            Image.fromarray(views[row, column, :, :, 0].astype(np.uint16) * 257).save(f"{stem}.pgm")
        else:
            image.convert(mode).save(f"{stem}.png")
    lightfield = read(tmp_path, **AS_STORED)
    assert lightfield.channels == (3 if mode in ("P", "CMYK", "JPEG") else 1)
    if mode == "JPEG":
        assert np.abs(lightfield.views.astype(int) - views).max() < 8
    if mode == "I;16":
        np.testing.assert_array_equal(lightfield.views[..., 0], views[..., 0].astype(np.uint16) * 257)


def test_a_transparent_colour_does_not_change_the_samples(tmp_path):
    views = make_views()
    for row, column in np.ndindex(3, 3):
        colour = tuple(int(value) for value in views[row, column, 0, 0])
        Image.fromarray(views[row, column]).save(tmp_path / f"v_{row}_{column}.png", transparency=colour)
    np.testing.assert_array_equal(read(tmp_path, **AS_STORED).views, views)


def test_pillow_alone_reads_the_same(tmp_path, monkeypatch):
    views = make_views()
    path, _ = row_and_column(tmp_path, views)
    monkeypatch.setattr("ioadr.io.decoding.image_decoders._installed", lambda module: False)
    np.testing.assert_array_equal(read(path, **AS_STORED).views, views)


def test_without_the_libraries_deep_colours_are_refused_not_cut(tmp_path, monkeypatch):
    import tifffile

    views = make_views(dtype="uint16")
    monkeypatch.setattr("ioadr.io.decoding.image_decoders._installed", lambda module: False)
    for row, column in np.ndindex(3, 3):
        tifffile.imwrite(tmp_path / f"v_{row}_{column}.tif", views[row, column], photometric="rgb")
    with pytest.raises(Exception, match=r"16-bit colours needs the package tifffile\. .*\[formats\]"):
        read(tmp_path, **AS_STORED)


def test_save_png_keeps_16_bits(tmp_path):
    """The tests' own writer, on which the others rely."""
    view = make_views(dtype="uint16")[0, 0]
    save_png(tmp_path / "deep.png", view)
    assert (tmp_path / "deep.png").read_bytes()[24] == 16


def test_normalised_samples_are_no_darkness(tmp_path):
    views = make_views().astype(np.float32)
    for name, samples in (("signed", views / 127.5 - 1), ("standard", (views - views.mean()) / views.std())):
        np.save(tmp_path / f"{name}.npy", samples)
        with pytest.raises(InputError, match=r"\d+ % of the samples are below 0, which means black, down to -"):
            read(tmp_path / f"{name}.npy", **AS_STORED)
    overshoot = np.where(np.random.default_rng(0).random(views.shape) < 0.01, -0.05, views / 255).astype(np.float32)
    np.save(tmp_path / "sharpened.npy", overshoot)
    np.testing.assert_array_equal(read(tmp_path / "sharpened.npy", **AS_STORED).views, overshoot)
