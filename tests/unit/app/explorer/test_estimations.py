"""Estimations in the explorer: reported sweep by sweep, one after the other, stopped when their page closes."""

from __future__ import annotations

import base64
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import ioadr
from ioadr import Estimate, InputError, LightField, Window, preset
from ioadr.app.explorer.estimation import around, cut_out
from ioadr.app.explorer.study import MOST_RESULTS, Study
from ioadr.evaluation.synthetic import demo
from tests import explored
from tests.explored import Running
from tests.marks import some_quick
from tests.unit.app.explorer.conftest import GIVEN, lines, wait_until


def test_an_estimation_is_told_sweep_by_sweep_and_kept(server, study):
    told = lines(server, "/api/estimate", {"seed": 4, "preset": "paper"})
    sweeps = [line["record"]["sweep"] for line in told if "record" in line]
    assert sweeps[:2] == [-1, 0]
    assert sweeps == sorted(sweeps)
    assert all("map" in line for line in told if "record" in line)
    result = told[-1]["result"]
    values = np.frombuffer(server.ask(f"/api/layer/disparity?result={result['key']}").body, "<f4")
    assert np.array_equal(values, explored.estimate().disparity.ravel()), "same parameters and seed, same result"
    assert result["key"] in [known["key"] for known in server.ask("/api/scene").json()["results"]]
    assert lines(server, "/api/estimate", {"seed": 4, "preset": "paper"})[-1]["result"]["key"] == result["key"]


def test_a_neighbourhood_is_estimated_again(server):
    told = lines(server, "/api/neighbourhood", {"row": 30, "column": 40, "result": "given", "changes": {}})
    found = told[-1]["neighbourhood"]
    assert found["shape"] == [49, 49]
    assert (found["top"], found["left"]) == (6, 16)
    whole = explored.estimate().disparity[6:55, 16:65]
    before, after = (np.frombuffer(base64.b64decode(found[name]), "<f4") for name in ("before", "after"))
    assert np.array_equal(before, whole.ravel())
    assert np.array_equal(after, before), "the part is the whole of so small an image"


@pytest.fixture(scope="module")
def large() -> LightField:
    return demo(size=(208, 240), grid=(3, 3)).lightfield


@pytest.mark.parametrize("camera", some_quick([True, False], [False]))
def test_the_middle_of_a_part_does_not_notice_that_it_is_one(large, camera):
    """Sweeps carry what they find further than any margin, but hardly; 0.7 % and 1.4 % of the pixels when measured."""
    parameters = preset("paper").vary({"planar.half_width": 6})
    lightfield = large if camera else large.with_(camera=None)
    study = Study(lightfield, ioadr.estimate(lightfield, parameters))
    shown = Window(76, 96, 125, 145)
    part, window = cut_out(study, parameters, shown)
    assert window.height * window.width < 0.5 * lightfield.height * lightfield.width
    limits = study.result("given").estimate.range
    assert part.camera_or_relative(limits) == lightfield.camera_or_relative(limits)
    found = around(study, "given", parameters, 100, 120)(lambda _: None)["neighbourhood"]
    assert (found["top"], found["left"], found["shape"]) == (76, 96, [49, 49])
    before, after = (np.frombuffer(base64.b64decode(found[name]), "<f4") for name in ("before", "after"))
    assert np.mean(np.abs(after - before) > 0.01) < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("paper", 0.03), ("best", 0.005)])
@pytest.mark.parametrize("camera", [True, False])
def test_what_if_with_nothing_changed_changes_nothing(name, most, camera):
    """With the presets as they are, on an image larger than the part; no pixel of `best` moved when measured."""
    lightfield = demo(size=(416, 416), grid=(3, 3)).lightfield
    lightfield = lightfield if camera else lightfield.with_(camera=None)
    study = Study(lightfield, ioadr.estimate(lightfield, name))
    for row, column in ((208, 208), (150, 240)):
        part, _ = cut_out(study, preset(name), Window(row - 24, column - 24, row + 25, column + 25))
        assert part.height * part.width < 0.6 * lightfield.height * lightfield.width
        found = around(study, "given", preset(name), row, column)(lambda _: None)["neighbourhood"]
        before, after = (np.frombuffer(base64.b64decode(found[side]), "<f4") for side in ("before", "after"))
        assert np.mean(np.abs(after - before) > 0.01) <= most


def test_an_impossible_estimation_says_why(server, monkeypatch):
    def fails(*_: Any, **__: Any) -> None:
        raise InputError("views: expected texture, found none.")

    monkeypatch.setattr(ioadr, "estimate", fails)
    assert lines(server, "/api/estimate", {})[-1] == {"error": "views: expected texture, found none."}

    def breaks(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(ioadr, "estimate", breaks)
    assert "internal error (ZeroDivisionError" in lines(server, "/api/estimate", {})[-1]["error"]


def test_leaving_stops_the_estimation(server, slow):
    connection = server.connection()
    connection.request("POST", "/api/estimate", "{}", server.cookie | {"Content-Type": "application/json"})
    response = connection.getresponse()
    while b"record" not in response.readline():
        pass
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()
    assert wait_until(lambda: "stopped" in slow)
    assert slow == ["begin", "stopped"]


def test_browsers_wait_for_each_other_and_explore_meanwhile(server, slow):
    def listen() -> dict[str, Any]:
        return lines(server, "/api/estimate", {})[0]

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(listen)
        assert wait_until(lambda: slow == ["begin"])
        second = pool.submit(listen)
        assert server.ask(f"/api/pixel?{GIVEN}&row=3&column=4").status == 200
        assert slow == ["begin"], "the answer did not wait for the estimation"
        assert first.result()["state"] == "starting"
        assert second.result()["state"] == "waiting"
    assert slow == ["begin", "done", "begin", "done"]


def test_stopping_the_server_stops_estimations(study, slow):
    running = Running(study)
    listening = threading.Thread(target=lambda: running.ask("/api/estimate", "POST", {}))
    listening.start()
    assert wait_until(lambda: slow == ["begin"])
    running.stop()
    assert wait_until(lambda: slow == ["begin", "stopped"], 5)
    listening.join(10)


def test_old_results_are_forgotten():
    scene, estimate = explored.scene(), explored.estimate()
    study = Study(scene.lightfield, estimate)
    keys = []
    for seed in range(MOST_RESULTS + 3):
        keys.append(study.add(Estimate(**{**fields_of(estimate), "seed": seed})).key)
    assert len(set(keys)) == len(keys)
    assert [result.key for result in study.results()] == ["given", *keys[3:]]
    with pytest.raises(InputError, match="Estimate it again"):
        study.result(keys[0])


def fields_of(estimate: Estimate) -> dict[str, Any]:
    return {name: getattr(estimate, name) for name in estimate.__dataclass_fields__}
