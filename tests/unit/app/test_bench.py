"""The benchmark of speed: what it measures is there, adds up, and becomes tables."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ioadr import preset
from ioadr.app.bench import against, machine, phases, processes, suite
from ioadr.app.bench.scenes import FAR, NEAR, tiles
from ioadr.app.bench.tables import figure_tables
from ioadr.errors import InputError
from ioadr.evaluation import synthetic
from ioadr.machine import cores
from tests.reference import bench as kernels
from tests.reference.table import TWINS

SMALL = suite.Scope(("fast",), 1, (32, 64), 3, (3, 5), 32, 1, first=False)
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A whole run, with everything small."""
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        whole = synthetic.demo
        patch.setattr(synthetic, "demo", lambda: whole(size=(40, 44), grid=(3, 3)))
        result = suite.run(None, SMALL, told.append)
    assert "5×5 views of 32×32 px" in told
    return json.loads(json.dumps(result, allow_nan=False))


@pytest.mark.slow
def test_every_phase_is_measured(figures):
    assert [run["threads"] for run in figures["scenes"]] == [cores(), 1]
    for run in figures["scenes"]:
        inside = run["inside"]
        wall, cpu = inside["phases"]["wall"], inside["phases"]["cpu"]
        assert {"load", "kernels", "initialise", "congruence", "finish", "rest", "save", "report"} <= set(wall)
        assert set(cpu) == set(wall)
        assert all(seconds >= 0 for seconds in (*wall.values(), *cpu.values()))
        assert sum(inside["counts"].values()) == preset("fast").search.sweeps
        assert wall["congruence"] == pytest.approx(inside["sweeps"])
        assert inside["sweeps"] < inside["wall"] <= wall["estimate"]
    assert 50e6 < figures["scenes"][0]["peak"] < 2e9
    assert "peak" not in figures["scenes"][1], "one thread alone is only measured inside"
    assert figures["starts"]["python"] <= figures["starts"]["help"]


@pytest.mark.slow
def test_growth_is_measured_over_pixels_and_views(figures):
    growth = figures["growth"]
    assert [point["pixels"] for point in growth["sizes"]] == [32**2, 64**2]
    assert [point["views"] for point in growth["grids"]] == [9, 25]
    assert growth["pixels_exponent"] > 0.3
    doubled = [{"pixels": 1, "cpu": 0.5}, {"pixels": 3, "cpu": 2.0}, {"pixels": 4, "cpu": 2.0}]
    assert suite.exponent(doubled, "pixels") == pytest.approx(1.0)


def test_hypotheses_are_counted():
    """Six sweeps with own value, random, smoothed and three neighbours; four with own, random and plane."""
    parameters = preset("paper").vary({"search.sweeps": 10, "planar.first_sweep": 6, "search.phased": True})
    _, estimate = phases.measure(tiles(32, 3), parameters, 1)
    assert phases.hypotheses(estimate) == 32 * 32 * (6 * 6 + 4 * 3)


@pytest.mark.slow
def test_figures_become_tables_and_a_page(figures):
    figures = figures | {"kernels": [{"name": "J_oa", "nanoseconds": 400.0, "plain_nanoseconds": 800_000.0}]}
    shown = {table.title: table for table in figure_tables(figures)}
    assert ["J_oa", "400", "2,000×"] in shown["Kernels, one core"].rows
    assert all(len(row) == len(table.head) for table in shown.values() for row in table.rows)
    script = runpy.run_path(str(ROOT / "scripts" / "performance_page.py"))
    page = script["page"](f"before\n{script['BEGIN']}\nold\n{script['END']}\nafter\n", figures)
    assert page.startswith("before\n")
    assert page.endswith("after\n")
    assert "old" not in page
    assert "| built-in, fast |" in page
    assert script["page"](page, figures) == page


def test_the_page_in_the_docs_is_made_by_the_script():
    script = runpy.run_path(str(ROOT / "scripts" / "performance_page.py"))
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    figures = json.loads((ROOT / "docs" / "performance.json").read_text(encoding="utf-8"))
    assert script["page"](text, figures) == text


@pytest.mark.slow
def test_the_command_prints_tables_and_keeps_figures(cli, figures, tmp_path, monkeypatch):
    monkeypatch.setattr(suite, "run", lambda data, scope, watch: figures)
    outcome = cli("bench", "--out", tmp_path / "bench.json")
    assert outcome.code == 0
    assert "From command to files" in outcome.out
    assert "of them free before and" in outcome.out
    assert json.loads((tmp_path / "bench.json").read_text()) == figures


