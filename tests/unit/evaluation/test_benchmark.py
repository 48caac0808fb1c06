"""Benchmarks: every item scored once, interrupted runs go on, what fails is named."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ioadr import preset
from ioadr.errors import InputError
from ioadr.evaluation import benchmark
from ioadr.evaluation.benchmark import Step, find_scenes, item_folder, run_benchmark
from ioadr.evaluation.methods import Ours, Published, parse_methods
from ioadr.evaluation.research import Trial, parse_scenes
from ioadr.evaluation.research import _key as trial_key
from ioadr.evaluation.scores import score
from ioadr.evaluation.truth import load_truth
from ioadr.io.results.pfm import read_pfm, write_pfm
from ioadr.parameters import Parameters
from ioadr.presets import VARIATIONS

Calls = list[tuple[str, Parameters]]
NAMES = ["blocks", "cards"]


@pytest.fixture
def peer(dataset: Path, tmp_path: Path) -> Path:
    """A published method that is 0.05 px off, with a runtime for one scene."""
    folder = tmp_path / "peers" / "Offset"
    for name in NAMES:
        write_pfm(folder / f"{name}.pfm", load_truth(dataset / name).disparity + 0.05)
    (folder / "runtimes").mkdir()
    (folder / "runtimes" / "blocks.txt").write_text("12.5\n")
    return folder


def test_scenes_are_folders_with_truth(dataset: Path) -> None:
    assert [scene.name for scene in find_scenes(dataset)] == NAMES
    assert [scene.name for scene in find_scenes(dataset, ["cards"])] == ["cards"]
    assert [scene.name for scene in find_scenes(dataset / "cards")] == ["cards"]
    with pytest.raises(InputError, match=r"called boxes, found blocks, cards"):
        find_scenes(dataset, ["cards", "boxes"])
    with pytest.raises(InputError, match="no such folder"):
        find_scenes(dataset / "nowhere")


def test_every_method_is_scored_on_every_scene(dataset: Path, peer: Path, estimations: Calls, tmp_path: Path) -> None:
    methods = parse_methods(["paper", str(peer)], NAMES)
    results = run_benchmark(find_scenes(dataset), methods, tmp_path / "out")
    assert [(item.scene, item.method) for item in results.items] == [
        (scene, method) for scene in NAMES for method in ("paper", "Offset")
    ]
    truth = load_truth(dataset / "cards")
    expected = score(np.full(truth.disparity.shape, 1.0, np.float32), truth)
    found = dict(results.item("cards", "paper").scores)
    assert found.pop("runtime") < 0
    assert found == pytest.approx(dict(expected.values))
    assert results.value("blocks", "Offset", "mse") == pytest.approx(0.25, rel=1e-4)
    assert results.item("blocks", "Offset").seconds == 12.5
    assert results.item("cards", "Offset").seconds is None
    assert results.mean("Offset", "badpix_003") == 100
    assert results.failures == []
    np.testing.assert_array_equal(results.disparity("cards", "paper"), 1.0)


def test_a_second_run_makes_nothing_again(dataset: Path, estimations: Calls, tmp_path: Path) -> None:
    scenes, methods = find_scenes(dataset), parse_methods(["paper", "text"], NAMES)
    first = run_benchmark(scenes, methods, tmp_path / "out")
    assert len(estimations) == 4
    again = run_benchmark(scenes, methods, tmp_path / "out")
    assert len(estimations) == 4
    assert all(item.reused for item in again.items)
    assert [item.scores for item in again.items] == [item.scores for item in first.items]
    run_benchmark(scenes, methods, tmp_path / "out", redo=True)
    assert len(estimations) == 8


def test_only_what_changed_is_made_again(dataset: Path, estimations: Calls, tmp_path: Path) -> None:
    copy = shutil.copytree(dataset, tmp_path / "data")
    out = tmp_path / "out"
    method = Ours("paper", preset("paper"))
    run_benchmark(find_scenes(copy), [method], out)
    (copy / "cards" / "mask_planes_lowres.png").touch()
    shutil.copy(copy / "cards" / "input_Cam000.png", copy / "cards" / "input_Cam001.png")
    run_benchmark(find_scenes(copy), [method], out)
    assert [scene for scene, _ in estimations] == ["blocks", "cards", "cards"]
    run_benchmark(find_scenes(copy), [replace(method, parameters=preset("paper/without-planar"))], out)
    assert len(estimations) == 5
    run_benchmark(find_scenes(copy), [replace(method, parameters=preset("paper/without-planar"), seed=1)], out)
    assert len(estimations) == 7


def test_maps_of_another_method_are_made_again(
    dataset: Path, estimations: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of other source, that is; versions stay the same from one commit to the next. Research has the same key."""
    scenes, method = find_scenes(dataset, ["cards"]), Ours("paper", preset("paper"))
    trial = Trial(parse_scenes([str(dataset)])[0], method)
    kept = trial_key(trial)
    run_benchmark(scenes, [method], tmp_path / "out")
    monkeypatch.setattr("ioadr.io.safety.fingerprint.method_digest", lambda: "another source")
    run_benchmark(scenes, [method], tmp_path / "out")
    assert len(estimations) == 2
    assert trial_key(trial) != kept


