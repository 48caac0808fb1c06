"""`ioadr.estimate` takes what a person would pass, and says what it does not take."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr.app import live_progress
from tests.builders import make_views

QUICK = {"search.sweeps": 1, "finish.passes": 0, "finish.region_passes": 0, "coverage.settle": False}


@pytest.fixture(scope="module")
def lightfield() -> ioadr.LightField:
    return ioadr.LightField(make_views(grid=(3, 3), size=(24, 28)), range=ioadr.DisparityRange(-1, 1))


@pytest.fixture(scope="module")
def expected(lightfield):
    return ioadr.estimate(lightfield, ioadr.preset("best").replace(QUICK)).disparity


def test_a_folder_is_read(lightfield, expected, tmp_path):
    np.savez(tmp_path / "views.npz", views=lightfield.views)
    for path in (tmp_path / "views.npz", str(tmp_path / "views.npz")):
        assert ioadr.estimate(path, QUICK).disparity.shape == expected.shape


def test_without_parameters_it_is_best(lightfield, expected):
    assert ioadr.presets.DEFAULT == "best"
    np.testing.assert_array_equal(ioadr.estimate(lightfield, QUICK).disparity, expected)


def test_presets_by_name_and_files(lightfield, tmp_path):
    assert ioadr.estimate(lightfield, "fast").parameters == ioadr.preset("fast")
    (tmp_path / "mine.toml").write_text("[search]\nsweeps = 1\n")
    found = ioadr.estimate(lightfield, tmp_path / "mine.toml").parameters
    assert found == ioadr.preset("best").replace({"search.sweeps": 1})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([np.zeros((3, 3, 8, 8))], r"not ndarray\. Wrap an array: ioadr\.LightField\(views\)"),
        ([None], "expected a LightField or the path of one, not NoneType"),
        (["best", "lightfield"], "the light field comes first, then the parameters"),
        (["lightfield", 3], "expected Parameters, the name of a preset such as 'best'.* not int"),
        (["lightfield", "fast", 0, 7], "progress: expected True, False or a function, not int"),
    ],
)
def test_other_types_are_named(lightfield, arguments, message):
    given = [lightfield if value is not None and isinstance(value, str) and value == "lightfield" else value
             for value in arguments]  # fmt: skip
    with pytest.raises(TypeError, match=message):
        ioadr.estimate(*given)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ioadr.preset("bset"), "Did you mean 'best'"),
        (lambda: ioadr.preset("paper/without-plana"), "Did you mean 'without-planar'"),
        (lambda: ioadr.preset("best").replace({"congruence.weightt": 3}), "Did you mean 'weight'"),
        (lambda: ioadr.preset("best").replace({"congruense.weight": 3}), "Did you mean 'congruence'"),
        (lambda: ioadr.read(".", referencee=(1, 1)), "Did you mean 'reference'"),
        (lambda: ioadr.read(".", format="stanfort"), "Did you mean 'stanford'"),
        (lambda: ioadr.read(".", order="serpentin"), "Did you mean 'serpentine'"),
        (lambda: ioadr.preset("best").replace({"initialise.method": "cheapst"}), "Did you mean 'cheapest'"),
    ],
)
def test_misspelt_names_are_understood(call, message):
    with pytest.raises(ioadr.InputError, match=message):
        call()


def test_a_misspelt_function_is_suggested():
    with pytest.raises(AttributeError) as caught:
        ioadr.estimat  # type: ignore[attr-defined]  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("estimat", ioadr), "Python suggests by these"


def test_parameters_show_what_they_are():
    """A wall of a hundred values before."""
    assert repr(ioadr.preset("best")) == "preset('best')"
    changed = ioadr.preset("fast").replace({"congruence.weight": 50})
    assert repr(changed) == "preset('fast').replace({'congruence.weight': 50.0})"
    assert eval(repr(changed), {"preset": ioadr.preset}) == changed
    assert ioadr.preset("fast").vary({"congruence.weight": 50}) == changed, "the earlier name still works"


class Display:
    """What a notebook shows."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, content: Any, display_id: bool) -> Display:
        self.update(content)
        return self

    def update(self, content: Any) -> None:
        self.shown.append(content)


@pytest.fixture
def notebook(monkeypatch):
    display = Display()
    ipython = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display.display))
    return display


def test_a_notebook_shows_a_bar(lightfield, notebook):
    estimate = ioadr.estimate(lightfield.replace(name="<b>"), QUICK)
    assert "<progress" in notebook.shown[0]
    assert all("&lt;b&gt;" in line for line in notebook.shown)
    assert len(notebook.shown) == 2 + len(estimate.history)
    assert "estimated in" in notebook.shown[-1]


def test_no_bar_if_not_wanted(lightfield, notebook):
    ioadr.estimate(lightfield, QUICK, progress=False)
    assert notebook.shown == []


def test_a_notebook_says_that_it_was_stopped(lightfield, notebook, monkeypatch):
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(live_progress, "done", stop)
    with pytest.raises(KeyboardInterrupt):
        ioadr.estimate(lightfield, QUICK)
    assert notebook.shown[-1].endswith("stopped")


def test_scripts_stay_silent(lightfield, capfd):
    ioadr.estimate(lightfield, QUICK)
    assert capfd.readouterr() == ("", "")


def test_the_finish_has_its_own_cost(lightfield):
    """It repeated that of the last sweep, regardless of changes."""
    estimate = ioadr.estimate(lightfield, "best")
    *_, before, last = estimate.history
    assert np.isnan(before.mean_cost)
    assert last.mean_cost == pytest.approx(sum(estimate.costs[t].mean() for t in ("data", "congruence", "planar")))
