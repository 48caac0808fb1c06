"""Without a camera: the scale of relative depth follows from the disparity range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ioadr import DisparityRange
from ioadr.camera import RelativeCamera
from ioadr.geometry.points import depth_from_disparity, disparity_from_depth
from ioadr.io import load_estimate, save_estimate
from ioadr.part import Window
from tests.scenes import make_estimate


@given(st.floats(-300, 300), st.floats(0.01, 200))
def test_every_disparity_of_any_range_has_a_finite_depth(minimum, extent):
    camera = RelativeCamera(minimum, minimum + extent, 64, 48)
    disparity = np.linspace(minimum, minimum + extent, 7)[None]
    depth = depth_from_disparity(disparity, camera)[0]
    np.testing.assert_allclose(depth[[0, 3, 6]], [1 / 0.8, 1.0, 1 / 1.2], rtol=1e-5)
    assert (np.diff(depth) < 0).all(), "a larger disparity is nearer"
    np.testing.assert_allclose(disparity_from_depth(depth[None], camera), disparity, atol=1e-6 * (1 + abs(minimum)))


def test_a_range_of_four_pixels_around_zero_has_the_scale_of_earlier_versions():
    rays = RelativeCamera(-2.0, 2.0, 64, 48).pinhole()
    assert (rays.slope, rays.offset) == pytest.approx((0.1, 1.0))


def test_a_part_lies_where_it_lies_in_the_whole():
    whole = RelativeCamera(-3.0, 1.0, 64, 48).pinhole()
    part = RelativeCamera(-3.0, 1.0, 64, 48).pinhole(Window(8, 20, 30, 40))
    assert part == whole._replace(n0=whole.n0 - 8, m0=whole.m0 - 20)


@pytest.mark.parametrize("disparity", [-12.0, -40.0, 0.0, 25.0])
def test_far_behind_the_focus_plane_there_is_a_cloud(tmp_path, disparity):
    """1/Z = 1 + 0.1·d was fixed: a plane at −10 px or below computed for minutes and then could not be written."""
    values = np.full((20, 24), disparity, np.float32)
    estimate = make_estimate(values, range=DisparityRange(disparity - 2, disparity + 2))
    assert np.isfinite(estimate.depth).all()
    assert np.isfinite(estimate.normals).all()
    save_estimate(estimate, tmp_path / "out")
    found = load_estimate(tmp_path / "out")
    np.testing.assert_array_equal(found.depth, estimate.depth)
    assert not found.metric
