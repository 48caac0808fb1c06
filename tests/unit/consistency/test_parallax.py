"""Frames of a fixed camera have no depth to measure, however noisy they are; slow motion is not mistaken for that."""

from __future__ import annotations

import numpy as np
import pytest

import ioadr
from ioadr.app.doctor import command_line, verdict
from ioadr.consistency.parallax import is_still
from ioadr.io.diagnosis import STILL
from tests.builders import save_png

WAVES = np.random.default_rng(3).uniform(-0.6, 0.6, (40, 3))
"""Frequencies along rows and columns, and phases, of a texture that can be shifted by any fraction."""


def pictures(motion: float, noise: float, seed: int = 0) -> np.ndarray:
    """3×3 views of a textured plane that moves by `motion` px per step."""
    rows, columns = np.indices((96, 120), np.float64)
    random = np.random.default_rng(seed)

    def view(down: int, right: int) -> np.ndarray:
        waves = sum(np.cos(a * (rows + motion * down) + b * (columns + motion * right) + 9 * c) for a, b, c in WAVES)
        return np.clip(120 + 8 * waves + random.normal(0, noise, rows.shape), 0, 255).astype(np.uint8)

    return np.stack([[view(row, column) for column in range(3)] for row in range(3)])


@pytest.mark.parametrize("noise", [0.0, 1.0, 4.0])
def test_a_fixed_camera_is_noticed(noise):
    assert is_still(ioadr.LightField(pictures(0.0, noise)))


@pytest.mark.parametrize("motion", [0.1, 0.5, 2.0, 15.0])
def test_motion_is_not_taken_for_noise(motion):
    assert not is_still(ioadr.LightField(pictures(motion, 2.0)))


def test_its_maps_are_doubtful(tmp_path):
    """They looked like a shallow scene, with a range that was estimated from noise."""
    for number, view in enumerate(pictures(0.0, 3.0).reshape(9, 96, 120)):
        save_png(tmp_path / f"shot_{number}.png", view)
    assert STILL in ioadr.read(tmp_path).source.doubts.values()
    found = ioadr.diagnose(tmp_path)
    assert not found.healthy
    assert verdict(found) == STILL
    assert command_line(found).startswith("none: no option corrects this")
