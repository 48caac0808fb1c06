"""Cotton out of every layout has the same views and disparity, also where its rows or columns are reversed."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

import ioadr
from ioadr import Window
from tests.layouts import LAYOUTS
from tests.marks import some_quick

pytestmark = pytest.mark.real

CROP = (40, 30, 48, 60)
"""px of the 128 px that are written: enough to tell the direction of rows and columns, few to estimate."""
CAMERA = ("baseline_mm", "focal_length_mm", "sensor_size_mm", "focus_distance_m")


@pytest.fixture(scope="module")
def cotton(shared):
    return ioadr.read(shared / "data" / "hci" / "cotton", scale=0.25)


@pytest.fixture(scope="module")
def known(cotton):
    """What a user would have to say where a layout has no place for it."""
    camera = asdict(cotton.camera)
    return {name: camera[name] for name in CAMERA} | {"range": (cotton.range.minimum, cotton.range.maximum)}


@pytest.fixture(scope="module")
def expected(cotton):
    top, left, height, width = CROP
    return ioadr.estimate(cotton.crop(Window(top, left, top + height, left + width)), "paper")


QUICK = ("hci", "lenslets")


@pytest.mark.parametrize(
    "layout",
    some_quick(LAYOUTS, [layout for layout in LAYOUTS if layout.__name__ in QUICK]),
    ids=lambda layout: layout.__name__,
)
def test_the_same_views_and_disparity(layout, cotton, known, expected, tmp_path):
    """Without any word about flips, unless the format defines the order: what is reversed is noticed."""
    path, options = layout(tmp_path, cotton.views)
    defined = layout.__name__.startswith("hci")
    needed = {key: value for key, value in options.items() if defined or not key.startswith("flip")}
    whole = ioadr.read(path, **needed)
    np.testing.assert_array_equal(whole.views, cotton.views)
    np.testing.assert_allclose(whole.offsets, cotton.offsets, atol=1e-9)
    found = ioadr.estimate(ioadr.read(path, crop=CROP, **needed, **known), "paper")
    assert np.ptp(found.disparity) > 0.4, "the crop has foreground and background"
    np.testing.assert_allclose(found.disparity, expected.disparity, atol=1e-4)
    np.testing.assert_allclose(found.depth, expected.depth, rtol=1e-4)
