"""Finds the views among the images of a folder, and their positions from file names.

Decisions that names leave open are made here and reported, with the option that changes them; ambiguous names are
refused.
"""

from __future__ import annotations

import math
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ioadr.errors import InputError
from ioadr.io.capture import check_grid
from ioadr.io.decoding.images import SUFFIXES
from ioadr.io.file_letters import lettered_pattern, places_by_letters
from ioadr.io.file_numbers import (
    NUMBER,
    TIMES,
    Numbers,
    inside,
    no_grid,
    numbers_in_names,
    other_place,
    row_and_column,
    words_before,
)
from ioadr.io.file_pattern import FilePattern
from ioadr.io.options import Pair, ReadOptions

FEWEST = 3
"""Smallest number of views of a light field."""
NAMED = 6
"""Number of files that a message lists."""
MAPS = re.compile(r"(^|[^a-z])(depth|disp|mask|normal|label|seg|conf|occlusion|gt|thumb|preview)")
"""Names of maps and previews in the folder of the views."""
ALL_VIEWS = re.compile(r"eslf|_qs\d+x\d+a[\d.]+$", re.IGNORECASE)
"""Names of images that each contain a whole light field."""


@dataclass(frozen=True)
class Places:
    """Files by position and by number. Both are filled for a line, which the user may fold into a grid."""

    grid: Mapping[Pair, Path]
    """Files by (row, column)."""
    counted: Mapping[int, Path]
    """Files by number."""
    notes: tuple[str, ...] = ()


def images_in(folder: Path) -> list[Path]:
    """The image files of a folder, in order; hidden ones, such as the ._NAME.png of macOS, are skipped."""
    with os.scandir(folder) as entries:  # knows which of them are files, and names sort faster than paths
        names = sorted(entry.name for entry in entries if not entry.name.startswith(".") and _is_image(entry))
    return [folder / name for name in names]


def _is_image(entry: os.DirEntry[str]) -> bool:
    if os.path.splitext(entry.name)[1].lower() not in SUFFIXES:
        return False
    return entry.is_file(follow_symlinks=False) or Path(entry.path).is_file()


def matching(folder: Path, name: re.Pattern[str]) -> dict[Path, re.Match[str]]:
    """Image files that match a pattern, with their positions."""
    matches = ((file, name.fullmatch(file.name)) for file in images_in(folder))
    return {file: match for file, match in matches if match}


def has_numbered_images(folder: Path) -> bool:
    """Whether a folder holds enough images whose names differ only in numbers."""
    return any(len(group) >= FEWEST for group in _alike(folder, images_in(folder)).values())


def placed_by_pattern(folder: Path, text: str, grid: Pair | None = None) -> Places:
    """Views placed by the pattern's {row} and {col}, by its {index}, or by the numbers in the names it selects."""
    pattern = FilePattern(text)
    files = _matched(folder, pattern)
    if not files:
        pattern = FilePattern(text, letters=True)
        files = _matched(folder, pattern)
    if not files:
        examples = ", ".join(sorted(file.name for file in folder.iterdir())[:3]) or "an empty folder"
        raise InputError(
            f"{folder}/: no file matches ⟦pattern {text}⟧; there are {examples}. "
            "Write {row}, {col} or {index} where the numbers are."
        )
    if not pattern.fields:
        return placed_by_names(folder, files, grid)
    places = unique(folder, ((pattern.place(inside(folder, file)) or (), file) for file in files))
    return Places(_pairs(places), {key[0]: file for key, file in places.items() if len(key) == 1})


