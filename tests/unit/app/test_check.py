"""`ioadr check` measures a result against its light field."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ioadr
from ioadr import Source
from ioadr.io import save_estimate
from tests.builders import write_hci_scene
from tests.scenes import make_estimate


@pytest.fixture
def result(scene, tmp_path):
    lightfield = ioadr.read(scene)
    source = Source(str(scene))

    def save(disparity: float, name: str):
        values = np.full((20, 24), disparity)
        estimate = make_estimate(values, lightfield.camera, image=lightfield.reference_view, source=source)
        save_estimate(estimate, tmp_path / name, ["npz"])
        return tmp_path / name

    return save


def test_truth_has_the_lower_residual(cli, result):
    right = json.loads(cli("check", result(0.5, "right"), "--json").out)
    wrong = json.loads(cli("check", result(-0.5, "wrong"), "--json").out)
    assert right["residual"] < 2 < 10 < wrong["residual"]
    assert right["by_view"][1][1] is None
    assert right["unit"] == "grey levels of 255"


def test_table_has_the_grid(cli, result):
    outcome = cli("check", result(0.5, "right"))
    assert outcome.out.startswith("residual ")
    assert [len(line.split()) for line in outcome.out.splitlines()[2:]] == [3, 3, 3]


def test_moved_light_field_is_asked_for(cli, result, scene, tmp_path):
    folder = result(0.5, "right")
    scene.rename(tmp_path / "moved")
    outcome = cli("check", folder)
    assert outcome.code == 2
    assert "--lightfield PATH" in outcome.err
    assert cli("check", folder, "--lightfield", tmp_path / "moved").code == 0


def test_other_light_field_is_refused(cli, result, tmp_path):
    from tests.builders import make_views

    other = write_hci_scene(tmp_path / "other", make_views(size=(20, 20)))
    outcome = cli("check", result(0.5, "right"), "--lightfield", other)
    assert outcome.code == 2
    assert "24×20" in outcome.err
    assert "20×20" in outcome.err
