"""The commands' own work, with the estimation replaced by an instant one."""

from __future__ import annotations

import json
import tomllib
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import ioadr
from ioadr import preset
from ioadr.app import saving_options
from ioadr.evaluation import synthetic
from ioadr.io.results.save import DEFAULT, FORMATS
from ioadr.presets import PRESETS, VARIATIONS
from tests.builders import make_views, write_hci_scene

WRITTEN = {"disparity.pfm", "disparity.png", "normals.png", "estimate.npz", "provenance.json"}


def test_estimate_writes_and_names_its_files(cli, calls, scene, tmp_path):
    outcome = cli("estimate", scene, "--out", tmp_path / "out")
    assert outcome.code == 0
    names = {file.name for file in (tmp_path / "out").iterdir()}
    assert names >= WRITTEN
    for name in names:
        assert str(tmp_path / "out" / name) in outcome.out
    assert "waves" in outcome.err
    assert "3×3 views of 24×20 px" in outcome.err


@pytest.mark.parametrize(
    ("options", "said"),
    [((), True), (("--set", "data.least_span=0"), False), (("--preset", "fast"), False)],
    ids=["best", "off", "fast"],
)
def test_stretched_contrast_is_said_with_its_option(cli, calls, tmp_path, options, said):
    dark = write_hci_scene(tmp_path / "dark", make_views() // 4)
    outcome = cli("estimate", dark, "--out", tmp_path / "out", "--no-report", *options)
    assert outcome.code == 0
    assert ("low contrast is stretched" in outcome.err) == said
    assert ("--set data.least_span=0" in outcome.err) == said


def test_options_reach_the_estimation(cli, calls, scene, tmp_path):
    out = tmp_path / "out"
    options = ["--preset", "text", "--set", "search.sweeps=3", "--set", "congruence.weight=7", "--seed", 5]
    options += ["--threads", 2, "--range", -2, 2.5, "--reference", 0, 2, "--no-report"]
    assert cli("estimate", scene, "--out", out, *options).code == 0
    (call,) = calls
    assert call["parameters"] == preset("text").vary({"search.sweeps": 3, "congruence.weight": 7.0})
    assert (call["seed"], call["threads"]) == (5, 2)
    lightfield = call["lightfield"]
    assert lightfield.reference == (0, 2)
    assert (lightfield.range.minimum, lightfield.range.maximum, lightfield.range.origin) == (-2, 2.5, "user")
    assert not (out / "report.html").exists()


@pytest.mark.parametrize("method", ["auto", "structure-tensor", "plane-sweep", "cheapest"])
def test_the_way_to_the_first_map_can_be_chosen(cli, calls, scene, tmp_path, method):
    """Also against the preset's own choice."""
    assert cli("estimate", scene, "--out", tmp_path / "out", "--preset", "fast", "--init", method).code == 0
    (call,) = calls
    assert call["parameters"] == preset("fast").vary({"initialise.method": method})


@pytest.mark.parametrize(("method", "read"), [("auto", 49), ("plane-sweep", 9)])
def test_views_without_a_part_in_the_estimation_are_not_read(cli, calls, tmp_path, method, read):
    scene = write_hci_scene(tmp_path / "seven", make_views(grid=(7, 7)))
    outcome = cli("estimate", scene, "--out", tmp_path / "out", "--preset", "fast", "--init", method)
    assert calls[0]["lightfield"].view_count == read
    assert calls[0]["lightfield"].grid == (7, 7)
    assert ("9 of 49 views read" in outcome.err) == (read == 9)


def test_defaults(cli, calls, scene, tmp_path):
    assert cli("estimate", scene, "--out", tmp_path / "out").code == 0
    (call,) = calls
    assert call["parameters"] == preset("best")
    assert (call["seed"], call["threads"]) == (0, None)
    assert call["lightfield"].reference == (1, 1)
    assert call["lightfield"].range.origin == "file"


def test_parameters_from_a_file(cli, calls, scene, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(cli("presets", "text").out, encoding="utf-8")
    assert cli("estimate", scene, "--out", tmp_path / "a", "--parameters", file, "--set", "search.sweeps=2").code == 0
    assert calls[0]["parameters"] == preset("text").vary({"search.sweeps": 2})
    outcome = cli("estimate", scene, "--out", tmp_path / "b", "--parameters", file, "--preset", "paper")
    assert outcome.code == 2
    assert "--preset and --parameters cannot be combined" in outcome.err


def test_json_is_all_there_is_on_stdout(cli, calls, scene, tmp_path):
    outcome = cli("estimate", scene, "--out", tmp_path / "out", "--json")
    told = json.loads(outcome.out)
    assert {Path(file).name for file in told["files"]} >= WRITTEN
    assert told["range"] == [-1.0, 1.5, "file"]
    assert told["metric"] is True
    assert told["size"] == [20, 24]


def test_quiet_says_nothing(cli, calls, scene, tmp_path):
    outcome = cli("estimate", scene, "--out", tmp_path / "out", "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


def test_verbose_tells_each_sweep(cli, calls, scene, tmp_path):
    outcome = cli("estimate", scene, "--out", tmp_path / "out", "--verbose", "--set", "search.sweeps=3")
    assert "step 3/3, data: mean cost 2.800, 478 px changed" in outcome.err


def test_no_bar_where_nobody_watches(cli, calls, scene, tmp_path):
    outcome = cli("estimate", scene, "--out", tmp_path / "out")
    assert "\x1b" not in outcome.out + outcome.err
    assert "\r" not in outcome.out + outcome.err


@pytest.mark.parametrize("command", ["estimate", "benchmark"])
def test_threads_without_number_are_refused(cli, scene, tmp_path, command):
    outcome = cli(command, scene, "--out", tmp_path / "out", "--threads", 10**6)
    assert outcome.code == 2
    assert "--threads" in outcome.err
    assert "1<=x<=1024" in outcome.err


def test_files_of_others_are_found_before_the_long_computation(cli, calls, scene, tmp_path):
    (tmp_path / "report.html").write_text("the user's")
    outcome = cli("estimate", scene, "--out", tmp_path)
    assert outcome.code == 2
    assert "already holds report.html" in outcome.err
    assert calls == []
    assert cli("estimate", scene, "--out", tmp_path, "--no-report").code == 0
    assert (tmp_path / "report.html").read_text() == "the user's"


@pytest.mark.parametrize("name", ["a[/b]", "[red]", "a\nb", "a\x1b[31m", "a\udcff", "<b>"])
def test_any_name_will_do(cli, calls, scene, tmp_path, name):
    """Brackets are markup to rich, escapes to terminals, some bytes no text at all."""
    strange = scene.with_name(name) if "/" not in name else tmp_path / name
    strange.parent.mkdir(exist_ok=True)
    try:
        scene.rename(strange)
    except (OSError, UnicodeError):
        pytest.skip("no such names on this system")
    out = Path(f"{tmp_path}/out {name}")
    outcome = cli("estimate", strange, "--out", out)
    assert outcome.code == 0, outcome.err
    assert "\x1b" not in outcome.err
    assert "<b>" not in (out / "report.html").read_text(encoding="utf-8").partition("</title>")[0]
    assert cli("info", strange, "--json").code == 0
    assert cli("convert", strange, tmp_path / "converted").code == 0


def test_help_names_the_formats_that_exist():
    assert ",".join(FORMATS) == saving_options.FORMATS
    assert ",".join(DEFAULT) == "pfm,png,npz,ply"


@pytest.mark.parametrize("before", [False, True])
def test_the_first_run_says_that_it_compiles(cli, calls, scene, tmp_path, monkeypatch, before):
    monkeypatch.setattr("ioadr._jit.compiled_before", lambda: before)
    monkeypatch.setattr("ioadr._jit.compile_clock", lambda: nullcontext(lambda: 0.0 if before else 21.4))
    outcome = cli("estimate", scene, "--out", tmp_path / "out")
    assert ("compiling the inner loops" in outcome.err) is not before
    assert ("compiling took 21 s" in outcome.err) is not before


@pytest.mark.parametrize("kept", [False, True])
def test_nothing_is_promised_where_compiled_code_cannot_be_kept(cli, calls, scene, tmp_path, monkeypatch, kept):
    answers = iter((False, kept))
    monkeypatch.setattr("ioadr._jit.compiled_before", lambda: next(answers))
    monkeypatch.setattr("ioadr._jit.compile_clock", lambda: nullcontext(lambda: 21.4))
    outcome = cli("estimate", scene, "--out", tmp_path / "out")
    assert ("later runs load" in outcome.err) is kept


def remove_view(scene: Path) -> None:
    (scene / "input_Cam005.png").unlink()


def shrink_view(scene: Path) -> None:
    Image.new("RGB", (12, 10)).save(scene / "input_Cam005.png")


def break_view(scene: Path) -> None:
    (scene / "input_Cam005.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing more")


def truncate_view(scene: Path) -> None:
    file = scene / "input_Cam005.png"
    file.write_bytes(file.read_bytes()[:-200])


def remove_parameters(scene: Path) -> None:
    (scene / "parameters.cfg").unlink()


def scramble_parameters(scene: Path) -> None:
    (scene / "parameters.cfg").write_text("these are no parameters\n", encoding="utf-8")


def drop_baseline(scene: Path) -> None:
    file = scene / "parameters.cfg"
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(line for line in lines if "baseline" not in line), encoding="utf-8")


def swap_range(scene: Path) -> None:
    file = scene / "parameters.cfg"
    file.write_text(file.read_text(encoding="utf-8").replace("disp_min = -1.0", "disp_min = 4"), encoding="utf-8")


def blacken(scene: Path) -> None:
    for file in scene.glob("*.png"):
        Image.new("RGB", (24, 20)).save(file)


@pytest.mark.parametrize(
    ("damage", "culprit", "advice"),
    [
        (remove_view, "input_Cam005.png", "Restore"),
        (shrink_view, "input_Cam005.png", "12×10"),
        (break_view, "input_Cam005.png", "Copy or export"),
        (truncate_view, "input_Cam005.png", "Copy or export"),
        (remove_parameters, "parameters.cfg", "Restore"),
        (scramble_parameters, "parameters.cfg", "expected"),
        (drop_baseline, "parameters.cfg", "baseline_mm"),
        (swap_range, "range", "MIN < MAX"),
        (blacken, "every sample is 0", "exposure"),
    ],
)
def test_damaged_scenes(cli, calls, scene, tmp_path, damage, culprit, advice):
    damage(scene)
    outcome = cli("estimate", scene, "--out", tmp_path / "out")
    check_refusal(outcome, tmp_path)
    assert culprit in outcome.err
    assert advice in outcome.err
    assert not calls


def check_refusal(outcome: Any, tmp_path: Path) -> None:
    """Exit code 2, one paragraph, nothing left behind."""
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("ioadr: ")
    assert outcome.err.count("\n") == 1
    assert {file.name for file in tmp_path.iterdir()} <= {"waves", "file"}


def test_a_two_by_two_grid(cli, calls, tmp_path):
    scene = write_hci_scene(tmp_path / "waves", make_views(grid=(2, 2)))
    outcome = cli("estimate", scene, "--out", tmp_path / "out")
    check_refusal(outcome, tmp_path)
    assert "3×3" in outcome.err


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--range", 2, -2], "expected finite MIN < MAX, found 2.0 -2.0"),
        (["--range", 1, 1], "expected finite MIN < MAX"),
        (["--range", "nan", 1], "expected finite MIN < MAX"),
        (["--reference", 7, 0], "the 3×3 grid (rows 0–2, columns 0–2) has no view 7 0"),
        (["--preset", "papier"], "unknown preset 'papier'. Did you mean 'paper'?"),
        (["--parameters", "mine.toml"], "mine.toml: there is no such file"),
        (["--set", "search.sweeps"], "expected GROUP.NAME=VALUE"),
        (["--set", "search.sweeps=-1"], "search.sweeps: expected a value from 0"),
        (["--set", "search.speed=1"], "unknown parameter of the group search: 'speed'. Available: sweeps"),
        (["--save", "pfm,jpeg2000"], "jpeg2000"),
    ],
)
def test_options_that_do_not_fit(cli, calls, scene, tmp_path, options, text):
    outcome = cli("estimate", scene, "--out", tmp_path / "out", *options)
    check_refusal(outcome, tmp_path)
    assert text in outcome.err
    assert not calls, "the long computation must not start"


