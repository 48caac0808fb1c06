"""Patterns of file names with {row}, {col} or {index}, such as `view_{index:03d}.jpg`."""

from __future__ import annotations

import re

from ioadr.errors import InputError

FIELD = re.compile(r"\{(\w+)(?::0?(\d*)d?)?\}")
NAMES = {"row": 0, "col": 1, "column": 1, "index": 0}


class FilePattern:
    """Finds the numbers of a view in its file's name."""

    def __init__(self, text: str) -> None:
        self.text = text
        names = [match[1] for match in FIELD.finditer(text)]
        placed = sorted(NAMES.get(name, -1) for name in names) == [0, 1] and "index" not in names
        if text.startswith("/") or ".." in text.split("/") or not (placed or names == ["index"]):
            raise InputError(
                f"⟦pattern⟧: expected a file name in the folder with {{row}} and {{col}}, or with {{index}}, "
                f"found {text!r}. For example '{{row}}_{{col}}.png' or 'view_{{index:03d}}.jpg'."
            )
        self._names = names
        self._expression = re.compile(self._regular_expression())

    @property
    def glob(self) -> str:
        """For pathlib: matches all that the pattern matches, and more."""
        literal = re.sub(r"([\[*?])", r"[\1]", FIELD.sub("\0", self.text))
        return re.sub("\0+", "*", literal)

    def place(self, name: str) -> tuple[int, ...] | None:
        """(row, column) or (index,) of a file name, None if it does not match."""
        match = self._expression.fullmatch(name)
        if match is None:
            return None
        found = {NAMES[field]: int(digits) for field, digits in zip(self._names, match.groups(), strict=True)}
        return tuple(found[axis] for axis in sorted(found))

    def _regular_expression(self) -> str:
        """Digits of a field: as many as its format says, or more where no other field follows at once."""
        parts, end = [], 0
        for match in FIELD.finditer(self.text):
            parts.append(re.escape(self.text[end : match.start()]))
            end = match.end()
            followed = FIELD.match(self.text, end) is not None
            width = match[2] or "1"
            parts.append(f"(\\d{{{width}}})" if followed and match[2] else f"(\\d{{{width},9}})")
        return "".join(parts) + re.escape(self.text[end:])
