"""Views out of the plane of the others: the formula is that of pinholes, and views are moved into the plane by it."""

from __future__ import annotations

import numpy as np
import pytest

import ioadr
from ioadr import Camera, DisparityRange, LightField
from ioadr._jit import Workers
from ioadr.evaluation.synthetic.posed import idealised, true_disparity
from ioadr.geometry.off_plane import enlarged, flattened, place_of, reduced, residual
from ioadr.layout import Layout
from tests.builders import make_lightfield
from tests.posed import SCENE, colmap_scene, shots

CAMERA = Camera(50.0, 36.0, 80.0, 2.5, 64, 48, axis_offset=(3.0, -5.0))
GRID = np.meshgrid(np.arange(3.0), np.arange(3.0), indexing="ij")
POSITIONS = np.dstack([*GRID, np.linspace(-0.7, 0.9, 9).reshape(3, 3)])


def test_a_pinhole_sees_points_where_the_formula_says():
    layout, rays = Layout.of((3, 3), positions=POSITIONS), CAMERA.pinhole()
    random = np.random.default_rng(0)
    rows, columns, d = random.uniform(0, 47, 20), random.uniform(0, 63, 20), random.uniform(-3, 3, 20)
    depth = 1.0 / (rays.slope * d + rays.offset)
    points = np.stack([(columns - rays.m0) * rays.pitch_x * depth, (rows - rays.n0) * rays.pitch_y * depth, depth])
    baseline = rays.pitch_x / rays.slope
    for view in np.ndindex(3, 3):
        down, right = layout.offsets[view] * baseline
        forward = layout.forward[view] * baseline
        zoom = 1.0 - forward * rays.offset
        x, y, z = points[0] - right, points[1] - down, points[2] - forward
        # The sensor is shifted, and the picture scaled, so that the focus plane stays where it is.
        expected = (
            rays.n0 + down * rays.offset / rays.pitch_y + zoom * y / z / rays.pitch_y,
            rays.m0 + right * rays.offset / rays.pitch_x + zoom * x / z / rays.pitch_x,
        )
        np.testing.assert_allclose(place_of(view, layout, rays).seen(rows, columns, d), expected, atol=1e-9)


def test_in_the_plane_it_is_the_plain_formula():
    layout = Layout.of((3, 3))
    rows, columns, d = np.array([4.0]), np.array([9.0]), np.array([1.5])
    y, x = place_of((0, 2), layout, CAMERA.pinhole()).seen(rows, columns, d)
    assert (y[0], x[0]) == (4.0 + 1.5, 9.0 - 1.5)


def test_planar_light_fields_stay_as_they_are():
    views = make_lightfield()
    with Workers(1) as workers:
        assert flattened(views, np.zeros((20, 24), np.float32), workers) is views
    assert residual(views, -1.0, 1.0) == 0.0


@pytest.fixture(scope="module")
def posed(tmp_path_factory) -> LightField:
    return ioadr.read(colmap_scene(tmp_path_factory.mktemp("posed") / "scene", shots()))


def test_views_are_moved_into_the_plane(posed):
    """By the true map, they become what ideal cameras see; what the reference view does not see is left out."""
    truth = true_disparity(SCENE, posed, border=2).disparity.astype(np.float32)
    with Workers(1) as workers:
        flat = flattened(posed, truth, workers)
    assert flat.layout.planar
    ideal = idealised(posed, SCENE)
    limits = posed.range
    assert residual(posed, limits.minimum, limits.maximum) > 1.0
    for view in zip(*np.nonzero(posed.present), strict=True):
        inner = np.s_[6:-6, 6:-6]
        before = np.abs(posed.views[view] / 257.0 - ideal.views[view])[inner]
        after = np.abs(flat.views[view] / 257.0 - ideal.views[view])[inner]
        assert np.median(after) < 1.2
        assert np.percentile(after, 75) <= np.percentile(before, 75) + 0.1


def test_estimates_keep_the_places_of_the_views(posed):
    estimate = ioadr.estimate(posed, "fast", threads=1)
    assert estimate.layout is posed.layout
    assert estimate.depth_unit == "pose unit"
    truth = true_disparity(SCENE, posed, border=2).disparity
    wrong = np.abs(estimate.disparity - truth)[8:-8, 8:-8] > 0.2
    assert wrong.mean() < 0.15


def test_maps_of_reduced_views_fit_the_whole_ones():
    views = make_lightfield(size=(22, 27), disparity=0.5, range=DisparityRange(-2.0, 2.0), camera=CAMERA)
    small = reduced(views, 2)
    assert small.views.shape == (3, 3, 11, 13, 3)
    assert small.range == DisparityRange(-1.0, 1.0)
    ramp = np.add.outer(np.arange(22.0), 3 * np.arange(27.0))
    blocks = ramp[:22, :26].reshape(11, 2, 13, 2).mean(axis=(1, 3)).astype(np.float32) / 2
    np.testing.assert_allclose(enlarged(blocks, 2, (22, 27))[1:-1, 1:-2], ramp[1:-1, 1:-2], atol=1e-4)