@pytest.mark.parametrize("path", ["nothing", "file"])
def test_no_light_field_there(cli, calls, tmp_path, path):
    (tmp_path / "file").write_text("not a light field", encoding="utf-8")
    outcome = cli("estimate", tmp_path / path, "--out", tmp_path / "out")
    check_refusal(outcome, tmp_path)
    assert path in outcome.err


@pytest.mark.parametrize("out", ["file", "file/below"])
def test_an_output_folder_that_is_a_file(cli, calls, scene, tmp_path, out):
    (tmp_path / "file").write_text("precious", encoding="utf-8")
    outcome = cli("estimate", scene, "--out", tmp_path / out)
    check_refusal(outcome, tmp_path)
    assert "file" in outcome.err
    assert "--out" in outcome.err
    assert (tmp_path / "file").read_text(encoding="utf-8") == "precious"
    assert not calls, "the folder is checked before the long computation"


def test_earlier_results_are_kept_unless_told_otherwise(cli, calls, scene, tmp_path):
    out = tmp_path / "out"
    assert cli("estimate", scene, "--out", out).code == 0
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    outcome = cli("estimate", scene, "--out", out, "--seed", 1)
    assert outcome.code == 2
    assert "--overwrite" in outcome.err
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before
    assert len(calls) == 1
    assert cli("estimate", scene, "--out", out, "--seed", 1, "--overwrite").code == 0
    assert json.loads((out / "provenance.json").read_text(encoding="utf-8"))["seed"] == 1