def placed_by_names(folder: Path, files: Sequence[Path], grid: Pair | None = None) -> Places:
    """Views whose names differ only in numbers: two that change are row and column, one is a count or a line.

    Names that say neither, such as times, are in the order of their numbers if `grid` has a place for each.
    """
    lettered = places_by_letters(folder, [file for file in files if not MAPS.search(file.stem.lower())])
    if lettered:
        return Places(_pairs(unique(folder, lettered[0])), {}, (lettered[1],))
    views, notes = _views_among(folder, _alike(folder, files))
    group = unique(folder, numbers_in_names(folder, views))
    changing = [column for column, values in enumerate(zip(*group, strict=True)) if len(set(values)) > 1]
    if len(changing) == 1:
        return _counted_or_line(folder, group, changing[0], notes)
    reason = no_grid(group, changing)
    if reason and grid and math.prod(grid) == len(group):
        return Places({}, dict(enumerate(group[key] for key in sorted(group))), (*notes, in_order(views)))
    if reason:
        raise InputError(
            f"{folder}/: cannot derive the grid from the {len(changing)} numbers that change in names like "
            f"{views[0].name}{reason}. Mark row and column with ⟦pattern⟧ (* stands for anything else in a name), or "
            f"read all {len(group)} files in the order of their numbers with ⟦grid {likely_grid(len(group))}⟧, "
            f"or ⟦grid 1x{len(group)}⟧ for a line."
        )
    for word in words_before(folder, views[0], changing):
        if word in TIMES:
            raise InputError(
                f"{folder}/: holds several images for each view: the numbers after {word!r} in names like "
                f"{views[0].name} do not count views. Choose one of each with ⟦pattern⟧; if they do count views, "
                "mark them in it with {row} and {col}."
            )
    row, column, note = row_and_column(folder, views[0], changing)
    return Places({(key[row], key[column]): file for key, file in group.items()}, {}, (*notes, *note))


def in_order(files: Sequence[Path]) -> str:
    """Note on files whose numbers do not count views."""
    return f"{len(files)} files such as {files[0].name} read in the order of their numbers: ⟦grid⟧ has as many views"


def likely_grid(count: int) -> str:
    """Grid to suggest: a square, or a placeholder."""
    side = math.isqrt(count)
    return f"{side}x{side}" if side**2 == count else "ROWSxCOLUMNS"


def too_few(folder: Path, count: int) -> InputError:
    """Error for a folder with fewer images than a light field needs."""
    images = "1 image" if count == 1 else f"{count} images"
    return InputError(
        f"{folder}/: holds only {images}; a light field needs at least {FEWEST} views. Add the others; "
        "if one image holds all of them, give that image."
    )


def unique(folder: Path, files: Iterable[tuple[Numbers, Path]]) -> dict[Numbers, Path]:
    """Files by position; two files for one position are refused."""
    files_at: dict[Numbers, Path] = {}
    for place, file in files:
        if place in files_at:
            raise InputError(
                f"{folder}/: two files for the same view {', '.join(map(str, place))}: "
                f"{inside(folder, files_at[place])} and {inside(folder, file)}. Remove one, or choose the files with "
                f"⟦pattern⟧, such as ⟦pattern '*{file.suffix}'⟧."
            )
        files_at[place] = file
    return files_at


