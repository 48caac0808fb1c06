"""Tools of the scene in 3D, in a real browser: measuring, clipping, the relief of relative depth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ioadr import Estimate
from ioadr.app.report import write_report
from tests.browser import Watched, picture, settle
from tests.scenes import CUBE, EDGE, cube_estimate, make_estimate

pytestmark = pytest.mark.browser


@pytest.fixture
def show(browser: Any, tmp_path: Any) -> Any:
    opened: list[Watched] = []

    def show(estimate: Estimate) -> Any:
        watched = Watched(browser, write_report(tmp_path / "report.html", estimate))
        watched.page.wait_for_selector("html[data-ready=true]")
        settle(watched.page)
        opened.append(watched)
        return watched.page

    yield show
    for watched in opened:
        assert watched.complaints == []
        watched.page.context.close()


def click(page: Any, pixel: int) -> None:
    x, y = page.evaluate(f"scene.seen({pixel}).slice(0, 2)")
    box = page.locator("#scene").bounding_box()
    page.mouse.click(box["x"] + x, box["y"] + y)


def test_two_clicks_measure_metres(show: Any) -> None:
    estimate = cube_estimate()
    page = show(estimate)
    page.click("#tools >> text=Measure")
    front = np.argwhere(np.isclose(estimate.depth, CUBE, rtol=1e-3))
    row = int(np.median(front[:, 0]))
    columns = front[front[:, 0] == row, 1]
    width = estimate.disparity.shape[1]
    for column in (columns[1], columns[-2]):
        click(page, row * width + int(column))
    text = page.inner_text("#tools output")
    pixel = estimate.camera_or_relative.pinhole().pitch_x * CUBE
    assert text.endswith(" m")
    assert float(text.split()[0]) == pytest.approx(EDGE - 3 * pixel, abs=2.1 * pixel)
    assert page.locator(".rule line").count() == 1
    assert page.locator(".relief").count() == 0, "metres have no free relief"


def test_a_box_cuts_the_scene(show: Any) -> None:
    page = show(cube_estimate())
    whole = picture(page.locator("#scene"))
    page.click("#tools >> text=Clip")
    page.locator('[aria-label="Clip near"]').fill("20")
    settle(page)
    cut = picture(page.locator("#scene"))
    assert (whole != cut).any()
    assert page.evaluate("scene.pick(scene.canvas.clientWidth / 2, scene.canvas.clientHeight / 2)") != page.evaluate(
        "(scene.clip = { low: [-1e30, -1e30, -1e30], high: [1e30, 1e30, 1e30] }, "
        "scene.pick(scene.canvas.clientWidth / 2, scene.canvas.clientHeight / 2))"
    ), "what was cut is not picked"


@pytest.mark.slow
def test_relative_depth_has_a_relief(show: Any) -> None:
    ramp = np.linspace(-2, 2, 60)[None].repeat(40, axis=0)
    page = show(make_estimate(ramp))
    deep = "(() => { const { low, high } = scene.extent(); return high[2] - low[2]; })()"
    before = page.evaluate(deep)
    page.locator(".relief").fill("1")
    settle(page)
    assert page.evaluate(deep) > 1.8 * before
    page.click("#tools >> text=Measure")
    click(page, 20 * 60 + 10)
    click(page, 20 * 60 + 50)
    assert page.inner_text("#tools output").endswith("(relative: no camera data)")


@pytest.mark.slow
def test_points_are_drawn_where_the_mesh_is_torn(show: Any) -> None:
    estimate = cube_estimate()
    page = show(estimate)
    torn = page.evaluate("scene.tornCount")
    assert 0 < torn < 0.1 * estimate.disparity.size
