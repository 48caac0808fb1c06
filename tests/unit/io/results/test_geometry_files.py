"""A cube of known size and place, written, and measured by two independent readers."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import Estimate, InputError, colours
from ioadr.io.results import cloud, glb
from ioadr.io.results.save import save_estimate
from tests.scenes import CUBE, EDGE, WALL, cube_estimate, make_estimate

trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed")


@pytest.fixture(scope="module")
def estimate() -> Estimate:
    return cube_estimate()


@pytest.fixture(scope="module")
def folder(estimate: Estimate, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("geometry") / "out"
    save_estimate(estimate, path, ["ply", "glb", "glb-points", "xyz"])
    return path


def measure(points: NDArray[Any], estimate: Estimate) -> None:
    """Distances and the cube's edges to 1 %; upright, in front of the camera."""
    depth = -points[:, 2]
    assert depth.min() == pytest.approx(CUBE, rel=1e-3)
    assert depth.max() == pytest.approx(WALL, rel=1e-3)
    front = points[depth < 0.5 * (CUBE + WALL)]
    pixel = estimate.camera_or_relative.pinhole().pitch_x * CUBE
    # Pixels lie inside the edges, so the front is measured from the outer sides of its outer pixels.
    for axis in (0, 1):
        assert np.ptp(front[:, axis]) + pixel == pytest.approx(EDGE, rel=0.01)
    assert abs(front[:, :2].mean(axis=0)).max() < 0.01 * EDGE
    width = WALL * 36.0 / 50.0
    assert np.ptp(points[:, 0]) == pytest.approx(width, rel=0.01)


def test_ply_in_trimesh(folder: Path, estimate: Estimate) -> None:
    found = trimesh.load(folder / "points.ply")
    measure(found.vertices, estimate)
    assert len(found.vertices) == estimate.disparity.size
    assert np.array_equal(found.colors[:, :3], estimate.image.reshape(-1, 3))
    raw = found.metadata["_ply_raw"]["vertex"]["data"]
    normals = np.stack([raw[name] for name in ("nx", "ny", "nz")], axis=-1)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)
    assert (np.einsum("ij,ij->i", normals, found.vertices) < 0).all(), "normals face the camera in the origin"
    assert np.array_equal(raw["confidence"], estimate.confidence.ravel())


def test_first_pixel_is_top_left(folder: Path) -> None:
    x, y, _ = trimesh.load(folder / "points.ply").vertices[0]
    assert x < 0 < y


def test_ply_header_says_unit_axes_and_provenance(folder: Path, estimate: Estimate) -> None:
    header = (folder / "points.ply").read_bytes().split(b"end_header\n")[0].decode("ascii").splitlines()
    assert any("unit: m;" in line and "y up" in line for line in header)
    assert json.loads(provenance(header))["seed"] == estimate.seed


def provenance(header: list[str]) -> str:
    mark = "comment ioadr.provenance "
    return "".join(line.removeprefix(mark) for line in header if line.startswith(mark))


@pytest.mark.parametrize("name", ["plain", 400 * " ", "a b " * 300, "é" * 300], ids=["plain", "spaces", "words", "é"])
def test_no_header_line_is_long(tmp_path: Path, name: str) -> None:
    """RPly, and Open3D with it, ends the process at a header line of more than 1,024 bytes."""
    estimate = make_estimate(np.zeros((4, 5)), name=name)
    save_estimate(estimate, tmp_path / "out", ["ply"])
    header = (tmp_path / "out" / "points.ply").read_bytes().split(b"end_header\n")[0]
    assert max(map(len, header.split(b"\n"))) <= 200
    assert json.loads(provenance(header.decode("ascii").splitlines()))["source"]["name"] == name


def test_ply_in_vtk(folder: Path, estimate: Estimate) -> None:
    pyvista = pytest.importorskip("pyvista", reason="needs pyvista, which `make release-check` installs")
    found = pyvista.read(folder / "points.ply")
    measure(np.asarray(found.points), estimate)
    assert found.n_points == estimate.disparity.size
    assert np.array_equal(found["RGB"], estimate.image.reshape(-1, 3))
    assert np.allclose(np.linalg.norm(found["Normals"], axis=1), 1, atol=1e-5)


def test_point_glb_in_trimesh(folder: Path, estimate: Estimate) -> None:
    (found,) = trimesh.load_scene(folder / "points.glb").geometry.values()
    measure(found.vertices, estimate)
    assert len(found.vertices) == estimate.disparity.size
    linear = colours.linear_from_srgb(estimate.image.reshape(-1, 3))
    assert np.allclose(found.colors[:, :3], 255 * linear, atol=1)


def test_point_glb_in_vtk(folder: Path, estimate: Estimate) -> None:
    pyvista = pytest.importorskip("pyvista", reason="needs pyvista, which `make release-check` installs")
    found = pyvista.read(folder / "points.glb").combine()
    measure(np.asarray(found.points), estimate)
    linear = colours.linear_from_srgb(estimate.image.reshape(-1, 3))
    assert np.allclose(found["COLOR_0"], linear, atol=1e-6)