def test_a_changed_truth_changes_scores_without_a_new_estimation(
    dataset: Path, estimations: Calls, tmp_path: Path
) -> None:
    copy = shutil.copytree(dataset, tmp_path / "data")
    method = Ours("paper", preset("paper"))
    before = run_benchmark(find_scenes(copy, ["cards"]), [method], tmp_path / "out")
    write_pfm(copy / "cards" / "gt_disp_lowres.pfm", np.ones((40, 48)))
    after = run_benchmark(find_scenes(copy, ["cards"]), [method], tmp_path / "out")
    assert before.items[0].scores["mse"] > 0
    assert after.items[0].scores["mse"] == 0
    assert len(estimations) == 1


def test_an_interrupted_run_goes_on_where_it_was(
    dataset: Path, estimations: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the middle of the third of four estimations: two are kept, nothing is half-written."""
    scenes, methods = find_scenes(dataset), parse_methods(["paper", "text"], NAMES)

    def interrupt(step: Step) -> None:
        if step.number == 2 and step.share > 0:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run_benchmark(scenes, methods, out, interrupt)
    kept = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert kept == [f"maps/{m}/blocks/{f}" for m in ("paper", "text") for f in ("disparity.pfm", "provenance.json")]
    monkeypatch.setattr(benchmark, "encode_pfm", lambda values: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):  # while writing
        run_benchmark(scenes, methods, out)
    monkeypatch.undo()
    assert sorted(path.name for path in out.rglob("*") if path.is_file() and "cards" in path.parts) == []
    assert not list(out.rglob(".ioadr*"))


def test_after_an_interruption_only_the_rest_is_made(dataset: Path, estimations: Calls, tmp_path: Path) -> None:
    scenes, methods = find_scenes(dataset), parse_methods(["paper", "text"], NAMES)
    run_benchmark(scenes, methods, tmp_path / "whole")
    run_benchmark(scenes[:1], methods, tmp_path / "out")
    del estimations[:]
    resumed = run_benchmark(scenes, methods, tmp_path / "out")
    assert [scene for scene, _ in estimations] == ["cards", "cards"]
    assert [item.reused for item in resumed.items] == [True, True, False, False]
    for method in ("paper", "text"):
        for scene in NAMES:
            np.testing.assert_array_equal(
                read_pfm(item_folder(tmp_path / "out", method, scene) / "disparity.pfm"),
                read_pfm(item_folder(tmp_path / "whole", method, scene) / "disparity.pfm"),
            )


@pytest.mark.parametrize("damage", ["record", "nested", "map", "missing"])
def test_a_damaged_item_is_made_again(dataset: Path, estimations: Calls, tmp_path: Path, damage: str) -> None:
    scenes, method = find_scenes(dataset, ["cards"]), Ours("paper", preset("paper"))
    run_benchmark(scenes, [method], tmp_path)
    place = item_folder(tmp_path, "paper", "cards")
    if damage == "record":
        (place / "provenance.json").write_text('{"key": ')
    elif damage == "nested":
        (place / "provenance.json").write_text("[" * 100_000)
    elif damage == "map":
        (place / "disparity.pfm").write_bytes((place / "disparity.pfm").read_bytes()[:-4])
    else:
        (place / "disparity.pfm").unlink()
    assert run_benchmark(scenes, [method], tmp_path).failures == []
    assert len(estimations) == 2
    assert json.loads((place / "provenance.json").read_text())["method"] == "paper"


def test_maps_that_cannot_be_used_are_named_and_stop_nothing(dataset: Path, peer: Path, tmp_path: Path) -> None:
    write_pfm(peer / "blocks.pfm", np.zeros((48, 40)))
    holes = load_truth(dataset / "cards").disparity.copy()
    holes[20, 20:23] = np.nan
    write_pfm(peer / "cards.pfm", holes)
    results = run_benchmark(find_scenes(dataset), [Published("Offset", peer)], tmp_path / "out")
    (failure,) = results.failures
    assert (failure.scene, failure.scores) == ("blocks", {})
    assert "expected a map of 48×40 px, found 40×48" in str(failure.failure)
    assert results.item("cards", "Offset").invalid == 3
    assert results.value("cards", "Offset", "badpix_007") > 0
    assert np.isnan(results.mean("Offset", "mse"))


def test_a_missing_map_is_named(dataset: Path, peer: Path, tmp_path: Path) -> None:
    (peer / "cards.pfm").unlink()
    results = run_benchmark(find_scenes(dataset), [Published("Offset", peer)], tmp_path / "out")
    assert [(item.scene, "cards.pfm is missing" in str(item.failure)) for item in results.failures] == [("cards", True)]


def test_steps_tell_how_far_it_is(dataset: Path, estimations: Calls, tmp_path: Path) -> None:
    steps: list[Step] = []
    run_benchmark(find_scenes(dataset), parse_methods(["paper"], NAMES), tmp_path, steps.append)
    progress = [step.number + step.share for step in steps]
    assert progress == sorted(progress)
    assert progress[-1] == 2 == steps[-1].total
    assert [step.item.scene for step in steps if step.item] == NAMES
    assert len(steps) == 2 * (1 + 3 + 1)


def test_methods_are_presets_files_and_folders(peer: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[search]\nsweeps = 3\n")
    methods = parse_methods(["paper/data-only", str(tmp_path / "mine.toml"), str(peer.parent)], NAMES, seed=4)
    assert [method.name for method in methods] == ["paper/data-only", "mine", "Offset"]
    varied, mine, _ = methods
    assert isinstance(varied, Ours)
    assert varied.parameters == preset("paper/data-only")
    assert varied.seed == 4
    assert isinstance(mine, Ours)
    assert mine.parameters.search.sweeps == 3


def test_ablations_are_all_variations_of_the_presets(peer: Path) -> None:
    names = [method.name for method in parse_methods(["paper", str(peer)], NAMES, ablations=True)]
    assert names == ["paper", "Offset", *(f"paper/{variation}" for variation in VARIATIONS)]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["nothing"], "unknown method 'nothing'. A method is a preset"),
        (["paper/without-luck"], "variation"),
        (["paper", "paper"], "two are called paper"),
    ],
)
def test_unknown_and_repeated_methods_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_methods(texts, NAMES)


def test_a_folder_without_maps_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no maps such as blocks\.pfm"):
        parse_methods([str(tmp_path)], NAMES)
