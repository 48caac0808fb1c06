"""Fewer views and smaller images: what a pixel means stays the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ioadr import Camera
from ioadr.geometry.points import depth_from_disparity, points_from_disparity
from ioadr.io import read
from ioadr.io.subset import part_of, scaled_camera, scaled_size
from ioadr.part import Part, Window
from ioadr.solver.problem import used_views
from tests.builders import make_views, write_hci_scene
from tests.layouts import AS_STORED, stanford


@pytest.fixture
def scene(tmp_path):
    return write_hci_scene(tmp_path / "scene", make_views(grid=(9, 9), size=(20, 24), disparity=0.5))


def test_every_second_view_doubles_disparities_and_baseline(scene):
    whole, reduced = read(scene, **AS_STORED), read(scene, every=2, **AS_STORED)
    np.testing.assert_array_equal(reduced.views, whole.views[::2, ::2])
    assert whole.camera is not None
    assert reduced.camera is not None
    assert reduced.camera.baseline_mm == 2 * whole.camera.baseline_mm
    assert reduced.range is not None
    assert (reduced.range.minimum, reduced.range.maximum, reduced.range.origin) == (-2.0, 3.0, "file")
    disparity = np.linspace(-0.9, 1.4, 50)
    np.testing.assert_allclose(
        depth_from_disparity(2 * disparity, reduced.camera), depth_from_disparity(disparity, whole.camera)
    )
    # A point of disparity d lands on the same pixel of the same view.
    np.testing.assert_allclose(reduced.offsets * 2 * 0.7, whole.offsets[::2, ::2] * 0.7)


@pytest.mark.parametrize(("every", "rows"), [(3, [1, 4, 7]), (4, [0, 4, 8]), (2, [0, 2, 4, 6, 8])])
def test_the_centre_stays(scene, every, rows):
    whole = read(scene, **AS_STORED)
    np.testing.assert_array_equal(read(scene, every=every, **AS_STORED).views, whole.views[np.ix_(rows, rows)])


def test_a_cross_keeps_the_grid(scene):
    lightfield = read(scene, views="cross", **AS_STORED)
    assert lightfield.grid == (9, 9)
    assert lightfield.view_count == 17
    assert lightfield.present is not None
    assert lightfield.present[4].all()
    assert lightfield.present[:, 4].all()
    moved = read(scene, views="cross", reference=(0, 8), **AS_STORED)
    assert moved.present is not None
    assert moved.present[0].all()
    assert moved.present[:, 8].all()


@pytest.mark.parametrize(
    ("options", "count", "reference"),
    [
        ({}, 25, (4, 4)),
        ({"reference": (0, 1)}, 20, (0, 1)),
        ({"views": "8x8"}, 16, (3, 3)),
        ({"views": "cross"}, 9, (4, 4)),
        ({"skip": ((4, 4),)}, 80, (3, 4)),
    ],
    ids=["whole", "reference", "even", "cross", "no centre"],
)
def test_only_views_that_an_estimation_looks_at_are_loaded(scene, options, count, reference):
    whole, reduced = (read(scene, view_step=step, **AS_STORED | options) for step in (1, 2))
    assert reduced.grid == whole.grid
    assert reduced.reference == whole.reference == reference
    assert reduced.view_count == count
    # Without a reference view to count from, all are loaded.
    used = used_views(whole, 2) if count < 80 else whole.present
    np.testing.assert_array_equal(reduced.present, used)
    np.testing.assert_array_equal(reduced.views[used], whole.views[used])


def test_positions_follow(tmp_path):
    path, options = stanford(tmp_path, make_views(grid=(5, 5)))
    whole, reduced = read(path, **options), read(path, every=2, views="3x3", **options)
    assert whole.positions is not None
    np.testing.assert_allclose(reduced.offsets, whole.offsets[::2, ::2] / 2, atol=1e-9)


def test_crop_and_scale_keep_depth_and_points(scene):
    whole = read(scene, **AS_STORED)
    part = read(scene, crop=(4, 6, 12, 16), scale=0.5, **AS_STORED)
    assert (part.height, part.width) == (6, 8)
    assert whole.range is not None
    assert part.range is not None
    assert part.range.maximum == whole.range.maximum / 2
    assert whole.camera is not None
    assert part.camera is not None
    disparity = np.full((20, 24), 0.8)
    near = points_from_disparity(disparity, whole.camera.pinhole())
    small = points_from_disparity(np.full((6, 8), 0.4), part.camera.pinhole(part.part.window))
    # The centre of a small pixel is the centre of the four it was made of.
    block = near[4:16, 6:22].reshape(6, 2, 8, 2, 3).mean(axis=(1, 3))
    np.testing.assert_allclose(small[..., 2], block[..., 2], rtol=1e-12)
    # The benchmark's pixel pitch divides by size − 1, so angles agree to about half a pixel of the whole image.
    np.testing.assert_allclose(small, block, atol=0.05 * np.abs(block[..., :2]).max())


def test_crop_alone_keeps_points_exactly(scene):
    whole, part = read(scene, **AS_STORED), read(scene, crop=(4, 6, 12, 16), **AS_STORED)
    np.testing.assert_array_equal(part.views, whole.views[:, :, 4:16, 6:22])
    assert whole.camera is not None
    assert part.camera is not None
    for convention in ("pinhole", "benchmark"):
        points = points_from_disparity(np.full((20, 24), 0.8), getattr(whole.camera, convention)())
        found = points_from_disparity(np.full((12, 16), 0.8), getattr(part.camera, convention)(part.part.window))
        np.testing.assert_allclose(found, points[4:16, 6:22], rtol=1e-12)


def test_scaling_averages(scene):
    whole, half = read(scene, **AS_STORED), read(scene, scale=0.5, **AS_STORED)
    blocks = whole.views.reshape(9, 9, 10, 2, 12, 2, 3).mean(axis=(3, 5))
    assert np.abs(half.views - blocks).mean() < 4
    assert read(scene, scale=2.0, **AS_STORED).views.shape == (9, 9, 40, 48, 3)


def test_camera_numbers_can_be_overridden(scene):
    lightfield = read(scene, baseline_mm=7.0, every=2, **AS_STORED)
    assert lightfield.camera is not None
    assert lightfield.camera.baseline_mm == 14.0
    assert lightfield.camera.focal_length_mm == 100.0


def test_range_reference_eta_and_white_of_the_user(scene):
    lightfield = read(scene, every=2, range=(-3, 3), reference=(0, 1), eta=(1.0, 1.1), white=200.0, **AS_STORED)
    assert lightfield.range is not None
    assert (lightfield.range.minimum, lightfield.range.origin) == (-3, "user")
    assert lightfield.reference == (0, 1)
    assert lightfield.eta == (1.0, 1.1)
    assert lightfield.white == 200.0
    assert lightfield.source.options["every"] == 2


@given(
    width=st.integers(2, 4000),
    height=st.integers(2, 4000),
    top=st.integers(0, 50),
    left=st.integers(0, 50),
    scale=st.floats(0.05, 4),
)
def test_a_camera_keeps_its_rays(width, height, top, left, scale):
    """Law: crop and scale change neither the depth of a point nor, except for half a pixel of pitch, its direction."""
    camera = Camera(100.0, 35.0, 20.0, 3.0, width, height)
    window = Window(min(top, height - 1), min(left, width - 1), height, width)
    part = part_of(Part.whole(height, width), window, scale)
    small = scaled_camera(camera, window, scale, part)
    np.testing.assert_allclose(small.inverse_depth_slope * scale, camera.inverse_depth_slope, rtol=1e-9)
    rays, old = small.pinhole(part.window), camera.pinhole()
    assert abs((rays.m0 + 0.5) / scale - 0.5 + window.left - old.m0) < 1e-6 * width
    assert abs((rays.n0 + 0.5) / scale - 0.5 + window.top - old.n0) < 1e-6 * height
    assert 0 <= part.window.top <= part.window.bottom <= part.height
    assert 0 <= part.window.left <= part.window.right <= part.width
    rows, columns = scaled_size(window, scale)
    assert rows <= max(1, window.height * scale + 1e-6)
    assert columns <= max(1, window.width * scale + 1e-6)
