"""`ioadr doctor` says what is wrong and which command reads the data right."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace

import numpy as np
import pytest
from PIL import ExifTags, Image

from ioadr import LightField, diagnose, read
from ioadr.app.cli import run
from ioadr.app.doctor import findings
from ioadr.app.words.description import neighbours
from ioadr.consistency.order import Order
from ioadr.consistency.significance import NOTHING, Finding
from ioadr.io.options import ReadOptions
from ioadr.io.orientation import doubts, remedies
from tests import explored
from tests.builders import make_views, write_hci_scene
from tests.posed import colmap_scene, shots


@pytest.fixture(scope="module")
def views():
    return explored.larger()


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


def test_the_command_keeps_the_options_that_were_given(views, tmp_path, capsys):
    """Those of the order are replaced where it is wrong, and one view is to be left out."""
    wrong = views.copy()
    wrong[0, 4] = wrong[0, 4][::-1, ::-1].copy()
    folder = str(write_hci_scene(tmp_path / "a scene", wrong))
    given = ["--skip", "3,3", "--crop", "0", "0", "90", "120", "--range", "-2", "2", "--dark", "keep"]
    assert run(["doctor", folder, *given, "--flip-rows", "--json"]) == 0
    kept = " --skip 3,3 --crop 0 0 90 120 --range -2.0 2.0 --dark keep"
    moved = kept.replace("3,3", "1,3")  # positions are those of the corrected order
    assert json.loads(capsys.readouterr().out)["command"].startswith(f"ioadr estimate '{folder}'{moved} --no-flip-rows")
    assert run(["doctor", folder, *given, "--no-flip-rows", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["command"]
    assert said == f"ioadr estimate '{folder}' --no-flip-rows{kept} --skip 0,4 --out DIR"
    arguments = shlex.split(said.replace("--out DIR", "--json"))[2:]
    assert run(["doctor", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["healthy"]


@pytest.mark.parametrize("subset", [[], ["--views", "3x3"], ["--every", "2"]], ids=["all", "views", "every"])
def test_the_command_leaves_out_the_odd_view_whatever_else_it_changes(views, subset, tmp_path, capsys):
    """The order is corrected and only some views are read: `--skip` counts in the whole grid, in its right order."""
    wrong = views[:, ::-1].copy()
    odd = (1, 1) if "3x3" in subset else (0, 4)
    wrong[odd] = wrong[odd][::-1, ::-1].copy()
    folder = str(write_hci_scene(tmp_path / "scene", wrong))
    assert run(["doctor", folder, *subset, "--reference", "0", "1", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["command"]
    columns = {"--views": 3, "--every": 3}.get(subset[0] if subset else "", 5)
    assert f"--reference 0 {columns - 2} " in said
    assert said.endswith(f" --flip-columns --skip {odd[0]},{4 - odd[1]} --out DIR")
    arguments = shlex.split(said.replace("--out DIR", "--json"))[2:]
    assert run(["doctor", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["odd views"] == "none"
    assert found["healthy"]


def test_the_command_can_be_run_where_it_is_unclear_which_axis_is_reversed():
    """It names one option, and the note the other."""
    unsure = Order(upright=Finding(9, 1e-20, (9, 0)), alike=Finding(-9, 1e-20, (0, 9)), near=NOTHING)
    assert unsure.outcome == "wrong"
    assert unsure.flips is None
    assert remedies(unsure, ReadOptions()) == ["⟦flip-rows⟧"]
    assert remedies(unsure, ReadOptions(flip_rows=True)) == ["⟦no-flip-rows⟧", "⟦no-flip-columns⟧"]
    assert remedies(unsure, ReadOptions(flip_columns=True)) == ["⟦flip-both⟧"]
    assert any("⟦flip-columns⟧ if near and far then look swapped" in doubt for doubt in doubts(unsure))


def test_what_the_camera_wrote(tmp_path):
    """One value for all views, or that it differs."""
    folder = tmp_path / "scene"
    folder.mkdir()
    for (row, column), view in zip(np.ndindex(3, 3), make_views().reshape(9, 20, 24, 3), strict=True):
        tags = Image.Exif()
        tags[ExifTags.Base.Make] = "Maker"
        tags.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.ExposureTime] = 0.01 if (row, column) != (0, 1) else 0.02
        Image.fromarray(view).save(folder / f"{row}_{column}.jpg", exif=tags)
    page = tmp_path / "d.html"
    assert run(["doctor", str(folder), "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert re.search(r"EXIF Make.{1,60}Maker", text, re.DOTALL)
    assert re.search(r"EXIF ExposureTime.{1,60}differs between views: 0\.01, 0\.02", text, re.DOTALL)


def test_all_formats_are_listed(capsys):
    assert run(["info", "--formats"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in ("HCI", "Stanford", "INRIA", "quilt", "lightfield.toml", "Zarr"))


def test_of_plain_views_nothing_is_certain():
    """Views of nothing but noise differ from each other, but that would not show an exchange."""
    views = np.random.default_rng(0).integers(100, 104, (3, 3, 64, 64, 3), np.uint8)
    found = findings(diagnose(LightField(views)))
    assert "not certain" in found["verdict"]
    assert found["neighbours"].startswith("cannot tell")


def test_views_whose_positions_cannot_be_checked_are_not_confirmed(views):
    """By chance, a shuffled grid may match best as it is: `doctor` said that its views fit together."""
    diagnosis = diagnose(LightField(views))
    assert findings(diagnosis)["verdict"] == "the views fit together"
    unsure = replace(diagnosis, examination=replace(diagnosis.examination, neighbours_told=False))
    assert findings(unsure)["verdict"].startswith("nothing wrong was found, but the positions of single views")


def test_poses_that_determine_the_order(tmp_path):
    """Photographs in one row at any positions: too little texture was blamed."""
    scene = colmap_scene(tmp_path / "scene", shots())
    found = findings(diagnose(scene))
    assert found["order as stored"] == "given: the poses determine it"
    assert found["verdict"].endswith("the poses determine the order")
    assert found["neighbours"] == "not checked: the poses determine the order"
    assert neighbours(read(scene)) == found["neighbours"]
    assert "near and far" not in found
