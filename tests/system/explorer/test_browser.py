"""The explorer in a real browser: what a person sees is what the API says."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ioadr.solver.explain import Explainer
from tests import explored
from tests.browser import picture, settle
from tests.system.explorer.page import WIDTH, Page

pytestmark = pytest.mark.browser
PANELS = ("view", "map", "row-epi", "column-epi", "curve", "image", "trial", "weights", "plane")


@pytest.fixture(scope="module")
def explainer() -> Explainer:
    return Explainer(explored.scene().lightfield, explored.estimate())


def border_pixel() -> tuple[int, int]:
    """Beside an occluder, with about half of the views hidden, and away from the image's edge."""
    visible = explored.estimate().visible_views[12:-12, 12:-12]
    row, column = np.argwhere((visible >= 9) & (visible <= 16))[0]
    return int(row) + 12, int(column) + 12


def test_a_click_at_an_occlusion_shows_what_the_solver_knows(opened, explainer):
    row, column = border_pixel()
    opened.click("map", row, column)
    found = explainer.explain(row, column)
    page = opened.page
    hidden = page.locator("figure[data-panel=image] rect[data-state=hidden]")
    marked = {tuple(map(int, mark.split(","))) for mark in hidden.evaluate_all("all => all.map((r) => r.dataset.view)")}
    assert marked == {tuple(map(int, view)) for view in np.argwhere(found.image.hidden)}
    assert len(marked) >= 5
    shown = float(page.locator("figure[data-panel=curve]").get_attribute("data-minimum"))
    assert shown == pytest.approx(found.curve.minimum[0], abs=1e-6)
    estimate = float(page.locator("#curve line.at.estimate").get_attribute("data-disparity"))
    assert estimate == pytest.approx(found.disparity)
    truth = float(page.locator("#curve line.at.truth").get_attribute("data-disparity"))
    assert truth == pytest.approx(explored.scene().truth.disparity[row, column], abs=1e-5)
    assert page.locator("#curve path.candidate").count() == len(found.candidates)
    assert opened.number("Disparity") == pytest.approx(found.disparity, abs=6e-5)
    assert opened.number("Depth") == pytest.approx(explored.estimate().depth[row, column], abs=6e-5)
    assert opened.number("Visible views") == found.image.visible
    costs = found.curve.at(found.disparity)
    assert opened.number("Cost") == pytest.approx(costs["data"] + costs["congruence"] + costs["planar"], abs=6e-4)
    weights = page.locator("figure[data-panel=weights] rect.weight")
    assert weights.count() == np.count_nonzero(np.nan_to_num(found.support.weights))
    assert page.locator("figure[data-panel=plane] line.needle").count() == found.plane.inlier.sum()
    assert page.locator("#epis path.trace.hidden").count() > 0
    for term in ("data", "plain", "congruence", "planar", "total"):
        points = page.locator(f"#curve polyline.curve.{term}").get_attribute("points").split()
        assert len(points) > 200, term


@pytest.mark.slow
def test_wheel_over_one_pane_zooms_both_and_the_epis(opened):
    page = opened.page
    views = [opened.canvas(name) for name in ("view", "map")]
    before = [picture(view) for view in views]
    box = views[1].bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -700)
    settle(page)
    page.mouse.move(5, 300)
    settle(page)
    for view, earlier in zip(views, before, strict=True):
        assert (picture(view) != earlier).mean() > 0.1
    left, _, size, _ = map(float, page.locator("figure[data-panel=row-epi] svg").get_attribute("viewBox").split())
    zoom = WIDTH / size
    assert zoom > 3
    assert left == pytest.approx(WIDTH / 2 * (1 - 1 / zoom), abs=1.5)
    page.locator("html[data-ready]").press("0")
    settle(page)
    assert (picture(views[0]) != before[0]).mean() < 0.02


def inside(page, chart) -> tuple[float, float]:
    """A place in the chart, once it stands still: panels above it may still be filled."""
    boxes = [chart.bounding_box()]
    while len(boxes) < 2 or boxes[-1] != boxes[-2]:
        settle(page)
        boxes.append(chart.bounding_box())
    return boxes[-1]["x"] + 0.3 * boxes[-1]["width"], boxes[-1]["y"] + 80


