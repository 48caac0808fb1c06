"""A result on disk is complete, comes back, and is never half replaced."""

from __future__ import annotations

import errno
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ioadr import Camera, Estimate
from ioadr.errors import InputError, OutputError
from ioadr.io import load_estimate, save_estimate
from ioadr.io.results.save import DEFAULT, FORMATS, file_names, plain
from tests.scenes import cube_estimate, make_estimate


@pytest.fixture(scope="module")
def estimate() -> Estimate:
    return cube_estimate(24, 20)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def test_default_set(estimate: Estimate, tmp_path: Path) -> None:
    files = save_estimate(estimate, tmp_path / "out")
    names = {"disparity.pfm", "depth.pfm", "disparity.png", "normals.png", "confidence.png"}
    names |= {"estimate.npz", "points.ply", "provenance.json"}
    assert {f.name for f in files} == set(snapshot(tmp_path / "out")) == names
    assert set(DEFAULT) <= set(FORMATS)


def test_comes_back_as_it_was(estimate: Estimate, tmp_path: Path) -> None:
    estimate.save(tmp_path / "out")
    for path in (tmp_path / "out", tmp_path / "out" / "estimate.npz"):
        found = load_estimate(path)
        assert plain(found.provenance) == plain(estimate.provenance)
        assert found.camera == estimate.camera
        assert found.parameters == estimate.parameters
        assert np.isnan(found.history[0].mean_cost)
        assert found.history[1:] == estimate.history[1:]
        assert found.white == estimate.white
        for name in ("disparity", "confidence", "visible_views", "image", "normals", "depth", "occlusion_boundary"):
            assert np.array_equal(getattr(found, name), getattr(estimate, name)), name
        assert {k: v.tolist() for k, v in found.costs.items()} == {k: v.tolist() for k, v in estimate.costs.items()}


def test_coverage_comes_back_if_there_is_any(tmp_path: Path) -> None:
    coverage = np.linspace(0, 1, 480, dtype=np.float32).reshape(20, 24)
    coverage[3, 4] = np.nan
    for name, values in (("with", coverage), ("without", None)):
        save_estimate(make_estimate(np.ones((20, 24)), coverage=values), tmp_path / name)
        found = load_estimate(tmp_path / name).coverage
        assert (found is None) == (values is None)
    np.testing.assert_array_equal(load_estimate(tmp_path / "with").coverage, coverage)


def test_results_of_earlier_versions_come_back(tmp_path: Path) -> None:
    """They lack the coverage, and have parameters that are gone."""
    folder = tmp_path / "out"
    save_estimate(make_estimate(np.ones((20, 24))), folder)
    with np.load(folder / "estimate.npz") as archive:
        content = {name: archive[name] for name in archive.files}
    known = json.loads(str(content["provenance"]))
    del known["parameters"]["coverage"]
    known["parameters"]["finish"] |= {"border_passes": 4, "border_contrast": 8.0}
    np.savez(folder / "estimate.npz", **(content | {"provenance": json.dumps(known)}))
    found = load_estimate(folder)
    assert found.coverage is None
    assert not found.parameters.coverage.settle


def test_numbers_that_json_lacks_survive(tmp_path: Path) -> None:
    camera = Camera(50.0, 36.0, 20.0, math.inf, 24, 20)
    save_estimate(make_estimate(np.ones((20, 24)), camera), tmp_path / "out")
    json.loads((tmp_path / "out" / "provenance.json").read_text(), parse_constant=pytest.fail)
    assert load_estimate(tmp_path / "out").camera == camera


def test_relative_depth_is_labelled(tmp_path: Path) -> None:
    save_estimate(make_estimate(np.zeros((20, 24))), tmp_path / "out", ["ply", "npz"])
    assert json.loads((tmp_path / "out" / "provenance.json").read_text())["depth_unit"] == "relative"
    assert b"unit: relative" in (tmp_path / "out" / "points.ply").read_bytes()
    assert not load_estimate(tmp_path / "out").metric


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_by_its_name(estimate: Estimate, tmp_path: Path, name: str) -> None:
    if name == "exr":
        pytest.importorskip("OpenEXR", reason="the extra exr is not installed")
    files = save_estimate(estimate, tmp_path / "out", [name, name])
    assert [file.name for file in files] == [*file_names([name]), "provenance.json"]
    assert set(snapshot(tmp_path / "out")) == {file.name for file in files}
    assert all(file.stat().st_size > 0 for file in files)


