"""The explorer's server: what it answers, whom it refuses, how it shares itself between browsers."""

from __future__ import annotations

import base64
import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

import ioadr
from ioadr import Estimate, InputError
from ioadr.cost.total import TERMS
from ioadr.evaluation import synthetic
from ioadr.result import SweepRecord
from tests import explored
from tests.explored import Running
from tests.scenes import make_estimate

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from ioadr.app.explorer import serving
from ioadr.app.explorer.guard import HEADERS, LocalOnly
from ioadr.app.explorer.serving import bound
from ioadr.app.explorer.study import MOST_RESULTS, Study
from ioadr.solver.explain import Explainer

GIVEN = "result=given"


@pytest.fixture(scope="module")
def study() -> Study:
    scene = explored.scene()
    return Study(scene.light_field, explored.estimate(), scene.truth)


@pytest.fixture(scope="module")
def server(study: Study) -> Iterator[Running]:
    with explored.explorer(study) as running:
        yield running


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Replaces the estimation by one of 30 sweeps of 40 ms; notes begin and end of each."""
    events: list[str] = []

    def estimate(lightfield: Any, parameters: Any, seed: int, progress: Any) -> Estimate:
        events.append("begin")
        disparity = explored.estimate().disparity
        try:
            for q in range(30):
                time.sleep(0.04)
                progress(SweepRecord(q, "data", 5, 1.0, 0.04), disparity, 30)
        except BaseException:
            events.append("stopped")
            raise
        events.append("done")
        return explored.estimate()

    monkeypatch.setattr(ioadr, "estimate", estimate)
    yield events
    assert wait_until(lambda: events.count("begin") == events.count("stopped") + events.count("done"))


def wait_until(true: Any, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(true())


def lines(server: Running, path: str, question: Any) -> list[dict[str, Any]]:
    answer = server.ask(path, "POST", question)
    assert answer.status == 200, answer.body
    return [json.loads(line) for line in answer.body.splitlines()]


# What it answers.


def test_page_and_its_files_carry_the_guard(server):
    for path, kind in (("/", "text/html"), ("/web/explore.js", "text/javascript"), ("/web/page.css", "text/css")):
        answer = server.ask(path)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith(kind)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
        assert "server" not in answer.headers


def test_every_script_of_the_page_is_served(server):
    page = server.ask("/").body.decode()
    names = [part.split('"')[0] for part in page.split('="web/')[1:]]
    assert "explore.js" in names
    for name in names:
        assert server.ask(f"/web/{name}").status == 200, name


def test_layers_are_the_maps(server):
    estimate, scene = explored.estimate(), explored.scene()
    kinds = {"disparity": "<f4", "confidence": "<f4", "visible": "<u2", "normals": "u1", "truth": "<f4", "cells": "u1"}
    found = {name: np.frombuffer(server.ask(f"/api/layer/{name}?{GIVEN}").body, kind) for name, kind in kinds.items()}
    assert np.array_equal(found["disparity"], estimate.disparity.ravel())
    assert np.array_equal(found["visible"], estimate.visible_views.ravel())
    assert np.allclose(found["truth"], scene.truth.disparity.ravel())
    assert np.array_equal(found["cells"], estimate.surface_cells.ravel())
    assert found["normals"].size == 3 * estimate.disparity.size
    image = np.frombuffer(server.ask("/api/layer/image").body, np.uint8)
    assert np.array_equal(image, scene.light_field.reference_view.ravel())


def test_a_pixel_is_explained_as_by_the_api(server):
    explainer = Explainer(explored.scene().light_field, explored.estimate())
    for row, column in ((30, 40), (0, 0), (20, 12)):
        answer = server.ask(f"/api/pixel?{GIVEN}&row={row}&column={column}").json()
        found = explainer.explain(row, column)
        assert answer["disparity"] == found.disparity
        assert answer["minimum"] == {"disparity": found.curve.minimum[0], "cost": found.curve.minimum[1]}
        assert answer["image"]["hidden"] == found.image.hidden.tolist()
        assert np.allclose(answer["curve"]["total"], found.curve.total, rtol=1e-4, atol=1e-4)
        assert found.plane is not None
        assert answer["plane"]["inlier"] == found.plane.inlier.tolist()
        assert len(answer["candidates"]) == len(found.candidates)
        assert len(answer["epis"]["row"]["offsets"]) == 5


def test_what_if_and_trial(server):
    usual = server.ask(f"/api/pixel?{GIVEN}&row=30&column=40").json()
    changed = server.ask(
        f"/api/pixel?{GIVEN}&row=30&column=40&set=congruence.weight:200&set=planar.half_width:5"
    ).json()
    assert np.allclose(changed["curve"]["data"], usual["curve"]["data"])
    assert changed["curve"]["congruence"][0] == pytest.approx(2 * usual["curve"]["congruence"][0], rel=1e-3)
    trial = server.ask(f"/api/hypothesis?{GIVEN}&row=30&column=40&disparity=0.5").json()
    assert trial["image"]["disparity"] == 0.5
    assert set(trial["costs"]) == {*TERMS, "plain"}


def test_without_a_result_the_views_are_explained(server):
    answer = server.ask("/api/pixel?row=30&column=40").json()
    assert answer["disparity"] is None
    assert answer["support"] is None
    assert answer["curve"]["total"] == answer["curve"]["plain"]


def test_pictures(server):
    for path in ("/api/view/0/4", "/api/refocus?disparity=0.4", "/api/refocus?disparity=-1&thin=2"):
        answer = server.ask(path)
        assert answer.status == 200
        assert answer.headers["content-type"] == "image/jpeg"
        assert answer.body.startswith(b"\xff\xd8\xff")


# Whom and what it refuses.


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": "127.0.0.1:{port}.evil.example"},
        {"Host": "192.168.0.7:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:{port}@evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_strangers_are_refused(server, headers):
    sent = {name: value.format(port=server.port) for name, value in headers.items()}
    for path, method, body in (("/", "GET", None), ("/api/scene", "GET", None), ("/api/estimate", "POST", {})):
        answer = server.ask(path, method, body, **sent)
        assert answer.status == 403, path
        assert answer.body.startswith(b"ioadr explore: expected")
        assert b"evil" not in answer.body


def test_its_own_page_is_let_in(server):
    for name in ("127.0.0.1", "localhost"):
        host = f"{name}:{server.port}"
        assert server.ask("/", Host=host, Origin=f"http://{host}", Sec_Fetch_Site="same-origin").status == 200


def test_two_hosts_are_no_host():
    guard = LocalOnly(app=None, port=80)  # type: ignore[arg-type]
    assert guard.refusal([("host", "127.0.0.1")]) is None
    assert guard.refusal([("host", "127.0.0.1"), ("host", "evil.example")])
    assert guard.refusal([])


def test_only_this_machine_is_served(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"
    with socket.socket() as other:
        other.settimeout(2)
        found = [info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
        for address in {str(ip) for ip in found if not str(ip).startswith("127.")}:
            assert other.connect_ex((address, server.port)) != 0


@pytest.mark.parametrize(
    "path",
    [
        "/web/../../../../../../etc/passwd",
        "/web/..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/web/%2e%2e/cli.py",
        "/web/%2fetc%2fpasswd",
        "/web/report.html%00.js",
        "/web/report.html",
        "/web/",
        "/etc/passwd",
        "//etc/passwd",
        "/api/layer/../../../etc/passwd",
    ],
)
def test_no_other_file_can_be_read(server, path):
    answer = server.ask(path)
    assert answer.status in (400, 404)
    assert b"root:" not in answer.body


@pytest.mark.parametrize(
    "query",
    [
        "row=-1&column=0",
        "row=64&column=0",
        "row=1e999&column=0",
        "row=nan&column=0",
        "row=1.5&column=0",
        "row=0x10&column=0",
        "row=&column=0",
        "column=0",
        "row=3&column=99999999999999999999",
        "row=3&column=3&result=../../etc",
        "row=3&column=3&set=search.sweeps:1000000",
        "row=3&column=3&set=planar.half_width:100000",
        "row=3&column=3&set=planar.half_width:nan",
        "row=3&column=3&set=congruence.weight:inf",
        "row=3&column=3&set=__class__:1",
        "row=3&column=3&set=" + "a" * 5000,
        "row=3&column=3&set=" + quote("congruence.weight:<script>"),
    ],
)
def test_bad_questions_are_answered_in_words(server, query):
    answer = server.ask(f"/api/pixel?{query if 'result' in query else query + '&' + GIVEN}")
    assert answer.status == 400
    error = answer.json()["error"]
    assert "expected" in error
    assert len(error) < 600
    assert "Traceback" not in error


@pytest.mark.parametrize(
    "path",
    [
        "/api/view/5/0",
        "/api/view/-1/0",
        "/api/view/a/b",
        "/api/refocus",
        "/api/refocus?disparity=1e9",
        "/api/refocus?disparity=0&thin=0",
        "/api/layer/none",
        "/api/layer/disparity",
    ],
)
def test_bad_addresses_too(server, path):
    answer = server.ask(path)
    assert answer.status == 400
    assert "expected" in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{", {}),
        (b"[]", {}),
        (b"[" * 15000, {}),
        (b'{"a": "' + b"x" * 30000 + b'"}', {}),
        (b"{}", {"Content_Type": "text/plain"}),
        ({"preset": "none"}, {}),
        ({"preset": 3}, {}),
        ({"seed": -1}, {}),
        ({"seed": True}, {}),
        ({"changes": []}, {}),
        ({"changes": {"search.sweeps": 5}}, {}),
        ({"changes": {"congruence.weight": "a"}}, {}),
        ({"changes": {"congruence.weight": [1]}}, {}),
        ({"result": "none"}, {}),
    ],
)
def test_bad_orders_start_nothing(server, slow, body, headers):
    answer = server.ask("/api/estimate", "POST", body, **headers)
    assert answer.status == 400
    assert "expected" in answer.json()["error"]
    assert slow == []


def test_questions_are_no_orders(server):
    assert server.ask("/api/estimate").status == 405
    assert server.ask("/api/pixel", "DELETE").status == 405


# Estimations.


def test_an_estimation_is_told_sweep_by_sweep_and_kept(server, study):
    told = lines(server, "/api/estimate", {"seed": 4})
    sweeps = [line["record"]["sweep"] for line in told if "record" in line]
    assert sweeps[:2] == [-1, 0]
    assert sweeps == sorted(sweeps)
    assert all("map" in line for line in told if "record" in line)
    result = told[-1]["result"]
    values = np.frombuffer(server.ask(f"/api/layer/disparity?result={result['key']}").body, "<f4")
    assert np.array_equal(values, explored.estimate().disparity.ravel()), "same parameters and seed, same result"
    assert result["key"] in [known["key"] for known in server.ask("/api/scene").json()["results"]]
    assert lines(server, "/api/estimate", {"seed": 4})[-1]["result"]["key"] == result["key"]


def test_a_neighbourhood_is_estimated_again(server):
    told = lines(server, "/api/neighbourhood", {"row": 30, "column": 40, "result": "given", "changes": {}})
    found = told[-1]["neighbourhood"]
    assert found["shape"] == [49, 49]
    assert (found["top"], found["left"]) == (6, 16)
    whole = explored.estimate().disparity[6:55, 16:65]
    before, after = (np.frombuffer(base64.b64decode(found[name]), "<f4") for name in ("before", "after"))
    assert np.array_equal(before, whole.ravel())
    assert np.median(np.abs(after - before)) < 0.02


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
    connection.request("POST", "/api/estimate", "{}", {"Content-Type": "application/json"})
    response = connection.getresponse()
    while b"record" not in response.readline():
        pass
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()
    start = time.monotonic()
    assert wait_until(lambda: "stopped" in slow)
    assert time.monotonic() - start < 1.5
    assert slow == ["begin", "stopped"]


def test_browsers_wait_for_each_other_and_explore_meanwhile(server, slow):
    def listen() -> dict[str, Any]:
        return lines(server, "/api/estimate", {})[0]

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(listen)
        assert wait_until(lambda: slow == ["begin"])
        second = pool.submit(listen)
        clock = time.monotonic()
        assert server.ask(f"/api/pixel?{GIVEN}&row=3&column=4").status == 200
        assert time.monotonic() - clock < 1
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
    study = Study(scene.light_field, estimate)
    keys = []
    for seed in range(MOST_RESULTS + 3):
        keys.append(study.add(Estimate(**{**fields_of(estimate), "seed": seed})).key)
    assert len(set(keys)) == len(keys)
    assert [result.key for result in study.results()] == ["given", *keys[3:]]
    with pytest.raises(InputError, match="Estimate it again"):
        study.result(keys[0])


def fields_of(estimate: Estimate) -> dict[str, Any]:
    return {name: getattr(estimate, name) for name in estimate.__dataclass_fields__}


# Many at once.


def test_twenty_clients_at_once_are_all_answered(server):
    """A small form of the minute under load; answers are those that one client gets."""
    pixels = [(int(n), int(m)) for n, m in np.random.default_rng(1).integers(0, (64, 72), (40, 2))]
    expected = {p: explored.estimate().disparity[p] for p in pixels}

    def client(number: int) -> int:
        connection = server.connection()
        good = 0
        for row, column in pixels[number % 7 :: 4]:
            width = 3 + number % 5
            connection.request("GET", f"/api/pixel?{GIVEN}&row={row}&column={column}&set=planar.half_width:{width}")
            response = connection.getresponse()
            answer = json.loads(response.read())
            good += response.status == 200 and answer["disparity"] == expected[row, column]
        connection.close()
        return good

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(client, range(20)))
    assert answers == [len(pixels[number % 7 :: 4]) for number in range(20)]


def test_a_port_in_use_is_said(server):
    with pytest.raises(InputError, match=f"--port {server.port}: expected a free port"):
        bound(server.port)


def test_a_missing_extra_is_named(study, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(InputError, match=r"pip install 'ioadr\[explore\]'"):
        serving.server(study, 1)


def test_the_command_opens_what_it_is_given(cli, scene, tmp_path, monkeypatch):
    seen: list[Study] = []
    monkeypatch.setattr(serving, "serve", lambda study, *_: seen.append(study))
    assert cli("explore", tmp_path / "none").code == 2
    assert cli("explore", scene).code == 0
    assert (seen[-1].lightfield.name, seen[-1].given) == ("waves", None)
    lightfield = ioadr.read(scene)
    make_estimate(np.zeros((20, 24)), source={"path": str(scene)}).save(tmp_path / "out", formats=["npz"])
    for arguments in ((scene, tmp_path / "out"), (tmp_path / "out",)):
        assert cli("explore", *arguments).code == 0
        assert np.array_equal(seen[-1].lightfield.views, lightfield.views)
        assert [known.key for known in seen[-1].results()] == ["given"]
    monkeypatch.setattr(synthetic, "demo", explored.scene)
    assert cli("explore").code == 0
    assert seen[-1].lightfield is explored.scene().light_field
    assert seen[-1].truth is not None


def test_a_truth_of_another_size_is_refused():
    scene = explored.scene()
    with pytest.raises(InputError, match="expected the size of the views"):
        Study(scene.light_field.with_(views=scene.light_field.views[:, :, 1:]), None, scene.truth)
