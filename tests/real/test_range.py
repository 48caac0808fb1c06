"""A range estimated from the benchmark's scenes instead of that of their files; whole scenes are in docs/formats.md."""

from __future__ import annotations

import numpy as np
import pytest

import ioadr
from ioadr import DisparityRange
from ioadr.evaluation.scores import score
from ioadr.io.results.pfm import read_pfm
from tests.marks import some_quick
from tests.real.scenes import scene_part

pytestmark = pytest.mark.real

SCENES = {"boxes": (200, 150), "cotton": (60, 180), "dino": (180, 200), "sideboard": (260, 180)}
"""Top and left of the part in which accuracy is compared."""


def estimated(folder) -> DisparityRange:
    return ioadr.estimate_range(ioadr.read(folder, every=2), threads=2).scaled(0.5)


@pytest.mark.parametrize("name", some_quick(SCENES, ["boxes", "cotton"]))
def test_it_covers_the_scene_and_little_more(name, shared):
    folder = shared / "data" / "hci" / name
    found, truth = estimated(folder), read_pfm(folder / "gt_disp_lowres.pfm")
    assert found.origin == "estimated"
    assert found.minimum <= truth.min()
    assert found.maximum >= truth.max()
    assert found.extent <= 1.35 * np.ptp(truth)


@pytest.mark.parametrize("name", some_quick(["cotton", "dino"], []))
def test_it_loses_no_accuracy(name, shared):
    folder = shared / "data" / "hci" / name
    lightfield, truth = scene_part(folder, (*SCENES[name], 128, 128))
    given = score(ioadr.estimate(lightfield, "paper").disparity, truth)
    found = score(ioadr.estimate(lightfield.with_(range=estimated(folder)), "paper").disparity, truth)
    assert found["mse"] <= 1.1 * given["mse"]
    assert found["badpix_007"] <= 1.1 * given["badpix_007"]
