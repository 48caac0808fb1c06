"""Disparity, depth, points and normals agree with geometry one can do on paper."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ioadr import Camera
from ioadr.geometry.points import (
    depth_from_disparity,
    disparity_from_depth,
    normals_from_points,
    points_from_disparity,
)
from tests.scenes import make_estimate

positive = st.floats(0.1, 1000)
cameras = st.builds(Camera, positive, positive, positive, positive, st.integers(2, 4000), st.integers(2, 4000))


@given(cameras, st.floats(0.1, 100))
def test_depth_and_disparity_are_inverse(camera: Camera, depth: float) -> None:
    disparity = disparity_from_depth(np.array([[depth]]), camera)
    assert depth_from_disparity(disparity, camera)[0, 0] == pytest.approx(depth, rel=1e-6)


@given(cameras, st.floats(-3, 3))
def test_depth_is_the_benchmarks_formula(camera: Camera, disparity: float) -> None:
    scale = camera.baseline_mm * camera.focal_length_mm * max(camera.width, camera.height)
    inverse = 1000 * camera.sensor_size_mm * disparity / scale + 1 / camera.focus_distance_m
    found = depth_from_disparity(np.array([[disparity]]), camera)[0, 0]
    if inverse > 1e-12:
        assert found == pytest.approx(1 / inverse, rel=1e-9)
    elif inverse <= 0:
        assert math.isnan(found), "behind the camera there is no depth"


def test_zero_disparity_is_the_focus_plane_and_positive_is_nearer() -> None:
    camera = Camera(100, 35, 42, 6, 512, 512)
    depth = depth_from_disparity(np.array([[-1.0, 0.0, 1.0]]), camera)[0]
    assert depth[0] > depth[1] > depth[2]
    assert depth[1] == pytest.approx(6)


def test_unshifted_cameras_focus_at_infinity() -> None:
    camera = Camera(50, 36, 20, math.inf, 1000, 800)
    depth = depth_from_disparity(np.array([[0.0, 2.0]]), camera)[0]
    assert math.isnan(depth[0])
    assert depth[1] == pytest.approx(0.02 * 50 / 36 * 1000 / 2), "Z = baseline · focal length in px / disparity"


def test_points_lie_on_rays_through_the_image_centre() -> None:
    camera = Camera(50, 36, 20, 2.5, 101, 61)
    points = points_from_disparity(np.zeros((61, 101)), camera.pinhole())
    assert np.allclose(points[30, 50], (0, 0, 2.5))
    assert points[30, 100] == pytest.approx((18 / 50 * 2.5, 0, 2.5)), "half the sensor over the focal length"
    assert points[0, 50, 1] < 0, "y points down"


@pytest.mark.parametrize("normal", [(0, 0, -1), (0.3, -0.2, -1), (0.9, 0, -0.4), (0, 0.98, 0.05)])
def test_normals_of_a_plane(normal: tuple[float, float, float]) -> None:
    """The last plane is like a ceiling that rises away: its normal has a positive z and still faces the camera."""
    unit = np.array(normal) / np.linalg.norm(normal)
    camera = Camera(30, 36, 20, 2.5, 40, 40)
    rays = camera.pinhole()
    row, column = np.mgrid[:12, 14:26]
    direction = np.stack(
        [(column - rays.m0) * rays.pitch_x, (row - rays.n0) * rays.pitch_y, np.ones(row.shape)], axis=-1
    )
    distance = -1.0 if direction[0, 0] @ unit < 0 else 1.0
    points = direction * (distance / (direction @ unit))[..., None]
    assert (points[..., 2] > 0).all()
    found = normals_from_points(points)
    expected = unit if distance < 0 else -unit
    assert np.allclose(found[1:-1, 1:-1], expected, atol=1e-9)


def test_normals_face_the_camera_everywhere() -> None:
    rough = np.random.default_rng(4).uniform(-0.1, 1, (40, 50))
    estimate = make_estimate(rough, Camera(20, 36, 42, 6, 50, 40))
    towards = np.einsum("ijk,ijk->ij", estimate.normals.astype(float), estimate.points.astype(float))
    assert (towards < 0).all()
    assert np.allclose(np.linalg.norm(estimate.normals, axis=-1), 1, atol=1e-6)


@pytest.mark.parametrize("camera", [Camera(100, 35, 42, 2, 30, 20), None], ids=["metres", "relative"])
def test_the_tolerance_is_the_depth_that_0_07_px_make(camera: Camera | None) -> None:
    disparity = np.linspace(-0.5, 0.5, 600, dtype=np.float32).reshape(20, 30)
    estimate = make_estimate(disparity, camera)
    behind, before = (
        depth_from_disparity(disparity.astype(np.float64) + shift, estimate.camera_or_relative)
        for shift in (-0.035, 0.035)
    )
    np.testing.assert_allclose(estimate.depth_tolerance, behind - before, rtol=5e-3)
