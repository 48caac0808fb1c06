"""Windows and parts of images."""

from __future__ import annotations

import numpy as np
import pytest

import ioadr
from ioadr import InputError, Part, Window
from tests.builders import make_camera, make_lightfield

LIMITS = ioadr.DisparityRange(-1.0, 1.5)


def test_parts_of_parts_are_parts_of_the_whole():
    whole = Part.whole(40, 60)
    assert whole.is_whole
    part = whole.crop(Window(5, 10, 35, 50))
    inner = part.crop(Window(2, 3, 12, 23))
    assert inner == whole.crop(Window(7, 13, 17, 33)) == Part(Window(7, 13, 17, 33), 40, 60)
    assert not inner.is_whole
    assert whole.crop(Window(0, 0, 40, 60)) == whole


def test_a_crop_keeps_the_camera_of_the_whole_and_its_rays():
    lightfield = make_lightfield(camera=make_camera())
    part = lightfield.crop(Window(4, 6, 16, 22))
    np.testing.assert_array_equal(part.views, lightfield.views[:, :, 4:16, 6:22])
    assert part.camera == lightfield.camera
    assert (part.layout, part.range, part.white) == (lightfield.layout, lightfield.range, lightfield.white)
    camera = part.camera_or_relative(LIMITS)
    whole, rays = camera.pinhole(), camera.pinhole(part.part.window)
    assert (rays.n0, rays.m0) == (whole.n0 - 4, whole.m0 - 6)


def test_a_crop_keeps_the_relative_scale_of_the_whole():
    lightfield = make_lightfield()
    assert lightfield.crop(Window(4, 6, 16, 22)).camera_or_relative(LIMITS) == lightfield.camera_or_relative(LIMITS)


def test_a_part_may_be_of_one_colour():
    lightfield = make_lightfield()
    lightfield.views[..., :8, :] = 7
    assert np.ptp(lightfield.crop(Window(0, 0, 20, 8)).views) == 0


@pytest.mark.parametrize("window", [(-1, 0, 5, 5), (0, 0, 21, 5), (3, 4, 3, 8), (0, 20, 4, 25)])
def test_a_crop_lies_inside(window):
    with pytest.raises(InputError, match="are not a part of the 24×20 px views"):
        make_lightfield().crop(Window(*window))


def test_views_are_cut_in_no_other_way():
    lightfield = make_lightfield()
    with pytest.raises(InputError, match=r"expected a grid of \(3, 3\) and 24×20 px.*LightField\.crop"):
        lightfield.with_(views=lightfield.views[:, :, 1:])
