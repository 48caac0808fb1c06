"""Results as JSON, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import pytest

from ioadr import preset
from ioadr.evaluation.benchmark import Item, Results
from ioadr.evaluation.methods import Method, Ours, Published
from ioadr.evaluation.tables import MEAN, best, is_best, to_csv, to_json, to_latex


@pytest.fixture
def results() -> Results:
    """Two methods that tie on one scene, and a third that failed there."""
    methods: list[Method] = [
        Ours("paper", preset("paper")),
        Published("A & B", Path("a")),
        Published("under_score", Path("b")),
    ]
    items = [
        Item("boxes", "paper", {"mse": 4.6011, "badpix_007": 15.5}, 9.9),
        Item("boxes", "A & B", {"mse": 4.6014, "badpix_007": 15.6}, None),
        Item("boxes", "under_score", failure="no map"),
        Item("dino", "paper", {"mse": 0.3, "badpix_007": 3.0}, 10.1),
        Item("dino", "A & B", {"mse": 0.2, "badpix_007": 2.0}, None, invalid=7),
        Item("dino", "under_score", {"mse": 0.25, "badpix_007": math.inf}, None),
    ]
    return Results([Path("/d/boxes"), Path("/d/dino")], methods, items, Path("/d"))


def test_the_lowest_printed_figure_is_best_and_ties_share(results: Results) -> None:
    assert best(results, "boxes", "mse") == 4.601
    assert [is_best(results, "boxes", m, "mse") for m in results.method_names] == [True, True, False]
    assert [is_best(results, "dino", m, "mse") for m in results.method_names] == [False, True, False]
    assert [is_best(results, MEAN, m, "mse") for m in results.method_names] == [False, True, False]


def test_a_method_that_failed_has_no_mean(results: Results) -> None:
    assert math.isnan(results.mean("under_score", "mse"))
    assert results.mean("paper", "mse") == pytest.approx((4.6011 + 0.3) / 2)


def test_json_has_everything_and_is_strict(results: Results) -> None:
    content = json.loads(to_json(results), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert content["scenes"] == ["boxes", "dino"]
    assert content["metrics"]["mse"]["label"] == "MSE×100"
    assert content["methods"][0]["parameters"] == preset("paper").to_dict()
    by_place = {(item["scene"], item["method"]): item for item in content["items"]}
    assert by_place["boxes", "paper"]["scores"]["mse"] == 4.6011
    assert by_place["boxes", "under_score"]["failure"] == "no map"
    assert by_place["dino", "A & B"]["invalid"] == 7
    assert by_place["dino", "under_score"]["scores"]["badpix_007"] is None


def test_csv_is_one_line_per_item(results: Results) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(results))))
    assert len(rows) == 6
    assert rows[0] == {
        "scene": "boxes", "method": "paper", "seconds": "9.900", "invalid": "0",
        "mse": "4.6011", "badpix_007": "15.5", "failure": "",
    }  # fmt: skip
    assert rows[2]["failure"] == "no map"
    assert rows[2]["mse"] == ""


def test_latex_marks_the_best_and_escapes_names(results: Results) -> None:
    text = to_latex(results)
    assert r"paper & \textbf{4.601} & 0.300 & 2.451 \\" in text
    assert r"A \& B & \textbf{4.601} & \textbf{0.200} & \textbf{2.401} \\" in text
    assert r"under\_score & -- & 0.250 & -- \\" in text
    assert r"MSE$\times$100 [px$^2$/100]" in text
    assert r"BadPix 0.07 [\%]" in text
    assert text.count("{") == text.count("}")
    assert text.count(r"\\") == 1 + 2 * (1 + 3)
