"""Options of reading on the command line; `info` and `convert`."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ioadr
from ioadr import DisparityRange
from ioadr.app.bench import processes
from ioadr.app.commands import info
from ioadr.app.reader_options import option_names
from ioadr.app.words import expectation
from ioadr.app.words.expectation import SECONDS_PER_SAMPLE, content, difficulty, expected_seconds, slowness
from ioadr.evaluation.synthetic import random_light_field
from ioadr.io.options import ReadOptions
from ioadr.presets import DEFAULT, PRESETS
from tests.builders import make_lightfield, make_views, write_hci_scene
from tests.layouts import quilt, stanford


def test_the_options_are_those_of_read():
    """All but the one that presets choose."""
    assert {*option_names(), "view_step"} == set(ReadOptions.__dataclass_fields__)


def test_estimate_reads_as_it_is_told(cli, calls, tmp_path):
    scene = write_hci_scene(tmp_path / "scene", make_views(grid=(9, 9)))
    arguments = ("--every", 2, "--skip", "0,1", "--skip", "0,3", "--crop", 1, 2, 16, 20, "--baseline-mm", 5)
    outcome = cli("estimate", scene, "--out", tmp_path / "out", *arguments, "--reference", 0, 0, "--range", -1, 1)
    assert outcome.code == 0, outcome.err
    lightfield = calls[0]["lightfield"]
    assert lightfield.grid == (5, 5)
    assert (lightfield.height, lightfield.width) == (16, 20)
    assert lightfield.reference == (0, 0)
    assert lightfield.camera.baseline_mm == 10.0
    assert (lightfield.range.minimum, lightfield.range.origin) == (-1.0, "user")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--skip", "eight"), "--skip: expected ROW,COL"),
        (("--views", "99x99"), "--views: 99x99 exceeds the 3×3 views"),
        (("--range", "1", "1"), "MIN < MAX"),
        (("--range", "-1e30", "1e30"), "disparity range: -1e+30 1e+30 exceeds 256 px"),
        (("--eta", "nan", "1"), "view layout: the farthest view is nan baseline units"),
        (("--eta", "1e300", "1e300"), "--eta"),
        (("--eta", "0", "0"), "--eta"),
        (("--white", "0"), "--white: expected a positive sample value"),
        (("--format", "lytro"), "raw Lytro"),
        (("--crop", "0", "0", "99", "99"), "--crop: rows 0 … 98 and columns 0 … 98 exceed"),
    ],
)
def test_bad_options_end_with_2(cli, scene, arguments, text):
    outcome = cli("info", scene, *arguments)
    assert outcome.code == 2
    assert text in outcome.err


def test_info_tells_of_positions_and_notes(cli, tmp_path):
    path, _ = stanford(tmp_path, make_views(grid=(5, 5)))
    outcome = cli("info", path)
    assert "stanford (recognised by content; --format names another)" in outcome.out
    assert "rows of views reversed on reading" in outcome.out
    told = json.loads(cli("info", path, "--json").out)
    assert np.shape(told["positions"]) == (5, 5, 2)
    assert told["expected_seconds"] >= 0
    assert told["expected_bytes"] > told["bytes"]
    assert any("reversed" in note for note in told["notes"])


@pytest.mark.slow
def test_info_expects_wide_baselines_to_take_longer(cli, tmp_path):
    path, _ = quilt(tmp_path, make_views(grid=(5, 5), size=(200, 200)))
    arguments = ("info", path, "--quilt", "5x5", "--no-flip-rows", "--json")
    usual, wide = (float(json.loads(cli(*arguments, "--range", -d, d).out)["expected_seconds"]) for d in (2, 22))
    assert wide > 1.2 * usual
    assert "less certain, because the range is unknown" in cli("info", path, "--quilt", "5x5").out


@pytest.mark.parametrize(("name", "factor"), [("best", (88 / 8) ** 0.56), ("fast", 88 / 16), ("paper", 88 / 16)])
def test_time_grows_with_the_spread_of_shifts(name, factor):
    assert difficulty(88, 0.25, name) / difficulty(8, 0.25, name) == pytest.approx(factor)


def test_info_expects_steps_in_depth_to_take_longer():
    """Blocks with several depths match at no single shift."""
    flat, deep = (random_light_field(3, name, (128, 128)).lightfield for name in ("planes", "lattice"))
    assert content(deep).relief > 1.5 * content(flat).relief
    seconds = [expected_seconds(lf.replace(range=DisparityRange(-1.5, 1.5)), "best") for lf in (flat, deep)]
    assert seconds[1] > 1.05 * seconds[0]


def test_info_follows_the_speed_of_the_machine(monkeypatch):
    lf = make_lightfield(grid=(5, 5), size=(64, 64))
    monkeypatch.setattr(expectation, "slowness", lambda: 1.0)
    usual = expected_seconds(lf, "best")
    monkeypatch.setattr(expectation, "slowness", lambda: 2.0)
    assert expected_seconds(lf, "best") == pytest.approx(2 * usual)


def test_the_speed_of_the_machine_is_measured_once():
    assert 0.05 < slowness() < 50
    assert slowness() == slowness()


@pytest.mark.slow
def test_info_foretells_for_the_preset_asked_for(cli, tmp_path):
    path, _ = quilt(tmp_path, make_views(grid=(5, 5), size=(96, 96)))
    arguments = ("info", path, "--quilt", "5x5", "--no-flip-rows")
    told = {name: json.loads(cli(*arguments, "--preset", name, "--json").out) for name in info.MEASURED}
    assert told.keys() == SECONDS_PER_SAMPLE.keys() <= PRESETS.keys()
    assert all(told[name]["preset"] == name for name in told)
    assert told["fast"]["expected_seconds"] < told["best"]["expected_seconds"]
    assert told["paper"]["expected_bytes"] < told["best"]["expected_bytes"]
    assert told[DEFAULT] == json.loads(cli(*arguments, "--json").out)
    assert "with the preset paper" in cli(*arguments, "--preset", "paper").out


@pytest.mark.slow
@pytest.mark.parametrize("preset", info.MEASURED)
def test_info_foretells_the_memory_of_many_views(preset, tmp_path):
    """17×17 views with positions, as in a Stanford capture, in separate processes, with kernels from the cache."""
    path, _ = stanford(tmp_path, make_views(grid=(17, 17), size=(150, 200)))
    arguments = (str(path), "--preset", preset, "--range", "-1", "1")
    told = json.loads(processes.ioadr("info", *arguments, "--json").out)["expected_bytes"]
    for run in ("cold", "warm"):
        used = processes.ioadr("estimate", *arguments, "--quiet", "--threads", "1", "--out", str(tmp_path / run)).peak
    assert told == pytest.approx(used, rel=0.25)


@pytest.mark.parametrize("name", ["out.npz", "out.zarr", "folder"])
def test_convert(cli, name, tmp_path):
    views = make_views(grid=(3, 4))
    path, _ = quilt(tmp_path, views)
    arguments = ("--quilt", "3x4", "--no-flip-rows", "--no-flip-columns", "--range", -1, 2)
    outcome = cli("convert", path, tmp_path / name, *arguments)
    assert outcome.code == 0, outcome.err
    assert "3×4 views of 24×20 px" in outcome.out
    found = ioadr.read(tmp_path / name)
    np.testing.assert_array_equal(found.views, views)
    assert found.range is not None
    assert (found.range.minimum, found.range.maximum) == (-1, 2)
    again = cli("convert", path, tmp_path / name, *arguments)
    assert again.code == 2
    assert "already exists" in again.err
