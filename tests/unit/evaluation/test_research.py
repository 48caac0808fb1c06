"""Research: variations, comparisons and stored figures."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from ioadr import InputError, Window, preset
from ioadr.app.cli import run
from ioadr.evaluation.methods import Ours
from ioadr.evaluation.research import (
    Row,
    Scene,
    Trial,
    compare,
    grid,
    load_sets,
    parse_scenes,
    read_table,
    run_trials,
    write_table,
)
from ioadr.evaluation.scene_table import lost_to, markdown_by_scene
from ioadr.evaluation.synthetic import FAMILIES
from ioadr.evaluation.truth import load_truth
from ioadr.presets import FINISH_VARIATIONS


def row(method: str, scene: str, seed: int, mse: float) -> Row:
    return Row(method, scene, seed, "k", {"mse": mse})


def test_a_grid_has_all_combinations_by_name():
    sets = grid("best", preset("best"), ["finish.caution=2,4", "search.sweeps=3"])
    assert list(sets) == ["best finish.caution=2 search.sweeps=3", "best finish.caution=4 search.sweeps=3"]
    assert [item.finish.caution for item in sets.values()] == [2.0, 4.0]
    assert all(item.search.sweeps == 3 and item.finish.passes == 2 for item in sets.values())
    assert grid("best", preset("best"), []) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("finish.caution", "expected group.name=VALUE"),
        ("finish.caution=", "expected group.name=VALUE"),
        ("finish.cautious=2", "Did you mean 'caution'?"),
        ("search.sweeps=many", "expected a whole number, found 'many'"),
    ],
)
def test_a_variation_that_cannot_be_is_refused(text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        grid("best", preset("best"), [text])


def test_sets_come_from_a_file(tmp_path):
    file = tmp_path / "sets.toml"
    file.write_text('[wide]\npreset = "best"\nfinish.widest = 48\n[plain]\nsearch.sweeps = 2\n', encoding="utf-8")
    sets = load_sets(file)
    assert sets["wide"] == preset("best").vary({"finish.widest": 48})
    assert sets["plain"] == preset("best").vary({"search.sweeps": 2}), "the default"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected tables such as"),
        ("sweeps = 3", "expected tables such as"),
        ("[a", "cannot be read as a TOML file"),
        ('[a]\npreset = "mine"', "unknown preset 'mine'"),
    ],
)
def test_files_without_sets_are_refused(tmp_path, content, message):
    file = tmp_path / "sets.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_sets(file)


def test_scenes_by_family_number_and_folder(dataset):
    assert [s.family for s in parse_scenes(["synthetic"])] == list(FAMILIES)
    (scene,) = parse_scenes(["low-texture-12"], size=96)
    assert (scene.name, scene.family, scene.number, scene.size) == ("low-texture-12@96", "low-texture", 12, 96)
    assert [s.name for s in parse_scenes([str(dataset)])] == ["blocks", "cards"]
    with pytest.raises(InputError, match="expected a folder with ground truth, synthetic"):
        parse_scenes(["nowhere"])
    with pytest.raises(InputError, match="such as planes-0. Did you mean 'spheres'"):
        parse_scenes(["sphere-3"])


def test_a_part_of_a_scene_has_the_same_truth_and_camera(dataset):
    (scene,) = parse_scenes([str(dataset / "cards")], crop=(4, 6, 32, 36))
    lightfield, truth = scene.load()
    whole = load_truth(dataset / "cards")
    assert (lightfield.height, lightfield.width) == truth.disparity.shape == (32, 36)
    assert np.array_equal(truth.disparity, whole.disparity[4:36, 6:42])
    assert np.array_equal(truth.masks["planes"], whole.masks["planes"][4:36, 6:42])
    assert truth.camera is not None
    assert lightfield.camera == truth.camera == whole.camera
    assert lightfield.part.window == truth.window == Window(4, 6, 36, 42)
    assert scene.content != Scene("cards", dataset / "cards").content


def test_differences_are_paired():
    """Scenes differ by far more than methods do; on each the second is better by 0.9 … 1.1."""
    rows = [row("a", s, seed, level) for s, level in (("x", 5.0), ("y", 50.0), ("z", 500.0)) for seed in (0, 1)]
    rows += [row("b", "x", 0, 4.0), row("b", "x", 1, 4.2), row("b", "y", 0, 49.0), row("b", "y", 1, 49.0)]
    rows += [row("b", "z", 0, 498.9), row("b", "z", 1, 498.9)]
    found = compare(rows, "a", "b", "mse")
    assert found.mean == pytest.approx((4.1 + 49 + 498.9) / 3)
    assert found.change == pytest.approx(-1.0)
    assert found.error == pytest.approx(0.1 / math.sqrt(3))
    assert (found.scenes, found.pairs, found.clear) == (3, 3, True)


def test_one_scene_is_judged_by_its_seeds():
    rows = [row("a", "x", 0, 2.0), row("a", "x", 1, 2.0), row("b", "x", 0, 1.0), row("b", "x", 1, 2.0)]
    found = compare(rows, "a", "b", "mse")
    assert (found.mean, found.change) == (1.5, -0.5)
    assert found.error == pytest.approx(0.5)
    assert (found.scenes, found.pairs) == (1, 2)
    assert not compare(rows, "a", "b", "mse").clear
    assert math.isnan(compare(rows[::2], "a", "b", "mse").error)
    assert math.isnan(compare(rows, "a", "b", "q25").mean)


def test_two_scenes_prove_little():
    """Four standard errors: not significant with two scenes, significant with twelve."""
    for count, clear in ((2, False), (12, True)):
        changes = -1.0 + 0.25 * np.sqrt(count - 1) * np.array([1, -1] * (count // 2))
        rows = [row("a", f"{i}", 0, 10.0) for i in range(count)]
        rows += [row("b", f"{i}", 0, 10.0 + change) for i, change in enumerate(changes)]
        found = compare(rows, "a", "b", "mse")
        assert found.change / found.error == pytest.approx(-4.0)
        assert found.clear is clear


def test_losses_are_told_by_metric_and_scene():
    """Seeds are averaged; a scene that the base lacks, a tie and a runtime are no loss."""
    rows = [row("a", "x", 0, 2.0), row("a", "x", 1, 4.0), row("b", "x", 0, 5.0), row("b", "x", 1, 2.0)]
    rows += [row("a", "y", 0, 1.0), row("b", "y", 0, 1.0), row("b", "z", 0, 9.0)]
    rows += [Row(name, "w", 0, "k", {"mse": 1.0, "runtime": time}) for name, time in (("a", 0.0), ("b", 1.0))]
    assert lost_to(rows, "a", "b") == {"mse": {"x": pytest.approx(0.5)}}
    lines = markdown_by_scene(rows, ["a", "b"]).splitlines()
    assert lines[0] == "| scene | method | MSE×100 | Runtime |"
    assert lines[2:5] == ["| x | a | 3.000 | – |", "| x | b | 3.500 | – |", "| y | a | 1.000 | – |"]
    assert lines[-1] == "| **b worse than a** | | x +0.500 |  |"
    assert markdown_by_scene(rows[:2], ["a", "b"]).endswith("| nowhere |")


def test_a_table_is_read_back(tmp_path):
    path = tmp_path / "docs" / "table.csv"
    rows = [row("best finish.caution=2", "y", 1, 0.25), row("a", "x", 0, 3.0)]
    write_table(path, rows)
    assert read_table(path) == [rows[1], rows[0]]
    assert read_table(tmp_path / "none.csv") == []
    path.write_text("something,else\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a table"):
        read_table(path)


@pytest.mark.slow
def test_trials_run_in_processes_and_are_made_once(tmp_path):
    table, seen = tmp_path / "table.csv", []
    method = Ours("quick", preset("fast").vary({"search.sweeps": 1, "data.view_step": 4}), 0, 1)
    trials = [Trial(scene, method) for scene in parse_scenes(["planes-0", "spheres-0"], size=48)]
    rows = run_trials(trials, table, 2, lambda row, count, total: seen.append((row.scene, total)))
    assert sorted(seen) == [("planes-0@48", 2), ("spheres-0@48", 2)]
    assert all(0 < item.values["badpix_007"] < 100 for item in rows)
    again = run_trials(trials, table, 2, lambda *_: seen.append(("again", 0)))
    assert [item.identity for item in again] == [item.identity for item in rows]
    other = trials[0]._replace(method=Ours("quick", method.parameters.vary({"search.sweeps": 0})))
    assert run_trials([other], table, 1)[0].key != rows[0].key
    assert len(seen) == 2
    assert len(read_table(table)) == 2


def test_the_command_compares_with_its_first_method(dataset, tmp_path, estimations, capsys):
    """The estimation is replaced by one whose error is the congruence weight's share of 100, whatever the scene."""
    table, varied = str(tmp_path / "table.csv"), "fast congruence.weight=40"
    options = ["--seeds", "2", "--jobs", "1", "--methods", "fast", "--vary", "congruence.weight=40", "--table", table]
    assert run(["research", str(dataset), *options, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["base"], list(answer["methods"])) == ("fast", ["fast", varied])
    change = answer["methods"][varied]["mse"]
    truths = [load_truth(dataset / name) for name in ("blocks", "cards")]
    errors = [[100 * np.mean((t.disparity[t.area] - level) ** 2) for t in truths] for level in (2.0, 0.4)]
    assert change["mean"] == pytest.approx(np.mean(errors[1]), rel=1e-4)
    assert change["change"] == pytest.approx(np.mean(errors[1]) - np.mean(errors[0]), rel=1e-4)
    assert all(by > 0 for scenes in answer["worse"][varied].values() for by in scenes.values())
    assert len(estimations) == 2 * 2 * 2
    assert run(["research", str(dataset), *options]) == 0
    assert f"  {varied}" in capsys.readouterr().out
    assert run(["research", str(dataset), *options, "--by-scene"]) == 0
    assert f"| cards | {varied} |" in capsys.readouterr().out
    assert len(estimations) == 8, "nothing is made twice"


def test_ablations_leave_out_each_step_of_presets_with_a_finish(dataset, tmp_path, estimations, capsys):
    options = ["--seeds", "1", "--jobs", "1", "--methods", "fast,best", "--ablations", "--json"]
    assert run(["research", str(dataset), *options, "--table", str(tmp_path / "table.csv")]) == 0
    steps = [f"best/{step}" for step in FINISH_VARIATIONS]
    assert list(json.loads(capsys.readouterr().out)["methods"]) == ["fast", "best", *steps]


def test_the_kept_tables_can_be_read():
    tables = sorted((Path(__file__).parents[3] / "docs" / "research").glob("*.csv"))
    assert tables
    for table in tables:
        assert all(item.values for item in read_table(table))
