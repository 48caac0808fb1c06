"""The explorer says why: the history of a pixel, the finish, the border and the doubts are those of the solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ioadr.app.explorer.answers import APART
from ioadr.app.explorer.study import Study
from ioadr.app.pages import unbroken
from ioadr.app.why import facts, sentence
from ioadr.app.words.glossary import GLOSSARY
from ioadr.solver.explain import Explainer
from ioadr.way import Origin
from tests import explored
from tests.browser import picture, settle
from tests.explored import Running
from tests.system.explorer.page import Page, Tab

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def finished() -> Iterator[Running]:
    with explored.explorer(Study(explored.scene().lightfield, explored.finished())) as running:
        yield running


@pytest.fixture(scope="module")
def pixel() -> tuple[int, int]:
    """One that changed sides in the border step."""
    way = explored.finished().way
    assert way is not None
    row, column = np.argwhere(way.origins[-1][8:-8, 8:-8] == Origin.BORDER)[3]
    return int(row) + 8, int(column) + 8


def told(tab: Tab, server: Running, row: int, column: int, **options: Any) -> Page:
    page = tab.show(server, f"pixel={row},{column}", **options)
    page.page.locator(f'html[data-told="{row},{column}"]').wait_for(state="attached")
    settle(page.page)
    return page


def test_a_click_tells_the_way_the_finish_the_border_and_the_doubts(tab, finished, pixel):
    opened = told(tab, finished, *pixel)
    page, found = opened.page, explored.finished()
    assert found.way is not None
    row, column = pixel
    known = Explainer(explored.scene().lightfield, found).ending(row, column)
    assert known.surface is not None
    assert known.border is not None
    assert page.locator("#sentence").inner_text() == unbroken(sentence(facts(found, row, column, known)))
    values = page.locator("#way .step").evaluate_all("all => all.map((step) => Number(step.dataset.disparity))")
    way = found.way.at(row, column, float(found.disparity[pixel]))
    assert values == pytest.approx([stage.disparity for stage in way], abs=1e-6)
    changed = [str(k) for k, stage in enumerate(way) if stage.origin != Origin.KEPT]
    assert page.locator("#curve circle.stage").evaluate_all("all => all.map((c) => c.dataset.step)") == changed
    members = page.locator("figure[data-panel=surface] .member")
    assert members.count() == len(known.surface.members)
    assert page.locator("figure[data-panel=surface] .member.gated").count() == np.count_nonzero(
        known.surface.weights == 0
    )
    assert known.views is not None
    differ = page.locator("figure[data-panel=residuals] .residual")
    residuals = differ.evaluate_all("all => all.map((cell) => Number(cell.dataset.residual))")
    assert residuals == pytest.approx(known.views.residuals[np.isfinite(known.views.residuals)].tolist(), rel=1e-4)
    deciding = page.locator("figure[data-panel=border] .decided")
    places = deciding.evaluate_all("all => all.map((cell) => cell.dataset.view)")
    assert places == [f"{row},{column}" for row, column in np.argwhere(known.border.views)]
    shown = float(page.locator("figure[data-panel=border] .near").get_attribute("data-coverage"))
    assert shown == pytest.approx(known.border.coverage)
    assert "moved to the" in page.locator("figure[data-panel=border]").inner_text()
    doubts = page.locator(".doubts li").evaluate_all("all => all.map((item) => item.dataset.doubt)")
    assert doubts == [doubt.name for doubt in known.doubts if doubt.taken >= 0.05][:5]


@pytest.mark.slow
def test_a_step_of_the_way_can_be_tried_and_readouts_stay_visible(tab, finished, pixel):
    opened = told(tab, finished, *pixel)
    page = opened.page
    figure = page.locator("figure[data-panel=curve]")
    figure.hover()
    buttons, readout = (figure.locator(part).bounding_box() for part in (".save", "output"))
    assert buttons["y"] >= readout["y"] + readout["height"]
    page.locator("#way .step").nth(1).click()
    expected = float(page.locator("#way .step").nth(1).get_attribute("data-disparity"))
    page.locator("#curve line.at.trial").wait_for(state="attached")
    assert float(page.locator("#curve line.at.trial").get_attribute("data-disparity")) == pytest.approx(expected)
    page.locator("figure[data-panel=trial] rect.cell").first.wait_for()


def shown_of(opened: Page, *names: str) -> list[str]:
    return [name for name in names if opened.page.locator(f"figure[data-panel={name}]").is_visible()]


@pytest.mark.slow
def test_titles_explain_themselves_and_panels_that_do_not_apply_are_not_shown(tab, finished, server):
    opened = told(tab, finished, 60, 60)
    titles = opened.page.locator(".term").evaluate_all("all => all.map((term) => term.title)")
    assert len(titles) >= 9
    for line in "\n".join(titles).splitlines():
        word, _, meaning = line.partition(": ")
        assert unbroken(GLOSSARY[word]) == meaning
    assert shown_of(opened, "plane", "surface", "weights") == ["surface", "weights"]
    assert opened.page.locator("#overlay [value=plane]").is_hidden()
    opened.page.locator("#what-if summary").click()
    assert opened.page.locator('[id^="knob-planar"]').count() == 0
    opened = told(tab, server, 30, 40)
    assert shown_of(opened, "plane", "surface", "border") == ["plane"]


@pytest.mark.slow
def test_a_second_minimum_is_marked(tab):
    found = explored.finished()
    doubtful = replace(found, two_minima=np.ones(found.disparity.shape, bool))
    lightfield = explored.scene().lightfield
    explainer, apart = Explainer(lightfield, doubtful), APART / max(found.layout.reach)
    known = (explainer.explain(30, column) for column in range(10, 60))
    dips = ((one.column, one.curve.second_minimum(one.disparity or 0.0, apart)) for one in known)
    column, expected = next((column, dip) for column, dip in dips if dip is not None)
    with explored.explorer(Study(lightfield, doubtful)) as running:
        opened = told(tab, running, 30, column)
        line = opened.page.locator("#curve line.at.second")
        assert float(line.get_attribute("data-disparity")) == pytest.approx(expected, abs=1e-6)
        assert "two minima" in opened.page.locator('[data-number="Confidence"]').inner_text()
        assert "nearly as well" in opened.page.locator("#sentence").inner_text()
        tab.leave()


@pytest.mark.slow
def test_nothing_overflows_a_telephone(tab, finished, pixel):
    opened = told(tab, finished, *pixel, width=400, height=800, scheme="dark")
    assert opened.page.evaluate("() => document.documentElement.scrollWidth") == 400
    beyond = "all => all.filter((e) => e.getBoundingClientRect().right > 401).length"
    assert opened.page.locator("main figcaption, main output, main button, main svg").evaluate_all(beyond) == 0


def test_an_ending_needs_a_result(finished):
    answer = finished.ask("/api/ending?row=3&column=4")
    assert answer.status == 400
    assert "this explorer has no such result" in answer.json()["error"]
    assert finished.ask("/api/ending?row=64&column=4&result=given").status == 400


@pytest.mark.slow
def test_the_tour_leads_through_the_page(tab, finished):
    opened = told(tab, finished, 30, 40)
    page = opened.page
    page.locator("#tour").click()
    titles = []
    while page.locator("#tour-card").is_visible():
        titles.append(page.locator("#tour-title").inner_text())
        assert page.locator(".toured").count() == 1
        page.locator("#tour-next").click()
        settle(page)
    assert len(titles) == 10
    assert titles[0] == "A light field"
    doubtful = explored.finished().confidence[12:-12, 12:-12]
    row, column = np.unravel_index(np.argmin(doubtful), doubtful.shape)
    opened.answered(int(row) + 12, int(column) + 12)
    assert page.locator(".toured").count() == 0


def test_two_results_are_compared_with_a_wipe(tab):
    found = explored.finished()
    other = replace(found, disparity=np.full_like(found.disparity, found.range.minimum), seed=9)
    study = Study(explored.scene().lightfield, found)
    study.add(other)
    with explored.explorer(study) as running:
        opened = told(tab, running, 30, 40)
        page = opened.page
        page.evaluate("() => explorer.useResult('given')")
        page.locator("#compare option").nth(1).wait_for(state="attached")
        before = picture(opened.canvas("map"))
        page.locator("#compare").select_option(index=1)
        page.wait_for_function("() => explorer.views.wipe.layers !== null")
        settle(page)
        after = picture(opened.canvas("map"))
        half = after.shape[1] // 2
        assert (after[:, : half - 4] != before[:, : half - 4]).mean() < 0.02
        assert (after[:, half + 4 :] != before[:, half + 4 :]).mean() > 0.8
        text = page.locator("figure[data-panel=map] output").inner_text()
        assert f"; other: {found.range.minimum:.3f} px".replace("-", "−") in text
        page.locator("#wipe").fill("100")
        settle(page)
        assert (picture(opened.canvas("map")) != before).mean() < 0.02
        tab.leave()
