"""The glossary of the explorer is that of the concepts page."""

from __future__ import annotations

from pathlib import Path

from ioadr.app.words.glossary import GLOSSARY

PAGE = Path(__file__).resolve().parents[4] / "docs" / "concepts.md"


def test_the_page_has_every_word():
    rows = [
        line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")
    ]
    assert dict(row for row in rows if row[0] != "word") == GLOSSARY
