"""Meaning of an array's axes, and choice of the array that holds the views.

Lengths decide: images are larger than the grid of views, and channels are few. An ambiguous array is refused, and the
message names the option that decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ioadr.errors import InputError
from ioadr.io.file_places import FEWEST, MAPS, listed
from ioadr.io.options import AXES, Pair, ReadOptions

MOST_CHANNELS = 4
KNOWN = {
    5: ("vuyxc", "vucyx", "yxvuc", "yxcvu", "cvuyx", "cyxvu", "vyuxc", "yvxuc"),
    4: ("vuyx", "nyxc", "ncyx", "cnyx", "yxvu", "yxnc", "yxcn"),
    3: ("nyx", "yxn"),
}
"""Orders of axes that are recognised, by their number; the first is the usual one."""
LARGE = 0.5
"""Size, as a share of the largest array, above which another array could also hold the views."""


@dataclass(frozen=True)
class ArrayAxes:
    """An array's axes by meaning."""

    views: tuple[int, ...]
    """(row, column) of the grid, or one axis of views counted in a row."""
    image: tuple[int, int]
    """Pixel row and column."""
    channel: int | None
    note: str | None = None


def find_layout(path: Path, shape: Sequence[int], options: ReadOptions) -> ArrayAxes:
    """The axes of a 3D to 5D array: given by the user, or identified by their lengths."""
    shape = tuple(int(length) for length in shape)
    if options.axes is not None:
        return _given(path, shape, options.axes)
    known = KNOWN.get(len(shape), ())
    fitting = [letters for letters in known if _fits(letters, shape, options.grid)]
    fitting = [letters for letters in fitting if "c" in letters and shape[letters.index("c")] == 1] or fitting
    if len(fitting) > 1:
        readings = " or ".join(_words(letters) for letters in fitting)
        choices = " or ".join(f"⟦axes {letters}⟧" for letters in fitting)
        raise InputError(
            f"{path}: an array of shape {shape} may be {readings}. Say which with {choices}, or reshape it."
        )
    usual = (len(shape) == 5 and 1 <= shape[4] <= MOST_CHANNELS) or (len(shape) == 4 and min(shape[2:]) > MOST_CHANNELS)
    if not fitting and not usual:
        raise InputError(
            f"{path}: expected an array [rows, columns, height, width, channels], found shape {shape}. Reshape it, "
            "or name its axes with ⟦axes⟧; for a list of views, also give ⟦grid ROWSxCOLUMNS⟧."
        )
    letters = fitting[0] if fitting else known[0]
    plain = letters == KNOWN[5][0] and bool(fitting)
    return _layout(letters, None if plain else f"axes read as {_words(letters)} (⟦axes⟧)")


def _given(path: Path, shape: tuple[int, ...], letters: str) -> ArrayAxes:
    if len(letters) != len(shape):
        raise InputError(
            f"{path}: expected {len(shape)} letters for ⟦axes⟧, as the array has the shape {shape}, found {letters!r}."
        )
    return _layout(letters, None)


def _layout(letters: str, note: str | None) -> ArrayAxes:
    axis = {letter: number for number, letter in enumerate(letters)}
    views = (axis["n"],) if "n" in axis else (axis["v"], axis["u"])
    return ArrayAxes(views, (axis["y"], axis["x"]), axis.get("c"), note)


def _words(letters: str) -> str:
    """The axes in words."""
    return f"[{', '.join(AXES[letter] for letter in letters)}]{'' if 'c' in letters else ', grey'}"


def _fits(letters: str, shape: tuple[int, ...], grid: Pair | None) -> bool:
    """Whether an array of this shape may have these axes."""
    length = dict(zip(letters, shape, strict=True))
    image, channels = min(length["y"], length["x"]), length.get("c", 1)
    if not 1 <= channels <= MOST_CHANNELS:
        return False
    if "n" not in length:
        rows_columns = length["v"], length["u"]
        first = letters in (KNOWN[5][0], KNOWN[4][0])
        return (first and rows_columns == grid) or (grid in (None, rows_columns) and image > max(rows_columns))
    if grid is not None:
        return length["n"] == math.prod(grid) and image > MOST_CHANNELS
    if len(shape) == 3:
        return False
    least = FEWEST if letters == "nyxc" else MOST_CHANNELS + 1
    # Axes of one channel are no colour, and images come first only where they are clearly larger.
    colour = channels > 1 or letters != "cnyx"
    return length["n"] >= least and colour and image > (length["n"] if letters[0] == "y" else MOST_CHANNELS)


def chosen_array(
    path: Path, shapes: Mapping[str, Sequence[int]], usual: str, options: ReadOptions
) -> tuple[str | None, str | None]:
    """The array of a file that holds the views, None if none can, and a note on the others."""
    if options.array is not None:
        if options.array not in shapes:
            choice = f"Give one of its arrays: ⟦array⟧ {listed([*shapes])}" if shapes else "It has none of 3 to 5 axes"
            raise InputError(f"{path}: has no array {options.array!r}. {choice}.")
        return options.array, None
    name = usual if usual in shapes else _likely(path, shapes, options)
    others = [other for other in shapes if other != name]
    return name, f"array {name} read, not {listed(others)} (⟦array⟧)" if name and others else None


def _likely(path: Path, shapes: Mapping[str, Sequence[int]], options: ReadOptions) -> str | None:
    """The largest array that is not a map; None if several could hold the views."""
    possible = {name: shape for name, shape in shapes.items() if len(shape) in KNOWN and min(shape) > 0}
    fitting = {name: shape for name, shape in possible.items() if _holds_views(shape, options)} or possible
    views = {name: shape for name, shape in fitting.items() if not MAPS.search(name.lower())} or fitting
    ordered = sorted(views, key=lambda name: math.prod(views[name]), reverse=True)
    alike = [name for name in ordered if math.prod(views[name]) >= LARGE * math.prod(views[ordered[0]])]
    if len(alike) > 2 and len({tuple(views[name]) for name in alike}) == 1 and len(views[alike[0]]) < 4:
        raise InputError(
            f"{path}: holds {len(alike)} arrays of shape {tuple(views[alike[0]])}, probably one for each view, such as "
            f"{alike[0]}. Join them into one array [rows, columns, height, width, channels], for example with np.stack."
        )
    if len(alike) > 1:
        named = " and ".join(f"{name} {tuple(views[name])}" for name in alike[:6])
        raise InputError(
            f"{path}: holds several arrays that may be the views: {named}. Choose one with ⟦array {alike[0]}⟧."
        )
    return ordered[0] if ordered else None


def _holds_views(shape: Sequence[int], options: ReadOptions) -> bool:
    if options.axes is not None:
        return len(shape) == len(options.axes)
    return any(_fits(letters, tuple(shape), options.grid) for letters in KNOWN[len(shape)])
