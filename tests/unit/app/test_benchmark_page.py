"""The benchmark's page: what is in the file, and how it behaves in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ioadr.app.benchmark.content import packed_steps
from ioadr.app.benchmark.page import page_html
from ioadr.app.pages import write_page
from ioadr.evaluation.benchmark import Results, find_scenes, run_benchmark
from ioadr.evaluation.methods import parse_methods
from ioadr.evaluation.synthetic import random_light_field, write_scene
from ioadr.evaluation.truth import load_truth
from ioadr.io.results.pfm import write_pfm
from tests.browser import Watched, picture, point, settle
from tests.marks import some_quick
from tests.unit.app.test_report import unpacked

SCENES = ("bench", "cards")
METHODS = ("Bold", "Coarse", "<i>Odd</i>")
SIZE = (64, 80)
SCREENS = [(1280, "light"), (400, "light"), (400, "dark")]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Three published methods on two synthetic scenes; the third lacks a map."""
    folder = tmp_path_factory.mktemp("page")
    for seed, name in enumerate(SCENES):
        write_scene(random_light_field(seed, "mixed", SIZE, (3, 3)), folder / "data" / name)
        truth = load_truth(folder / "data" / name).disparity
        for method, error in zip(METHODS, (0.02, 0.2, 0.05), strict=True):
            step = np.where(np.arange(SIZE[1]) < 40, error, -error)
            write_pfm(folder / "peers" / method.replace("/", "|") / f"{name}.pfm", truth + step)
            runtime = folder / "peers" / method.replace("/", "|") / f"{name}.txt"
            runtime.write_text(f"{100 * error}\n")
    (folder / "peers" / METHODS[2].replace("/", "|") / "cards.pfm").unlink()
    scenes = find_scenes(folder / "data")
    return run_benchmark(scenes, parse_methods([str(folder / "peers")], SCENES), folder / "out")


@pytest.fixture(scope="module")
def html(results: Results) -> str:
    return page_html(results, "Three <b>methods</b>")


