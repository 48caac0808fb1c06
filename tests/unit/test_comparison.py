"""Two results of one light field, beside each other."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ioadr import InputError, preset
from ioadr.app.cli import run
from tests.builders import make_views
from tests.scenes import make_estimate

FIRST = make_estimate(np.zeros((20, 24)), confidence=np.full((20, 24), 0.9, np.float32))
SECOND = make_estimate(
    np.where(np.arange(24) < 12, 0.05, 0.0) * np.ones((20, 1)),
    confidence=np.where(np.arange(24) < 6, 0.1, 0.9).astype(np.float32) * np.ones((20, 1), np.float32),
    parameters=preset("best"),
)


def test_the_difference_is_signed_and_counted():
    found = FIRST.compare(SECOND)
    np.testing.assert_allclose(found.difference[0, [0, 23]], [0.05, 0.0], atol=1e-6)
    assert found.mean == pytest.approx(0.025)
    assert SECOND.compare(FIRST).mean == pytest.approx(-0.025)
    assert found.beyond == {0.01: 0.5, 0.03: 0.5, 0.07: 0.0, 0.3: 0.0}


def test_where_both_are_trusted_it_matters():
    found = FIRST.compare(SECOND)
    assert found.trusted.mean() == pytest.approx(0.75)
    assert found.beyond_trusted[0.03] == pytest.approx(6 / 18)


def test_changed_parameters_are_named():
    found = FIRST.compare(SECOND).parameters
    assert found["search.sweeps"] == (10, 6)
    assert set(found) == set(preset("best").changes(preset("paper")))


def test_costs_over_other_views_are_not_compared(tmp_path, capsys):
    """`fast` uses every second view: its lower cost was said to explain the views better."""
    assert FIRST.compare(SECOND).same_data
    fast = make_estimate(np.zeros((20, 24)), parameters=preset("fast"))
    assert not FIRST.compare(fast).same_data
    for name, estimate in (("a", FIRST), ("b", fast)):
        estimate.save(tmp_path / name, "npz", report=False)
    assert run(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    told = capsys.readouterr().out
    assert "not comparable" in told
    assert "better" not in told
    assert max(map(len, told.splitlines())) <= 80


def test_results_of_other_scenes_are_refused():
    """Of two scenes, the one with the lower cost was said to fit the views better."""
    with pytest.raises(InputError, match="expected results of one view, found reference views of two scenes"):
        FIRST.compare(make_estimate(np.zeros((20, 24)), image=make_views()[1, 1]))
    altered = make_estimate(np.zeros((20, 24)), image=np.clip(FIRST.image + 9.0, 0, 255).astype(np.uint8))
    assert not FIRST.compare(altered).same_data


def test_other_sizes_and_types_are_refused():
    with pytest.raises(InputError, match="expected results of one size, found 24×20 and 9×8 px"):
        FIRST.compare(make_estimate(np.zeros((8, 9))))
    with pytest.raises(TypeError, match="expected another Estimate, not str"):
        FIRST.compare("out")  # type: ignore[arg-type]


def test_the_command_tells_it_and_writes_a_page(tmp_path, capsys):
    for name, estimate in (("a", FIRST), ("b", SECOND)):
        estimate.save(tmp_path / name, "npz", report=False)
    folders = [str(tmp_path / "a"), str(tmp_path / "b")]
    assert run(["compare", *folders, "--html", str(tmp_path / "page.html")]) == 0
    told = capsys.readouterr().out
    assert "B − A: mean +0.0250 px" in told
    assert "search.sweeps: A 10, B 6" in told
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64") == 6
    assert "<!--slot" not in page
    assert run(["compare", *folders, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["beyond"]["0.03"] == 0.5


def test_without_pixels_that_both_trust_nothing_is_said_about_them(tmp_path, capsys):
    unsure = make_estimate(np.zeros((20, 24)), confidence=np.zeros((20, 24), np.float32))
    for name, estimate in (("a", FIRST), ("b", unsure)):
        estimate.save(tmp_path / name, "npz", report=False)
    assert run(["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--html", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "–" in capsys.readouterr().out
    assert "nan %" not in page
