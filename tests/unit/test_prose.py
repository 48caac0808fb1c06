"""Pages, help, docstrings and messages are plain English: `tests/prose.toml` has the rules."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ioadr.app.cli import COMMANDS, group

ROOT = Path(__file__).parents[2]
RULES = tomllib.loads((ROOT / "tests" / "prose.toml").read_text(encoding="utf-8"))
TITLES = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
FORMS = sorted((ROOT / ".github").rglob("*.md"))
PAGES = [*(ROOT / name for name in TITLES), *FORMS, *sorted((ROOT / "docs").glob("*.md"))]
NOTES = [*sorted((ROOT / "docs" / "decisions").glob("*.md")), *sorted((ROOT / "docs" / "research").glob("*.md"))]
"""Records of what was decided: lists of figures may make long sentences."""
SOURCES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "examples").glob("*.py"), *(ROOT / "scripts").glob("*.py")])
TESTS = sorted((ROOT / "tests").rglob("*.py"))
TEMPLATES = sorted((ROOT / "src").rglob("*.j2"))
SCRIPTS = sorted((ROOT / "src").rglob("*.js"))
STARTS = re.compile(r" *([-*] |\d+\. |#)")
WORDS = re.compile(r"""(?<=["'`>])[A-Za-z][^"'`<>]* [^"'`<>]*(?=["'`<])""")
"""Strings of a script that are more than one word."""
QUOTED = re.compile(r"`[^`]*`|\]\([^)]*\)|<[^>]*>")


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Number and text of the lines of prose, without code, tables, pictures and generated parts."""
    fenced = generated = False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.lstrip().startswith("```")
        generated = generated or line.startswith("<!-- figures:")
        if not (fenced or generated or line.lstrip().startswith(("|", ">", "```", "![", "<", "    "))):
            yield number, line


def paragraphs(text: str) -> Iterator[list[tuple[int, str]]]:
    """Lines of prose that follow each other; a list item, a heading or an empty line starts a new paragraph."""
    block: list[tuple[int, str]] = []
    for number, line in prose(text):
        if block and (number != block[-1][0] + 1 or not line.strip() or STARTS.match(line)):
            yield block
            block = []
        if line.strip():
            block.append((number, line))
    yield block


def faults(text: str, kind: str = "instead") -> list[str]:
    """Violations of the rules of this kind, also across line breaks, with the line in which they end."""
    found = []
    for block in paragraphs(text):
        plain = [(number, QUOTED.sub("", line)) for number, line in block]
        joined = "\n".join(line for _, line in plain)
        for pattern, advice in RULES[kind].items():
            for match in re.finditer(pattern, joined.replace("\n", " "), re.IGNORECASE):
                number = plain[joined[: match.end()].count("\n")][0]
                found.append((number, f"line {number}: {match[0]!r}: {advice}"))
    return [fault for _, fault in sorted(found, key=lambda item: item[0])]


def wide(text: str) -> list[str]:
    """Lines that an editor would wrap, except those that are mostly code or a link."""
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
    assert faults(text) + faults(text, "pages") == []
    assert wide(text) == []
    assert long_sentences(text) == []


def test_decisions_and_changelog_are_plain_english():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    texts = {path.name: path.read_text(encoding="utf-8") for path in NOTES} | {"CHANGELOG.md": changes}
    assert {
        name: found for name, text in texts.items() if (found := faults(text) + faults(text, "pages") + wide(text))
    } == {}


def bare_decimals(text: str) -> list[str]:
    """Decimals without a zero before the point, outside code."""
    plain = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"(?<![\w.)\]])\.\d+", QUOTED.sub("", plain))


@pytest.mark.parametrize("page", [*PAGES, *NOTES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_decimals_have_a_leading_zero(page):
    assert bare_decimals(page.read_text(encoding="utf-8")) == []
    assert bare_decimals("| .07 | 0.07 |, `.5`, −.25, x.5 and ...5") == [".07", ".25"]


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of every docstring and message of a module."""
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") > 1:
            yield node.lineno, node.value


def test_docstrings_and_messages_are_plain_english():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {fault}"
        for path in SOURCES
        for line, text in strings(path)
        for fault in faults(re.sub(r"\n +", " ", text))
    ]
    assert found == []


def test_docstrings_of_tests_are_plain_english():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {fault}"
        for path in TESTS
        for line, text in docstrings(path)
        for fault in faults(re.sub(r"\n +", " ", text))
    ]
    assert found == []


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of every docstring, those of constants and fields among them."""
    for node in nodes(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def test_docstrings_start_with_a_noun_or_a_verb():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {fault}"
        for path in SOURCES
        for line, text in docstrings(path)
        for fault in faults(text.partition("\n")[0], "docstrings")
    ]
    assert found == []


def test_templates_are_plain_english():
    texts = {path.name: re.sub(r"\{[{%#].*?[}%#]\}|^ +", "", path.read_text(encoding="utf-8")) for path in TEMPLATES}
    assert {name: found for name, text in texts.items() if (found := faults(re.sub("<[^>]*>", "", text)))} == {}


def test_strings_of_scripts_are_plain_english():
    texts = {path.name: WORDS.findall(path.read_text(encoding="utf-8")) for path in SCRIPTS}
    assert sum(map(len, texts.values())) > 200
    assert {name: found for name, words in texts.items() if (found := faults("\n\n".join(words)))} == {}


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_plain_english(name):
    text = CliRunner().invoke(group, [*name.split(), "--help"]).output
    assert "Usage:" in text
    assert faults(re.sub(r"^ +", "", text, flags=re.MULTILINE)) == []


@pytest.mark.parametrize(
    ("kind", "pattern"), [(kind, pattern) for kind in ("instead", "pages", "docstrings") for pattern in RULES[kind]]
)
@settings(max_examples=3, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_rule_can_fail(kind, pattern, data):
    followed = pattern if pattern.endswith("$") else f"(?:{pattern}) here"
    no_code = st.characters(min_codepoint=ord(" "), max_codepoint=ord("~"), exclude_characters="`<]")  # see QUOTED
    text = data.draw(st.from_regex(re.compile(followed, re.ASCII), fullmatch=True, alphabet=no_code))
    assert any(fault.endswith(f": {RULES[kind][pattern]}") for fault in faults(text, kind))


def test_the_rules_find_what_they_are_for():
    assert faults("We found none. Whoever reads it starts anew.") == [
        "line 1: 'found none': say what is missing, or what cannot be combined",
        "line 1: 'Whoever': anyone who, or name the reader: you",
        "line 1: 'anew': again",
    ]
    assert faults("Of one core.", "docstrings") == ["line 1: 'Of ': start with the noun: number of …, size of …"]
    assert faults("We found\nnone.\n\nWe found\n\nnone.") == [
        "line 2: 'found none': say what is missing, or what cannot be combined"
    ]
    assert wide("a " * 70) == ["line 1: 140 columns"]
    assert faults("| found none |\n```\nanew\n```\n`anew`") == []
    assert long_sentences("word " * 60) != []
