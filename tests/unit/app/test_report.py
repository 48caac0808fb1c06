"""The report's file: complete, self-contained, and safe against what it is given."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ioadr import Estimate, LightField
from ioadr.app.commands.report import _check_gain
from ioadr.app.pages import unbroken
from ioadr.app.report import report_html, write_report
from ioadr.app.report.content import LARGEST
from ioadr.app.report.packing import jpegs, packed, packed_values
from ioadr.errors import InputError
from ioadr.evaluation.truth import Truth
from ioadr.io import save_estimate
from ioadr.presets import preset
from ioadr.result import SweepRecord
from tests.builders import make_lightfield
from tests.explored import every_view
from tests.scenes import make_estimate


def unpacked(layer: dict[str, Any]) -> NDArray[Any]:
    """The plain twin of `web/packed.js`."""
    content = zlib.decompress(base64.b64decode(layer["data"]))
    planes = np.frombuffer(content, np.uint8).reshape(layer["bytes"], -1).astype(np.int64)
    steps = planes[0] if layer["bytes"] == 1 else 256 * planes[0] + planes[1]
    return np.cumsum(steps.reshape(layer["shape"]), axis=1) % 256 ** layer["bytes"]


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.fixture(scope="module")
def lightfield() -> LightField:
    return make_lightfield(grid=(3, 5), size=(40, 48))


@pytest.fixture(scope="module")
def estimate(lightfield: LightField) -> Estimate:
    disparity = np.linspace(-1, 1, 40 * 48).reshape(40, 48)
    name = "<b>bad & good</b></script>"
    return make_estimate(disparity, image=lightfield.reference_view, layout=lightfield.layout, name=name)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3), (1, 1)])
def test_packing_comes_back(dtype: Any, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(3).integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    assert np.array_equal(unpacked(packed(values)), values)


def test_packed_values_are_fine_enough_and_keep_gaps() -> None:
    values = np.array([[-1.5, np.nan, 0.25], [0.5, 2.5, 1.0]])
    layer = packed_values(values)
    samples = unpacked(layer)
    found = np.where(samples > 0, layer["offset"] + layer["scale"] * samples, np.nan)
    assert np.allclose(found, values, atol=4 / 65534, equal_nan=True)


def test_views_are_packed_harder_when_they_do_not_fit() -> None:
    noise = [np.random.default_rng(k).integers(0, 256, (64, 64, 3), np.uint8) for k in range(3)]
    free = sum(map(len, jpegs(noise, 10**9)))
    assert sum(map(len, jpegs(noise, free // 2))) <= free // 2


def test_page_is_one_file_and_asks_for_nothing(estimate: Estimate, lightfield: LightField) -> None:
    html = report_html(estimate, lightfield)
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:)""", html)
    assert "default-src 'none'; img-src data:; " in html
    assert "eval" not in html.partition("</head>")[0].partition("<style>")[0]
    assert not re.search(r"https?://", html)


def test_time_with_all_views_is_that_of_the_reference_view_and_says_so() -> None:
    views = every_view()
    named = "of the reference view alone, without reading and writing"
    assert named in report_html(views.estimate, views=views)
    assert named not in report_html(views.estimate)


def test_names_from_outside_are_only_text(estimate: Estimate, lightfield: LightField) -> None:
    html = report_html(estimate, lightfield)
    assert "<b>bad" not in html
    assert "&lt;b&gt;bad &amp; good" in html
    assert len(re.findall("</script>", html)) == 2


def test_words_of_a_loaded_history_are_only_text(estimate: Estimate) -> None:
    record = SweepRecord(0, "<i>odd</i>", changed=5, mean_cost=1.0, seconds=0.1)
    html = report_html(replace(estimate, history=[record]))
    assert "<i>odd" not in html
    assert html.count("&lt;i&gt;odd") == 2, "in the chart and in the table"


def test_data_holds_the_maps(estimate: Estimate, lightfield: LightField) -> None:
    page = data_of(report_html(estimate, lightfield))
    layer = page["layers"]["disparity"]
    found = layer["offset"] + layer["scale"] * unpacked(layer)
    assert np.allclose(found, estimate.disparity, atol=1e-4)
    assert np.array_equal(unpacked(page["layers"]["image"]), estimate.image)
    assert page["unit"] == "relative"
    assert [view["offset"] for view in page["epis"]["row"]] == [-2, -1, 0, 1, 2]
    assert [view["offset"] for view in page["epis"]["column"]] == [-1, 0, 1]


