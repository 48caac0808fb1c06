"""Clouds and meshes open in Open3D, in a separate environment, whose Python IOADR_OPEN3D names.

    python -m venv /tmp/open3d && /tmp/open3d/bin/pip install open3d
    IOADR_OPEN3D=/tmp/open3d/bin/python pytest -m slow tests/real/test_open3d.py

`make release-check` does so.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ioadr
from ioadr.evaluation.synthetic import demo

pytestmark = pytest.mark.slow
PYTHON = os.environ.get("IOADR_OPEN3D", "")
OPENING = """
import json, sys
import numpy as np, open3d
cloud = open3d.io.read_point_cloud(sys.argv[1] + "/points.ply")
mesh = open3d.io.read_triangle_mesh(sys.argv[1] + "/mesh.glb", True)
print(json.dumps({
    "points": len(cloud.points), "normals": cloud.has_normals(), "colours": cloud.has_colors(),
    "finite": bool(np.isfinite(np.asarray(cloud.points)).all()),
    "vertices": len(mesh.vertices), "triangles": len(mesh.triangles), "textures": mesh.has_textures(),
}))
"""
EVERY_VIEW = """
import os, sys
import numpy as np, open3d
folder = sys.argv[1]
cameras = open3d.io.read_pinhole_camera_trajectory(folder + "/trajectory.json").parameters
clouds = []
for camera, name in zip(cameras, sorted(os.listdir(folder + "/color")), strict=True):
    parts = [open3d.io.read_image(f"{folder}/{part}/{name}") for part in ("color", "depth")]
    image = open3d.geometry.RGBDImage.create_from_color_and_depth(*parts, depth_trunc=100.0)
    cloud = open3d.geometry.PointCloud.create_from_rgbd_image(image, camera.intrinsic, camera.extrinsic)
    clouds.append(np.asarray(cloud.points))
np.savez(folder + "/clouds.npz", *clouds)
"""


@pytest.mark.skipif(not PYTHON, reason="no Python with Open3D is named by IOADR_OPEN3D")
@pytest.mark.parametrize("name", ["demo", "hci/cotton", "real/lytro_2067"])
def test_open3d_opens_what_we_write(name: str, shared: Path, tmp_path: Path) -> None:
    lightfield = demo().lightfield if name == "demo" else ioadr.read(shared / "data" / name)
    estimate = ioadr.estimate(lightfield, "fast")
    estimate.save(tmp_path / "out", "ply,glb", report=False)
    header = (tmp_path / "out" / "points.ply").read_bytes().split(b"end_header\n")[0]
    assert max(map(len, header.split(b"\n"))) <= 200
    done = subprocess.run([PYTHON, "-c", OPENING, tmp_path / "out"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["points"] == estimate.disparity.size
    assert found["normals"]
    assert found["colours"]
    assert found["finite"]
    assert found["triangles"] > estimate.disparity.size
    assert found["textures"]


@pytest.mark.skipif(not PYTHON, reason="no Python with Open3D is named by IOADR_OPEN3D")
def test_open3d_puts_the_points_of_every_view_on_its_pixels(tmp_path: Path) -> None:
    views = ioadr.estimate_views(demo(grid=(3, 3), size=(96, 128)).lightfield, "fast")
    views.export("open3d", tmp_path / "out")
    done = subprocess.run([PYTHON, "-c", EVERY_VIEW, tmp_path / "out"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    rays = views.estimate.rays
    with np.load(tmp_path / "out" / "clouds.npz") as clouds:
        assert len(clouds.files) == 9
        for name, view in zip(clouds.files, views.index, strict=True):
            x, y, z = clouds[name].T
            assert len(z) > 0.9 * views.estimate.disparity.size
            d = (1.0 / z - rays.offset) / rays.slope
            down, right = views.layout.offsets[tuple(view)]
            rows, columns = y / z / rays.pitch_y + rays.n0 - d * down, x / z / rays.pitch_x + rays.m0 - d * right
            # Points are float64, but Open3D reads depth as whole millimetres, which moves them along their ray only.
            assert max(np.abs(rows - np.rint(rows)).max(), np.abs(columns - np.rint(columns)).max()) < 0.05
            found = views.map_of(tuple(view))[np.rint(rows).astype(int), np.rint(columns).astype(int)]
            assert np.abs(1.0 / (rays.slope * found + rays.offset) - z).max() < 0.00051
