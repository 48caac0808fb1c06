"""One cloud of all surfaces, each once."""

from __future__ import annotations

from typing import Any

import numpy as np
import trimesh
from scipy.spatial import KDTree

from ioadr.views.points import anchor_colours, fused, fused_points, outermost
from ioadr.views.surfaces import NOTHING, Surface, link_of
from tests.unit.views.scenes import every_view, scene

STEEP = 5.0
"""Disparity counts five times as much as px."""


def test_points_of_the_reference_view_are_its_estimate_s():
    """Except at smoothed rims, where they move by less than what separates surfaces."""
    views = every_view()
    points = fused_points(views)
    first = points.centre_saw
    kept = views.surfaces[0].kept
    expected = views.estimate.points[kept]
    finite = np.isfinite(views.estimate.normals[kept]).all(axis=1)
    moved = np.abs(views.surfaces[0].disparity - views.estimate.disparity)[kept][finite]
    assert moved.max() <= link_of(views.estimate)
    assert (moved == 0).mean() > 0.5
    same = moved == 0
    np.testing.assert_allclose(points.positions[first][same], expected[finite][same], rtol=1e-5, atol=1e-6)
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
    assert points.views.min() > 0
    assert fused(every_view())[1].points.views.min() > 0
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
    views.save(tmp_path / "out", "npz,ply,glb,glb-points", report=False)
    count = len(fused_points(views).positions)
    cloud: Any = trimesh.load(tmp_path / "out" / "scene.ply")
    assert len(cloud.vertices) == count
    assert b"property ushort views" in (tmp_path / "out" / "scene.ply").read_bytes()[:4000]
    other: Any = trimesh.load(tmp_path / "out" / "scene.glb")
    assert sum(len(item.vertices) for item in other.geometry.values()) == count
    mesh = fused(views)[1]
    for name in ("scene_mesh.ply", "scene_mesh.glb"):
        read: Any = trimesh.load(tmp_path / "out" / name, force="mesh", process=False)
        np.testing.assert_array_equal(read.faces, mesh.triangles)
        assert len(read.vertices) == len(mesh.points.positions)


def test_the_mesh_has_each_surface_once_and_bridges_no_gap():
    views = every_view()
    (cloud, mesh), alone = fused(views), fused_points(views)
    for name, values in vars(alone).items():
        np.testing.assert_array_equal(getattr(cloud, name), values, name)
    corners = mesh.points.positions[mesh.triangles]
    assert mesh.triangles.min() == 0
    assert mesh.triangles.max() == len(mesh.points.positions) - 1
    # In disparity no triangle spans the jump between two surfaces.
    disparity = (1 / corners[..., 2] - views.estimate.rays.offset) / views.estimate.rays.slope
    assert np.quantile(np.ptp(disparity, axis=1), 0.999) < 0.25
    # A vertex is one of the cloud's points, or of those by which a later anchor reaches under an earlier one.
    later = (mesh.points.anchor > 0).sum()
    assert len(mesh.points.positions) - later <= (cloud.anchor == 0).sum()
    assert mesh.triangles[(mesh.points.anchor > 0)[mesh.triangles].any(axis=1)].size > 300
    # Triangles face their camera, and normals with them.
    first = (mesh.points.anchor == 0)[mesh.triangles].all(axis=1)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert ((across * corners.mean(axis=1)).sum(axis=1)[first] < 0).mean() > 0.999


def test_no_cracks_open_between_the_meshes_of_two_anchors():
    """Seen from a corner, each point that an anchor saw lies on a triangle, except along a few borders."""
    views = every_view()
    mesh, rays = fused(views)[1], views.estimate.rays
    x, y, z = mesh.points.positions[mesh.triangles].mean(axis=1).T
    d = (1 / z - rays.offset) / rays.slope
    for view in ((0, 0), (8, 8)):
        down, right = views.layout.offsets[view]
        row, column = y / z / rays.pitch_y + rays.n0 - d * down, x / z / rays.pitch_x + rays.m0 - d * right
        seen = np.argwhere(views.source[views.number(view)] != NOTHING)
        there = np.column_stack([seen, STEEP * views.map_of(view)[tuple(seen.T)]])
        away, _ = KDTree(np.column_stack([row, column, STEEP * d])).query(there)
        assert np.mean(away > 0.75) < 0.01


def test_the_outermost_views_close_strips_along_borders():
    """Of what the corner views see, fewer points are off the mesh than off the anchors' triangles."""
    views = every_view()
    mesh, rays = fused(views)[1], views.estimate.rays
    x, y, z = mesh.points.positions[mesh.triangles].mean(axis=1).T
    d = (1 / z - rays.offset) / rays.slope
    anchors = (mesh.points.anchor < len(views.surfaces))[mesh.triangles].all(axis=1)
    assert 0.9 < anchors.mean() < 1.0
    for view in ((0, 0), (8, 8)):
        down, right = views.layout.offsets[view]
        row, column = y / z / rays.pitch_y + rays.n0 - d * down, x / z / rays.pitch_x + rays.m0 - d * right
        drawn = np.column_stack([row, column, STEEP * d])
        seen = np.argwhere(views.source[views.number(view)] != NOTHING)
        there = np.column_stack([seen, STEEP * views.map_of(view)[tuple(seen.T)]])
        alone, every = (np.mean(KDTree(part).query(there)[0] > 0.75) for part in (drawn[anchors], drawn))
        assert every < 0.8 * alone


def test_the_outermost_views_are_the_corners():
    grid = np.array([[a, b] for a in (-1.0, 0.0, 1.0) for b in (-1.0, 0.0, 1.0)])
    assert sorted(outermost(grid)) == [0, 2, 6, 8]
    assert sorted(outermost(grid[3:6])) == [0, 2]


def test_colours_are_those_of_the_anchor_that_saw_the_point():
    image = np.arange(20.0).reshape(4, 5, 1)
    flat = np.ones((4, 5), np.float32)
    anchor = Surface((0, 0), (0.0, 0.0), flat, flat, flat, flat > 0, image)
    source = np.zeros((4, 5), np.uint8)
    source[0] = NOTHING
    made = anchor_colours([anchor], flat, source, (0.0, 1.0))
    np.testing.assert_array_equal(made[1:, :-1], image[1:, 1:])
    assert not made[0].any()