def test_the_page_is_one_file_and_asks_for_nothing(html: str) -> None:
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:)""", html)
    assert "default-src 'none'" in html
    assert "http://www.w3.org/2000/svg" in html  # the name of SVG, which is no address
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", html)


def test_names_from_outside_are_only_text(html: str) -> None:
    assert "Three &lt;b&gt;methods&lt;/b&gt;" in html
    assert "<i>Odd" not in html
    assert len(re.findall("</script>", html)) == 2


def test_the_best_cells_are_marked(html: str, results: Results) -> None:
    tables = re.findall(r'<div class="metric"><h3>(.*?) <small>.*?<table>(.*?)</table>', html, re.DOTALL)
    mse = dict(tables)["MSE×100"]
    rows = re.findall(r"<tr><td>(.*?)</td>(.*?)</tr>", mse)
    assert [name for name, _ in rows] == ["&lt;i&gt;Odd&lt;|i&gt;", "Bold", "Coarse"]
    best = {name: re.findall(r'class="number best">([\d.]+)', cells) for name, cells in rows}
    assert best["Bold"] == ["0.040", "0.040", "0.040"]
    assert best["Coarse"] == []


def test_failures_are_named(html: str) -> None:
    (section,) = re.findall(r'<section class="failures">(.*?)</section>', html, re.DOTALL)
    assert "Odd&lt;|i&gt; on cards" in section
    assert "cards.pfm is missing" in section


def test_maps_are_kept_to_a_thousandth(html: str, results: Results) -> None:
    (text,) = re.findall(r'id="data">(.*?)</script>', html, re.DOTALL)
    data = json.loads(text)
    scene, bold = data["scenes"][0], results.method_names.index("Bold")
    layer = scene["maps"][bold]
    found = layer["offset"] + layer["scale"] * unpacked(layer)
    np.testing.assert_allclose(found, results.disparity("bench", "Bold"), atol=0.00051)
    assert data["scenes"][1]["maps"][0] is None
    curve = np.array(scene["curves"][bold])
    thresholds = np.array(data["thresholds"])
    np.testing.assert_allclose(curve[thresholds < 0.019], 100)
    np.testing.assert_allclose(curve[thresholds > 0.021], 0)


def test_steps_keep_gaps_and_grow_with_the_range() -> None:
    values = np.array([[np.nan, -1.0, 0.25], [np.inf, 3.0, -np.inf]])
    layer = packed_steps(values)
    samples = unpacked(layer)
    np.testing.assert_array_equal(samples > 0, np.isfinite(values))
    found = layer["offset"] + layer["scale"] * samples
    np.testing.assert_allclose(found[np.isfinite(values)], [-1.0, 0.25, 3.0], atol=1e-9)
    wide = packed_steps(np.array([[0.0, 1000.0]]))
    assert wide["scale"] > 0.001
    np.testing.assert_allclose(wide["offset"] + wide["scale"] * unpacked(wide), [[0.0, 1000.0]], atol=0.02)


# In the browser


@pytest.fixture(scope="module")
def file(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(tmp_path_factory.mktemp("browser") / "index.html", page_html(results, "Three methods"))


@pytest.fixture(scope="module")
def shared_page(browser: Any, file: Path) -> Iterator[Watched]:
    watched = Watched(browser, file)
    yield watched
    watched.page.context.close()


@pytest.fixture
def opened(shared_page: Watched) -> Iterator[Watched]:
    shared_page.shown()
    ready(shared_page.page)
    yield shared_page
    shared_page.left()


def ready(page: Any, turn: int = 1) -> None:
    page.wait_for_selector(f"html[data-ready='{turn}']", state="attached")
    settle(page)


def canvas(page: Any, title: str, method: str | None = None) -> Any:
    place = f'.method:has(h3:text-is("{method}"))' if method else "#given"
    return page.locator(f'{place} figure.pane:has(span:text-is("{title}")) canvas')


def value(page: Any, title: str, method: str | None = None) -> str:
    place = f'.method:has(h3:text-is("{method}"))' if method else "#given"
    text = page.locator(f'{place} figure.pane:has(span:text-is("{title}")) output').inner_text()
    return str(text).replace("−", "-")


@pytest.mark.browser
def test_panes_tell_truth_estimate_and_error(opened: Watched, results: Results) -> None:
    page = opened.page
    pane = canvas(page, "Signed error", "Bold")
    pane.scroll_into_view_if_needed()
    point(page, pane, 20.5 / SIZE[1], 30.5 / SIZE[0])
    truth = load_truth(results.scenes[0]).disparity
    assert value(page, "Centre view") == "row 30, col 20"
    assert float(value(page, "Truth").split()[0]) == pytest.approx(truth[30, 20], abs=0.0011)
    assert float(value(page, "Estimate", "Bold").split()[0]) == pytest.approx(truth[30, 20] + 0.02, abs=0.0011)
    assert float(value(page, "Signed error", "Bold").split()[0]) == pytest.approx(0.02, abs=0.0011)
    assert value(page, "Bad pixels", "Bold") == ""


@pytest.mark.slow
@pytest.mark.browser
def test_the_wheel_zooms_all_panes_and_a_double_click_shows_everything(opened: Watched) -> None:
    page = opened.page
    panes = [canvas(page, "Truth"), canvas(page, "Estimate", "Bold"), canvas(page, "Normals", "Bold")]
    panes[1].scroll_into_view_if_needed()
    before = [picture(pane) for pane in panes]
    point(page, panes[1], 20.5 / SIZE[1], 48.5 / SIZE[0])
    page.mouse.wheel(0, -700)
    settle(page)
    zoomed = value(page, "Centre view")
    assert zoomed == "row 48, col 20"
    page.mouse.move(2, 2)
    settle(page)
    for pane, old in zip(panes, before, strict=True):
        assert (np.abs(picture(pane).astype(int) - old) > 8).mean() > 0.05
    point(page, panes[2], 0.02, 0.98)
    row, column = (int(number) for number in re.findall(r"\d+", value(page, "Centre view")))
    assert 12 < column < 20
    assert 48 < row < 56
    box = panes[1].bounding_box()
    page.mouse.dblclick(box["x"] + 50, box["y"] + 50)
    settle(page)
    point(page, panes[1], 0.01, 0.01)
    assert value(page, "Centre view") == "row 0, col 0"


@pytest.mark.slow
@pytest.mark.browser
def test_dragging_moves_the_same_pixel_with_the_mouse(opened: Watched) -> None:
    page = opened.page
    pane = canvas(page, "Bad pixels", "Bold")
    pane.scroll_into_view_if_needed()
    point(page, pane, 0.5, 0.5)
    page.mouse.wheel(0, -700)
    settle(page)
    held = value(page, "Centre view")
    page.mouse.down()
    point(page, pane, 0.8, 0.3)
    page.mouse.up()
    settle(page)
    assert value(page, "Centre view") == held
    point(page, pane, 0.5, 0.5)
    assert value(page, "Centre view") != held


@pytest.mark.browser
def test_choosing_a_threshold_recolours_the_bad_pixels(opened: Watched) -> None:
    page = opened.page

    def bad_share() -> float:
        shown = picture(canvas(page, "Bad pixels", "Bold")).astype(int)
        return float((np.abs(shown[..., 0] - shown[..., 2]) > 60).mean())

    assert bad_share() < 0.02
    page.locator("#threshold button", has_text="0.01").click()
    ready(page, 2)
    assert bad_share() > 0.2


@pytest.mark.browser
def test_choosing_methods_and_scenes(opened: Watched) -> None:
    page = opened.page
    assert page.locator(".method h3").all_inner_texts() == ["<i>Odd<|i>", "Bold"]
    page.locator("#methods button", has_text="Coarse").click()
    ready(page, 2)
    assert page.locator(".method h3").all_inner_texts() == ["<i>Odd<|i>", "Bold", "Coarse"]
    assert page.locator("#legend button[aria-pressed=true]").count() == 3
    page.locator("#scenes button", has_text="cards").click()
    ready(page, 3)
    assert page.locator(".method h3").all_inner_texts() == ["Bold", "Coarse"], "the map that is missing is left out"
    assert page.locator("#curve-scene").inner_text() == "cards"


@pytest.mark.slow
@pytest.mark.browser
def test_charts_have_a_shape_for_every_method(opened: Watched) -> None:
    page = opened.page
    assert page.locator("#curves polyline").count() == 3
    assert page.locator("#curves polyline:not(.faint)").count() == 2
    assert page.locator("#radar polygon.series").count() == 2, "the one that failed on a scene has no means"
    titles = page.locator("#scatter g title").all_text_contents()
    assert sorted(titles) == ["Bold: 0.000, 2.0 s", "Coarse: 100.0, 20.0 s"]
    assert page.locator("#scatter text").all_text_contents()[5:-2] == ["3", "10", "30"]
    page.locator("#scatter-metric button", has_text="MSE").click()
    assert sorted(page.locator("#scatter g title").all_text_contents())[0].startswith("Bold: 0.0400")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), some_quick(SCREENS, [(400, "dark")]))
def test_the_layout_fits_the_width(browser: Any, file: Path, width: int, scheme: str) -> None:
    watched = Watched(browser, file, width=width, scheme=scheme)
    ready(watched.page)
    assert watched.page.evaluate("() => document.documentElement.scrollWidth") == width
    ground = watched.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in re.findall(r"\d+", ground)) > 382) == (scheme == "light")
    across = len({round(box["x"]) for box in (p.bounding_box() for p in watched.page.locator(".method .pane").all())})
    assert across == (4 if width == 1280 else 2)
    assert watched.complaints == []
    watched.page.context.close()
