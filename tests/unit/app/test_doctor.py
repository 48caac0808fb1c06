"""`ioadr doctor` says what is wrong and which command reads the data right."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from ioadr.app.cli import run
from ioadr.evaluation.synthetic import demo
from tests.builders import write_hci_scene


@pytest.fixture(scope="module")
def views():
    return demo(grid=(5, 5), size=(96, 128)).light_field.views


def test_sound_views(views, tmp_path, capsys):
    page, sheet = tmp_path / "d.html", tmp_path / "d.png"
    folder = str(write_hci_scene(tmp_path / "scene", views))
    assert run(["doctor", folder, "--html", str(page), "--out", str(sheet)]) == 0
    text = capsys.readouterr().out
    assert "order as read      agrees" in text
    assert f"ioadr estimate {folder} --out DIR" in text
    assert "data:image/png;base64," in page.read_text(encoding="utf-8")
    with Image.open(sheet) as picture:
        assert picture.size[0] > 5 * 100


def test_the_command_that_reads_it_right(views, tmp_path, capsys):
    folder = str(write_hci_scene(tmp_path / "scene", views[:, ::-1]))
    assert run(["doctor", folder, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert not found["healthy"]
    assert found["command"] == f"ioadr estimate {folder} --flip-columns --out DIR"
    assert run(["doctor", folder, "--flip-columns", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["healthy"]
