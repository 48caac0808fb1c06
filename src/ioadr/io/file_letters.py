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

LETTER = re.compile(r"(?:(?<![a-z])|(?<=row)|(?<=col))[a-z](?:(?![a-z])|(?=row)|(?=col))", re.IGNORECASE)
"""A letter that is not part of a word; rowAcol3 has one."""
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
    is_column = _word(first.stem, first.at) in COLUMNS or _word(first.stem, at) in ROWS
    is_row = _word(first.stem, first.at) in ROWS or _word(first.stem, at) in COLUMNS
    is_row = is_row or (not is_column and first.at < at)
    places = []
    for name in group:
        number = abs(whole_number(name.numbers[column][0]))
        places.append(((name.letter, number) if is_row else (number, name.letter), name.file))
    kinds = ("rows", "columns") if is_row else ("columns", "rows")
    return places, f"letters in names such as {first.file.name} are {kinds[0]}, numbers {kinds[1]} (⟦transpose⟧)"


def _word(stem: str, at: int) -> str:
    """The word before a position, behind at most one separator."""
    match = re.search(r"([a-z]+)[^a-z0-9]?$", stem[:at].lower())
    return match[1] if match else ""
