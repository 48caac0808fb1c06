"""One cloud of all surfaces, each once."""

from __future__ import annotations

from typing import Any

import numpy as np
import trimesh

from ioadr.views.points import fused_points
from tests.unit.views.scenes import every_view, scene


def test_points_of_the_reference_view_are_its_estimate_s():
    views = every_view()
    points = fused_points(views)
    first = points.centre_saw
    np.testing.assert_array_equal(first, points.anchor == 0)
    kept = views.surfaces[0].kept
    expected = views.estimate.points[kept]
    finite = np.isfinite(views.estimate.normals[kept]).all(axis=1)
    np.testing.assert_allclose(points.positions[first], expected[finite], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(points.colours[first], views.estimate.image[kept][finite])


def test_further_anchors_add_points_where_the_scene_is():
    """They lie on the true surfaces: seen from their anchor, at its true disparity."""
    views, rendered = every_view(), scene()
    points = fused_points(views)
    assert (points.anchor > 0).sum() > 300
    rays = views.estimate.rays
    errors = []
    for number, surface in enumerate(views.surfaces[1:], 1):
        x, y, z = points.positions[points.anchor == number].T
        d = (1 / z - rays.offset) / rays.slope
        column = x / z / rays.pitch_x + rays.m0 - d * surface.offset[1]
        row = y / z / rays.pitch_y + rays.n0 - d * surface.offset[0]
        true = rendered.disparity_of(surface.view)[np.rint(row).astype(int), np.rint(column).astype(int)]
        errors.append(np.abs(d - true))
    together = np.concatenate(errors)
    assert np.mean(together < 0.1) > 0.8


def test_points_are_seen_by_views_and_normals_face_them():
    points = fused_points(every_view())
    assert points.views.max() == 81
    assert points.views[points.anchor == 0].mean() > points.views[points.anchor > 0].mean()
    np.testing.assert_allclose(np.linalg.norm(points.normals, axis=1), 1, atol=1e-4)
    assert ((points.normals * points.positions).sum(axis=1)[points.anchor == 0] < 0).all()


def test_confidence_leaves_points_out():
    views = every_view()
    few, many = fused_points(views, 0.8), fused_points(views)
    assert 0 < len(few.positions) < len(many.positions)
    assert few.confidence.min() >= np.float32(0.8)


def test_clouds_of_all_surfaces_are_written(tmp_path):
    views = every_view()
    views.save(tmp_path / "out", "npz,ply,glb-points", report=False)
    count = len(fused_points(views).positions)
    cloud: Any = trimesh.load(tmp_path / "out" / "scene.ply")
    assert len(cloud.vertices) == count
    assert b"property ushort views" in (tmp_path / "out" / "scene.ply").read_bytes()[:4000]
    other: Any = trimesh.load(tmp_path / "out" / "scene.glb")
    assert sum(len(item.vertices) for item in other.geometry.values()) == count
