"""Models go to pycolmap and come back, in a separate environment, whose Python IOADR_PYCOLMAP names.

    python -m venv /tmp/pycolmap && /tmp/pycolmap/bin/pip install pycolmap
    IOADR_PYCOLMAP=/tmp/pycolmap/bin/python pytest -m slow tests/real/test_pycolmap.py

`make release-check` does so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr.evaluation.synthetic import demo
from ioadr.io.poses.colmap_model import MODELS, UNDERSTOOD, camera_numbers
from ioadr.io.poses.photographs import photograph
from tests.exported import CLOSE, Landed, farthest_off

PYTHON = os.environ.get("IOADR_PYCOLMAP", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="no Python with pycolmap is named by IOADR_PYCOLMAP"),
]
PROJECTING = """
import sys
import numpy as np, pycolmap
model = pycolmap.Reconstruction(sys.argv[1])
points = [model.points3D[number] for number in sorted(model.points3D)]
landed = {image.name: np.array([image.project_point(point.xyz) for point in points]) for image in model.images.values()}
errors = [
    np.linalg.norm(image.project_point(model.points3D[seen.point3D_id].xyz) - seen.xy)
    for image in model.images.values() for seen in image.points2D if seen.has_point3D()
]
np.savez(sys.argv[2], worst_observation=max(errors), **landed)
"""
WRITING = """
import sys
import pycolmap
model = pycolmap.Reconstruction(sys.argv[1])
model.write_binary(sys.argv[2]) if sys.argv[3] == "bin" else model.write_text(sys.argv[2])
"""


PUTTING = """
import json, sys
import numpy as np, pycolmap
model, values, rays = json.loads(sys.argv[1])
camera = pycolmap.Camera(model=model, width=200, height=160, params=values)
np.save(sys.argv[2], camera.img_from_cam(np.c_[np.array(rays), np.ones(len(rays))]))
"""
LENSES = {
    "SIMPLE_RADIAL": [0.05],
    "RADIAL": [0.05, -0.01],
    "OPENCV": [0.05, -0.01, 0.002, -0.001],
    "FULL_OPENCV": [0.05, -0.01, 0.002, -0.001, 0.003, 0.01, 0.002, 0.001],
    "OPENCV_FISHEYE": [0.02, -0.01, 0.003, -0.001],
    "SIMPLE_RADIAL_FISHEYE": [0.02],
    "RADIAL_FISHEYE": [0.02, -0.01],
}


def called(script: str, *words: Any) -> None:
    done = subprocess.run([PYTHON, "-c", script, *map(str, words)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


def projected(model: Path, place: Path) -> tuple[Landed, float]:
    """By pycolmap: where every view sees every point, and how far observations are from that."""
    called(PROJECTING, model, place / "landed.npz")
    with np.load(place / "landed.npz") as found:
        worst = float(found["worst_observation"])
        return {name: found[name] - 0.5 for name in found.files if name != "worst_observation"}, worst


@pytest.mark.parametrize("form", ["bin", "txt"])
@pytest.mark.parametrize("name", ["demo", "hci/cotton"])
def test_every_seed_lies_on_its_pixel_in_every_view(name: str, form: str, shared: Path, tmp_path: Path) -> None:
    lightfield = demo().lightfield if name == "demo" else ioadr.read(shared / "data" / name)
    found = ioadr.estimate(lightfield, "fast", threads=1)
    found.export("colmap", tmp_path / "out", lightfield, points=1000)
    model = tmp_path / "model"
    model.mkdir()
    for part in ("cameras", "images", "points3D"):
        shutil.copy(tmp_path / "out" / "sparse" / "0" / f"{part}.{form}", model)
    landed, worst = projected(model, tmp_path)
    assert len(landed) == lightfield.view_count
    assert farthest_off(found, landed) < CLOSE
    assert worst < CLOSE


@pytest.mark.parametrize("form", ["bin", "txt"])
def test_what_pycolmap_writes_is_read(form: str, tmp_path: Path) -> None:
    """Of today's versions, which put rigs and frames beside the files that are read."""
    lightfield = demo(grid=(3, 3), size=(96, 128)).lightfield
    ioadr.estimate(lightfield, "fast", threads=1).export("colmap", tmp_path / "scene", lightfield, points=100)
    sparse = tmp_path / "scene" / "sparse" / "0"
    before = ioadr.read(tmp_path / "scene")
    (tmp_path / "again").mkdir()
    called(WRITING, sparse, tmp_path / "again", form)
    shutil.rmtree(sparse)
    (tmp_path / "again").rename(sparse)
    assert {path.suffix for path in sparse.iterdir()} == {f".{form}"}
    after = ioadr.read(tmp_path / "scene")
    np.testing.assert_allclose(after.positions, before.positions, atol=1e-6)
    np.testing.assert_allclose(after.views.astype(np.int64), before.views, atol=2)


@pytest.mark.parametrize("model", UNDERSTOOD)
def test_lenses_bend_as_colmap_says(model: str, tmp_path: Path) -> None:
    bent = LENSES.get(model, [])
    values = {3: [210.0, 101.0, 83.0], 4: [210.0, 205.0, 101.0, 83.0]}[MODELS[model] - len(bent)] + bent
    rays = np.random.default_rng(0).uniform(-0.6, 0.6, (50, 2))
    called(PUTTING, json.dumps([model, values, rays.tolist()]), tmp_path / "pixels.npy")
    camera = camera_numbers(tmp_path, 1, model, 200, 160, values)
    taken = photograph("a", None, camera, (np.eye(3), np.zeros(3)), tmp_path)
    pixels = taken.pixels(np.c_[rays, np.ones(len(rays))])
    np.testing.assert_allclose(pixels + 0.5, np.load(tmp_path / "pixels.npy"), atol=1e-9)
    np.testing.assert_allclose(taken.rays(pixels)[:, :2], rays, atol=1e-9)
