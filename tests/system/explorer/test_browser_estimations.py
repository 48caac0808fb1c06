"""Estimations in the explorer's page, and what must not go wrong there: errors, narrow screens, odd links and names."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

import ioadr
from ioadr.app.explorer.study import Study
from ioadr.result import SweepRecord
from tests import explored
from tests.browser import picture, settle
from tests.marks import some_quick
from tests.system.explorer.page import WIDTH, Page

pytestmark = pytest.mark.browser
NONSENSE = ("pixel=9999,9999&layer=none&trial=x&zoom=a,b,c&result=none&set=a:b", "pixel=1&view=9,9&trial=1e9", "%%%")


def test_an_estimation_appears_sweep_by_sweep(tab, empty):
    page = tab.show(empty)
    assert page.page.locator("figure[data-panel=map] span", has_text="No result yet").count() == 1
    assert page.page.locator("#what-if").is_hidden()
    blank = picture(page.canvas("map"))
    page.page.locator("#estimate").click()
    page.page.locator("figure[data-panel=map] span", has_text="Disparity").wait_for()
    page.page.locator("#results").wait_for()
    page.page.locator("#curve line.at.estimate").wait_for(state="attached")
    assert (picture(page.canvas("map")) != blank).mean() > 0.5
    assert page.number("Disparity") == pytest.approx(explored_disparity(30, 40), abs=6e-5)


def explored_disparity(row: int, column: int) -> float:
    """Seed 0, as the page asks for."""
    return float(ioadr.estimate(explored.scene().lightfield).disparity[row, column])


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replaces the estimation with a long one."""
    events: list[str] = []

    def estimate(lightfield: Any, parameters: Any, seed: int, progress: Any) -> None:
        events.append("begin")
        try:
            for q in range(400):
                time.sleep(0.05)
                progress(SweepRecord(q, "data", 5, 1.0, 0.05), explored.estimate().disparity, 400)
        except BaseException:
            events.append("stopped")
            raise

    monkeypatch.setattr(ioadr, "estimate", estimate)
    return events


def wait_for(events: list[str], expected: list[str]) -> None:
    deadline = time.monotonic() + 8
    while events != expected and time.monotonic() < deadline:
        time.sleep(0.02)
    assert events == expected


def test_cancel_and_leaving_stop_an_estimation(browser, tab, server, slow):
    first, second = tab.show(server), Page(browser, server, "pixel=10,10")
    first.page.locator("#estimate").click()
    first.page.locator("#stage", has_text="sweep 3").wait_for()
    second.click("map", 20, 20)
    assert second.number("Disparity") == pytest.approx(explored.estimate().disparity[20, 20], abs=6e-5)
    assert second.page.locator("#progress").is_hidden(), "another browser's estimation is not this one's"
    assert first.page.evaluate("() => explorer.state.pixel") == [30, 40]
    first.page.locator("#cancel").click()
    first.page.locator("#start").wait_for()
    wait_for(slow, ["begin", "stopped"])
    assert first.page.locator("#message").is_hidden()
    second.page.keyboard.press("e")
    second.page.locator("#stage", has_text="sweep 3").wait_for()
    second.close()
    wait_for(slow, ["begin", "stopped"] * 2)


def test_an_error_is_said_in_words(opened, monkeypatch):
    def fails(*_: Any, **__: Any) -> None:
        raise ioadr.InputError("views: expected texture, found none.")

    monkeypatch.setattr(ioadr, "estimate", fails)
    opened.page.locator("#estimate").click()
    opened.page.locator("#message", has_text="expected texture").wait_for()
    assert opened.page.locator("#start").is_visible()


def test_nothing_is_wider_than_the_screen(tab, server):
    page = tab.show(server).page
    bottom = page.locator("#epis").bounding_box()
    assert bottom["y"] + bottom["height"] < 800, "views and EPIs fit a laptop's screen"
    for width, height in ((1280, 800), (820, 1180), (400, 800)):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("state", some_quick(NONSENSE, NONSENSE[:1]))
def test_nonsense_in_a_link_does_no_harm(tab, server, state):
    shown = tab.show(server, state)
    assert shown.page.locator("html[data-ready=true]").count() == 1
    shown.complaints.clear()


def test_names_from_files_stay_text(tab):
    lightfield = explored.scene().lightfield.with_(name="<img src=x onerror=alert(1)>")
    with explored.explorer(Study(lightfield)) as running:
        shown = tab.show(running)
        assert shown.page.locator("#name").inner_text() == "<img src=x onerror=alert(1)>"
        tab.leave()


def test_the_scene_is_valid_json(server):
    text = server.ask("/api/scene").body.decode()
    assert "NaN" not in text
    assert json.loads(text)["width"] == WIDTH
