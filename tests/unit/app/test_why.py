"""Why a pixel has its depth, in words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ioadr import DisparityRange, InputError, LightField, Window, estimate
from ioadr.app.why import (
    REASONS,
    Facts,
    chapters,
    facts,
    moved_by_surfaces,
    residual_words,
    sentence,
    stories,
    story,
    surface_words,
)
from ioadr.io import load_estimate, write_lightfield
from ioadr.solver.evidence import reasons_to_doubt
from ioadr.solver.explanation import Doubt, Ending, SurfaceFit, ViewResiduals
from ioadr.solver.replay import Replay, ending
from ioadr.way import Origin, Stage
from tests import explored
from tests.scenes import make_estimate


def told(way: list[Stage], **changes: Any) -> str:
    surface = SurfaceFit(
        -0.654, -0.66, 0.01, 16, False, np.zeros((1, 2), np.int32), np.ones(1, np.float32), -0.662, -0.661
    )
    values: dict[str, Any] = {"visible": 81, "views": 81, "deviation": 0.8, "disparity": -0.662, "depth": 4.09}
    values |= {"unit": "m", "confidence": 0.971, "way": way, "two_minima": False}
    return sentence(Facts(**(values | {"ending": Ending(surface, None, None, 0.97, ())} | changes)))


WAY = [
    Stage("start", 1, -0.5, Origin.LINES),
    Stage("sweep", 1, -0.9, Origin.RANDOM),
    Stage("sweep", 2, -0.9, Origin.KEPT),
    Stage("sweep", 3, -0.651, Origin.NEIGHBOUR),
    Stage("sweep", 4, -0.654, Origin.MEAN),
    Stage("regions", 1, -0.654, Origin.KEPT),
    Stage("surfaces", 1, -0.660, Origin.SURFACE),
    Stage("surfaces", 2, -0.662, Origin.SURFACE),
    Stage("borders", 1, -0.662, Origin.KEPT),
]


def test_the_sentence():
    assert told(WAY) == (
        "81 of 81 views agree within 0.8 grey levels at −0.662 px (4.09 m). A neighbour proposed it in sweep 3; "
        "the surface fitted over 16 px moved it by −0.008 px. Confidence: 97 %."
    )


def test_what_else_it_says():
    doubts = [Doubt("vague region", -1.0, 2.0), Doubt("torn", 0.5, 1.0)]
    low = told(WAY, confidence=0.2, ending=Ending(None, None, None, 0.2, doubts), two_minima=True)
    assert low.endswith(
        "the surface fitted around it moved it by −0.008 px. Another disparity explains the views around it nearly "
        "as well. Confidence: 20 %. Main reason for doubt: there is little texture around it."
    )
    assert "74 of 81 views see it at −0.662 px (relative depth 4.09), but differ by 12.3 grey levels." in told(
        WAY, visible=74, deviation=12.3, unit="relative"
    )
    assert "at −0.662 px (depth 4.09 in the unit of the poses)." in told(WAY, unit="pose unit")
    assert "It comes from the first map (slopes in the EPIs). Confidence" in told(
        [Stage("start", 1, 0.1, Origin.LINES)]
    )
    moved = [*WAY[:5], Stage("regions", 1, 0.2, Origin.REGION), *WAY[6:8], Stage("holes", 1, 0.5, Origin.HOLE), WAY[8]]
    assert (
        "The value that a neighbour proposed in sweep 3 changed later: a surface fitted to its whole region replaced "
        "it; the surface fitted over 16 px moved it by −0.862 px; a hole was opened here, and the pixel moved to the "
        "plane behind it. Confidence: 97 %."
    ) in told(moved)
    moved[-1] = Stage("borders", 1, 0.2, Origin.BORDER)
    assert (
        "a hole was opened here, and the pixel moved to the plane behind it; at an occlusion boundary, the pixel was "
        "assigned to the surface that covers most of it. Confidence: 97 %."
    ) in told(moved)
    opened = [*WAY[:3], Stage("holes", 1, 0.3, Origin.HOLE), Stage("sweep", 3, 0.302, Origin.MEAN)]
    assert ("A hole was opened here before sweep 3, and the pixel moved to the plane behind it. Confidence") in told(
        opened
    )
    border = [Stage("start", 1, 0.1, Origin.LINES), Stage("borders", 1, 0.5, Origin.BORDER)]
    assert (
        "The value of the first map (slopes in the EPIs) changed later: at an occlusion boundary, the pixel was "
        "assigned to the surface that covers most of it. Confidence"
    ) in told(border)
    border.insert(1, Stage("surfaces", 1, 0.103, Origin.SURFACE))
    assert "changed later: the surface fitted over 16 px moved it by 0.003 px; at an occlusion boundary" in told(border)
    assert "Its history was not stored; tiles, small parts" in told([])
    assert "agree within 0.1 grey levels" in told(WAY, deviation=0.0)
    assert "depth unknown" in told(WAY, depth=float("nan"))
    assert "Confidence: 0 %." in told(WAY, confidence=float("nan"))
    assert told(WAY, disparity=float("nan")) == "This pixel has no disparity."


def test_a_plain_wall_has_no_targets():
    """No fit is reported where the views favour no disparity, and no occlusion boundary is given as the reason."""
    lightfield = LightField(np.full((3, 3, 40, 40, 3), 128, np.uint8), range=DisparityRange(-1, 1))
    known = ending(lightfield, estimate(lightfield, "best"), 20, 20)
    assert known.surface is not None
    assert surface_words(known.surface) == "the views favour no disparity here; no surface could be fitted"
    assert surface_words(replace(known.surface, beside_rise=True)).startswith("its own target is ignored next to a")


def test_one_view_is_not_many():
    nothing = np.full((3, 3), np.nan, np.float32)
    assert residual_words(ViewResiduals(nothing, nothing)) == "no view took part when the surface was fitted"
    nothing[1, 1] = 0
    assert residual_words(ViewResiduals(nothing, nothing)) == "only one view took part when the surface was fitted"


def test_stories_of_maps_are_those_of_their_pixels():
    found = explored.finished()
    assert found.way is not None
    texts, which, moved = stories(found.way, found.disparity)
    assert len(texts) > 10
    for row, column in np.random.default_rng(0).integers(0, found.disparity.shape, (200, 2)):
        way = found.way.at(row, column, float(found.disparity[row, column]))
        assert texts[which[row, column]] == story(*chapters(way))
        assert moved[row, column] == pytest.approx(moved_by_surfaces(way), abs=1e-5)


def test_every_reason_has_words():
    from ioadr._jit import Workers

    found = explored.estimate()
    with Workers(1) as workers:
        replay = Replay(explored.scene().lightfield, found, Window(0, 0, 64, 72), workers)
        replay.refinement.disparity = np.ascontiguousarray(found.disparity[replay.window.slices])
        reasons, _ = reasons_to_doubt(replay.refinement, replay.closing, found.costs["data"], found.visible_views)
    assert set(reasons) == set(REASONS)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("why") / "out"
    explored.finished().save(folder, "npz", report=False)
    write_lightfield(explored.scene().lightfield, folder.parent / "scene.npz")
    return folder


def test_explain_says_the_sentence_and_its_numbers(cli, result):
    outcome = cli("explain", result, 30, 40, "--lightfield", result.parent / "scene.npz")
    assert outcome.code == 0
    found = load_estimate(result)
    lines = outcome.out.splitlines()
    assert lines[0].startswith(sentence(facts(found, 30, 40)).partition(";")[0])
    assert lines[1].split() == ["step", "disparity", "change", "comes", "from"]
    assert [line.split()[0] for line in lines[2:16]] == [
        "first",
        *["sweep"] * 4,
        *["holes", "sweep"] * 2,
        "regions",
        *["surface"] * 2,
        "holes",
        "borders",
    ]
    assert "the views favour" in outcome.out
    assert "in log odds" in outcome.out


def test_explain_as_json(cli, result):
    outcome = cli("explain", result, 30, 40, "--lightfield", result.parent / "scene.npz", "--json")
    told = json.loads(outcome.out)
    found = load_estimate(result)
    assert told["disparity"] == pytest.approx(found.disparity[30, 40])
    assert len(told["way"]) == 14
    assert told["ending"]["trust"] == pytest.approx(found.confidence[30, 40], abs=0.01)
    assert told["sentence"].startswith(f"{told['visible']} of 25 views")


def test_explain_without_views_says_what_the_maps_tell(cli, result):
    outcome = cli("explain", result, 30, 40)
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == sentence(facts(load_estimate(result), 30, 40))
    assert "The parts that need the views are left out." in outcome.err
    assert "the views favour" not in outcome.out


def test_explain_of_an_earlier_result(cli, tmp_path):
    make_estimate(np.zeros((8, 9))).save(tmp_path / "old", "npz", report=False)
    outcome = cli("explain", tmp_path / "old", 3, 4)
    assert outcome.code == 0
    assert "Its history was not stored" in outcome.out


@pytest.mark.parametrize(("row", "column"), [(64, 0), (0, 72)])
def test_explain_refuses_pixels_outside(cli, result, row, column):
    outcome = cli("explain", result, row, column)
    assert outcome.code == 2
    assert (
        f"pixel {row}, {column}: the maps have 64 rows and 72 columns, counted from 0. Give a row up to 63"
        in outcome.err
    )


def test_the_way_comes_back(result):
    found, known = load_estimate(result).way, explored.finished().way
    assert found is not None
    assert known is not None
    assert found.kinds == known.kinds
    np.testing.assert_array_equal(found.differences, known.differences)
    np.testing.assert_array_equal(found.origins, known.origins)
    np.testing.assert_array_equal(found.spread, known.spread)
    np.testing.assert_array_equal(found.exact, known.exact)
    np.testing.assert_array_equal(found.glossy, known.glossy)


def test_a_spread_comes_back(tmp_path):
    known = explored.finished()
    assert known.way is not None
    spread = np.linspace(0.5, 2, known.disparity.size).reshape(known.disparity.shape).astype(np.float16)
    replace(known, way=replace(known.way, spread=spread)).save(tmp_path / "out", "npz", report=False)
    found = load_estimate(tmp_path / "out").way
    assert found is not None
    np.testing.assert_array_equal(found.spread, spread)


@pytest.mark.parametrize("spread", [-0.5, np.nan, "wide", [1.0, 2.0]])
def test_a_way_of_impossible_spread_is_refused(tmp_path, spread):
    known = explored.finished()
    assert known.way is not None
    replace(known, way=replace(known.way, spread=spread)).save(tmp_path / "out", "npz", report=False)
    with pytest.raises(InputError, match="spread"):
        load_estimate(tmp_path / "out")


def test_a_damaged_way_is_refused(cli, tmp_path):
    known = explored.finished()
    assert known.way is not None
    broken = replace(known, way=replace(known.way, origins=np.full_like(known.way.origins, 99)))
    broken.save(tmp_path / "out", "npz", report=False)
    outcome = cli("explain", tmp_path / "out", 0, 0)
    assert outcome.code == 2
    assert "origins up to 99" in outcome.err