def test_an_interrupt_leaves_earlier_results_alone(cli, calls, scene, tmp_path, monkeypatch):
    out = tmp_path / "out"
    assert cli("estimate", scene, "--out", out).code == 0
    before = {file.name: file.read_bytes() for file in out.iterdir()}

    def interrupted(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ioadr, "estimate", interrupted)
    assert cli("estimate", scene, "--out", out, "--overwrite").code == 130
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


def test_info_in_words(cli, scene):
    outcome = cli("info", scene)
    assert outcome.code == 0
    for text in ("waves", "hci", "3×3", "24×20 px, colour, uint8", "row 1, column 1", "100 mm lens", "-1 … 1.5 px"):
        assert text in outcome.out


def test_info_for_programs(cli, scene):
    told = json.loads(cli("info", scene, "--json").out)
    assert told["grid"] == [3, 3]
    assert told["size"] == [20, 24]
    assert told["reference"] == [1, 1]
    assert told["range"] == [-1.0, 1.5, "file"]
    assert told["camera"]["baseline_mm"] == 50.0


def test_presets_are_listed(cli):
    outcome = cli("presets")
    for name in (*PRESETS, *VARIATIONS):
        assert name in outcome.out
    assert json.loads(cli("presets", "--json").out)["presets"] == list(PRESETS)