def regular(numbers: Iterable[int]) -> dict[int, int]:
    """Numbers in file names → index from 0; a common step, as in 0, 10, 20, counts as one."""
    values = sorted(set(numbers))
    step = math.gcd(*(value - values[0] for value in values)) or 1
    return {value: (value - values[0]) // step for value in values}


def counted_grid(path: Path, count: int, options: ReadOptions, which: str = "") -> tuple[Pair, str | None]:
    """The grid of counted views, and notes about how it was chosen."""
    side = math.isqrt(count)
    grid = options.grid or (side, side)
    if grid[0] * grid[1] != count:
        filled = "a square grid" if options.grid is None else f"the grid of {grid[0]}×{grid[1]}"
        raise InputError(
            f"{path}: {count} views{which and which + ','} do not fill {filled}. Give the grid of all with "
            f"⟦grid ROWSxCOLUMNS⟧ (⟦grid 1x{count}⟧ is a line), then choose fewer with ⟦views⟧."
        )
    check_grid(path, grid)
    along = {"row": "along rows", "column": "along columns"}.get(options.counting, options.counting)
    note = f"{count} views{which}: read as a {side}×{side} grid, {along} (⟦grid 1x{count}⟧ for a line, ⟦order⟧)"
    return grid, None if options.grid else note


def listed(names: Sequence[object]) -> str:
    """The first names, followed by … if there are more."""
    return ", ".join(map(str, names[:NAMED])) + (" …" if len(names) > NAMED else "")


def _matched(folder: Path, pattern: FilePattern) -> list[Path]:
    files = (file for file in sorted(folder.glob(pattern.glob)) if pattern.matches(inside(folder, file)))
    return [file for file in files if file.is_file() and not file.name.startswith(".")]


def _pairs(places: Mapping[Numbers, Path]) -> dict[Pair, Path]:
    return {(key[0], key[1]): file for key, file in places.items() if len(key) == 2}


def _alike(folder: Path, files: Iterable[Path]) -> Mapping[str, list[Path]]:
    """Files grouped by name with # for numbers; file types may differ."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for file in files:
        is_view = file.suffix.lower() in SUFFIXES and NUMBER.search(file.stem) and not ALL_VIEWS.search(file.stem)
        if is_view:
            groups[NUMBER.sub("#", inside(folder, file.with_suffix(""))).lower()].append(file)
    return groups


def _views_among(folder: Path, groups: Mapping[str, list[Path]]) -> tuple[list[Path], tuple[str, ...]]:
    """The group of files that are views; maps are skipped, and ambiguous groups are refused."""
    large = {name: files for name, files in groups.items() if len(files) >= FEWEST}
    views = {name: files for name, files in large.items() if not MAPS.search(name)} or large
    ordered = sorted(views.values(), key=len, reverse=True)
    if not ordered:
        raise InputError(
            f"{folder}/: holds no images; at least {FEWEST} are needed, whose names differ in their numbers. "
            "Describe them with ⟦pattern⟧, such as ⟦pattern '{row}_{col}.png'⟧."
        )
    chosen = ordered[0]
    if len(ordered) > 1 and 2 * len(ordered[1]) >= len(chosen):
        listed = " and ".join(f"{len(files)} like {inside(folder, files[0])}" for files in ordered)
        example = NUMBER.sub("*", inside(folder, chosen[0].with_suffix(""))) + chosen[0].suffix
        rows = lettered_pattern(folder, [file for files in ordered for file in files])
        grid = f" If the letters are rows or columns, read all with ⟦pattern '{rows}'⟧." if rows else ""
        raise InputError(
            f"{folder}/: holds several sets of views: {listed}. "
            f"Choose one with ⟦pattern⟧, such as ⟦pattern '{example}'⟧.{grid}"
        )
    doubt = MAPS.search(next(name for name, files in views.items() if files is chosen))
    note = f"files named like maps ({chosen[0].name}) are read as views, because there are no others"
    return chosen, (note,) if doubt else ()


def _counted_or_line(folder: Path, group: Mapping[Numbers, Path], column: int, notes: tuple[str, ...]) -> Places:
    """Views with one varying number: it counts the views of a grid, unless the number next to it makes them a line."""
    counted = {key[column]: file for key, file in group.items()}
    beside = other_place(folder, group, column)
    # Numbers of which most are missing are no positions, but times, such as 08.06.17 and 08.06.21.
    if beside is None or max(regular(counted).values()) >= 2 * len(counted):
        return Places({}, counted, notes)
    first, folded = next(iter(group)), likely_grid(len(group))
    kind, low, high = ("row", beside, column) if beside < column else ("column", column, beside)
    note = f"in all names the {kind} is {first[beside]}: {len(group)} views in a line (⟦grid {folded}⟧ for a grid)"
    return Places({(key[low], key[high]): file for key, file in group.items()}, counted, (*notes, note))
