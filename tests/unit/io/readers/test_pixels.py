"""Pixels as independent writers stored them: orientation, colour models, data windows, thumbnails, depths."""

from __future__ import annotations

import io
import struct
import zlib

import imagecodecs
import numpy as np
import OpenEXR
import pytest
import tifffile
from PIL import Image

from ioadr import InputError
from ioadr.io import read
from ioadr.io.decoding import png_files
from ioadr.io.decoding.header import Header
from ioadr.io.decoding.images import read_image
from ioadr.io.decoding.png_files import _compressed, uncompressed
from tests.builders import make_views, save_png
from tests.layouts import AS_STORED

# How Pillow turns an upright image into what is stored with each orientation tag.
STORED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def each(views, write):
    for row, column in np.ndindex(*views.shape[:2]):
        write(views[row, column], row, column)


def notes(lightfield):
    return " | ".join(lightfield.source.notes)


def save_turned(path, view, orientation):
    image = Image.fromarray(view)
    image = image.transpose(STORED[orientation]) if orientation != 1 else image
    if path.suffix == ".tif":
        tifffile.imwrite(path, np.asarray(image), photometric="rgb", extratags=[(274, 3, 1, orientation, True)])
        return
    exif = Image.Exif()
    exif[274] = orientation
    image.save(path, exif=exif, lossless=True)


@pytest.mark.parametrize("suffix", [".png", ".tif", ".webp", ".jpg"])
@pytest.mark.parametrize("orientation", sorted(STORED))
def test_images_stand_upright(suffix, orientation, tmp_path):
    views = make_views(size=(16, 24))
    each(views, lambda view, row, column: save_turned(tmp_path / f"v_{row}_{column}{suffix}", view, orientation))
    lightfield = read(tmp_path, **AS_STORED)
    difference = np.abs(lightfield.views.astype(int) - views).max()
    assert difference == 0 if suffix != ".jpg" else np.abs(lightfield.views.astype(int) - views).mean() < 8
    assert f"images rotated according to their orientation tag ({orientation})" in notes(lightfield)
    np.testing.assert_array_equal(
        read(tmp_path, crop=(2, 3, 9, 11), **AS_STORED).views, lightfield.views[:, :, 2:11, 3:14]
    )


@pytest.mark.parametrize("suffix", [".png", ".tif", ".webp", ".jpg"])
def test_orientations_that_differ_are_refused(suffix, tmp_path):
    def write(view, row, column):
        save_turned(tmp_path / f"v_{row}_{column}{suffix}", view, 3 if (row, column) == (1, 2) else 1)

    each(make_views(size=(16, 24)), write)
    with pytest.raises(InputError, match=rf"v_1_2{suffix}: expected 24×16 px.*found 24×16 px.*\(orientation 3\)"):
        read(tmp_path, **AS_STORED)


