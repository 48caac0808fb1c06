"""Pages and help are plain English: `tests/prose.toml` has the rules."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from ioadr.app.cli import COMMANDS, group

ROOT = Path(__file__).parents[2]
RULES = tomllib.loads((ROOT / "tests" / "prose.toml").read_text(encoding="utf-8"))
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")), *(ROOT / "docs").glob("*.md")]
QUOTED = re.compile(r"`[^`]*`|\]\([^)]*\)|<[^>]*>")


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Number and text of the lines that are neither code nor tables, pictures or generated."""
    fenced = generated = False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.lstrip().startswith("```")
        generated = generated or line.startswith("<!-- figures:")
        if not (fenced or generated or line.lstrip().startswith(("|", ">", "```", "![", "<", "    "))):
            yield number, line


def faults(text: str) -> list[str]:
    """What the rules find in lines of prose."""
    plain = [(number, QUOTED.sub("", line)) for number, line in prose(text)]
    return [
        f"line {number}: {match[0]!r}: {advice}"
        for number, line in plain
        for pattern, advice in RULES["instead"].items()
        for match in re.finditer(pattern, line, re.IGNORECASE)
    ]


def wide(text: str) -> list[str]:
    """Lines that an editor would have to wrap; those that are mostly code or a link may be long."""
    most = RULES["widest_line"]
    lines = [(number, line) for number, line in prose(text) if len(line) > most < 2 * len(QUOTED.sub("", line))]
    return [f"line {number}: {len(line)} columns" for number, line in lines]


def long_sentences(text: str) -> list[str]:
    words = re.sub(r"\s+", " ", "\n".join(QUOTED.sub("x", line) or "\n\n." for _, line in prose(text)))
    sentences = re.split(r"(?<=[.!?:;])\s|\s(?=[-*] )|\s(?=#)", words)
    return [sentence[:80] for sentence in sentences if len(sentence.split()) > RULES["longest_sentence"]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_are_plain_english(page):
    text = page.read_text(encoding="utf-8")
    assert faults(text) == []
    assert wide(text) == []
    assert long_sentences(text) == []


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_plain_english(name):
    text = CliRunner().invoke(group, [*name.split(), "--help"]).output
    assert "Usage:" in text
    assert faults(re.sub(r"^ +", "", text, flags=re.MULTILINE)) == []


def test_the_rules_find_what_they_are_for():
    assert faults("We found none. Whoever asks is told anew.") == [
        "line 1: 'found none': say what is missing, or what cannot be combined",
        "line 1: 'Whoever': anyone who, or name the reader: you",
        "line 1: 'anew': again",
    ]
    assert wide("a " * 70) == ["line 1: 140 columns"]
    assert faults("| found none |\n```\nanew\n```\n`anew`") == []
    assert long_sentences("word " * 60) != []
