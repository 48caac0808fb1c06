"""Patterns of file names, such as `view_{index:03d}.jpg`, `{row}_{col}.png` or `left_*.png`.

`{row}` and `{col}` are the position of a view, as numbers or, if no name has them, as letters. `{index}` counts views,
and `*` matches anything inside a name.
"""

from __future__ import annotations

import re
from pathlib import PureWindowsPath

from ioadr.errors import InputError

FIELD = re.compile(r"\{(\w+)(?::0?(\d*)d?)?\}")
NAMES = {"row": "row", "col": "col", "column": "col", "index": "index"}
ALLOWED: tuple[list[str], ...] = ([], ["row"], ["col"], ["col", "row"], ["index"], ["col", "index", "row"])
"""Sorted fields that a pattern may have; next to a row and a column, an index may be any number."""
Place = tuple[int, int] | tuple[int]


class FilePattern:
    """Finds the numbers of a view in its file's name."""

    def __init__(self, text: str, letters: bool = False) -> None:
        self.text = text
        self.letters = letters
        self.fields = [NAMES.get(match[1], "") for match in FIELD.finditer(text)]
        inside = not PureWindowsPath(text).anchor and ".." not in PureWindowsPath(text).parts
        if not inside or sorted(self.fields) not in ALLOWED or not (self.fields or "*" in text):
            raise InputError(
                f"⟦pattern⟧: expected a file name in the folder with {{row}} and {{col}}, with {{index}}, or with *, "
                f"found {text!r}. For example '{{row}}_{{col}}.png', 'view_{{index:03d}}.jpg' or 'left_*.png'."
            )
        self._expression = re.compile(self._regular_expression())

    @property
    def glob(self) -> str:
        """A glob for pathlib that matches at least everything the pattern matches."""
        literal = re.sub(r"([\[?])", r"[\1]", FIELD.sub("*", self.text))
        return re.sub(r"\*+", "*", literal)

    def matches(self, name: str) -> bool:
        return self._expression.fullmatch(name) is not None

    def place(self, name: str) -> Place | None:
        """(row, column) or (index,) of a file name, None if it does not match; a row or column alone makes a line."""
        match = self._expression.fullmatch(name)
        if match is None or not self.fields:
            return None
        numbers = {field: whole_number(text) for field, text in zip(self.fields, match.groups(), strict=True)}
        if "row" in numbers or "col" in numbers:
            return numbers.get("row", 0), numbers.get("col", 0)
        return (numbers["index"],)

    def _regular_expression(self) -> str:
        """The pattern as a regular expression; a field may have extra digits unless another field follows."""
        parts, end = [], 0
        for match in FIELD.finditer(self.text):
            parts.append(_literal(self.text[end : match.start()]))
            end = match.end()
            followed = FIELD.match(self.text, end) is not None
            width = match[2] or "1"
            letter = "|[A-Za-z]" if self.letters and NAMES.get(match[1]) in ("row", "col") else ""
            digits = f"\\d{{{width}}}" if followed and match[2] else f"[-+−]?\\d{{{width},9}}"
            parts.append(f"({digits}{letter})")
        return "".join(parts) + _literal(self.text[end:])


def whole_number(text: str) -> int:
    """A number of a file name, with either sign for minus; a letter counts from A = 1."""
    return ord(text.lower()) - ord("a") + 1 if text.isalpha() else int(text.replace("−", "-"))


def _literal(text: str) -> str:
    return re.sub(r"(?:\\\*)+", "[^/]*", re.escape(text))
