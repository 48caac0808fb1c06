"""What each sweep weighs and tries, against tables written by hand from the paper and from what made its tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ioadr import DisparityRange, preset
from ioadr.presets import VARIATIONS
from ioadr.solver.schedule import closing, plan

RANGE = DisparityRange(-1.5, 2.5)
"""4 px wide: σ = 0.04 of it is 0.16 px."""

# Candidates: R random, S smoothed disparity, P plane, N neighbours visited in this sweep.
PAPER = """
q  forward   T      λ   γ    σ       tries  fits
0  yes     10       0  0    0.16    RSN    0
1  no      10       0  0    0.16    RSN    0
2  yes      8     200  0    0.16    RSN    0
3  no       8     200  0    0.16    RSN    0
4  yes      6.4   400  0    0.16    RSN    0
5  no       6.4   400  0    0.16    RSN    0
6  yes      5.12  600  0.05 0.16    RP     1
7  no       5.12  600  0.05 0.0016  RP     1
8  yes      4.096 800  0.05 0.0016  RP     2
9  no       4.096 800  0.05 0.0016  RP     2
"""

TEXT = """
q  forward   T      λ   γ    σ       tries  fits
0  yes     10     100  0.05 0.04    RSPN   1
1  no      10     100  0.05 0.04    RSPN   1
2  yes      8     100  0.05 0.04    RSPN   1
3  no       8     100  0.05 0.04    RSPN   1
4  yes      6.4   100  0.05 0.04    RSPN   1
5  no       6.4   100  0.05 0.04    RSPN   1
6  yes      5.12  100  0.05 0.04    RSPN   1
7  no       5.12  100  0.05 0.04    RSPN   1
8  yes      4.096 100  0.05 0.04    RSPN   1
9  no       4.096 100  0.05 0.04    RSPN   1
"""


def rows(table):
    """One tuple per sweep, as `found` gives it."""
    for line in table.strip().splitlines()[1:]:
        q, forward, *numbers, tries, fits = line.split()
        yield int(q), forward == "yes", *(pytest.approx(float(n), rel=1e-9) for n in numbers), tries, int(fits)


def found(step):
    tried = step.heuristics
    flags = {"R": tried.random, "S": tried.congruence, "P": tried.smooth_plane, "N": tried.smooth_depth}
    letters = "".join(letter for letter, flag in flags.items() if flag)
    weights = step.temperature, step.congruence_weight, step.planar_weight, tried.sigma
    return step.index, step.forward, *weights, letters, step.plane_fits


@pytest.mark.parametrize(("name", "table"), [("paper", PAPER), ("text", TEXT)])
def test_the_ten_sweeps(name, table):
    steps = plan(preset(name), RANGE)
    assert [found(step) for step in steps] == list(rows(table))
    assert {(step.heuristics.minimum, step.heuristics.maximum) for step in steps} == {(-1.5, 2.5)}


@pytest.mark.parametrize("name", ["fast", "best"])
def test_other_presets_have_no_planar_sweeps_however_many_there_are(name):
    steps = plan(preset(name).vary({"search.sweeps": 12}), RANGE)
    assert {(step.kind, step.plane_fits) for step in steps} <= {("data", 0), ("congruence", 0)}
    assert {found(step)[-2] for step in steps} == {"RSN"}


LEFT_OUT: dict[str, dict[str, Any]] = {
    "without-congruence": {"congruence_weight": 0.0},
    "without-planar": {"planar_weight": 0.0},
    "data-only": {"congruence_weight": 0.0, "planar_weight": 0.0},
    "occlusion-unaware": {},
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_term_that_does_not_count_is_not_a_phase_that_does_not_happen(name):
    """Without a cost term the same candidates are tried in the same sweeps, planes included."""
    full, varied = plan(preset("paper"), RANGE), plan(preset(f"paper/{name}"), RANGE)
    assert varied == [replace(step, **LEFT_OUT[name]) for step in full]


CANDIDATES = {
    "without-smooth-depth": "smooth_depth",
    "without-congruence-candidate": "congruence",
    "without-plane-candidate": "smooth_plane",
    "without-random": "random",
}


@pytest.mark.parametrize("name", CANDIDATES)
def test_without_a_heuristic_everything_else_stays(name):
    full, varied = plan(preset("paper"), RANGE), plan(preset(f"paper/{name}"), RANGE)
    changed = [replace(step, heuristics=step.heuristics._replace(**{CANDIDATES[name]: False})) for step in full]
    assert varied == changed


def test_every_ablation_of_the_paper_is_looked_at_here():
    assert {*LEFT_OUT, *CANDIDATES} == set(VARIATIONS)


def test_results_are_costed_as_in_the_last_sweep():
    last = plan(preset("paper"), RANGE)[-1]
    assert closing(preset("paper"), RANGE) == replace(last, plane_fits=1)
