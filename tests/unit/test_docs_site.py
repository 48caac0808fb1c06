"""`make docs`: the site builds without a warning, needs no network, and documents every public name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import ioadr
from ioadr.app.cli import COMMANDS
from ioadr.io.registry import formats
from tests.conftest import ROOT

pytest.importorskip("mkdocs")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return folder


def test_nothing_is_loaded_from_the_net(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe)[^>]*src="([^"]+)"|<link[^>]*href="([^"]+)"', text)
        assert loaded
        assert not [address for pair in loaded for address in pair if "//" in address], page


def test_every_target_exists(site: Path) -> None:
    """Pages, pictures and places within pages."""
    for page in site.rglob("*.html"):
        for target in re.findall(r'(?:href|src)="([^"]+)"', page.read_text(encoding="utf-8")):
            path, _, anchor = target.partition("#")
            if "://" in target or page.name == "404.html":
                continue
            found = (page.parent / path).resolve() if path else page
            assert found.is_file() or (found / "index.html").is_file(), (page.name, target)
            if anchor and found.suffix == ".html":
                assert f'id="{anchor}"' in found.read_text(encoding="utf-8"), (page.name, target)


def test_the_reference_has_every_command_and_public_name(site: Path) -> None:
    commands = (site / "reference" / "cli.html").read_text(encoding="utf-8")
    names = (site / "reference" / "api.html").read_text(encoding="utf-8")
    assert all(f"Usage: ioadr {name} " in commands for name in COMMANDS)
    for name in ioadr.__all__:
        if not name.startswith("__"):
            page = f"{'function' if name.islower() else 'class'}-{name.lower()}.html"
            assert f'href="{page}"' in names
            assert re.search(rf'id="ioadr\.[\w.]*\.{name}"', (site / "reference" / page).read_text(encoding="utf-8"))


def test_every_format_is_listed(site: Path) -> None:
    page = (site / "formats.html").read_text(encoding="utf-8")
    assert all(f"<td><code>{item.name}</code></td>" in page for item in formats())


def test_examples_are_shown_whole(site: Path) -> None:
    gallery = (site / "gallery.html").read_text(encoding="utf-8")
    plain = re.sub(r"<[^>]+>", "", gallery)
    for example in (ROOT / "examples").glob("*.py"):
        assert example.read_text(encoding="utf-8").splitlines()[0].strip('"') in plain, example.name


@pytest.mark.browser
def test_search_works_from_the_disk(site: Path) -> None:
    """MkDocs' own loads its index by a request that browsers refuse on file://."""
    from tests.browser import chromium

    with chromium() as browser:
        page = browser.new_page()
        page.goto((site / "results.html").as_uri())
        page.evaluate("document.getElementById('mkdocs-search-query').value = 'min-confidence'")
        page.evaluate("document.getElementById('mkdocs-search-query').dispatchEvent(new Event('keyup'))")
        page.wait_for_selector("#mkdocs-search-results article", state="attached")
        links = page.eval_on_selector_all("#mkdocs-search-results a", "links => links.map(link => link.href)")
    assert any("results.html" in link for link in links)
    assert all(link.startswith("file://") for link in links)


def test_options_do_not_break_and_code_is_readable_in_the_dark(site: Path) -> None:
    assert '<span class="option">--transpose</span>' in (site / "formats.html").read_text(encoding="utf-8")
    style = (site / "site.css").read_text(encoding="utf-8")
    assert ".option { white-space: nowrap; }" in style
    assert "[data-bs-theme=dark] .codehilite .k " in style
