"""Metres of a benchmark scene."""

from __future__ import annotations

import configparser
from pathlib import Path

import numpy as np
import pytest

import ioadr
from ioadr.io.results.pfm import read_pfm
from tests.scenes import make_estimate

pytestmark = pytest.mark.real


def test_depth_of_cotton_agrees_with_its_camera(shared: Path) -> None:
    """METRICS.md: Z = 1 / (1000·S·d / (b·f·max(W, H)) + 1/F)."""
    folder = shared / "data" / "hci" / "cotton"
    config = configparser.ConfigParser()
    config.read(folder / "parameters.cfg")
    optics, layout = config["intrinsics"], config["extrinsics"]
    scale = float(layout["baseline_mm"]) * float(optics["focal_length_mm"]) * 512
    truth = read_pfm(folder / "gt_disp_lowres.pfm")
    expected = 1 / (
        1000 * float(optics["sensor_size_mm"]) * truth.astype(np.float64) / scale
        + 1 / float(layout["focus_distance_m"])
    )
    estimate = make_estimate(truth, ioadr.read(folder).camera)
    assert np.allclose(estimate.depth, expected, rtol=1e-6, atol=0)


def test_depth_of_the_render_is_its_true_depth(shared: Path) -> None:
    folder = shared / "data" / "rendered" / "toys"
    estimate = make_estimate(read_pfm(folder / "gt_disp_lowres.pfm"), ioadr.read(folder).camera)
    assert np.allclose(estimate.depth, read_pfm(folder / "gt_depth_lowres.pfm"), rtol=1e-4)
