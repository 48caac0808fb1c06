"""`ioadr export` on the command line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ioadr.io.exports import quilt
from tests.builders import make_views, write_hci_scene


@pytest.fixture
def result(tmp_path, cli):
    scene = write_hci_scene(tmp_path / "waves", make_views((5, 5)))
    assert cli("estimate", scene, "--out", tmp_path / "result", "--preset", "fast", "--no-report").code == 0
    return tmp_path / "result"


@pytest.mark.parametrize("target", ["nerfstudio", "colmap", "open3d"])
def test_every_program_gets_its_files(target, result, tmp_path, cli):
    done = cli("export", result, "--to", target, "--out", tmp_path / "out", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert set(told["files"]) == {str(path) for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert told["notes"] == json.loads((tmp_path / "out" / "provenance.json").read_text())["notes"]
    again = cli("export", result, "--to", target, "--out", tmp_path / "out")
    assert (again.code, "--overwrite" in again.err) == (2, True)
    assert cli("export", result, "--to", target, "--out", tmp_path / "out", "--overwrite").code == 0


def test_views_that_fast_does_not_read_are_exported(result, tmp_path, cli):
    assert cli("export", result, "--to", "nerfstudio", "--out", tmp_path / "out").code == 0
    assert len(list((tmp_path / "out" / "images").iterdir())) == 25


def test_a_light_field_that_is_gone_can_be_named(result, tmp_path, cli):
    (tmp_path / "waves").rename(tmp_path / "moved")
    words = ("export", result, "--to", "colmap", "--out", tmp_path / "out")
    missed = cli(*words)
    assert (missed.code, "--lightfield PATH" in missed.err) == (2, True)
    assert cli(*words, "--lightfield", tmp_path / "moved").code == 0
    another = write_hci_scene(tmp_path / "another", make_views((5, 5), seed=5))
    refused = cli(*words, "--lightfield", another, "--overwrite")
    assert (refused.code, "not the light field that was estimated" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("target", "option", "value"),
    [
        ("blender", "--points", "5"),
        ("colmap", "--focus", "0.5"),
        ("open3d", "--device", "go"),
        ("quilt", "--points", "5"),
    ],
)
def test_options_that_a_program_does_not_use_are_refused(target, option, value, tmp_path, cli):
    refused = cli("export", tmp_path, "--to", target, "--out", tmp_path / "out", option, value)
    assert (refused.code, f"{option}: not used for {target}, only for" in refused.err) == (2, True)


def test_relative_depth_is_refused_with_the_option(tmp_path, cli):
    np.save(tmp_path / "views.npy", make_views())
    assert (
        cli("estimate", tmp_path / "views.npy", "--out", tmp_path / "result", "--preset", "fast", "--no-report").code
        == 0
    )
    words = ("export", tmp_path / "result", "--to", "open3d", "--out", tmp_path / "out")
    refused = cli(*words)
    assert (refused.code, "--scale-to METRES" in refused.err) == (2, True)
    done = cli(*words, "--scale-to", "2")
    assert (done.code, "2 m away" in done.err) == (0, True)
    assert cli(*words, "--scale-to", "-1", "--overwrite").code == 2
    assert cli(*words, "--scale-to", "nan", "--overwrite").code == 2


def test_quilts_need_every_view_and_know_their_devices(tmp_path, cli, monkeypatch):
    monkeypatch.setitem(quilt.SETTINGS, "go", replace(quilt.SETTINGS["go"], size=(1023, 1023)))  # quick
    np.save(tmp_path / "wall.npy", make_views((3, 5)))
    words = ("estimate", tmp_path / "wall.npy", "--preset", "fast", "--no-report")
    assert cli(*words, "--out", tmp_path / "plain").code == 0
    refused = cli("export", tmp_path / "plain", "--to", "quilt", "--out", tmp_path / "out")
    assert (refused.code, "holds no maps of every view" in refused.err) == (2, True)
    assert cli(*words, "--every-view", "--out", tmp_path / "every").code == 0
    done = cli("export", tmp_path / "every", "--to", "quilt", "--out", tmp_path / "out", "--device", "go")
    assert (done.code, "66 views" in done.err) == (0, True)
    assert (tmp_path / "out" / "quilt_qs11x6a0.5625.png").is_file()
