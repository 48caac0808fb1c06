"""A benchmark scene, exported and read back: every seed point lies on its pixel in every view."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ioadr
from tests.exported import CLOSE, colmap_landed, farthest_off, nerfstudio_landed, read_colmap

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cotton(shared: Path) -> tuple[ioadr.LightField, ioadr.Estimate]:
    lightfield = ioadr.read(shared / "data" / "hci" / "cotton")
    return lightfield, ioadr.estimate(lightfield, "fast", threads=1)


def test_every_seed_lies_on_its_pixel(cotton, tmp_path: Path) -> None:
    lightfield, found = cotton
    found.export("nerfstudio", tmp_path / "nerfstudio", lightfield)
    found.export("colmap", tmp_path / "colmap", lightfield)
    for landed in (
        nerfstudio_landed(tmp_path / "nerfstudio"),
        colmap_landed(*read_colmap(tmp_path / "colmap" / "sparse" / "0")),
    ):
        assert len(landed) == 81
        assert farthest_off(found, landed) < CLOSE


def test_depth_is_ours_to_half_a_millimetre(cotton, tmp_path: Path) -> None:
    _, found = cotton
    found.export("open3d", tmp_path / "out")
    depth = np.asarray(Image.open(tmp_path / "out" / "depth.png"))
    assert np.abs(depth - 1000.0 * found.depth).max() <= 0.5 + 1e-3
