"""The report in a real browser, moved by a real mouse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ioadr import Estimate, LightField
from ioadr.app.pages import unbroken
from ioadr.app.report import report_html, write_report
from ioadr.app.why import facts, sentence, views_used
from ioadr.evaluation.truth import Truth
from ioadr.io.results.left_out_file import left_out_facts
from ioadr.views.leave_out import METHODS, LeftOut
from tests import explored
from tests.browser import Watched, picture, point, settle
from tests.builders import make_lightfield
from tests.marks import some_quick
from tests.scenes import cube_estimate, make_estimate

pytestmark = pytest.mark.browser
SCREENS = [(width, scheme) for width in (400, 1280) for scheme in ("light", "dark")]
LAYERS = ["Reference view", "Disparity", "Depth", "Normals", "Confidence", "Visible views", "Truth"]


@pytest.fixture(scope="module")
def estimate() -> Estimate:
    return cube_estimate()


@pytest.fixture(scope="module")
def report(estimate: Estimate, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lightfield = make_lightfield(grid=(5, 5), size=estimate.disparity.shape, disparity=0.2)
    truth = Truth(estimate.disparity.astype(np.float64) + 0.02)
    return write_report(tmp_path_factory.mktemp("report") / "report.html", estimate, lightfield, truth)


@pytest.fixture(scope="module")
def shared_page(browser: Any, report: Path) -> Iterator[Watched]:
    watched = Watched(browser, report)
    yield watched
    watched.page.context.close()


@pytest.fixture
def opened(shared_page: Watched) -> Iterator[Watched]:
    shared_page.shown()
    shared_page.page.wait_for_selector("html[data-ready=true]")
    settle(shared_page.page)
    yield shared_page
    shared_page.left()


def pane(page: Any, title: str) -> Any:
    return page.locator(f'figure.pane:has(span:text-is("{title}"))')


def value(page: Any, title: str) -> str:
    return str(pane(page, title).locator("output").inner_text()).replace("−", "-")


def number(text: str) -> float:
    found = re.match(r"-?[\d.]+", text)
    assert found, text
    return float(found[0])


def test_values_under_the_cursor_are_those_of_the_maps(opened: Watched, estimate: Estimate) -> None:
    page = opened.page
    height, width = estimate.disparity.shape
    pane(page, "Disparity").scroll_into_view_if_needed()
    for row, column in ((60, 80), (10, 150), (100, 3)):
        point(page, pane(page, "Disparity").locator("canvas"), (column + 0.5) / width, (row + 0.5) / height)
        assert value(page, "Reference view") == f"row {row}, col {column}"
        assert number(value(page, "Disparity")) == pytest.approx(estimate.disparity[row, column], abs=6e-4)
        assert number(value(page, "Depth")) == pytest.approx(estimate.depth[row, column], abs=6e-4)
        assert number(value(page, "Confidence")) == pytest.approx(estimate.confidence[row, column] - 0.005, abs=6e-3)
        assert value(page, "Visible views") == f"{estimate.visible_views[row, column]} of {views_used(estimate)}"
        assert value(page, "Error against truth").startswith("-0.020")
        normal = [float(part) for part in value(page, "Normals").split()]
        expected = estimate.normals[row, column] * (1, -1, -1)
        assert np.allclose(normal, expected, atol=0.02)


def test_wheel_over_one_pane_zooms_all(opened: Watched, estimate: Estimate) -> None:
    page = opened.page
    pane(page, "Visible views").scroll_into_view_if_needed()
    views = {title: pane(page, title).locator("canvas") for title in ("Reference view", "Disparity", "Depth")}
    before = {title: picture(view) for title, view in views.items()}
    point(page, views["Depth"], 0.5, 0.5)
    page.mouse.wheel(0, -900)
    settle(page)
    point(page, views["Depth"], 0.1, 0.1)
    row, column = (number(part) for part in re.findall(r"\d+", value(page, "Reference view")))
    height, width = estimate.disparity.shape
    assert 0.3 * height < row < 0.5 * height
    assert 0.3 * width < column < 0.5 * width
    for title, view in views.items():
        assert (picture(view) != before[title]).mean() > 0.1, title


@pytest.mark.slow
def test_dragging_moves_and_a_double_click_shows_everything(opened: Watched) -> None:
    page = opened.page
    view = pane(page, "Disparity").locator("canvas")
    view.scroll_into_view_if_needed()
    whole = picture(view)
    point(page, view, 0.5, 0.5)
    page.mouse.wheel(0, -900)
    settle(page)
    start = value(page, "Reference view")
    page.mouse.down()
    point(page, view, 0.7, 0.6)
    page.mouse.up()
    settle(page)
    assert value(page, "Reference view") == start, "the pixel moves with the mouse"
    point(page, view, 0.5, 0.5)
    assert value(page, "Reference view") != start
    page.mouse.dblclick(*centre(view))
    page.mouse.move(5, 5)
    settle(page)
    assert (picture(view) != whole).mean() < 0.02


def centre(locator: Any) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.slow
def test_wheel_at_full_view_scrolls_the_page(opened: Watched) -> None:
    page = opened.page
    pane(page, "Disparity").scroll_into_view_if_needed()
    point(page, pane(page, "Disparity").locator("canvas"), 0.5, 0.5)
    before = page.evaluate("scrollY")
    page.mouse.wheel(0, 200)
    page.wait_for_function("(before) => scrollY > before", arg=before)


def test_scene_is_drawn_and_orbits(opened: Watched) -> None:
    page = opened.page
    canvas = page.locator("#scene")
    canvas.scroll_into_view_if_needed()
    first = picture(canvas)
    background = first[first.shape[0] // 2, 3]
    assert 0.1 < (first != background).any(axis=-1).mean() < 0.95
    x, y = centre(canvas)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 150, y + 40, steps=4)
    page.mouse.up()
    settle(page)
    turned = picture(canvas)
    assert (turned != first).any(axis=-1).mean() > 0.05
    page.click("#mode button[value=points]")
    page.click("#colours button[value=shape]")
    settle(page)
    assert (picture(canvas) != turned).any(axis=-1).mean() > 0.05
    page.click("#home")
    page.click("#mode button[value=mesh]")
    page.click("#colours button[value=photo]")
    settle(page)
    assert (picture(canvas) != first).any(axis=-1).mean() < 0.01


@pytest.mark.slow
def test_colours_of_the_scene_are_those_of_the_photo(opened: Watched, estimate: Estimate) -> None:
    shown = picture(opened.page.locator("#scene"))
    middle = shown[shown.shape[0] // 2, shown.shape[1] // 2].astype(int)
    distance = np.abs(estimate.image.reshape(-1, 3).astype(int) - middle).sum(axis=1)
    assert distance.min() <= 6


def test_clicking_a_pixel_shows_its_epis(opened: Watched, estimate: Estimate) -> None:
    page = opened.page
    height, width = estimate.disparity.shape
    strip = pane(page, "Row EPI").locator("canvas")
    before = strip.evaluate("canvas => canvas.toDataURL()")
    view = pane(page, "Disparity").locator("canvas")
    view.scroll_into_view_if_needed()
    point(page, view, 20.5 / width, 100.5 / height)
    page.mouse.down()
    page.mouse.up()
    settle(page)
    assert page.locator("#row-value").inner_text() == "100"
    assert page.locator("#column-value").inner_text() == "20"
    assert strip.evaluate("canvas => canvas.toDataURL()") != before
    assert number(value(page, "Row EPI")) == pytest.approx(estimate.disparity[100, 20], abs=6e-4)
    assert value(page, "Column EPI") == value(page, "Row EPI")
    page.locator("#row").fill("60")
    assert page.locator("#row-value").inner_text() == "60"


@pytest.mark.slow
def test_slopes_can_be_hidden(opened: Watched) -> None:
    page = opened.page
    strip = pane(page, "Column EPI").locator("canvas")
    with_slopes = strip.evaluate("canvas => canvas.toDataURL()")
    page.click("#slopes")
    assert strip.evaluate("canvas => canvas.toDataURL()") != with_slopes
    page.click("#slopes")
    assert strip.evaluate("canvas => canvas.toDataURL()") == with_slopes


@pytest.mark.slow
def test_keyboard_chooses_pixels(opened: Watched) -> None:
    page = opened.page
    pane(page, "Depth").locator("canvas").focus()
    row, column = page.locator("#row-value").inner_text(), page.locator("#column-value").inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    assert page.locator("#row-value").inner_text() == str(int(row) + 1)
    assert page.locator("#column-value").inner_text() == str(int(column) + 10)


@pytest.mark.parametrize(("width", "scheme"), some_quick(SCREENS, [(400, "dark")]))
def test_fits_every_screen(browser: Any, report: Path, width: int, scheme: str) -> None:
    watched = Watched(browser, report, width, scheme=scheme)
    page = watched.page
    page.wait_for_selector("html[data-ready=true]")
    assert page.evaluate("document.documentElement.scrollWidth") == width, "nothing sticks out at the side"
    red, green, blue = (
        int(part) for part in re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))
    )
    assert (red + green + blue > 600) == (scheme == "light")
    first, second = (pane(page, title).bounding_box() for title in LAYERS[:2])
    assert first["y"] == pytest.approx(second["y"], abs=1), "side by side"
    assert all(pane(page, title).bounding_box()["width"] > 150 for title in LAYERS)
    assert watched.complaints == []
    page.context.close()


@pytest.mark.slow
def test_touch_orbits_and_pinches(browser: Any, report: Path) -> None:
    context = browser.new_context(viewport={"width": 400, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-ready=true]")
    canvas = page.locator("#scene")
    first = canvas.evaluate("canvas => canvas.toDataURL()")
    x, y = centre(canvas)
    session = context.new_cdp_session(page)
    touch = lambda kind, *places: session.send(  # noqa: E731
        "Input.dispatchTouchEvent",
        {"type": kind, "touchPoints": [{"x": a, "y": b, "id": i} for i, (a, b) in enumerate(places)]},
    )
    touch("touchStart", (x, y))
    for step in range(1, 6):
        touch("touchMove", (x + 20 * step, y))
    touch("touchEnd")
    settle(page)
    turned = canvas.evaluate("canvas => canvas.toDataURL()")
    assert turned != first
    view = pane(page, "Disparity").locator("canvas")
    view.scroll_into_view_if_needed()
    before = view.evaluate("canvas => canvas.toDataURL()")
    x, y = centre(view)
    touch("touchStart", (x - 10, y), (x + 10, y))
    for step in range(1, 6):
        touch("touchMove", (x - 10 - 10 * step, y), (x + 10 + 10 * step, y))
    touch("touchEnd")
    settle(page)
    assert view.evaluate("canvas => canvas.toDataURL()") != before
    context.close()


@pytest.mark.slow
def test_can_be_printed(opened: Watched) -> None:
    content = opened.page.pdf(format="A4")
    assert content.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 8


@pytest.fixture
def photograph(tmp_path: Path) -> Path:
    """A report of 512×512 px with as much detail as a photograph."""
    random = np.random.default_rng(0)
    waves = np.add.outer(np.sin(np.arange(512) / 40), np.cos(np.arange(512) / 25))
    grain = random.standard_normal((512, 512, 1))
    view = np.clip(128 + 40 * waves[..., None] * (1, 0.7, 0.4) + 9 * grain, 0, 255).astype(np.uint8)
    lightfield = LightField(np.broadcast_to(view, (9, 9, 512, 512, 3)))
    estimate = make_estimate(waves + 0.01 * grain[..., 0], image=lightfield.reference_view)
    return write_report(tmp_path / "report.html", estimate, lightfield)


@pytest.mark.slow
def test_a_photograph_opens(browser: Any, photograph: Path) -> None:
    assert photograph.stat().st_size < 12e6
    seconds_to_open(browser, photograph)  # ends at the first complaint of the browser, or when nothing is drawn


@pytest.mark.slow
def test_opens_soon(browser: Any, photograph: Path) -> None:
    """Within 3 s of CPU time, of all processes of the browser together: a wait for cores does not count."""
    assert min(seconds_to_open(browser, photograph) for _ in range(3)) < 3


def seconds_to_open(browser: Any, path: Path) -> float:
    """CPU time until everything is drawn."""
    session = browser.new_browser_cdp_session()
    before = processor_seconds(session)
    watched = Watched(browser, path)
    watched.page.wait_for_selector("html[data-ready=true]")
    settle(watched.page)
    seconds = processor_seconds(session) - before
    assert watched.complaints == []
    watched.page.context.close()
    return seconds


def processor_seconds(session: Any) -> float:
    return sum(float(process["cpuTime"]) for process in session.send("SystemInfo.getProcessInfo")["processInfo"])


def test_the_sentence_under_the_cursor_is_that_of_the_maps(browser: Any, tmp_path: Path) -> None:
    known = explored.finished()
    watched = Watched(browser, write_report(tmp_path / "report.html", known))
    page = watched.page
    page.wait_for_selector("html[data-ready=true]")
    height, width = known.disparity.shape
    pane(page, "Disparity").scroll_into_view_if_needed()
    # None lies halfway between two thousandths, where the 16 bits of the page may round otherwise.
    for row, column in ((20, 30), (40, 50), (61, 8), (5, 66)):
        point(page, pane(page, "Disparity").locator("canvas"), (column + 0.5) / width, (row + 0.5) / height)
        assert page.locator("#why").inner_text() == sentence(facts(known, row, column))
    assert watched.complaints == []
    page.context.close()


@pytest.mark.slow
def test_results_without_a_way_say_so(opened: Watched, estimate: Estimate) -> None:
    page = opened.page
    pane(page, "Disparity").scroll_into_view_if_needed()
    point(page, pane(page, "Disparity").locator("canvas"), 0.5, 0.5)
    assert page.locator("#why").inner_text() == sentence(facts(estimate, 60, 80))
    assert "was not stored" in page.locator("#why").inner_text()


def test_the_scene_of_all_views_can_be_switched(browser: Any, tmp_path: Path) -> None:
    views = explored.every_view()
    points = views.points()
    unseen = np.flatnonzero(~points.centre_saw)
    watched = Watched(browser, write_report(tmp_path / "report.html", views.estimate, None, None, views))
    page = watched.page
    page.wait_for_selector("html[data-ready=true]")
    assert f"{len(unseen)} points come from other views" in page.locator("main").inner_text()
    places = np.array(page.evaluate("() => [...scene.positions.slice(3 * scene.pixels)]")).reshape(-1, 3)
    assert places == pytest.approx(
        points.positions[unseen] * (1, -1, -1), abs=2e-3 * float(np.abs(points.positions).max())
    )
    page.locator("#colours [value=unseen]").click()
    settle(page)
    shown, before = page.evaluate("() => scene.pointCount"), picture(page.locator("#scene"))
    page.locator("#all-views").click()
    settle(page)
    flying = int((~np.asarray(views.surfaces[0].kept)).sum())
    assert page.evaluate("() => scene.pointCount") == shown - len(unseen) + flying
    pink = (np.abs(picture(page.locator("#scene")).astype(int) - (255, 64, 150)) < 8).all(axis=-1)
    assert not pink.any()
    assert (np.abs(before.astype(int) - (255, 64, 150)) < 8).all(axis=-1).any()
    assert watched.complaints == []
    watched.page.context.close()


@pytest.mark.parametrize(("width", "scheme"), some_quick([(1280, "light"), (400, "dark")], [(1280, "light")]))
def test_the_check_of_views_left_out(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    views = explored.every_view()
    index = np.argwhere(~views.layout.thinned(2))
    psnr = {name: 30 + k + np.arange(len(index)) / 7 for k, name in enumerate(METHODS)}
    ssim = {name: 0.9 + np.arange(len(index)) / 999 for name in METHODS}
    facts_ = left_out_facts(LeftOut(index, psnr, ssim, views))
    page_text = report_html(views.estimate, None, None, None, facts_)
    (tmp_path / "report.html").write_text(page_text, encoding="utf-8")
    watched = Watched(browser, tmp_path / "report.html", width=width, scheme=scheme)
    page = watched.page
    page.wait_for_selector("html[data-ready=true]")
    for measure, values, digits in (("psnr", psnr, 1), ("ssim", ssim, 3)):
        squares = page.locator(f".grid[data-measure={measure}] g")
        assert squares.evaluate_all("all => all.map((g) => g.dataset.view)") == [f"{r} {c}" for r, c in index]
        texts = squares.locator("text").all_text_contents()
        assert [float(text) for text in texts] == pytest.approx(values["views"], abs=0.51 * 10**-digits)
    assert page.locator(".grid[data-measure=psnr] .kept").count() == views.layout.view_count - len(index)
    rows = page.locator("#left-out tr").all_inner_texts()
    methods = ["every view", "nearest view", "linear blend", "centre warped", "median warped"]
    assert [row.split("\t")[0] for row in rows[1:]] == methods
    assert unbroken(f"{psnr['blend'].mean():.2f} dB") in rows[3]
    assert page.evaluate("() => document.documentElement.scrollWidth") == width
    assert watched.complaints == []
    watched.page.context.close()
