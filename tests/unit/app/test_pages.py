"""Templates of pages: they escape what they show, and miss nothing silently."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest
from jinja2 import UndefinedError

from ioadr import _cache_folder
from ioadr.app.pages import _environment, render, unbroken, write_page

NO_BREAK = "\N{NO-BREAK SPACE}"


def test_what_is_shown_is_escaped():
    page = render("progress.html", name="<b>&\"'", text="x", done=0, total=0)
    assert page == "&lt;b&gt;&amp;&#34;&#39;: x"


def test_only_texts_of_the_templates_are_called_safe():
    texts = [template.read_text(encoding="utf-8") for template in (files("ioadr.app") / "templates").iterdir()]
    assert re.findall(r"(\S*) \| safe\b", "".join(texts)) == ['"/<wbr>"', '"-<wbr>"']


def test_a_missing_value_is_an_error():
    with pytest.raises(UndefinedError, match="'text' is undefined"):
        render("progress.html", name="x", done=0, total=0)


def test_names_that_are_no_text_are_spelled_out(tmp_path):
    page = write_page(tmp_path / "page.html", render("progress.html", name="a\udcff", text="x", done=0, total=0))
    assert page.read_text(encoding="utf-8") == "a\\udcff: x"


def test_data_cannot_end_their_script():
    text = _environment().from_string("{{ data | tojson }}").render(data={"a": "</script>&'", "b": float("nan")})
    assert not re.search("[<>&']", text)
    assert json.loads(text) == {"a": "</script>&'", "b": None}


def test_compiled_templates_are_kept_and_damaged_ones_made_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(_cache_folder, "FOLDER", tmp_path / "kept")
    for _ in range(2):
        _environment.cache_clear()
        assert render("progress.html", name="a", text="x", done=0, total=0) == "a: x"
        (page,) = (tmp_path / "kept").iterdir()
        assert _cache_folder.read(page) is not None, "what could not be read is written again"
        page.write_bytes(page.read_bytes()[:-1])
    _environment.cache_clear()


def test_numbers_stay_with_their_units():
    """A line that ends in 3.49 before one that starts with m is hard to read."""
    assert unbroken(
        "3.49 m, 12 % of 5 px in 2 s; 9 pixels, 3 max"
    ) == "3.49~m, 12~% of 5~px in 2~s; 9 pixels, 3 max".replace("~", NO_BREAK)
    page = render("progress.html", name="9×9", text="depth 2.5 m", done=0, total=0)
    assert page == f"9×9: depth 2.5{NO_BREAK}m"


def test_options_stay_on_one_line():
    text = _environment().from_string("{{ text | options }}").render(text="<b> try --flip-rows, not - or a--b")
    assert text == '&lt;b&gt; try <span class="option">--flip-rows</span>, not - or a--b'