def test_the_trial_follows_the_pointer_and_stays_when_chosen(opened, explainer):
    page = opened.page
    page.locator('html[data-told="30,40"]').wait_for(state="attached")  # its sentence moves the chart down
    chart = page.locator("#curve figure svg").first
    page.mouse.move(*inside(page, chart))
    page.locator("figure[data-panel=trial] rect.cell").first.wait_for()
    page.locator("#epis polyline.trial").first.wait_for(state="attached")
    page.mouse.click(*inside(page, chart))
    page.mouse.move(5, 5)
    settle(page)
    trial = float(page.locator("#curve line.at.trial").get_attribute("data-disparity"))
    limits = explored.estimate().range
    assert limits.minimum < trial < limits.maximum
    page.locator("#trial-value", has_text=f"{trial:.3f}".replace("-", "−")).wait_for()
    found = explainer.explain(30, 40, trial=trial)
    hidden = page.locator("figure[data-panel=trial] rect[data-state=hidden]")
    assert hidden.count() == found.trial.hidden.sum()
    page.keyboard.press("n")
    page.locator("#curve line.at.trial").wait_for(state="detached")


def test_what_if_changes_the_curve_and_the_neighbourhood(opened):
    page = opened.page
    page.locator("#what-if summary").click()
    usual = page.locator("#curve polyline.total").get_attribute("points")
    page.locator('[id="knob-congruence.weight"]').fill("0")
    page.locator("#curve polyline.before").wait_for(state="attached")
    assert page.locator("#curve polyline.before").get_attribute("points") != ""
    assert page.locator("#curve polyline.total").get_attribute("points") != usual
    assert page.locator("#curve polyline.congruence").count() == 0
    page.locator('[id="knob-data.occlusion_aware"]').uncheck()
    page.locator("#again").click()
    page.locator("figure[data-panel=neighbourhood] canvas").nth(2).wait_for()
    assert "moved" in page.locator("figure[data-panel=neighbourhood] output").inner_text()
    page.locator("#undo").click()
    page.locator("#curve polyline.before").wait_for(state="detached")
    assert page.locator("#curve polyline.total").get_attribute("points") == usual


@pytest.mark.slow
def test_a_link_reproduces_the_state(browser, server, opened):
    page = opened.page
    for key in ("3", "ArrowRight", "Shift+ArrowDown", "m", "d", "o", "z", "+"):
        page.keyboard.press(key)
    opened.answered(40, 41)
    page.wait_for_timeout(400)
    address = page.evaluate("() => location.href")
    assert "pixel=40,41" in address
    assert "view=2,3" in address
    other = Page(browser, server, address.partition("#")[2])
    other.answered(40, 41)
    other.page.locator("#curve line.at.trial").wait_for(state="attached")
    for selector in ("#layer button[aria-pressed=true]", "#overlay button[aria-pressed=true]", "#trial-value"):
        assert other.page.locator(selector).inner_text() == page.locator(selector).inner_text()
    for name in ("view", "map"):
        caption = f"figure[data-panel={name}] figcaption span >> nth=0"
        assert other.page.locator(caption).inner_text() == page.locator(caption).inner_text()
        assert (picture(other.canvas(name)) != picture(opened.canvas(name))).mean() < 0.02
    other.page.evaluate("() => { location.hash = 'pixel=5,6&layer=depth&set=planar.weight:0.1'; }")
    other.answered(5, 6)
    other.page.locator("#curve polyline.before").wait_for(state="attached")
    assert other.page.locator("#layer button[aria-pressed=true]").inner_text() == "Depth"
    other.close()


