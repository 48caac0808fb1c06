"""How far an estimation looks around a part."""

from __future__ import annotations

from ioadr import DisparityRange, Layout, Window, preset
from ioadr.solver.reach import ALIGNED, CARRIED, estimation_margin, with_margin

RANGE = DisparityRange(-1.0, 1.5)
GRID = Layout.of((9, 9))


def test_the_margin_follows_from_windows_and_disparities():
    paper = preset("paper")
    base = estimation_margin(paper, RANGE, GRID)
    assert base >= 1.5 * 4 + 2.5 * 4.5 + 4 + 2 * (18 + 5)
    assert estimation_margin(paper, RANGE.scaled(3), GRID) > base
    assert estimation_margin(paper, RANGE, Layout.of((3, 17))) > base
    assert estimation_margin(paper.vary({"planar.half_width": 40}), RANGE, GRID) >= base + 40
    assert estimation_margin(paper.vary({"planar.first_sweep": 10}), RANGE, GRID) <= base - 46 + CARRIED
    assert estimation_margin(paper.vary({"planar.first_sweep": 10}), RANGE, GRID) >= 1.5 * 4 + 2.5 * 4.5 + 4 + CARRIED
    assert estimation_margin(paper.vary({"finish.passes": 2, "finish.widest": 30}), RANGE, GRID) >= base + 60


def test_a_margin_stays_inside_and_begins_at_a_block():
    core = Window(100, 50, 200, 120)
    assert with_margin(core, 30, 210, 400) == Window(64, 16, 210, 150)
    assert with_margin(core, 200, 210, 400) == Window(0, 0, 210, 320)
    assert with_margin(core, 1, 210, 400).top % ALIGNED == 0
