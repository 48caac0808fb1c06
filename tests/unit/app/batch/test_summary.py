"""Reports on a batch: tables, page, progress."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from ioadr.app.batch.items import Item, Outcome, failed, left
from ioadr.app.batch.page import page_html
from ioadr.app.batch.progress import line, watching
from ioadr.app.batch.summary import Summary, to_csv, to_json
from ioadr.app.terminal import Terminal

GOOD = Outcome(
    "lf 1",
    "/data/lf 1",
    "done",
    seconds={"read": 0.5, "estimate": 10.0, "save": 0.25},
    scores={"mse": 1.234, "badpix_007": 5.678},
    facts={"size": [40, 48], "grid": [9, 9]},
    report=True,
)
ODD = failed(Item('=1+"<b>"', "/data/<script>alert(1)</script>"), "expected <b>views</b>, found none & nothing")
SUMMARY = Summary([GOOD, ODD, left(Item("c", "/c"), "interrupted")], 100.0, "2 workers on 1 machine")


def test_the_table_for_spreadsheets():
    rows = list(csv.DictReader(io.StringIO(to_csv(SUMMARY))))
    assert [row["state"] for row in rows] == ["done", "failed", "left"]
    assert rows[0]["seconds"] == "10.75"
    assert rows[0]["badpix_007"] == "5.678"
    assert rows[1]["name"] == '\'=1+"<b>"', "a spreadsheet must not run it"
    assert rows[1]["reason"] == ODD.reason


def test_the_same_for_programs():
    found = json.loads(to_json(SUMMARY))
    assert found["counts"] == {"done": 1, "kept": 0, "failed": 1, "left": 1}
    assert [item["name"] for item in found["items"]] == ["lf 1", '=1+"<b>"', "c"]
    assert Outcome.from_dict(found["items"][0]) == GOOD


class Page(HTMLParser):
    """Tags, links and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [str(value) for name, value in attrs if name in ("href", "src")]


def test_the_page_links_to_results_and_escapes_what_is_foreign():
    text = page_html(SUMMARY, "Batch <x>")
    page = Page(text)
    assert "lf%201/report.html" in page.links
    assert "lf%201/thumbnail.jpg" in page.links
    assert page.tags.count("script") == 1
    assert page.tags.count("a") == 2 + 2, "picture and name of the one that is finished, two files of data"
    assert "<script>alert" not in text
    assert "expected &lt;b&gt;views&lt;/b&gt;" in text
    assert not re.search(r"https?://", text), "nothing is loaded from anywhere"
    assert page.tags.count("tr") == 1 + 3


def test_a_doubtful_map_is_marked_wherever_the_batch_is_summarised():
    doubt = replace(GOOD, name="d", facts={**GOOD.facts, "doubts": ["the order is <wrong>", "one view is odd"]})
    summary = Summary([GOOD, doubt, ODD], 100.0, "1 worker")
    text = page_html(summary, "Batch")
    states = re.findall(r'<span class="state (\w+)">([^<]+)</span>', text)
    assert states == [("done", "done"), ("doubtful", "doubtful"), ("failed", "failed")]
    assert "<li><b>d</b>: the order is &lt;wrong&gt;; one view is odd</li>" in text
    assert "1 doubtful; 0 from an earlier run" in text
    rows = list(csv.DictReader(io.StringIO(to_csv(summary))))
    assert [row["doubts"] for row in rows] == ["", "the order is <wrong>; one view is odd", ""]
    assert "Doubtful" not in page_html(SUMMARY, "Batch")
    assert "doubts" not in to_csv(SUMMARY)


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (GOOD, "lf 1: 10.8 s, BadPix 0.07 5.68 %"),
        (failed(Item("a", "/a"), "broken"), "a: failed: broken"),
    ],
)
def test_an_item_in_one_line(outcome, text):
    assert line(outcome) == text


def test_progress_without_a_terminal_is_a_line_for_each_item(capfd):
    with watching(Terminal(), 3, 1) as watch:
        watch.tick(0)
        watch.tick(2)
        watch.begun("lf 1")
        watch.heard((0.0, {"name": "lf 1", "state": "sweep 1/2", "share": 0.5}))
        watch.heard((0.0, {"name": "unknown", "state": "x", "share": 0.5}))
        watch.ended(GOOD)
        watch.ended(ODD)
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "waiting for workers"
    assert lines[1].startswith("[2/3] lf 1: 10.8 s, BadPix 0.07 5.68 %; about ")
    assert lines[2].startswith('[3/3] =1+"<b>": failed: expected <b>views')


def test_lines_in_a_terminal_stand_above_the_bars(capfd, monkeypatch):
    """The line of a finished item must not be written behind a bar."""
    monkeypatch.setattr(Terminal, "live", True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with watching(Terminal(), 3, 1) as watch:
        watch.begun("lf 1")
        watch.begun("other")
        watch.heard((0.0, {"name": "other", "state": "sweep 1/2", "share": 0.5}))
        watch.ended(GOOD)
    before, told, after = capfd.readouterr().err.partition("[2/3] lf 1: 10.8 s, BadPix 0.07 5.68 %")
    assert told
    assert before.endswith("\x1b[2K"), "the bar's lines were erased"
    assert after.startswith("\n")
    assert "sweep 1/2" in after
    assert "per minute" in after
