"""Surfaces end where one pixel hides another, and meshes are cut there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera
from ioadr.geometry.discontinuity import occlusion_boundary, surface_cells, triangles
from ioadr.geometry.points import points_from_disparity

CAMERA = Camera(100, 35, 42, 6, 12, 10)


def points(disparity: NDArray[np.float32]) -> NDArray[np.float32]:
    return points_from_disparity(disparity, CAMERA.pinhole())


def step(height: int = 10, width: int = 12, at: int = 5, near: float = 1.0) -> NDArray[np.float32]:
    disparity = np.zeros((height, width), np.float32)
    disparity[:, at:] = near
    return disparity


def test_boundary_is_the_far_side_of_a_step() -> None:
    expected = np.zeros((10, 12), bool)
    expected[:, 4] = True
    assert np.array_equal(occlusion_boundary(step(), (4, 4)), expected)
    assert np.array_equal(occlusion_boundary(step().T, (4, 4)), expected.T)
    assert np.array_equal(occlusion_boundary(step()[:, ::-1], (4, 4)), expected[:, ::-1])


def test_boundary_needs_a_view_far_enough_off() -> None:
    assert occlusion_boundary(step(near=0.25), (4, 4)).any()
    assert not occlusion_boundary(step(near=0.24), (4, 4)).any()
    assert not occlusion_boundary(step(), (4, 0)).any(), "views in one column cannot look behind a vertical edge"


def test_plane_is_covered_without_gaps() -> None:
    slope = np.float32(0.02) * np.arange(12, dtype=np.float32) + np.float32(0.03) * np.arange(10)[:, None]
    cells = surface_cells(points(slope.astype(np.float32)))
    assert (cells & 6 == 6).all()
    assert len(triangles(cells)) == 2 * 9 * 11


def test_no_triangle_bridges_a_step() -> None:
    disparity = step()
    faces = triangles(surface_cells(points(disparity)))
    assert len(faces) == 2 * 9 * 10, "one column of cells is cut out"
    assert (np.ptp(disparity.ravel()[faces], axis=1) == 0).all()


def test_diagonal_follows_an_edge() -> None:
    """A staircase edge is closed by half cells on both sides instead of losing whole ones."""
    disparity = np.tri(10, 12, dtype=np.float32)
    faces = triangles(surface_cells(points(disparity)))
    assert (np.ptp(disparity.ravel()[faces], axis=1) == 0).all()
    assert len(faces) > 2 * (9 * 11 - 2 * 9)


def test_missing_points_have_no_triangles() -> None:
    disparity = np.zeros((10, 12), np.float32)
    disparity[4, 4] = np.nan
    faces = triangles(surface_cells(points(disparity)))
    assert 4 * 12 + 4 not in faces
    assert len(faces) == 2 * 9 * 11 - 4, "of each of the four cells around it half remains"


def test_triangles_face_the_camera() -> None:
    rng = np.random.default_rng(1)
    cloud = points((0.01 * rng.standard_normal((10, 12))).astype(np.float32))
    a, b, c = np.moveaxis(cloud.reshape(-1, 3)[triangles(surface_cells(cloud))], 1, 0)
    # Axes with y down and z away: counter-clockwise on the screen is towards negative z.
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a) < 0).all()
