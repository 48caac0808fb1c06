"""`evaluate`, `benchmark`, `paper`, `submission` and the maps' half of `convert`, as a person calls them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ioadr.evaluation import ablation, methods
from ioadr.evaluation.submission import SCENES
from ioadr.evaluation.synthetic import random_light_field, write_scene
from ioadr.evaluation.truth import load_truth
from ioadr.geometry.points import depth_from_disparity
from ioadr.io import save_estimate
from ioadr.io.results.map_files import read_map
from ioadr.io.results.pfm import encode_pfm, read_pfm, write_pfm
from tests.scenes import make_estimate

Cli = Callable[..., Any]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper's four scenes by name, tiny and made up."""
    folder = tmp_path_factory.mktemp("scenes")
    for seed, name in enumerate(ablation.paper().scenes):
        write_scene(random_light_field(seed, "mixed", (36, 40), (3, 3)), folder / name)
    return folder


@pytest.fixture
def peer(dataset: Path, tmp_path: Path) -> Path:
    for scene in dataset.iterdir():
        write_pfm(tmp_path / "Other" / f"{scene.name}.pfm", load_truth(scene).disparity + 0.02)
    return tmp_path / "Other"


@pytest.fixture
def instant(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An estimation that returns immediately; its map depends on the parameters."""
    names: list[str] = []

    def estimate(lightfield: Any, parameters: Any, *_: Any) -> Any:
        names.append(lightfield.name)
        value = float(parameters.congruence.weight > 0) * 0.1
        return make_estimate(np.full((lightfield.height, lightfield.width), value))

    monkeypatch.setattr(methods, "estimate", estimate)
    return names


def test_evaluate_prints_every_metric(cli: Cli, dataset: Path, peer: Path) -> None:
    outcome = cli("evaluate", peer / "boxes.pfm", "--truth", dataset / "boxes")
    assert outcome.code == 0
    assert "boxes, scored at 40×36 px without a border of 15 px (60 px)" in outcome.out
    lines = {line[:20].strip(): line for line in outcome.out.splitlines()}
    assert "0.040 px²/100" in lines["MSE×100"]
    assert "100.00 %" in lines["BadPix 0.01"]


def test_evaluate_as_json(cli: Cli, dataset: Path, peer: Path) -> None:
    told = json.loads(cli("evaluate", peer / "dino.pfm", "--truth", dataset / "dino", "--json").out)
    assert told["scene"] == "dino"
    assert told["scores"]["mse"] == pytest.approx(0.04, rel=1e-3)
    assert (told["invalid"], told["pixels"], told["size"]) == (0, 60, [36, 40])


def test_evaluate_takes_a_folder_of_results(cli: Cli, dataset: Path, tmp_path: Path) -> None:
    disparity = load_truth(dataset / "dino").disparity
    save_estimate(make_estimate(disparity, seconds={"total": 10.0}), tmp_path / "out", ["npz"])
    told = json.loads(cli("evaluate", tmp_path / "out", "--truth", dataset / "dino", "--json").out)
    assert told["scores"]["mse"] == pytest.approx(0, abs=1e-9)
    assert told["scores"]["runtime"] == 1.0


def test_evaluate_refuses_gaps_or_counts_them(cli: Cli, dataset: Path, tmp_path: Path) -> None:
    values = load_truth(dataset / "dino").disparity.copy()
    values[17, 17] = np.nan
    np.save(tmp_path / "holes.npy", values)
    outcome = cli("evaluate", tmp_path / "holes.npy", "--truth", dataset / "dino")
    assert outcome.code == 2
    assert "1 of 60 scored px are NaN or infinite" in outcome.err
    outcome = cli("evaluate", tmp_path / "holes.npy", "--truth", dataset / "dino", "--allow-invalid")
    assert outcome.code == 0
    assert "1 px are NaN or infinite; each counts as wrong" in outcome.out


@pytest.mark.parametrize(
    ("map_", "truth", "message"),
    [
        ("nothing.pfm", "boxes", "there is no such file"),
        ("small.npy", "boxes", "expected a map of 40×36 px, found 4×3"),
        ("small.npy", ".", "cannot read the scene's camera and range"),
        ("small.npy", "nowhere", "nowhere: there is no such file or folder. Check the path."),
    ],
)
def test_evaluate_names_what_does_not_fit(
    cli: Cli, dataset: Path, tmp_path: Path, map_: str, truth: str, message: str
) -> None:
    np.save(tmp_path / "small.npy", np.zeros((3, 4)))
    outcome = cli("evaluate", tmp_path / map_, "--truth", dataset / truth)
    assert outcome.code == 2
    assert message in outcome.err


def test_evaluate_writes_a_page(cli: Cli, dataset: Path, peer: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    outcome = cli("evaluate", peer / "cotton.pfm", "--truth", dataset / "cotton", "--html", page)
    assert f"wrote {page}" in outcome.out
    assert "cotton on cotton" in page.read_text(encoding="utf-8")


def test_benchmark_writes_tables_and_page(
    cli: Cli, instant: list[str], dataset: Path, peer: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = ["benchmark", dataset, "--out", out, "--scenes", "dino,boxes", "--methods", f"paper,{peer}"]
    outcome = cli(*arguments)
    assert outcome.code == 0
    assert {"results.json", "results.csv", "results.tex", "index.html"} <= {file.name for file in out.iterdir()}
    content = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert [(item["scene"], item["method"]) for item in content["items"]] == [
        ("dino", "paper"), ("dino", "Other"), ("boxes", "paper"), ("boxes", "Other"),
    ]  # fmt: skip
    assert "[4/4] boxes · Other: MSE×100 0.040" in outcome.err
    assert "left" in outcome.err
    before = len(instant)
    outcome = cli(*arguments)
    assert len(instant) == before
    assert outcome.err.count("from an earlier run") == 2


def test_benchmark_runs_all_ablations(cli: Cli, instant: list[str], dataset: Path, tmp_path: Path) -> None:
    outcome = cli(
        "benchmark",
        dataset,
        "--out",
        tmp_path / "out",
        "--scenes",
        "dino",
        "--methods",
        "paper",
        "--ablations",
        "--json",
    )
    names = [method["name"] for method in json.loads(outcome.out)["methods"]]
    assert len(names) == 9
    assert names[0] == "paper"


def test_benchmark_ends_with_one_if_something_failed(cli: Cli, dataset: Path, peer: Path, tmp_path: Path) -> None:
    (peer / "dino.pfm").unlink()
    outcome = cli("benchmark", dataset, "--out", tmp_path / "out", "--methods", peer)
    assert outcome.code == 1
    assert f"failed: Other on dino: {peer}: dino.pfm is missing" in outcome.out
    assert "Other on dino" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


def test_benchmark_refuses_a_place_that_is_a_file(cli: Cli, instant: list[str], dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = cli("benchmark", dataset, "--out", tmp_path / "file")
    assert outcome.code == 2
    assert "a file, not a folder" in outcome.err
    assert instant == []


def test_paper_runs_nine_methods_on_four_scenes(
    cli: Cli, instant: list[str], dataset: Path, peer: Path, tmp_path: Path
) -> None:
    outcome = cli("paper", "--data", dataset, "--peers", peer.parent, "--out", tmp_path / "out")
    assert outcome.code == 0
    assert "[40/40]" in outcome.err
    assert len([name for name in instant if name != "light field"]) == 36
    text = (tmp_path / "out" / "paper.md").read_text(encoding="utf-8")
    assert "## Candidate heuristics" in text
    figures = json.loads((tmp_path / "out" / "paper.json").read_text(encoding="utf-8"))["figures"]
    assert all(figure["ours"] is not None for figure in figures if figure["metric"] != "mae_planes")
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "The paper’s tables" in page
    assert "(4.601, " in page
    for name in ("figure_4.png", "figure_5.png"):
        assert f"]({name})" in text
        with Image.open(tmp_path / "out" / name) as picture:
            assert picture.width == 4 * 256 + 3 * 6
    assert page.count("data:image/png;base64,") >= 2
    assert "Mean |deviation| from the published figures, over 88 figures" in text
    assert "Mean |deviation| from the published figures, over 88 figures" in page


def test_submission_is_made_and_checked(cli: Cli, tmp_path: Path) -> None:
    for scene in SCENES:
        write_pfm(tmp_path / "maps" / f"{scene}.pfm", np.zeros((512, 512)))
        (tmp_path / "maps" / f"{scene}.txt").write_text("9.5\n")
    outcome = cli("submission", tmp_path / "maps", "--out", tmp_path / "ours.zip")
    assert outcome.code == 0
    assert "valid, 12 scenes" in outcome.out
    outcome = cli("submission", "--check", tmp_path / "ours.zip", "--json")
    assert json.loads(outcome.out) == {"file": str(tmp_path / "ours.zip"), "valid": True, "problems": []}


def test_submission_names_all_faults_at_once(cli: Cli, tmp_path: Path) -> None:
    """A missing scene, a wrong size, a runtime that is not a number, a nested folder."""
    good = encode_pfm(np.zeros((512, 512)))
    with zipfile.ZipFile(tmp_path / "bad.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for scene in SCENES:
            folder = "nested/disp_maps" if scene == "dots" else "disp_maps"
            if scene != "boxes":
                archive.writestr(f"{folder}/{scene}.pfm", encode_pfm(np.zeros((8, 9))) if scene == "dino" else good)
            archive.writestr(f"runtimes/{scene}.txt", "quick" if scene == "herbs" else "1.5")
    outcome = cli("submission", "--check", tmp_path / "bad.zip")
    assert outcome.code == 1
    for part in (
        "disp_maps/boxes.pfm: this file is missing",
        "disp_maps/dino.pfm: expected 512×512 px, found 9×8",
        "runtimes/herbs.txt: expected the seconds as a number in the first line, found 'quick'",
        "nested/disp_maps/dots.pfm: disp_maps/dots.pfm belongs at the root of the zip",
    ):
        assert part in outcome.out


@pytest.mark.parametrize("arguments", [[], ["maps"], ["--out", "x.zip"], ["maps", "--check", "x.zip"]])
def test_submission_explains_its_use(cli: Cli, arguments: list[str]) -> None:
    outcome = cli("submission", *arguments)
    assert outcome.code == 2
    assert "give RESULTS and --out FILE to make a zip, or --check FILE alone" in outcome.err


def test_maps_are_converted_between_formats_and_quantities(cli: Cli, dataset: Path, peer: Path, tmp_path: Path) -> None:
    source, scene = peer / "boxes.pfm", dataset / "boxes"
    assert cli("convert", source, tmp_path / "a.npy").code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), read_pfm(source))
    assert cli("convert", source, tmp_path / "z.tif", "--to", "depth", "--scene", scene).code == 0
    camera = load_truth(scene).camera
    assert camera is not None
    np.testing.assert_allclose(read_map(tmp_path / "z.tif").values, depth_from_disparity(read_pfm(source), camera))
    back = ["convert", tmp_path / "z.tif", tmp_path / "d.pfm", "--from", "depth", "--scene", scene]
    assert cli(*back).code == 0
    np.testing.assert_allclose(read_pfm(tmp_path / "d.pfm"), read_pfm(source), atol=1e-4)
    outcome = cli(*back)
    assert outcome.code == 2
    assert "already exists" in outcome.err
    assert cli("convert", source, tmp_path / "d.png").code == 0
    np.testing.assert_allclose(read_map(tmp_path / "d.png").values, read_pfm(source), atol=1e-4)


def test_a_folder_of_results_gives_its_depth(cli: Cli, tmp_path: Path) -> None:
    estimate = make_estimate(np.linspace(-1, 1, 40 * 50).reshape(40, 50))
    save_estimate(estimate, tmp_path / "out")
    assert cli("convert", tmp_path / "out", tmp_path / "z.npy", "--to", "depth").code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "z.npy"), estimate.depth)


@pytest.mark.parametrize("ending", ["png", "npz", "tif"])
def test_relative_depth_stays_relative_in_every_file(cli: Cli, tmp_path: Path, ending: str) -> None:
    """`convert RESULT x.png --to depth` wrote "unit: m" whatever the result."""
    save_estimate(make_estimate(np.linspace(-1, 1, 40 * 50).reshape(40, 50)), tmp_path / "out", ["npz", "png16", "npy"])
    for source in (tmp_path / "out", tmp_path / "out" / "estimate.npz", tmp_path / "out" / "depth_16bit.png"):
        target = tmp_path / f"{source.stem}.{ending}"
        outcome = cli("convert", source, target, "--from", "depth", "--to", "depth")
        assert outcome.code == 0
        assert "[relative]" in outcome.out
        assert read_map(target, "depth").unit in ("relative", None)
        assert b"[m]" not in target.read_bytes()
    outcome = cli("convert", tmp_path / "out" / "depth.npy", tmp_path / "z.png", "--from", "depth", "--to", "depth")
    assert "[unknown unit]" in outcome.out


def test_relative_depth_does_not_become_disparity(cli: Cli, tmp_path: Path, dataset: Path) -> None:
    save_estimate(make_estimate(np.zeros((40, 50))), tmp_path / "out")
    outcome = cli("convert", tmp_path / "out", tmp_path / "d.pfm", "--from", "depth", "--scene", dataset / "boxes")
    assert outcome.code == 2
    assert "relative depth cannot become disparity" in outcome.err


def test_conversion_between_quantities_needs_the_camera(cli: Cli, peer: Path, dataset: Path, tmp_path: Path) -> None:
    outcome = cli("convert", peer / "boxes.pfm", tmp_path / "z.npy", "--to", "depth")
    assert outcome.code == 2
    assert "--scene" in outcome.err
    np.save(tmp_path / "small.npy", np.zeros((3, 4)))
    outcome = cli("convert", tmp_path / "small.npy", tmp_path / "z.pfm", "--to", "depth", "--scene", dataset / "boxes")
    assert outcome.code == 2
    assert "expected the camera of a map of 4×3 px, found 40×36" in outcome.err


def test_a_true_map_alone_needs_no_camera(cli: Cli, dataset: Path, peer: Path, tmp_path: Path) -> None:
    lone = tmp_path / "truth.npy"
    np.save(lone, read_pfm(dataset / "boxes" / "gt_disp_lowres.pfm"))
    alone = json.loads(cli("evaluate", peer / "boxes.pfm", "--truth", lone, "--json").out)["scores"]
    whole = json.loads(cli("evaluate", peer / "boxes.pfm", "--truth", dataset / "boxes", "--json").out)["scores"]
    assert set(alone) == {"mse", "badpix_007", "badpix_003", "badpix_001", "q25"}
    assert alone == pytest.approx({name: whole[name] for name in alone})
    outcome = cli("evaluate", peer / "boxes.pfm", "--truth", lone, "--html", tmp_path / "page.html")
    assert outcome.code == 2
    assert "--html needs a scene folder as ground truth" in outcome.err


def test_a_light_field_is_not_written_as_a_film(cli: Cli, dataset: Path, tmp_path: Path) -> None:
    """`convert scene x.mp4` made a folder of that name."""
    outcome = cli("convert", dataset / "boxes", tmp_path / "x.mp4")
    assert outcome.code == 2
    assert "written as NAME.npz, NAME.zarr or a folder of PNG views, whose name does not end with .mp4" in outcome.err
    assert not (tmp_path / "x.mp4").exists()
