"""Meaning of the numbers in file names: rows and columns, a count, or neither."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ioadr.io.file_pattern import whole_number

NUMBER = re.compile(r"[-+−]?\d{1,9}")
LARGEST_ROW = 99
"""Largest constant number that can be a row; larger ones, such as years, cannot."""
BETWEEN = re.compile(r"[^a-z0-9]?(row|col|[rcxyuvst])?[^a-z0-9]?", re.IGNORECASE)
"""Characters between a row and a column."""
COLUMNS, ROWS = {"x", "u", "s", "c", "col", "column"}, {"y", "v", "t", "r", "row"}
"""Words before the number of a column, and of a row."""

TIMES = {"frame", "frames", "time", "ev", "exp", "exposure", "iso", "take"}
"""Words before numbers that do not count views."""

Numbers = tuple[int, ...]


def numbers_in_names(folder: Path, files: Sequence[Path]) -> Iterator[tuple[Numbers, Path]]:
    """The numbers in names that otherwise agree. A minus after a word is a dash if all names have it."""
    digits = [list(NUMBER.finditer(inside(folder, file.with_suffix("")))) for file in files]

    def dashed(match: re.Match[str]) -> bool:
        return match[0][0] in "-−" and match.string[: match.start()][-1:].isalnum()

    dashes = [all(map(dashed, column)) for column in zip(*digits, strict=True)]
    for matches, file in zip(digits, files, strict=True):
        numbers = [whole_number(match[0]) for match in matches]
        yield tuple(abs(number) if dash else number for number, dash in zip(numbers, dashes, strict=True)), file


def no_grid(group: Iterable[Numbers], changing: Sequence[int]) -> str | None:
    """Why numbers cannot be rows and columns: more than two vary, one differs in every file, or few pairs occur."""
    columns = [[numbers[column] for numbers in group] for column in changing]
    distinct = [len(set(values)) for values in columns]
    if len(columns[0]) in distinct:
        return ", one of which is different in every file"
    if len(changing) > 2:
        return ", which are too many for rows and columns"
    # A cross has a file less than it has rows and columns.
    scattered = len(columns[0]) < sum(distinct) - 1
    return f", too few for {distinct[0]} rows and {distinct[1]} columns" if scattered else None


def row_and_column(folder: Path, file: Path, changing: Sequence[int]) -> tuple[int, int, tuple[str, ...]]:
    """Which number is the row and which the column: the second, unless words such as x and y say otherwise."""
    first, second = words_before(folder, file, changing)
    if first in COLUMNS and second in ROWS:
        return changing[1], changing[0], (f"{first} in the names is the column, {second} the row (⟦transpose⟧)",)
    return changing[0], changing[1], ()


def words_before(folder: Path, file: Path, numbers: Sequence[int]) -> list[str]:
    """The word before each of these numbers of a name; empty if there is none."""
    stem = inside(folder, file.with_suffix(""))
    starts = [match.start() for match in NUMBER.finditer(stem)]
    before = (re.search(r"([a-z]*)[^a-z]*$", stem[: starts[number]].lower()) for number in numbers)
    return [match[1] if match else "" for match in before]


def other_place(folder: Path, group: Mapping[Numbers, Path], column: int) -> int | None:
    """The constant number next to the changing one, if it looks like the row or column of a line."""
    stems = [inside(folder, file.with_suffix("")) for file in group.values()]
    matches = list(NUMBER.finditer(stems[0]))
    width = min(len(NUMBER.findall(stem)[column]) for stem in stems)
    for low, high, beside in ((column - 1, column, column - 1), (column, column + 1, column + 1)):
        if low < 0 or high >= len(matches) or len(matches[beside][0]) != width:
            continue
        between = stems[0][matches[low].end() : matches[high].start()]
        if abs(whole_number(matches[beside][0])) <= LARGEST_ROW and BETWEEN.fullmatch(between):
            return beside
    return None


def inside(folder: Path, file: Path) -> str:
    """The name of a file, with the folders between."""
    return file.relative_to(folder).as_posix()
