"""What a reader finds out about a light field before any sample is decoded.

Subsets, flips and size checks happen on this description, so that only the views that are wanted are
ever read, and nothing is allocated before its size is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.geometry.camera import Camera
from ioadr.lightfield import DisparityRange

MOST_VIEWS = 65536


@dataclass(frozen=True)
class Window:
    """A rectangle of pixels: rows [top, bottom), columns [left, right)."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.top, self.bottom), slice(self.left, self.right)


Loader = Callable[[Sequence[int], Window], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Capture:
    """A light field as it lies in its files; the grid is [L, K], row 0 on top, column 0 at the left."""

    format: str
    path: Path
    index: NDArray[np.intp]
    """[L, K]: the number by which `load` knows the view."""
    height: int
    width: int
    channels: int
    """As stored: 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha."""
    dtype: np.dtype[Any]
    load: Loader
    """(view numbers, window) → [V, window height, window width, channels]."""
    names: Sequence[str]
    """By view number, for messages."""
    available: NDArray[np.bool_] | None = None
    """[L, K], False where there is no view; None is all."""
    complete: bool = False
    """Whether a view that is wanted but not available is an error."""
    positions: NDArray[np.float64] | None = None
    """[L, K, 2] (row, column) in baseline units; None is the regular grid."""
    camera: Camera | None = None
    range: DisparityRange | None = None
    reference: tuple[int, int] | None = None
    white: float | None = None
    weighted: bool = False
    """The last of 2 or 4 channels is a weight (0 = no light reached the pixel), not transparency."""
    notes: tuple[str, ...] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        if self.available is None:
            object.__setattr__(self, "available", np.ones(self.index.shape, bool))

    @property
    def grid(self) -> tuple[int, int]:
        return self.index.shape[0], self.index.shape[1]

    @property
    def window(self) -> Window:
        """The whole image."""
        return Window(0, 0, self.height, self.width)

    def name_at(self, row: int, column: int) -> str:
        return self.names[int(self.index[row, column])]

    def with_(self, **changes: Any) -> Capture:
        return replace(self, **changes)

    def noted(self, note: str) -> Capture:
        return replace(self, notes=(*self.notes, note))

    def take(self, rows: Any, columns: Any) -> Capture:
        """The same capture on some rows and columns of its grid (slices or index arrays)."""
        assert self.available is not None
        positions = None if self.positions is None else self.positions[rows][:, columns]
        return replace(
            self,
            index=self.index[rows][:, columns],
            available=self.available[rows][:, columns],
            positions=positions,
        )

    def transposed(self) -> Capture:
        """Rows of views become columns."""
        assert self.available is not None
        positions = None if self.positions is None else self.positions.transpose(1, 0, 2)[..., ::-1]
        return replace(self, index=self.index.T, available=self.available.T, positions=positions)

    def flipped(self, axis: int) -> Capture:
        """The order of rows (axis 0) or columns (axis 1) of views reversed, and their positions with it."""
        order = (slice(None, None, -1), slice(None)) if axis == 0 else (slice(None), slice(None, None, -1))
        result = self.take(*order)
        if result.positions is None:
            return result
        positions = result.positions.copy()
        positions[..., axis] = positions[..., axis].max() + positions[..., axis].min() - positions[..., axis]
        return replace(result, positions=positions)


def numbered_grid(grid: tuple[int, int], order: str) -> NDArray[np.intp]:
    """[L, K] of view numbers counted along rows ("row") or columns ("column")."""
    rows, columns = grid
    numbers = np.arange(rows * columns, dtype=np.intp)
    return numbers.reshape(rows, columns) if order == "row" else numbers.reshape(columns, rows).T
