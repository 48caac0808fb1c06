"""The residual that needs no truth agrees with the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ioadr
from ioadr.geometry.synthesis import residuals
from ioadr.io.results.pfm import read_pfm
from tests.marks import some_quick

pytestmark = pytest.mark.real


@pytest.mark.parametrize("scene", some_quick(["boxes", "cotton", "dino", "sideboard"], ["cotton"]))
def test_truth_beats_a_blurred_truth(shared: Path, scene: str) -> None:
    """Also the published maps: supervised ones near the truth, all before the blurred map."""
    ndimage = pytest.importorskip("scipy.ndimage", reason="scipy is not installed")
    folder = shared / "data" / "hci" / scene
    lightfield = ioadr.read(folder)
    corners = np.zeros((9, 9), bool)
    corners[::4, ::4] = True  # nine of 81 views say the same in a ninth of the time
    lightfield = lightfield.with_(present=corners)
    truth = read_pfm(folder / "gt_disp_lowres.pfm")
    peers = {name: read_pfm(shared / "data" / "peers" / name / f"{scene}.pfm") for name in ("OACC-Net", "SPO")}
    found = {name: residuals(lightfield, values).mean for name, values in peers.items()}
    exact = residuals(lightfield, truth).mean
    blurred = residuals(lightfield, ndimage.gaussian_filter(truth, 3)).mean
    assert exact < 0.9 * blurred
    assert found["OACC-Net"] < found["SPO"] * 1.03 < blurred
    assert found["OACC-Net"] == pytest.approx(exact, rel=0.03)
