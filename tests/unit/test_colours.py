"""Pictures show maps evenly and name no value where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from ioadr.colours import coloured, coloured_normals, linear_from_srgb, rgb8, scale, shown_range

LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("name", ["depth", "confidence"])
def test_lightness_rises_evenly(name: str) -> None:
    lightness = np.cbrt(linear_from_srgb(scale(name)) @ LUMINANCE)
    assert (np.diff(lightness[::4]) > 0).all()
    assert np.polyfit(np.arange(256), lightness, 1)[0] * 255 > 0.6
    assert np.corrcoef(np.arange(256), lightness)[0, 1] > 0.99


def test_signed_scale_is_palest_in_the_middle() -> None:
    lightness = linear_from_srgb(scale("signed")) @ LUMINANCE
    assert abs(int(np.argmax(lightness)) - 128) < 12
    assert scale("signed")[0, 2] > scale("signed")[0, 0]
    assert scale("signed")[-1, 0] > scale("signed")[-1, 2]


def test_values_are_clipped_and_gaps_grey() -> None:
    picture = coloured(np.array([-9.0, 0.0, 1.0, 9.0, np.nan]), 0, 1)
    assert np.array_equal(picture[0], picture[1])
    assert np.array_equal(picture[2], picture[3])
    assert picture[4].tolist() == [128, 128, 128]
    assert np.array_equal(coloured(np.full(3, 2.0), 2.0, 2.0), np.repeat(scale("depth")[:1], 3, axis=0))


def test_shown_range_ignores_strays() -> None:
    values = np.append(np.linspace(0, 1, 10000), [1e6, np.nan])
    low, high = shown_range(values)
    assert 0 <= low < 0.01
    assert 0.99 < high <= 1
    assert shown_range(np.array([np.nan])) == (0.0, 1.0)


def test_normal_towards_the_camera_is_blue() -> None:
    picture = coloured_normals(np.array([[0, 0, -1.0], [0, -1.0, 0], [np.nan] * 3]))
    assert picture.tolist() == [[128, 128, 255], [128, 255, 128], [128, 128, 128]]


def test_any_image_becomes_8_bit_colour() -> None:
    assert rgb8(np.array([[[65535], [0]]], np.uint16), 65535).tolist() == [[[255] * 3, [0] * 3]]
    assert rgb8(np.array([[[0.5, 1.0, 2.0]]], np.float32), 1.0).tolist() == [[[128, 255, 255]]]