def test_peak_memory_is_that_of_the_command_alone():
    big = np.ones(200_000_000, np.uint8)
    small = processes.python(["-c", "pass"])
    large = processes.python(["-c", "held = b'x' * 150_000_000; import time; time.sleep(0.05)"])
    assert small.peak < 60e6
    assert 150e6 < large.peak < 220e6
    assert large.wall >= 0.05
    assert big[0] == 1


def test_a_command_that_fails_is_named():
    with pytest.raises(InputError, match="no command 'nonsense'"):
        processes.ioadr("nonsense")


def test_scenes_for_growth_are_light_fields():
    """Both surfaces cost nothing at their disparities, wherever every view sees them."""
    lf = tiles(64, 3)
    middle = lf.views[1, 1].astype(float)
    for d in (NEAR, FAR):
        # The same place in the view to the right lies d px further left: between two pixels.
        right = lf.views[1, 2].astype(float)
        whole, fraction = int(np.floor(-d)), -d - np.floor(-d)
        moved = np.roll(right, -whole, 1) * (1 - fraction) + np.roll(right, -whole - 1, 1) * fraction
        difference = np.abs(moved - middle)[8:-8, 8:-8].mean(axis=-1)
        assert (difference < 12).mean() > 0.2
    assert 0 < machine.free_cores(0.05) < 1.2 * cores()


@pytest.mark.parametrize("name", ["J_PD where all views see", "planar sweep"])
def test_kernels_are_timed_by_the_table_of_twins(name):
    found = kernels.measured(TWINS[name], {"grid": (3, 3), "size": (24, 24), "count": 64})
    assert 0 < found["nanoseconds"] < found["plain_nanoseconds"]
    assert set(kernels.KERNELS) <= set(TWINS)


checkout = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a git checkout")


@checkout
def test_two_revisions_take_turns_and_become_a_table(cli, monkeypatch, tmp_path):
    """The base is measured with its own sources, in every round before this revision."""
    sources: list[str] = []
    reduced: list[bool] = []

    def timed(*arguments: str, environment: dict[str, str]) -> processes.Timed:
        sources.append(environment["PYTHONPATH"])
        reduced.append("search.hole_sweeps=0" in arguments)
        here = environment["PYTHONPATH"] == str(against.SOURCE)
        assert (Path(environment["PYTHONPATH"]) / "ioadr" / "estimation.py").exists()
        return processes.Timed(1.0, 6.0 if here else 8.0, 400_000_000)

    monkeypatch.setattr(processes, "ioadr", timed)
    whole = synthetic.demo
    monkeypatch.setattr(synthetic, "demo", lambda: whole(size=(40, 44), grid=(3, 3)))
    outcome = cli("bench", "--base", "HEAD", "--out", tmp_path / "bench.json")
    assert outcome.code == 0, outcome.err
    assert "Against HEAD" in outcome.out
    assert "0.75 … 0.75 (4)" in outcome.out
    base, here = sources[0], str(against.SOURCE)
    whole_presets = [source for source, fewer in zip(sources, reduced, strict=True) if not fewer]
    assert base != here
    assert whole_presets == [base, here] * (len(whole_presets) // 2)
    assert {source for source, fewer in zip(sources, reduced, strict=True) if fewer} == {here}
    figures = json.loads((tmp_path / "bench.json").read_text())
    rounds = {run["preset"]: run["ratios"] for run in figures["against"]}
    assert rounds == {name: [0.75] * count for name, count in [*suite.QUICK.rounds, (against.REDUCED, 2)]}
    assert not Path(sources[0]).exists()


def test_the_earlier_steps_of_best_are_fewer():
    reduced = preset("best").replace(against.EARLIER_STEPS)
    assert set(reduced.changes(preset("best"))) == set(against.EARLIER_STEPS), "each value drops something of best"


def test_a_revision_that_is_not_there_is_refused(cli, monkeypatch):
    whole = synthetic.demo
    monkeypatch.setattr(synthetic, "demo", lambda: whole(size=(40, 44), grid=(3, 3)))
    outcome = cli("bench", "--base", "no-such-revision")
    assert outcome.code == 2
    assert "no sources of revision 'no-such-revision'" in outcome.err
    assert "Traceback" not in outcome.err