def test_mesh_glb_in_trimesh(folder: Path, estimate: Estimate) -> None:
    (found,) = trimesh.load_scene(folder / "mesh.glb").geometry.values()
    measure(found.vertices, estimate)
    depth = -found.vertices[:, 2]
    assert (np.ptp(depth[found.faces], axis=1) < 0.01).all(), "no triangle bridges cube and wall"
    assert found.body_count == 2
    assert (found.face_normals[:, 2] > 0.99).all()
    front = found.area_faces[(depth[found.faces] < 2.5).all(axis=1)].sum()
    pixel = estimate.camera_or_relative.pinhole().pitch_x * CUBE
    assert front == pytest.approx((EDGE - pixel) ** 2, rel=0.01)


def test_mesh_texture_shows_each_pixel_its_colour(folder: Path, estimate: Estimate) -> None:
    (found,) = trimesh.load_scene(folder / "mesh.glb").geometry.values()
    texture = np.asarray(found.visual.material.baseColorTexture)
    assert np.array_equal(texture, estimate.image)
    height, width = texture.shape[:2]
    column = found.visual.uv[:, 0] * width - 0.5
    row = (1 - found.visual.uv[:, 1]) * height - 0.5
    rays = estimate.camera_or_relative.pinhole()
    x, y, z = found.vertices.T
    assert np.allclose(column, x / -z / rays.pitch_x + rays.m0, atol=0.01)
    assert np.allclose(row, y / z / rays.pitch_y + rays.n0, atol=0.01)


def test_mesh_glb_in_vtk(folder: Path, estimate: Estimate) -> None:
    pyvista = pytest.importorskip("pyvista", reason="needs pyvista, which `make release-check` installs")
    found = pyvista.read(folder / "mesh.glb").combine()
    measure(np.asarray(found.points), estimate)


def test_glb_carries_unit_and_provenance(folder: Path, estimate: Estimate) -> None:
    content = (folder / "mesh.glb").read_bytes()
    magic, version, total, length = struct.unpack("<4sIII", content[:16])
    assert (magic, version, total) == (b"glTF", 2, len(content))
    asset = json.loads(content[20 : 20 + length])["asset"]
    assert asset["extras"]["unit"] == "m"
    assert asset["extras"]["provenance"]["seed"] == estimate.seed


def test_xyz_is_text_of_points_and_colours(folder: Path, estimate: Estimate) -> None:
    table = np.loadtxt(folder / "points.xyz")
    measure(table[:, :3], estimate)
    assert np.array_equal(table[:, 3:], estimate.image.reshape(-1, 3))


def test_an_image_of_one_row_has_points_without_normals() -> None:
    from tests.scenes import make_estimate

    points = cloud.point_cloud(make_estimate(np.full((1, 24), 0.5), cube_estimate(24, 20).camera))
    assert len(points.positions) == 24
    assert not points.normals.any()


def test_nothing_in_front_of_the_camera_is_said() -> None:
    from ioadr.errors import InputError
    from tests.scenes import make_estimate

    behind = cube_estimate(24, 20)
    with pytest.raises(InputError, match="in front of the camera"):
        cloud.point_cloud(make_estimate(np.full((20, 24), -1e4), behind.camera))
    lone = cloud.point_cloud(behind)
    with pytest.raises(InputError, match="surface"):
        glb.write_glb_mesh(Path("never"), lone, np.empty((0, 3), np.int32), behind.image, {})


def test_doubtful_pixels_are_left_out_of_clouds_and_meshes(estimate: Estimate, tmp_path: Path) -> None:
    limit = float(np.median(estimate.confidence))
    kept = estimate.confidence >= limit
    save_estimate(estimate, tmp_path / "out", "ply,glb,npz", min_confidence=limit)
    assert len(trimesh.load(tmp_path / "out" / "points.ply").vertices) == np.count_nonzero(kept)
    (mesh,) = trimesh.load_scene(tmp_path / "out" / "mesh.glb").geometry.values()
    corners = kept.reshape(-1)[estimate.triangles].all(axis=1)
    assert len(mesh.faces) == np.count_nonzero(corners)
    with np.load(tmp_path / "out" / "estimate.npz") as content:
        assert content["disparity"].shape == kept.shape, "maps keep all pixels"
    assert json.loads((tmp_path / "out" / "provenance.json").read_text())["min_confidence"] == limit
    with pytest.raises(InputError, match=r"no pixel has that confidence; the highest is"):
        doubtful = make_estimate(np.zeros((9, 9)), confidence=np.full((9, 9), 0.4, np.float32))
        save_estimate(doubtful, tmp_path / "none", ["ply"], min_confidence=0.5)
    assert not (tmp_path / "none").exists()


def test_relative_clouds_say_so_in_glb(tmp_path: Path) -> None:
    save_estimate(make_estimate(np.zeros((9, 9))), tmp_path / "out", ["glb-points"])
    assert b'"name":"scene, relative scale"' in (tmp_path / "out" / "points.glb").read_bytes()


def test_python_writes_the_report_as_the_command_does(estimate: Estimate, tmp_path: Path) -> None:
    """README's three lines promised a page that `save` did not write."""
    assert "report.html" in [Path(file).name for file in estimate.save(tmp_path / "a", "pfm")]
    assert "report.html" not in [Path(file).name for file in estimate.save(tmp_path / "b", "pfm", report=False)]
