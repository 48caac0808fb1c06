"""The explorer shows the scene of all views, and what a camera between them would see."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from ioadr.app.explorer.pictures import encoded
from ioadr.app.explorer.study import Study
from ioadr.colours import rgb8
from ioadr.geometry.synthesis import synthesise
from tests import explored
from tests.browser import picture, settle
from tests.explored import Running
from tests.system.explorer.page import HEIGHT, WIDTH

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def every() -> Iterator[Running]:
    with explored.explorer(Study(explored.scene().lightfield, views=explored.every_view())) as running:
        yield running


def decoded(body: bytes) -> NDArray[Any]:
    return np.asarray(Image.open(io.BytesIO(body))).astype(int)


def drag(page: Any, row: float, column: float) -> None:
    """To a place on the pad of 5×5 views; it has 6 px around the dots."""
    box = page.locator(".pad").bounding_box()
    step = (box["width"] - 12) / 5
    page.mouse.move(box["x"] + 6 + step * (column + 0.5), box["y"] + 6 + step * (row + 0.5))


def test_places_between_the_views_are_rendered(tab, every):
    views, white = explored.every_view(), explored.scene().lightfield.white
    expected = rgb8(views.render((1.5, 2.5)).image, white)
    assert every.ask("/api/between?result=given&row=1.5&column=2.5").body == encoded(expected, "JPEG")
    assert decoded(every.ask("/api/between?result=given&row=1.5&column=2.5&thin=2").body).shape == (32, 36, 3)
    opened = tab.show(every)
    page = opened.page
    drag(page, 2, 2)
    page.mouse.down()
    drag(page, 1.5, 2.5)
    page.mouse.up()
    page.wait_for_function("() => /^1[.][45]\\d*,2[.][45]\\d*$/.test(document.documentElement.dataset.looked)")
    settle(page)
    assert "Between views: 1.5" in page.locator("figure[data-panel=view] figcaption").inner_text()
    assert "rendered from the maps of all views" in page.locator("figure[data-panel=view]").inner_text()
    shown = Image.fromarray(picture(opened.canvas("view"))).resize((WIDTH, HEIGHT), Image.Resampling.BOX)
    free = np.s_[30:, :40]  # the pad covers the upper right
    assert np.abs(np.asarray(shown).astype(int) - expected.astype(int))[free].mean() < 12
    place, (row, column) = (page.evaluate(f"() => explorer.state.{what}") for what in ("place", "pixel"))
    d = float(views.estimate.disparity[row, column])
    assert page.evaluate(f"() => explorer.views.there({row}, {column})") == pytest.approx(
        [row - d * (place[0] - 2), column - d * (place[1] - 2)], abs=1e-4
    )
    page.wait_for_function("() => location.hash.includes('place=1.')")


@pytest.mark.slow
def test_keys_go_between_and_back_to_captured_views(tab, every):
    opened = tab.show(every)
    page = opened.page
    page.locator(".pad").focus()
    page.keyboard.press("ArrowRight")
    page.locator('html[data-looked="2.00,2.25"]').wait_for(state="attached")
    assert page.locator(".pad").get_attribute("aria-valuetext") == "between the views, at row 2.00, column 2.25"
    page.keyboard.press("Shift+S")
    page.locator('html[data-looked="2.25,2.25"]').wait_for(state="attached")
    page.keyboard.press("d")
    page.locator('html[data-looked="2,3"]').wait_for(state="attached")
    page.keyboard.press("r")
    page.locator('html[data-looked="2,2"]').wait_for(state="attached")


@pytest.mark.slow
def test_without_maps_of_all_views_the_limits_are_said(tab, server, empty):
    opened = tab.show(server, "pixel=30,40&place=1.5,2.5")
    page = opened.page
    page.locator('html[data-looked="1.50,2.50"]').wait_for(state="attached")
    assert "grey: not visible in it" in page.locator("figure[data-panel=view]").inner_text()
    found, lightfield = explored.estimate(), explored.scene().lightfield
    made = synthesise(lightfield.reference_view, found.disparity, (-0.5, 0.5))
    hidden = np.isnan(made).any(axis=-1, keepdims=True)
    assert hidden.any()
    expected = np.where(hidden, np.uint8(128), rgb8(np.nan_to_num(made), lightfield.white))
    assert server.ask("/api/between?result=given&row=1.5&column=2.5").body == encoded(expected, "JPEG")
    opened = tab.show(empty)
    opened.page.locator(".pad").focus()
    opened.page.keyboard.press("ArrowRight")
    opened.page.locator('html[data-looked="2,3"]').wait_for(state="attached")


@pytest.mark.parametrize("asked", ["row=9&column=1", "row=1", "row=nan&column=1", "row=1&column=1&thin=99"])
def test_places_beyond_the_views_are_refused(server, asked):
    answer = server.ask(f"/api/between?result=given&{asked}")
    assert answer.status == 400
    assert "expected a number" in answer.json()["error"]
    assert "has no maps of every view" in server.ask("/api/unseen?result=given").json()["error"]


@pytest.mark.slow
def test_the_scene_has_what_the_reference_view_does_not_see(tab, every):
    points = explored.every_view().points()
    unseen = np.flatnonzero(~points.centre_saw)
    opened = tab.show(every, "pixel=30,40&layer=space")
    page = opened.page
    page.wait_for_function("() => explorer.views.space?.space")
    page.evaluate("() => { window.space = explorer.views.space.space; }")
    places = np.array(page.evaluate("() => [...space.positions.slice(3 * space.pixels)]"))
    assert places.reshape(-1, 3) == pytest.approx(
        points.positions[unseen] * (1, -1, -1), abs=2e-3 * float(np.abs(points.positions).max())
    )
    words = page.evaluate("() => explorer.views.space.unseen.words(0)")
    assert words.startswith(f"{points.views[unseen[0]]} of 25 views see this point")
    before = page.evaluate("() => space.pointCount")
    page.get_by_role("button", name="All views").click()
    flying = int((~np.asarray(explored.every_view().surfaces[0].kept)).sum())
    after = page.evaluate("() => space.pointCount")
    assert after == before - len(unseen) + flying
