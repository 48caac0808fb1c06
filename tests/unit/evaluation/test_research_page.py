"""The pages of docs/research are what the script makes from the table of scores."""

import runpy
from pathlib import Path

import pytest

from ioadr.evaluation.research import Row, write_table
from ioadr.presets import FINISH_VARIATIONS

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "research_page.py"))
RESEARCH = ROOT / "docs" / "research"


def rows_of(without: dict[str, float]) -> list[Row]:
    """Scores of all scenes: 4 with `paper` and `fast`, 2 with `best`, and with ablations 2 unless given."""
    methods = {"paper": 4.0, "best": 2.0, "fast": 4.0}
    methods |= {f"best/{name}": without.get(name, 2.0) for name in FINISH_VARIATIONS}
    metrics = (*SCRIPT["ON_SYNTHETIC"], *SCRIPT["THIN"])
    return [
        Row(method, scene, seed, "", dict.fromkeys(metrics, value + 0.01 * seed))
        for method, value in methods.items()
        for scene in SCRIPT["SCENES"]
        for seed in range(3)
    ]


def test_the_pages_in_the_docs_are_made_by_the_script():
    for path, text in SCRIPT["pages"](RESEARCH).items():
        assert path.read_text(encoding="utf-8") == text, path.name


def test_every_step_has_a_decision_that_links_to_its_figures():
    assert set(SCRIPT["linking"](ROOT / "docs" / "decisions")) == set(FINISH_VARIATIONS)


def test_a_section_has_the_figures_without_and_with_the_step():
    lines = SCRIPT["section"](rows_of({"without-gaps": 3.5}), "best/without-gaps")
    assert "| boxes | 3.51 → 2.01 ▼ |" in "\n".join(lines)
    assert SCRIPT["section"](rows_of({}), "best/without-gaps") == ["No figure of any scene changes."]


def test_the_summary_counts_the_scenes_that_change():
    lines = SCRIPT["summary"](rows_of({"without-gaps": 3.5, "one-pass": 1.0}))
    assert any(line.endswith("| 23 | 0 |") for line in lines if "without-gaps" in line)
    assert any(line.endswith("| 0 | 23 |") for line in lines if "one-pass" in line)


@pytest.mark.parametrize(("value", "text"), [(0.1234, "0.123"), (0.9996, "1.00"), (9.996, "10.0"), (-12.34, "12.3")])
def test_figures_have_three_digits(value, text):
    assert SCRIPT["number"](value) == text


def test_losses_name_metric_and_scene():
    rows = rows_of({})
    assert SCRIPT["losses"](rows, "best", ["mse"]) == "On no scene is `best` worse than `paper` in MSE×100."
    worse = [
        Row(r.method, r.scene, r.seed, "", {"mse": 9.0}) if (r.method, r.scene) == ("best", "toys") else r for r in rows
    ]
    assert SCRIPT["losses"](worse, "best", ["mse"]) == "`best` is worse than `paper` in MSE×100 on toys."


def test_a_page_made_again_is_the_same(tmp_path):
    folder = tmp_path / "research"
    for name in ("accuracy", "ablations"):
        write_table(folder / f"{name}.csv", rows_of({"one-pass": 3.0}))
    (folder / "README.md").write_text((RESEARCH / "README.md").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "decisions").mkdir()
    first = SCRIPT["pages"](folder)
    for path, text in first.items():
        path.write_text(text, encoding="utf-8")
    assert SCRIPT["pages"](folder) == first
    assert "| none (`best`) | 2.01 / 2.01 |" in first[folder / "README.md"]
