"""Clouds and meshes open in Open3D, in an environment of its own: name its Python by IOADR_OPEN3D.

    python -m venv /tmp/open3d && /tmp/open3d/bin/pip install open3d
    IOADR_OPEN3D=/tmp/open3d/bin/python pytest -m slow tests/real/test_open3d.py

`make release-check` does so.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

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
