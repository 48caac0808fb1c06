"""The paper's figures and what ours are compared with."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from ioadr import preset
from ioadr.evaluation.ablation import BASE, Measured, compare, paper, summarise, summary_lines, to_json, to_markdown
from ioadr.evaluation.benchmark import Item, Results
from ioadr.evaluation.methods import Ours
from ioadr.presets import VARIATIONS


def made_up(factor: float = 1.0) -> Measured:
    """Ours are the paper's own figures, the ablations' times a factor; without its border the angle is 1° less."""
    figures: dict[tuple[str, str], dict[str, float]] = {}
    for table in paper().tables:
        for row in (row for row in table.rows if row.method):
            for k, scene in enumerate(paper().scenes):
                scores = figures.setdefault((scene, row.method or ""), {})
                scores |= {name: v[k] * (1 if row.method == BASE else factor) for name, v in row.printed.items()}
    items = [Item(scene, method, scores, 1.0) for (scene, method), scores in figures.items()]
    methods = [Ours(name, preset(name)) for name in paper().methods()]
    angles = {key: scores["mae_planes"] for key, scores in figures.items() if "mae_planes" in scores}
    items = [replace(i, scores={n: v - (n == "mae_planes") for n, v in i.scores.items()}) for i in items]
    return Measured(Results([Path("/d") / scene for scene in paper().scenes], methods, items, Path("/d")), angles)


def test_the_tables_need_the_preset_and_all_its_variations() -> None:
    assert paper().methods()[0] == BASE
    assert set(paper().methods()) == {BASE, *(f"{BASE}/{name}" for name in VARIATIONS)}
    assert len(paper().methods()) * len(paper().scenes) == 36


def test_the_printed_figures_are_those_of_the_paper() -> None:
    tables = {table.id: {row.name: row for row in table.rows} for table in paper().tables}
    assert tables["state-of-the-art"]["IOADR"].printed["mse"] == (4.601, 0.375, 0.319, 0.962)
    assert tables["state-of-the-art"]["OACC-Net"].printed["mae_planes"][1] == 21.584
    assert tables["occlusion"]["J_PD"].printed["mse"] == (9.472, 4.113, 0.832, 3.104)
    assert tables["cost-terms"]["without J_pg"].printed["mae_planes"] == (6.327, 3.651, 5.188, 8.889)
    assert tables["heuristics"]["without smooth plane"].printed["badpix_007"] == (26.08, 14.71, 14.47, 18.21)
    for rows in tables.values():
        for row in rows.values():
            assert all(len(figures) == 4 for figures in row.printed.values())


def test_the_same_figures_deviate_by_nothing_and_move_the_same_way() -> None:
    found = compare(made_up())
    known = [item for item in found if math.isfinite(item.deviation)]
    assert len(known) == 11 * 2 * 4 + 9 * 1
    assert all(item.deviation == 0 for item in known)
    assert {item.same_direction for item in found} == {True, None}
    summary = summarise(found)
    assert (summary.cells, summary.mean_deviation, summary.far, summary.turned) == (88, 0, (), ())
    assert summary.angle == 0


def test_angles_are_compared_over_the_whole_image_and_shown_without_the_border_too() -> None:
    found = next(i for i in compare(made_up()) if i.metric == "mae_planes" and i.scene == "cotton" and i.row == "IOADR")
    assert (found.ours, found.printed, found.deviation) == (2.885, 2.885, 0)
    assert found.without_border == pytest.approx(1.885)
    assert "2.885 [1.885] (2.885, +0.0 %)" in to_markdown(made_up(), {})


def test_what_is_far_from_print_or_moves_otherwise_is_said() -> None:
    found = compare(made_up(0.01))
    summary = summarise(found)
    assert summary.mean_deviation == pytest.approx(0.99 * 56 / 88)
    assert {item.row for item in summary.far} == {
        row.name for t in paper().tables for row in t.rows if row.method not in (None, BASE, "paper/without-random")
    }
    lines = "\n".join(summary_lines(found))
    assert "63.0 %" in lines
    assert "not in: J_PD on boxes (MSE×100)" in lines
    assert "0.095‡↻ (9.472, −99.0 %)" in to_markdown(made_up(0.01), {})


def test_rows_with_raw_results_behind_them_are_marked() -> None:
    assert {row.name for table in paper().tables for row in table.rows if row.raw} == {"J_PD", "without J_pg"}
    assert "| J_PD † |" in to_markdown(made_up(), {})


def test_normals_are_compared_where_the_mask_is_the_benchmarks_own() -> None:
    compared = {item.scene for item in compare(made_up()) if item.metric == "mae_planes" and item.comparable}
    assert compared == {"cotton"}


def test_an_ablation_that_helps_where_the_papers_hurts_is_noticed() -> None:
    found = [item for item in compare(made_up(0.01)) if item.table == "occlusion" and item.row == "J_PD"]
    assert [item.same_direction for item in found] == [False] * 8
    assert all(item.deviation == pytest.approx(-0.99) for item in found)


def test_files_for_programs_and_people() -> None:
    content = json.loads(to_json(made_up()))
    assert content["source"] == paper().source
    assert len(content["figures"]) == len(compare(made_up()))
    assert content["mean_deviation"] == 0
    text = to_markdown(made_up(2.0), {"figure_5.png": "A detail."})
    assert "| J_PD † | 18.944‡ (9.472, +100.0 %) | 8.226‡ (4.113, +100.0 %) |" in text
    assert "![A detail.](figure_5.png)" in text
    assert "| OFSY | 9.561 | 2.653 |" in text
    assert "| without random | – (–) |" in text


@pytest.mark.parametrize("missing", ["scene", "method"])
def test_less_than_everything_can_be_compared(missing: str) -> None:
    measured = made_up()
    whole = measured.results
    if missing == "scene":
        part = Results(whole.scenes[:1], whole.methods, [i for i in whole.items if i.scene == "boxes"], whole.folder)
        assert {item.scene for item in compare(Measured(part, measured.angles))} == {"boxes"}
    else:
        part = Results(whole.scenes, whole.methods[:1], [i for i in whole.items if i.method == BASE], whole.folder)
        assert {item.row for item in compare(Measured(part, measured.angles)) if math.isfinite(item.ours)} == {
            "IOADR", "J_oa", "all terms", "all heuristics",
        }  # fmt: skip