@pytest.mark.parametrize("name", [*PRESETS, "paper/without-planar"])
def test_a_preset_prints_as_toml(cli, name):
    assert tomllib.loads(cli("presets", name).out) == preset(name).to_dict()
    assert json.loads(cli("presets", name, "--json").out) == preset(name).to_dict()


def test_the_demo_scores_itself(cli, calls, tmp_path, monkeypatch):
    monkeypatch.setattr(synthetic, "demo", partial(synthetic.demo, size=(64, 64), grid=(3, 3)))
    outcome = cli("demo", "--out", tmp_path / "out")
    assert outcome.code == 0
    assert "MSE×100" in outcome.out
    assert "BadPix 0.07" in outcome.out
    assert outcome.out.splitlines()[1].split() == ["paper", "best"]
    assert [call["parameters"] for call in calls] == [preset("best"), preset("paper")]
    assert str(tmp_path / "out" / "disparity.pfm") in outcome.out
    told = json.loads(cli("demo", "--out", tmp_path / "out", "--overwrite", "--json").out)
    assert told["scores"]["mse"] > 0
    assert set(told["scores_by_preset"]) == {"paper", "best"}
    told = json.loads(cli("demo", "--out", tmp_path / "out", "--overwrite", "--json", "--preset", "paper").out)
    assert set(told["scores_by_preset"]) == {"paper"}
    assert np.isfinite(list(told["scores"].values())).all()
