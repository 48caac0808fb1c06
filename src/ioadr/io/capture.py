"""A reader's description of a light field before any sample is decoded.

Subsets, flips and size checks work on this description, so that only requested views are read and nothing is
allocated before its size is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera
from ioadr.consistency.order import NOT_JUDGED, Order
from ioadr.errors import InputError
from ioadr.lightfield import DisparityRange
from ioadr.part import Part, Window

MOST_VIEWS = 65536


Loader = Callable[[Sequence[int], Window], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Capture:
    """A light field as stored in files; the grid is [L, K], row 0 on top, column 0 at the left."""

    format: str
    path: Path
    index: NDArray[np.intp]
    """[L, K]: number of each view, as `load` expects it."""
    height: int
    width: int
    channels: int
    """Number of stored channels: 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha."""
    dtype: np.dtype[Any]
    load: Loader
    """(view numbers, window) → [V, window height, window width, channels]."""
    names: Sequence[str]
    """Names of the views for messages, by view number."""
    available: NDArray[np.bool_] = field(default_factory=lambda: np.array(True))
    """[L, K], False where there is no view."""
    counted: bool = False
    """Whether the order of counting, along rows or columns, has already been applied."""
    required: NDArray[np.bool_] = field(default_factory=lambda: np.array(False))
    """[L, K], True where a view that is not available is an error."""
    declared_by: str | None = None
    """Name of the file that defines the number of views."""
    positions: NDArray[np.float64] | None = None
    """[L, K, 2] (row, column) or [L, K, 3] (and towards the scene) in baseline units; None means a regular grid."""
    name: str | None = None
    """Name of the light field; None means the name of the path."""
    camera: Camera | None = None
    stored_part: Part | None = None
    """Part of the camera's image that the views show; None means all of it."""
    range: DisparityRange | None = None
    reference: int | None = None
    """Number of the view to estimate."""
    eta: tuple[float, float] | None = None
    white: float | None = None
    weighted: bool = False
    """The last of 2 or 4 channels is a weight (0 = no light reached the pixel), not transparency."""
    trusted: bool = False
    """Whether rows and columns are certainly in our order, so that no test is needed."""
    order: Order = NOT_JUDGED
    """Finding about the order of the views, before it was corrected."""
    put_right: bool = False
    """Whether the order was corrected."""
    scaled: float = 1.0
    """Part of the requested scale that the reader applies itself; sizes, camera and range already include it."""
    notes: tuple[str, ...] = field(default_factory=tuple)
    whole: tuple[int, int] | None = None
    """Grid from which views were taken; None means this one."""
    whole_places: NDArray[np.intp] | None = None
    """[L, K, 2]: position of each view in that grid; None means the same as here."""

    def __post_init__(self) -> None:
        for name in ("available", "required"):
            object.__setattr__(self, name, np.broadcast_to(getattr(self, name), self.index.shape))

    @property
    def grid(self) -> tuple[int, int]:
        return self.index.shape[0], self.index.shape[1]

    @property
    def window(self) -> Window:
        """The whole image."""
        return Window(0, 0, self.height, self.width)

    @property
    def part(self) -> Part:
        """Part of a larger image that the views show."""
        return self.stored_part or Part.whole(self.height, self.width)

    def name_at(self, row: int, column: int) -> str:
        return self.names[int(self.index[row, column])]

    def place_of(self, number: int, among: NDArray[np.bool_] | None = None) -> tuple[int, int] | None:
        """Grid index of a view; None if it is absent or was removed."""
        places = np.argwhere((self.index == number) & (self.available if among is None else among))
        return (int(places[0, 0]), int(places[0, 1])) if len(places) else None

    def with_(self, **changes: Any) -> Capture:
        return replace(self, **changes)

    def noted(self, note: str) -> Capture:
        return replace(self, notes=(*self.notes, note))

    def take(self, rows: Any, columns: Any) -> Capture:
        """The same capture on some rows and columns of its grid (slices or index arrays)."""
        places = np.moveaxis(np.indices(self.grid), 0, -1) if self.whole_places is None else self.whole_places
        taken = self._rearranged(lambda grid: grid[rows][:, columns])
        whole = self.whole or self.grid
        return replace(taken, declared_by=None, whole=whole, whole_places=places[rows][:, columns])

    def whole_place(self, row: int, column: int) -> tuple[int, int]:
        """Position of a view in the whole grid, as `skip` counts."""
        if self.whole_places is None:
            return row, column
        found = self.whole_places[row, column]
        return int(found[0]), int(found[1])

    def transposed(self) -> Capture:
        """Rows of views become columns."""
        result = self._rearranged(lambda grid: grid.swapaxes(0, 1))
        if result.positions is None:
            return result
        order = [1, 0, 2][: result.positions.shape[2]]
        return replace(result, positions=result.positions[..., order])

    def flipped(self, axis: int) -> Capture:
        """The order of rows (axis 0) or columns (axis 1) of views reversed, and their positions with it."""
        result = self._rearranged(lambda grid: np.flip(grid, axis))
        if result.positions is None:
            return result
        positions = result.positions.copy()
        positions[..., axis] = positions[..., axis].max() + positions[..., axis].min() - positions[..., axis]
        return replace(result, positions=positions)

    def _rearranged(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Capture:
        return replace(
            self,
            index=change(self.index),
            available=change(self.available),
            required=change(self.required),
            positions=None if self.positions is None else change(self.positions),
        )


def check_grid(path: Path, grid: tuple[int, int]) -> None:
    """Refuse an implausible grid before anything of its size is allocated."""
    if not (min(grid) >= 1 and grid[0] * grid[1] <= MOST_VIEWS):
        raise InputError(
            f"{path}: expected at most {MOST_VIEWS} views, found a grid of {grid[0]}×{grid[1]}. "
            "Correct it, or give ⟦grid ROWSxCOLUMNS⟧."
        )


def numbered_grid(grid: tuple[int, int], order: str) -> NDArray[np.intp]:
    """[L, K] of view numbers counted along rows or columns; a serpentine turns back after each of them."""
    by_column = order in ("column", "serpentine-column")
    lines = np.arange(grid[0] * grid[1], dtype=np.intp).reshape(grid[::-1] if by_column else grid)
    if order.startswith("serpentine"):
        lines[1::2] = lines[1::2, ::-1].copy()
    return lines.T if by_column else lines
