"""How the explorer is started, and why it may not be."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import ioadr
from ioadr import InputError, Source, Window
from ioadr.app.explorer import serving
from ioadr.app.explorer.serving import bound
from ioadr.app.explorer.study import Study
from ioadr.evaluation import synthetic
from ioadr.extras import install
from tests import explored
from tests.scenes import make_estimate


def test_a_port_in_use_is_said(server):
    with pytest.raises(InputError, match=f"--port {server.port}: not free"):
        bound(server.port)


def test_a_missing_extra_is_named_before_anything_is_read(cli, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = cli("explore", tmp_path / "none")
    assert result.code == 2
    assert f"explore: needs the package uvicorn. {install('explore')}" in result.err


def test_the_command_opens_what_it_is_given(cli, scene, tmp_path, monkeypatch):
    seen: list[Study] = []
    monkeypatch.setattr(serving, "serve", lambda study, *_: seen.append(study))
    assert cli("explore", tmp_path / "none").code == 2
    assert cli("explore", scene).code == 0
    assert (seen[-1].lightfield.name, seen[-1].given) == ("waves", None)
    lightfield = ioadr.read(scene)
    image = lightfield.reference_view
    estimate = make_estimate(np.zeros((20, 24)), source=Source(str(scene)), image=image)
    estimate.save(tmp_path / "out", formats=["npz"])
    for arguments in ((scene, tmp_path / "out"), (tmp_path / "out",)):
        assert cli("explore", *arguments).code == 0
        assert np.array_equal(seen[-1].lightfield.views, lightfield.views)
        assert [known.key for known in seen[-1].results()] == ["given"]
    monkeypatch.setattr(synthetic, "demo", explored.scene)
    assert cli("explore").code == 0
    assert seen[-1].lightfield is explored.scene().lightfield
    assert seen[-1].truth is not None


def test_a_truth_of_another_size_is_refused():
    scene = explored.scene()
    part = scene.lightfield.crop(Window(1, 0, *scene.truth.disparity.shape))
    with pytest.raises(InputError, match="expected the size of the views"):
        Study(part, None, scene.truth)
