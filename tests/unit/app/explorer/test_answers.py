"""The explorer's server: answers to one browser and to many."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ioadr.app.explorer.guard import HEADERS
from ioadr.cost.total import TERMS
from ioadr.solver.explain import Explainer
from tests import explored
from tests.unit.app.explorer.conftest import GIVEN


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
    assert np.array_equal(image, scene.lightfield.reference_view.ravel())


def test_a_pixel_is_explained_as_by_the_api(server):
    explainer = Explainer(explored.scene().lightfield, explored.estimate())
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


def test_twenty_clients_at_once_are_all_answered(server):
    """A small form of the minute under load; answers are those that one client gets."""
    pixels = [(int(n), int(m)) for n, m in np.random.default_rng(1).integers(0, (64, 72), (40, 2))]
    expected = {p: explored.estimate().disparity[p] for p in pixels}

    def client(number: int) -> int:
        connection = server.connection()
        good = 0
        for row, column in pixels[number % 7 :: 4]:
            width = 3 + number % 5
            path = f"/api/pixel?{GIVEN}&row={row}&column={column}&set=planar.half_width:{width}"
            connection.request("GET", path, headers=server.cookie)
            response = connection.getresponse()
            answer = json.loads(response.read())
            good += response.status == 200 and answer["disparity"] == expected[row, column]
        connection.close()
        return good

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(client, range(20)))
    assert answers == [len(pixels[number % 7 :: 4]) for number in range(20)]
