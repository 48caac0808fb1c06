"""A result finds its light field from any folder, and no other file."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr.app.results import open_lightfield
from ioadr.errors import InputError
from ioadr.evaluation import synthetic
from ioadr.io import load_estimate, save_estimate
from tests.builders import make_views, write_hci_scene
from tests.scenes import make_estimate

EPIS = "<section>\n  <h2>Epipolar"


@pytest.fixture
def project(tmp_path, monkeypatch, cli):
    """scenes/waves and out/waves, estimated by names as typed inside the project; then we go elsewhere."""
    write_hci_scene(tmp_path / "project" / "scenes" / "waves")
    monkeypatch.chdir(tmp_path / "project")
    assert cli("estimate", "scenes/waves", "--out", "out/waves", "--preset", "fast").code == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "project"


def opened(folder: Path) -> tuple[ioadr.LightField, list[str]]:
    said: list[str] = []
    return open_lightfield(load_estimate(folder), str(folder), None, said.append), said


def test_commands_work_from_another_folder(project, cli):
    """The path was stored as typed: `check` failed, and `report` replaced a page by one without EPIs."""
    assert cli("check", project / "out" / "waves").code == 0
    before = (project / "out" / "waves" / "report.html").read_text(encoding="utf-8")
    assert cli("report", project / "out" / "waves").code == 0
    after = (project / "out" / "waves" / "report.html").read_text(encoding="utf-8")
    assert EPIS in before
    assert EPIS in after
    lightfield, said = opened(project / "out" / "waves")
    assert lightfield.view_count == 9
    assert said == [f"light field: {project / 'scenes' / 'waves'}, as recorded in the result"]


def test_the_demo_finds_its_light_field(tmp_path, monkeypatch):
    """It is in no file: `check` and `export` of `ioadr demo` had nothing to open."""
    rendered = ioadr.LightField(make_views(), name="demo", source=ioadr.Source(format="synthetic"))
    monkeypatch.setattr(synthetic, "demo", lambda: SimpleNamespace(lightfield=rendered))
    monkeypatch.setattr(synthetic, "DEMO_SIZE", rendered.reference_view.shape[:2])
    of_demo: dict[str, Any] = {"layout": rendered.layout, "source": rendered.source, "name": "demo"}
    map_ = np.zeros((20, 24))
    save_estimate(make_estimate(map_, image=rendered.reference_view, **of_demo), tmp_path / "own", "npz")
    lightfield, said = opened(tmp_path / "own")
    assert lightfield is rendered
    assert said == ["light field: the built-in scene, rendered again"]
    save_estimate(make_estimate(map_, **of_demo), tmp_path / "another", "npz")
    with pytest.raises(InputError, match="does not say where"):
        opened(tmp_path / "another")


def test_result_and_light_field_move_together(project, cli, tmp_path):
    moved = project.rename(tmp_path / "moved")
    assert cli("check", moved / "out" / "waves").code == 0
    assert opened(moved / "out" / "waves")[1] == [
        f"light field: {moved / 'scenes' / 'waves'}, as recorded in the result"
    ]


def test_a_result_moves_alone(project, cli, tmp_path):
    shutil.move(project / "out" / "waves", tmp_path / "alone")
    assert cli("check", tmp_path / "alone").code == 0


def test_a_good_page_is_not_replaced_by_a_worse_one(project, cli, tmp_path):
    folder, scene = project / "out" / "waves", project / "scenes" / "waves"
    page = (folder / "report.html").read_bytes()
    scene.rename(tmp_path / "hidden")
    outcome = cli("report", folder)
    assert outcome.code == 2
    assert "the page has EPIs (--lightfield PATH), which the new one would lack" in outcome.err
    assert (folder / "report.html").read_bytes() == page
    assert cli("report", folder, "--lightfield", tmp_path / "hidden").code == 0
    assert cli("report", folder, "--overwrite").code == 0
    assert EPIS not in (folder / "report.html").read_text(encoding="utf-8")


def test_explore_says_how_to_name_the_light_field(project, cli, tmp_path):
    pytest.importorskip("starlette")
    (project / "scenes" / "waves").rename(tmp_path / "hidden")
    outcome = cli("explore", project / "out" / "waves", "--no-browser")
    assert outcome.code == 2
    assert f"Name it: ioadr explore LIGHTFIELD {project / 'out' / 'waves'}" in outcome.err
    assert "--lightfield" not in outcome.err


def received(tmp_path: Path, path: str) -> Path:
    """A result of unknown origin that names a path of its maker's choice."""
    save_estimate(make_estimate(np.zeros((20, 24)), source=ioadr.Source(path)), tmp_path / "received", ["npz"])
    return tmp_path / "received"


def test_a_received_result_shows_no_other_light_field(tmp_path, cli):
    private = write_hci_scene(tmp_path / "private", make_views(size=(20, 24)))
    folder = received(tmp_path, str(private))
    outcome = cli("check", folder)
    assert outcome.code == 2
    assert f"{private}: not the light field that was estimated: its view 1 1 differs" in outcome.err
    outcome = cli("report", folder)
    assert f"light field: {private}, as recorded in the result" in outcome.err, "said before it is opened"
    assert EPIS not in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ["//server/share/x", "\\\\server\\share\\x", "s3://bucket/x"])
def test_a_received_result_does_not_reach_out(tmp_path, path):
    with pytest.raises(InputError, match="which is not on this machine"):
        opened(received(tmp_path, path))


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError):
        opened(received(tmp_path, str(tmp_path / "pipe")))


def test_provenance_names_both_paths(project):
    content = json.loads((project / "out" / "waves" / "provenance.json").read_text())
    assert content["source"]["path"] == str(project / "scenes" / "waves")
    assert content["lightfield_from_here"] == "../../scenes/waves"