def test_views_focus_and_layers_by_key(opened):
    page = opened.page
    reference = picture(opened.canvas("view"))
    title = page.locator("figure[data-panel=view] figcaption span").first
    page.keyboard.press("w")
    page.locator("figure[data-panel=view] span", has_text="View 1, 2").wait_for()
    settle(page)
    assert (picture(opened.canvas("view")) != reference).mean() > 0.2
    page.keyboard.press("r")
    page.locator("figure[data-panel=view] span", has_text="Reference view").wait_for()
    page.keyboard.press("f")
    page.locator("figure[data-panel=view] span", has_text="Focused at").wait_for()
    assert "px" in title.inner_text()
    page.keyboard.press("f")
    labels = page.locator("#layer button").all_inner_texts()
    assert labels == ["Disparity", "Depth", "Normals", "Confidence", "Visible", "Truth", "Error", "Bad", "3D"]
    seen = set()
    for key in range(1, 9):
        page.keyboard.press(str(key))
        settle(page)
        seen.add(picture(opened.canvas("map")).tobytes())
    assert len(seen) >= 7
    page.keyboard.press("?")
    assert page.locator("dialog#keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog#keys").is_visible()


@pytest.mark.slow
def test_dragging_over_the_grid_of_views_looks_around(opened):
    page = opened.page
    before = picture(opened.canvas("view"))
    box = page.locator(".pad").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.12, box["y"] + box["height"] * 0.12)
    page.locator("figure[data-panel=view] span", has_text="View 0, 0").wait_for()
    settle(page)
    assert (picture(opened.canvas("view")) != before).mean() > 0.1, "another view is shown"
    page.mouse.up()


def test_picking_in_space_selects_in_the_image(opened):
    page = opened.page
    page.keyboard.press("9")
    canvas = page.locator("figure[data-panel=space] canvas")
    canvas.wait_for()
    ring = page.locator(".ring")
    ring.wait_for()
    page.keyboard.press("ArrowRight")
    opened.answered(30, 41)
    page.wait_for_timeout(200)
    place = ring.bounding_box()
    row, column = 45, 20
    at = page.evaluate(
        f"() => {{ const s = explorer.views.space.space, box = s.canvas.getBoundingClientRect();"
        f"const [x, y] = s.seen({row * WIDTH + column}); return [box.left + x, box.top + y]; }}"
    )
    page.mouse.click(*at)
    page.locator('html[data-answered^="4"]').wait_for(state="attached")
    found = page.evaluate("() => explorer.state.pixel")
    assert abs(found[0] - row) <= 1
    assert abs(found[1] - column) <= 1
    page.wait_for_timeout(200)
    moved = ring.bounding_box()
    assert abs(moved["x"] + 11 - at[0]) < 8
    assert abs(moved["x"] - place["x"]) + abs(moved["y"] - place["y"]) > 10


@pytest.mark.slow
def test_every_panel_can_be_saved(opened, tmp_path):
    page = opened.page
    page.keyboard.press("m")
    page.locator("figure[data-panel=trial] rect.cell").first.wait_for()
    for name in (*PANELS, "space"):
        if name == "space":
            page.keyboard.press("9")
            page.locator("figure[data-panel=space] canvas").wait_for()
            settle(page)
        figure = page.locator(f"figure[data-panel={name}]")
        figure.hover()
        for kind in ("PNG", "SVG"):
            with page.expect_download() as event:
                figure.locator(".save button", has_text=kind).click()
            assert event.value.suggested_filename == f"demo-{name}.{kind.lower()}"
            path = tmp_path / event.value.suggested_filename
            event.value.save_as(path)
            check_figure(path)


def check_figure(path: Path) -> None:
    """A picture with something in it; an SVG that needs nothing from elsewhere."""
    if path.suffix == ".png":
        samples = np.asarray(Image.open(path).convert("RGB"))
        assert min(samples.shape[:2]) > 50
        assert samples.std() > 3, path.name
        return
    root = ElementTree.parse(path).getroot()
    assert root.tag.endswith("svg")
    assert float(root.attrib["width"]) > 50
    links = [value for element in root.iter() for key, value in element.attrib.items() if key.endswith("href")]
    assert all(link.startswith("data:image/") for link in links)
    assert len(list(root.iter())) > 1
