"""Rows named by letters: A1.png … E5.png, view_a_01.png, row_a_col_3.png."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ioadr.io.decoding.images import SUFFIXES
from ioadr.io.file_numbers import COLUMNS, NUMBER, ROWS, inside
from ioadr.io.file_pattern import whole_number

ROW_OR_COLUMN = r"(?i:(?<=row)|(?<=col))", r"(?i:(?=row)|(?=col))"
LETTER = re.compile(
    rf"(?:(?<![A-Za-z])|{ROW_OR_COLUMN[0]})[A-Za-z](?:(?![A-Za-z])|{ROW_OR_COLUMN[1]})|(?<=[a-z])[A-Z](?![A-Za-z])"
)
"""A letter that is not part of a word; rowAcol3 and camA-3 have one."""
FEWEST = 3
"""Smallest number of rows and of columns. Two letters are rather the left and the right image."""
WIDEST = 2
"""Largest number of columns per row. Beyond it, letters rather name several captures."""


@dataclass(frozen=True)
class Lettered:
    """A file whose name contains a letter and numbers."""

    file: Path
    stem: str
    at: int
    """Position of the letter in the name."""
    letter: int
    """1 for A."""
    numbers: Sequence[re.Match[str]]


def places_by_letters(folder: Path, files: Sequence[Path]) -> tuple[list[tuple[tuple[int, int], Path]], str] | None:
    """Files by (row, column) and a note, if a letter and a number in the names form a grid; None otherwise."""
    for group in sorted(_groups(folder, files).values(), key=len, reverse=True):
        letters = {name.letter for name in group}
        values = [tuple(whole_number(match[0]) for match in name.numbers) for name in group]
        changing = [column for column, numbers in enumerate(zip(*values, strict=True)) if len(set(numbers)) > 1]
        if len(changing) != 1 or len(letters) < FEWEST or max(letters) - min(letters) >= len(letters):
            continue
        numbers = {value[changing[0]] for value in values}
        if FEWEST <= len(numbers) <= WIDEST * len(letters) and 2 * len(group) > len(letters) * len(numbers):
            return _placed(group, changing[0])
    return None


def lettered_pattern(folder: Path, files: Sequence[Path]) -> str | None:
    """Pattern that reads names as rows and columns although they may be several captures; None without letters."""
    for group in sorted(_groups(folder, files).values(), key=len, reverse=True):
        changing = [
            column for column in zip(*(name.numbers for name in group), strict=True) if len({m[0] for m in column}) > 1
        ]
        if len(changing) == 1 and len({name.letter for name in group}) >= FEWEST:
            number, name = changing[0][0], group[0]
            fields = sorted(((name.at, name.at + 1), _digits(number)), reverse=True)
            text = name.stem
            for (start, end), field in zip(fields, ("{col}", "{row}"), strict=True):
                text = text[:start] + field + text[end:]
            return text + name.file.suffix
    return None


def _groups(folder: Path, files: Sequence[Path]) -> Mapping[str, list[Lettered]]:
    """Files whose names agree except for a letter, marked by @, and numbers, marked by #."""
    groups: dict[str, list[Lettered]] = defaultdict(list)
    for file in files:
        stem = inside(folder, file.with_suffix(""))
        numbers = list(NUMBER.finditer(stem))
        for letter in LETTER.finditer(stem) if numbers and file.suffix.lower() in SUFFIXES else ():
            template = NUMBER.sub("#", f"{stem[: letter.start()]}@{stem[letter.end() :]}").lower()
            name = Lettered(file, stem, letter.start(), whole_number(letter[0]), numbers)
            groups[template].append(name)
    return groups


def _placed(group: Sequence[Lettered], column: int) -> tuple[list[tuple[tuple[int, int], Path]], str]:
    """The first of letter and number is the row, unless words such as col_a_row_3 say otherwise."""
    first = group[0]
    at = first.numbers[column].start()
    letter, number = _word(first.stem[: first.at]), _word(first.stem[first.at + 1 if first.at < at else 0 : at])
    is_row = letter in ROWS or number in COLUMNS
    is_row = is_row or (first.at < at and letter not in COLUMNS and number not in ROWS)
    places = []
    for name in group:
        count = whole_number(name.stem[slice(*_digits(name.numbers[column]))])
        places.append(((name.letter, count) if is_row else (count, name.letter), name.file))
    kinds = ("rows", "columns") if is_row else ("columns", "rows")
    return places, f"letters in names such as {first.file.name} are {kinds[0]}, numbers {kinds[1]} (⟦transpose⟧)"


def _digits(number: re.Match[str]) -> tuple[int, int]:
    """Start and end of a number; a minus after a word is a dash."""
    dash = number[0][0] in "-−" and number.string[: number.start()][-1:].isalnum()
    return number.start() + dash, number.end()


def _word(text: str) -> str:
    """The word at the end of a text, before at most one separator."""
    match = re.search(r"([a-z]+)[^a-z0-9]?$", text.lower())
    return match[1] if match else ""