def test_unknown_format_lists_the_known(estimate: Estimate, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown format 'gif'. Available: pfm, png, npz"):
        save_estimate(estimate, tmp_path / "out", ["pfm", "gif"])
    assert not (tmp_path / "out").exists()


def test_further_files_belong_to_the_result(estimate: Estimate, tmp_path: Path) -> None:
    save_estimate(estimate, tmp_path / "out", ["pfm"], also={"report.html": lambda path: _write(path, "<p>")})
    content = json.loads((tmp_path / "out" / "provenance.json").read_text())
    assert content["files"] == ["disparity.pfm", "depth.pfm", "report.html", "provenance.json"]


def test_overwriting_leaves_nothing_stale_and_nothing_foreign_touched(estimate: Estimate, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    save_estimate(estimate, folder, ["pfm", "npy"], also={"report.html": lambda path: _write(path, "<p>")})
    (folder / "notes.txt").write_text("the user's")
    with pytest.raises(OutputError, match="overwrite=True"):
        save_estimate(estimate, folder, ["png16"])
    save_estimate(estimate, folder, ["png16"], overwrite=True)
    names = {"disparity_16bit.png", "depth_16bit.png", "confidence_16bit.png"}
    assert set(snapshot(folder)) == names | {"provenance.json", "notes.txt"}


def test_what_is_no_result_is_not_replaced(estimate: Estimate, tmp_path: Path) -> None:
    (tmp_path / "depth.pfm").write_text("the user's")
    with pytest.raises(OutputError, match=r"already holds depth.pfm"):
        save_estimate(estimate, tmp_path, ["pfm"])
    assert snapshot(tmp_path) == {"depth.pfm": b"the user's"}
    save_estimate(estimate, tmp_path, ["npz"])
    assert (tmp_path / "depth.pfm").read_text() == "the user's"


def test_names_outside_the_folder_are_not_removed(estimate: Estimate, tmp_path: Path) -> None:
    (tmp_path / "victim.txt").write_text("precious")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "provenance.json").write_text(json.dumps({"files": ["../victim.txt", 3]}))
    save_estimate(estimate, tmp_path / "out", ["pfm"], overwrite=True)
    (tmp_path / "out" / "provenance.json").write_text("[" * 100_000)
    save_estimate(estimate, tmp_path / "out", ["pfm"], overwrite=True)
    assert (tmp_path / "victim.txt").read_text() == "precious"


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()], ids=["full", "ctrl-c"])
def test_fault_in_any_writer_keeps_the_earlier_result(
    estimate: Estimate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    folder = tmp_path / "out"
    save_estimate(estimate, folder)
    before = snapshot(folder)

    def failing(path: Path, *args: Any, **options: Any) -> None:
        path.write_bytes(b"half")
        raise fault

    changed = make_estimate(np.full((20, 24), 0.5), estimate.camera)
    monkeypatch.setattr("ioadr.io.results.cloud.write_ply", failing)
    with pytest.raises((OutputError, KeyboardInterrupt)) as caught:
        save_estimate(changed, folder, overwrite=True)
    assert snapshot(folder) == before
    with pytest.raises((OutputError, KeyboardInterrupt)):
        save_estimate(changed, tmp_path / "new")
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    if isinstance(fault, OSError):
        assert "disk is full" in str(caught.value)


def test_loading_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"estimate\.npz"):
        load_estimate(tmp_path)
    (tmp_path / "estimate.npz").write_bytes(b"no zip")
    with pytest.raises(InputError, match="NumPy archive"):
        load_estimate(tmp_path)
    np.savez(tmp_path / "estimate.npz", disparity=np.zeros((3, 3)))
    with pytest.raises(InputError, match="provenance"):
        load_estimate(tmp_path)


def test_loading_runs_no_pickle(tmp_path: Path) -> None:
    np.savez(tmp_path / "estimate.npz", provenance=np.array([object()], dtype=object))
    with pytest.raises(InputError, match="pickle"):
        load_estimate(tmp_path)


def _write(path: Path, text: str) -> None:
    path.write_text(text)