def test_views_off_the_line_are_not_in_the_epi(estimate: Estimate, lightfield: LightField) -> None:
    positions = lightfield.positions.copy()
    positions[1, 0, 0] += 0.5
    present = np.ones((3, 5), bool)
    present[0, 2] = False
    page = data_of(report_html(estimate, lightfield.with_(positions=positions, present=present)))
    assert [view["offset"] for view in page["epis"]["row"]] == [-1, 0, 1, 2]
    assert "column" not in page["epis"], "two views make no line"


def test_without_light_field_there_are_no_epis(estimate: Estimate) -> None:
    html = report_html(estimate)
    assert data_of(html)["epis"] == {}
    assert "<section hidden>" in html


def test_a_page_that_lacks_a_part_is_noticed(estimate: Estimate, lightfield: LightField, tmp_path: Path) -> None:
    """The heading of the scores had another text than the one looked for: `ioadr report` dropped them silently."""
    whole = report_html(estimate, lightfield, Truth(estimate.disparity, name="by hand"))
    page = tmp_path / "report.html"
    page.write_text(whole, encoding="utf-8")
    _check_gain(page, whole)
    with pytest.raises(InputError, match="has EPIs .* and scores .*, which the new one would lack"):
        _check_gain(page, report_html(estimate))


def test_truth_brings_scores_and_error_maps(estimate: Estimate, lightfield: LightField) -> None:
    truth = Truth(estimate.disparity + np.float32(0.05), name="by hand")
    html = report_html(estimate, lightfield, truth)
    page = data_of(html)
    layer = page["layers"]["error"]
    assert layer["offset"] + layer["scale"] * unpacked(layer)[0, 0] == pytest.approx(-0.05, abs=1e-6)
    assert "BadPix 0.07" in html
    assert unbroken("100.00 %") in html
    assert "error" not in data_of(report_html(estimate, lightfield))["layers"]


def test_large_maps_are_thinned_out() -> None:
    large = make_estimate(np.zeros((30, 2 * LARGEST + 1)))
    html = report_html(large)
    page = data_of(html)
    assert (page["thin"], page["height"], page["width"]) == (3, 10, 427)
    assert "one pixel of every 3×3" in html


def test_writing_is_all_or_nothing(estimate: Estimate, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write_report(tmp_path / "report.html", estimate)
    before = (tmp_path / "report.html").read_bytes()

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ioadr.io.safety.atomic.os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_report(tmp_path / "report.html", estimate)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_bytes() == before


def test_estimate_writes_it_unless_told_not_to(cli: Any, calls: Any, scene: Any, tmp_path: Any) -> None:
    assert cli("estimate", scene, "--out", tmp_path / "with").code == 0
    assert (tmp_path / "with" / "report.html").stat().st_size > 20000
    assert cli("estimate", scene, "--out", tmp_path / "without", "--no-report").code == 0
    assert not (tmp_path / "without" / "report.html").exists()


def test_command_rebuilds_it(cli: Any, calls: Any, scene: Any, tmp_path: Any) -> None:
    assert cli("estimate", scene, "--out", tmp_path / "out").code == 0
    made = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    (tmp_path / "out" / "report.html").unlink()
    outcome = cli("report", tmp_path / "out", "--lightfield", scene)
    assert outcome.code == 0
    assert data_of((tmp_path / "out" / "report.html").read_text(encoding="utf-8")) == data_of(made)


def test_command_says_what_it_misses(cli: Any, estimate: Estimate, tmp_path: Any) -> None:
    assert cli("report", tmp_path).code == 2
    save_estimate(estimate, tmp_path / "out", ["npz"])
    outcome = cli("report", tmp_path / "out")
    assert outcome.code == 0
    assert "no EPIs" in outcome.err
    assert cli("report", tmp_path / "out", "--lightfield", tmp_path / "nowhere").code == 2


def test_visible_views_are_counted_among_those_that_were_used(estimate: Estimate) -> None:
    """With every second view, a point that all of them see is not hidden in the others."""
    lightfield = make_lightfield(grid=(9, 9), size=(40, 48))
    quick = replace(estimate, layout=lightfield.layout, parameters=preset("fast"))
    page = data_of(report_html(quick, lightfield))
    assert page["views"] == page["why"]["views"] == 25
