"""Every page and picture of the documentation is found from its index or from the README."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import ROOT

DOCS = ROOT / "docs"


def linked(page: Path) -> set[Path]:
    """Files that a page links or shows."""
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets if "://" not in target}


def test_the_index_links_every_page() -> None:
    missing = {page.resolve() for page in DOCS.rglob("*.md")} - linked(DOCS / "README.md") - {DOCS / "README.md"}
    assert not missing


def test_every_picture_is_shown_somewhere() -> None:
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    shown = set().union(*map(linked, pages))
    pictures = [path.resolve() for path in (DOCS / "images").iterdir()]
    assert pictures
    assert not set(pictures) - shown


def test_pictures_are_small() -> None:
    assert all(path.stat().st_size < 400_000 for path in (DOCS / "images").iterdir())
