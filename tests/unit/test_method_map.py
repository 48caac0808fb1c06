"""docs/method.md names functions that exist, and leaves out no equation of the paper."""

from __future__ import annotations

import ast
import re

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "ioadr"
NAMED = sorted(set(re.findall(r"`([\w/]+\.py):([\w.]+)`", PAGE)))
LAST = 38
"""Number of the paper's last equation."""


def defined(path: str) -> set[str]:
    """Functions and classes of a module, and what classes hold as `Class.name`."""
    names = set()
    for node in ast.parse((PACKAGE / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{item.name}" for item in node.body if isinstance(item, ast.FunctionDef)}
    return names


def cited(text: str) -> set[int]:
    """Numbers of the equations in `Eq. 8`, `Eqs. 4–5`, `Eqs. 17, 19`."""
    numbers: set[int] = set()
    for listed in re.findall(r"Eqs?\. ([\d–, ]*\d)", text):
        for part in listed.split(","):
            first, _, last = part.strip().partition("–")
            numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


def test_every_function_named_exists() -> None:
    assert [(path, name) for path, name in NAMED if name not in defined(path)] == []


def test_the_page_has_every_equation_once_and_the_algorithm() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| Eq")]
    found = [number for row in rows for number in sorted(cited(row.split("|")[1]))]
    assert found == sorted(found) == list(range(1, LAST + 1))
    assert "| Algorithm 1 |" in PAGE


def test_every_row_of_the_map_names_code() -> None:
    rows = [line for line in PAGE.splitlines() if re.match(r"\| (Eq|Algorithm|§)", line)]
    assert all(re.search(r"`[\w/]+\.py:[\w.]+`", row) for row in rows), rows


def test_docstrings_cite_equations_that_exist() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert cited(path.read_text(encoding="utf-8")) <= set(range(1, LAST + 1)), path


def test_docstrings_and_page_agree() -> None:
    """A function whose docstring cites equations stands in the page's row of at least one of them."""
    rows: dict[tuple[str, str], set[int]] = {}
    for line in PAGE.splitlines():
        if line.startswith("| Eq"):
            for path, name in re.findall(r"`([\w/]+\.py):([\w.]+)`", line):
                rows.setdefault((path, name), set()).update(cited(line.split("|")[1]))
    for (path, name), numbers in rows.items():
        tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                claimed = cited(ast.get_docstring(node) or "")
                assert not claimed or claimed & numbers, (path, name, claimed, numbers)
