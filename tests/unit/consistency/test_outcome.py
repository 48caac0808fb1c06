"""A map with which the views do not agree is called doubtful, one with which they agree is not."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import ioadr
from ioadr.app.cli import run
from ioadr.evaluation.synthetic import FAMILIES
from ioadr.io.capture import numbered_grid
from tests import explored
from tests.arrangement_cases import moderate_case
from tests.builders import save_png, write_hci_scene
from tests.marks import some_quick
from tests.scenes import make_estimate


@pytest.fixture(scope="module")
def views():
    return explored.larger()


def estimated(views, **options):
    return ioadr.estimate(ioadr.LightField(views, **options), ioadr.preset("fast"), threads=1)


def test_a_right_map_is_not_doubtful(views):
    estimate = estimated(views)
    assert estimate.doubts == ()
    assert estimate.provenance["verdict"] == "the views agree with the map"


@pytest.mark.parametrize("change", [lambda v: v[::-1], lambda v: v.swapaxes(0, 1)], ids=["mirrored", "transposed"])
def test_garbage_is_doubtful(views, change):
    (doubt, *_) = estimated(np.ascontiguousarray(change(views))).doubts
    assert "the views do not agree with the map" in doubt


@pytest.mark.parametrize("seed", some_quick(range(len(FAMILIES)), [FAMILIES.index("low-texture")]))
def test_noise_is_no_disagreement(seed):
    """Views of 2 … 5 levels of noise, in the right order; transposed they disagree, if there is texture."""
    case = moderate_case(seed)
    views = case.views()
    assert not disagrees(estimated(views, range=ioadr.DisparityRange(-1.6, 1.6)))
    if case.family != "low-texture":
        wrong = np.ascontiguousarray(views.swapaxes(0, 1))
        assert disagrees(estimated(wrong, range=ioadr.DisparityRange(-1.6, 1.6)))


@pytest.mark.parametrize("preset", ["fast", "paper", "best"])
def test_a_blank_wall_with_noise_is_doubtful(preset):
    """Nothing can be known about it; the views agree with any map up to their noise."""
    wall = 100 + np.random.default_rng(0).normal(0, 1.5, (5, 5, 48, 48, 3))
    lightfield = ioadr.LightField(np.rint(wall).astype(np.uint8), range=ioadr.DisparityRange(-2, 2))
    estimate = ioadr.estimate(lightfield, preset, progress=False, threads=1)
    assert np.mean(estimate.confidence > 0.5) < 0.02
    assert any("hardly any pixel is reliable" in doubt for doubt in estimate.doubts)


def disagrees(estimate):
    return any("the views do not agree with the map" in doubt for doubt in estimate.doubts)


def test_a_range_that_is_too_narrow_is_doubtful(views):
    doubts = estimated(views, range=ioadr.DisparityRange(0.3, 2.0)).doubts
    assert any("% of the pixels have the smallest disparity: widen range=" in doubt for doubt in doubts)


def test_photographs_too_far_apart_are_doubtful():
    """Posed views 2.7° apart raise no doubt; those 15° apart do, unless most pixels are trusted."""
    world = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    for baseline, confidence, doubtful in ((100.0, 0.1, False), (560.0, 0.1, True), (560.0, 0.9, False)):
        camera = ioadr.Camera(50.0, 36.0, baseline, 2.1, 52, 40, world=world, metric=False)
        found = make_estimate(np.zeros((40, 52), np.float32), camera)
        found = replace(found, confidence=np.full((40, 52), confidence, np.float32))
        said = any("15.2° apart as seen from the scene, so its depth is coarse" in text for text in found.doubts)
        assert said == doubtful
        without = replace(found, camera=replace(camera, world=None))
        assert not any("° apart" in text for text in without.doubts)


def test_strict_is_an_exit_code(views, tmp_path, capsys):
    folder = str(write_hci_scene(tmp_path / "scene", views[::-1]))
    out = tmp_path / "out"
    common = ["estimate", folder, "--preset", "fast", "--threads", "1", "--range", "-1.8", "1.9", "--json"]
    assert run([*common, "--out", str(out)]) == 0
    captured = capsys.readouterr()
    assert "doubtful: the order of views is contradicted" in captured.err
    assert json.loads(captured.out)["doubts"]
    assert "Doubtful" in (out / "report.html").read_text(encoding="utf-8")
    assert run([*common, "--out", str(out), "--overwrite", "--strict"]) == 3
    assert run([*common, "--out", str(tmp_path / "right"), "--flip-rows", "--strict"]) == 0


def upside_down(views, folder):
    views[0, 4] = views[0, 4][::-1, ::-1].copy()
    return write_hci_scene(folder, views)


def serpentine(views, folder):
    folder.mkdir(parents=True)
    for place, number in np.ndenumerate(numbered_grid((5, 5), "serpentine")):
        save_png(folder / f"img_{number:02d}.png", views[place])
    return folder


@pytest.mark.parametrize(
    ("write", "words", "remedy"),
    [
        (upside_down, "input_Cam004.png (view 0,4) is upside down", ("--skip", "0,4")),
        (serpentine, "counted in another order: try --grid 5x5 --order serpentine", ("--order", "serpentine")),
    ],
)
def test_views_that_do_not_fit_make_every_map_doubtful(views, write, words, remedy, tmp_path, capsys):
    """On the terminal, at the top of the report, in provenance, and in a result that is loaded again."""
    folder, out = str(write(views.copy(), tmp_path / "a")), tmp_path / "out"
    common = ["estimate", folder, "--preset", "fast", "--threads", "1", "--range", "-1.8", "1.9"]
    common += ["--set", "data.view_step=1", "--strict", "--out"]
    assert run([*common, str(out)]) == 3
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("doubtful: ")]
    assert words in said[0]
    assert len(set(said)) == len(said)
    stored = json.loads((out / "provenance.json").read_text(encoding="utf-8"))
    assert stored["verdict"] == list(ioadr.load_estimate(out).doubts)
    assert stored["source"]["doubts"]
    shown = re.findall('<p class="doubt">(.*)</p>', (out / "report.html").read_text(encoding="utf-8"))
    assert words in shown[0]
    assert run([*common, str(tmp_path / "right"), *remedy]) == 0


def test_posed_photographs_are_to_be_aligned_and_not_reordered(views):
    """Poses say where views stand; what may be wrong is exposure, or the poses."""
    found = estimated(np.ascontiguousarray(views[::-1]))
    world = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    camera = ioadr.Camera(50.0, 36.0, 20.0, 2.0, 128, 96, world=world, metric=False)
    posed = replace(found, camera=camera)
    assert any("correct both with `align`" in doubt for doubt in posed.doubts)
    again = replace(posed, source=replace(posed.source, alignment={"shifts": []}))
    assert any("Their poses may be wrong" in doubt for doubt in again.doubts)
    assert not any("doctor" in doubt for doubt in (*posed.doubts, *again.doubts))