def test_damaged_exif_data_are_said(tmp_path):
    views = make_views(size=(16, 24))
    each(views, lambda v, r, c: Image.fromarray(v).save(tmp_path / f"v_{r}_{c}.png", exif=b"Exif\0\0no such thing"))
    lightfield = read(tmp_path, **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "EXIF data cannot be read: images are used as stored" in notes(lightfield)


def test_exr_data_windows(tmp_path):
    """Data that was cropped to what is not black, and data beyond the picture's borders."""
    views = make_views(size=(16, 24), dtype="float32")
    views[:, :, :3] = views[:, :, :, :5] = 0
    views[:, :, 14:] = views[:, :, :, 20:] = 0

    def write(view, row, column):
        # Every view has its own window around the same pixels; two are wider than the picture.
        top, left, bottom, right = 3 - row, 5 - column, 14 + row, 20 + column
        data = view[top:bottom, left:right]
        if (row, column) == (0, 0):
            top, left, bottom, right = -2, -1, 17, 26
            data = np.pad(view, ((2, 1), (1, 2), (0, 0)), constant_values=9)
        windows = {"dataWindow": (left, top, right - 1, bottom - 1), "displayWindow": (0, 0, 23, 15)}
        header = {key: (np.array(box[:2], np.int32), np.array(box[2:], np.int32)) for key, box in windows.items()}
        OpenEXR.File(header, {"RGB": np.ascontiguousarray(data)}).write(str(tmp_path / f"v_{row}_{column}.exr"))

    each(views, write)
    lightfield = read(tmp_path, **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "EXR data window (-2, -1, 17, 26) placed in the display window (0, 0, 16, 24)" in notes(lightfield)


def test_tiff_that_stores_black_as_white(tmp_path):
    views = make_views(channels=1)

    def write(view, row, column):
        tifffile.imwrite(tmp_path / f"v_{row}_{column}.tif", 255 - view[..., 0], photometric="miniswhite")

    each(views, write)
    lightfield = read(tmp_path, **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "inverted on reading" in notes(lightfield)


def test_tiff_in_cmyk(tmp_path):
    views = make_views()
    each(views, lambda v, r, c: Image.fromarray(v).convert("CMYK").save(tmp_path / f"v_{r}_{c}.tif"))
    lightfield = read(tmp_path, **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "CMYK colours turned into RGB" in notes(lightfield)


@pytest.mark.parametrize("packing", ["jpeg", "none", "zlib"])
def test_tiff_in_ycbcr(packing, tmp_path):
    views = make_views(size=(32, 32), disparity=0.1)

    def write(view, row, column):
        path = tmp_path / f"v_{row}_{column}.tif"
        if packing == "jpeg":
            tifffile.imwrite(path, view, photometric="rgb", compression="jpeg", compressionargs={"level": 100})
        else:
            stored = np.asarray(Image.fromarray(view).convert("YCbCr"))
            tifffile.imwrite(path, stored, photometric="ycbcr", compression=None if packing == "none" else packing)
        with tifffile.TiffFile(path) as file:
            assert file.pages.first.photometric == tifffile.PHOTOMETRIC.YCBCR

    each(views, write)
    assert np.abs(read(tmp_path, **AS_STORED).views.astype(int) - views).mean() < 5


REFUSED = {
    "LAB": (np.uint8, 3, {"photometric": "cielab"}, "found CIELAB samples of 8 bits"),
    "CMYK of 16 bits": (np.uint16, 4, {"photometric": "separated"}, "found SEPARATED samples of 16 bits"),
    "int8": (np.int8, 1, {}, "found int8"),
    "int16": (np.int16, 1, {}, "found int16"),
    "uint32": (np.uint32, 1, {}, "found uint32"),
    "complex": (np.complex64, 1, {}, "found complex64"),
    "five channels": (np.uint8, 5, {"photometric": "minisblack"}, "samples of 8 bits"),
}


@pytest.mark.parametrize(("dtype", "channels", "how", "message"), REFUSED.values(), ids=REFUSED)
def test_tiff_samples_that_are_refused(dtype, channels, how, message, tmp_path):
    image = (np.random.default_rng(0).random((20, 24, channels)) * 100).astype(dtype)
    for number in range(9):
        options = {"photometric": "minisblack"} | how
        stored = image if channels > 1 else image[..., 0]
        tifffile.imwrite(tmp_path / f"v_{number // 3}_{number % 3}.tif", stored, planarconfig="contig", **options)
    with pytest.raises(InputError, match=message):
        read(tmp_path, **AS_STORED)


@pytest.mark.parametrize("kind", ["minisblack", "miniswhite"])
def test_tiff_of_one_bit(kind, tmp_path):
    views = make_views(channels=1) > 128
    stored = views if kind == "minisblack" else ~views
    each(stored, lambda v, r, c: tifffile.imwrite(tmp_path / f"v_{r}_{c}.tif", v[..., 0], photometric=kind))
    np.testing.assert_array_equal(read(tmp_path, **AS_STORED).views, views * np.uint8(255))


@pytest.mark.parametrize("flagged", [True, False])
def test_a_thumbnail_is_not_the_picture(flagged, tmp_path):
    views = make_views()

    def write(view, row, column):
        with tifffile.TiffWriter(tmp_path / f"v_{row}_{column}.tif") as writer:
            writer.write(view[::4, ::4], photometric="rgb", subfiletype=1 if flagged else 0)
            writer.write(view, photometric="rgb")

    each(views, write)
    lightfield = read(tmp_path, **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "smaller pages of the files, such as thumbnails, not read" in notes(lightfield)


def test_a_tiff_of_several_pictures_is_refused(tmp_path):
    for number in range(9):
        tifffile.imwrite(tmp_path / f"v_{number // 3}_{number % 3}.tif", make_views()[0], photometric="rgb")
    for scene in (tmp_path, tmp_path / "v_0_0.tif"):
        with pytest.raises(InputError, match="expected one image in a file, found 3 pages of 24×20 px"):
            read(scene, **AS_STORED)


@pytest.mark.parametrize("width", [24, 100, 128, 300])
@pytest.mark.parametrize("suffix", [".bmp", ".ppm"])
def test_ordinary_bitmaps(suffix, width, tmp_path):
    views = make_views(size=(12, width))
    each(views, lambda v, r, c: Image.fromarray(v).save(tmp_path / f"v_{r}_{c}{suffix}"))
    np.testing.assert_array_equal(read(tmp_path, **AS_STORED).views, views)


def test_a_deep_ppm_is_refused_with_advice_that_helps(tmp_path):
    view = make_views(dtype="uint16")[0, 0].astype(">u2")
    for number in range(9):
        path = tmp_path / f"v_{number // 3}_{number % 3}.ppm"
        path.write_bytes(b"P6\n24 20\n65535\n" + view.tobytes())
    with pytest.raises(InputError, match=r"16-bit colours in PPM files\. Export the views as PNG"):
        read(tmp_path, **AS_STORED)


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(image, transparent=None, interlaced=False):
    """A PNG by the specification: Adam7, and one colour that is transparent."""
    height, width, channels = image.shape
    depth = image.dtype.itemsize * 8
    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    parts = [image[y::dy, x::dx] for y, x, dy, dx in passes] if interlaced else [image]
    stored = b"".join(b"\0" + row.astype(f">u{depth // 8}").tobytes() for part in parts if part.size for row in part)
    head = struct.pack(">IIBBBBB", width, height, depth, {1: 0, 3: 2}[channels], 0, 0, int(interlaced))
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(stored)), (b"IEND", b"")]
    if transparent is not None:
        chunks.insert(1, (b"tRNS", struct.pack(f">{channels}H", *transparent)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*item) for item in chunks)


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("kind", ["interlaced", "transparent", "both"])
def test_interlaced_pngs_and_transparent_colours(kind, channels, dtype, tmp_path, caplog):
    views = make_views(dtype=dtype, channels=channels)

    def write(view, row, column):
        colour = [int(value) for value in view[0, 0]] if kind != "interlaced" else None
        (tmp_path / f"v_{row}_{column}.png").write_bytes(png(view, colour, kind != "transparent"))

    each(views, write)
    np.testing.assert_array_equal(read(tmp_path, **AS_STORED).views, views)
    assert not caplog.records


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("size", [(1, 1), (90, 250), (300, 200)])
def test_a_png_with_stored_rows_is_the_same_image(size, dtype):
    image = np.random.default_rng(0).integers(0, np.iinfo(dtype).max, (*size, 3), dtype, endpoint=True)
    content = png(image, transparent=[1, 2, 3])
    file = uncompressed(content, Header(size[0], size[1], 3, np.dtype(dtype)), imagecodecs)
    assert file is not None
    stored = file.tobytes()
    with_alpha = np.asarray(imagecodecs.png_decode(stored)).reshape(*size, 4)
    np.testing.assert_array_equal(with_alpha[..., :3], image)
    assert zlib.decompress(_compressed(stored)[0] or b"") == zlib.decompress(_compressed(content)[0] or b"")
    assert Image.open(io.BytesIO(stored)).info["transparency"] == (1, 2, 3)


def test_only_an_intact_png_is_stored_anew(tmp_path, monkeypatch):
    image = make_views()[0, 0]
    height, width, channels = image.shape
    header, content = Header(height, width, channels, image.dtype), png(image)
    middle = content.index(b"IDAT") + 20
    damaged = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    assert uncompressed(png(image, interlaced=True), header, imagecodecs) is None
    assert uncompressed(damaged, header, imagecodecs) is None
    assert uncompressed(content[:middle], header, imagecodecs) is None
    assert uncompressed(content, header, imagecodecs) is not None
    monkeypatch.setattr(png_files, "LARGEST", 10)
    assert uncompressed(content, header, imagecodecs) is None
    trailing = content.replace(chunk(b"IEND", b""), chunk(b"IDAT", b"more") + chunk(b"IEND", b""))
    (tmp_path / "a.png").write_bytes(trailing)
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), imagecodecs.png_decode(content))
    (tmp_path / "b.png").write_bytes(damaged)
    with pytest.raises(InputError, match=r"b\.png: cannot be read as an image"):
        read_image(tmp_path / "b.png")


@pytest.mark.parametrize(("ending", "mode"), [("webp", "RGB"), ("png", "RGB"), ("png", "P"), ("tif", "RGB")])
def test_an_animated_image_is_refused(ending, mode, tmp_path):
    """Decoders return the first image."""
    frames = [Image.fromarray(view).convert(mode) for view in make_views()[0]]
    for number in range(9):
        path = tmp_path / f"v_{number // 3}_{number % 3}.{ending}"
        frames[0].save(path, save_all=True, append_images=frames[1:], lossless=True)
    message = r"(holds 3 images|found 3 pages of 24×20 px)\. Export each view as its own file"
    with pytest.raises(InputError, match=message):
        read(tmp_path, **AS_STORED)
    with pytest.raises(InputError, match=message):
        read(path, quilt="3x3", **AS_STORED)


def test_previews_in_photographs_are_not_read(tmp_path):
    """Phones store a smaller picture, or a map, behind the photograph in the same file."""
    views = make_views()

    def write(view, row, column):
        photograph, path = Image.fromarray(view), tmp_path / f"v_{row}_{column}.jpg"
        photograph.save(path, "MPO", save_all=True, append_images=[photograph.resize((8, 8))])

    each(views, write)
    lightfield = read(tmp_path, **AS_STORED)
    assert lightfield.views.shape == views.shape
    assert "further images in the files, such as previews, not read" in lightfield.source.notes


def test_a_mosaic_stands_upright(tmp_path):
    views = make_views(grid=(3, 4), size=(10, 12))
    save_turned(tmp_path / "q.png", views.transpose(0, 2, 1, 3, 4).reshape(30, 48, 3), 6)
    lightfield = read(tmp_path / "q.png", quilt="3x4", **AS_STORED)
    np.testing.assert_array_equal(lightfield.views, views)
    assert "orientation tag (6)" in notes(lightfield)


def test_save_png_writes_what_is_read(tmp_path):
    save_png(tmp_path / "a.png", make_views()[0, 0])
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "a.png")), make_views()[0, 0])
