"""The layout of a light field: the positions of its views, and the reference view."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError

LEAST_REACH, MOST_REACH = 1e-3, 1e3
"""Smallest and largest distance of the farthest view from the reference view, in baseline units times eta."""
FEWEST_VIEWS = 9
"""Fewest views that remain after thinning."""
IN_LINE = 0.1
"""Tolerance for views of a line, as a share of the step between views."""
Index = tuple[int, int]
"""Row and column of the grid."""


class Line(NamedTuple):
    """Neighbouring, evenly spaced views in line with the reference view."""

    indices: NDArray[np.intp]
    """Columns (or rows) of these views in the grid."""
    step: float
    """Shift between neighbours, px per px of disparity."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions of the views `[l, k]` of a grid; `Layout.of` fills in defaults.

    Examples
    --------
    >>> layout = ioadr.Layout.of((3, 5))
    >>> layout.reference, layout.reach
    ((1, 2), (1.0, 2.0))
    """

    positions: NDArray[np.float64]
    """[L, K, 3] (row, column, towards the scene) in baseline units. The last is 0 where cameras lie in a plane."""
    present: NDArray[np.bool_]
    """[L, K], False where a view is missing."""
    reference: Index
    """Grid index of the view to estimate."""
    eta: tuple[float, float] = (1.0, 1.0)
    """Sampling slope distortion (vertical, horizontal): px of disparity per px of `d` and baseline unit."""

    @classmethod
    def of(
        cls,
        grid: tuple[int, int],
        reference: Index | None = None,
        eta: tuple[float, float] = (1.0, 1.0),
        positions: NDArray[Any] | None = None,
        present: NDArray[Any] | None = None,
    ) -> Layout:
        """Create a layout of L×K views.

        Parameters
        ----------
        grid : tuple of int
            Rows and columns.
        reference : tuple of int, optional
            Grid index of the view to estimate; the present view nearest to the centre by default.
        eta : tuple of float
            Sampling slope distortion, vertical and horizontal.
        positions : array [L, K, 2 or 3], optional
            Row, column and distance towards the scene, in baseline units; a regular grid by default.
        present : array [L, K] of bool, optional
            False where a view is missing.

        Returns
        -------
        Layout

        Raises
        ------
        InputError
            Too few views, an absent reference view, or positions so far apart that no point is visible in two views.

        Examples
        --------
        Five cameras in a line, one of them missing:

        >>> ioadr.Layout.of((1, 5), present=[[True, True, True, False, True]]).reference
        (0, 2)
        """
        placed = regular(grid) if positions is None else np.asarray(positions, np.float64)
        there = np.ones(grid, bool) if present is None else np.asarray(present, bool)
        _check_shapes(placed, there, grid)
        if placed.shape[2] == 2:
            placed = np.pad(placed, ((0, 0), (0, 0), (0, 1)))
        _check_count(placed, there)
        row, column = _central(placed, there) if reference is None else reference
        return cls(placed, there, (int(row), int(column)), (float(eta[0]), float(eta[1])))

    def __post_init__(self) -> None:
        _check_reference(self.reference, self.present)
        _check_reach(self.distances)

    @property
    def grid(self) -> tuple[int, int]:
        """(L, K)."""
        return self.present.shape[0], self.present.shape[1]

    @property
    def view_count(self) -> int:
        """Number of views present."""
        return int(np.count_nonzero(self.present))

    @cached_property
    def offsets(self) -> NDArray[np.float64]:
        """[L, K, 2]: −shift (row, column) in px of each view per px of disparity, 0 at the reference."""
        in_plane = self.positions[..., :2]
        with np.errstate(all="ignore"):  # a missing view may be anywhere
            return (in_plane - in_plane[self.reference]) * np.asarray(self.eta)

    @cached_property
    def forward(self) -> NDArray[np.float64]:
        """[L, K]: baseline units by which each view is nearer to the scene than the reference view."""
        along = self.positions[..., 2]
        return np.where(self.present, along - along[self.reference], 0.0)

    @property
    def planar(self) -> bool:
        """Whether all views lie in one plane, so that a point moves along a line at equal steps."""
        return not self.forward.any()

    @property
    def stored_positions(self) -> NDArray[np.float64]:
        """[L, K, 2], or [L, K, 3] where views do not lie in a plane."""
        return self.positions[..., : 2 if self.planar else 3]

    @property
    def flat(self) -> Layout:
        """The same layout, moved into the plane of the reference view."""
        return replace(self, positions=self.positions * (1.0, 1.0, 0.0))

    @property
    def distances(self) -> NDArray[np.float64]:
        """[V] of the present views: their larger shift in px per px of disparity."""
        return np.abs(self.offsets[self.present]).max(axis=-1)

    @property
    def reach(self) -> tuple[float, float]:
        """Largest shift (vertical, horizontal) in px of any present view per px of disparity."""
        vertical, horizontal = np.abs(self.offsets[self.present]).max(axis=0)
        return float(vertical), float(horizontal)

    @property
    def deviation(self) -> float:
        """Baseline units by which a present view is off a regular grid."""
        away = (self.positions - np.pad(regular(self.grid), ((0, 0), (0, 0), (0, 1))))[self.present]
        return float(np.abs(away - away[0]).max())

    def line(self, axis: int) -> list[Index]:
        """Present views of the reference's column (`axis` 0) or row (`axis` 1) that lie in line with it, in order."""
        row, column = self.reference
        views = [(k, column) if axis == 0 else (row, k) for k in range(self.grid[axis])]
        present = [view for view in views if self.present[view]]
        along = np.sort([self.offsets[view][axis] for view in present])
        slack = IN_LINE * float(np.diff(along).mean()) if len(along) > 1 else 0.0
        in_line = [view for view in present if abs(self.offsets[view][1 - axis]) <= slack]
        return sorted(in_line, key=lambda view: float(self.offsets[view][axis]))

    def even_line(self, axis: int) -> Line | None:
        """The views around the reference in its column (`axis` 0) or row (`axis` 1), if they are evenly spaced."""
        row, column = self.reference
        at = self.reference[axis]
        present = self.present[:, column] if axis == 0 else self.present[row]
        offsets = self.offsets[:, column] if axis == 0 else self.offsets[row]
        first = last = at
        while first > 0 and present[first - 1]:
            first -= 1
        while last < len(present) - 1 and present[last + 1]:
            last += 1
        indices = np.arange(first, last + 1)
        steps = np.diff(offsets[indices, axis])
        if len(indices) < 3:
            return None
        slack = IN_LINE * abs(steps.mean())
        if np.ptp(steps) > slack or np.ptp(offsets[indices, 1 - axis]) > slack:
            return None
        return Line(indices, float(steps.mean()))

    def thinned(self, step: int) -> NDArray[np.bool_]:
        """Mask [L, K] of every `step`-th present view in each direction from the reference view."""
        return thinned(self.present, self.reference, step)


def regular(grid: tuple[int, int]) -> NDArray[np.float64]:
    """[L, K, 2]: the indices of a grid as positions."""
    return np.stack(np.meshgrid(*map(np.arange, grid), indexing="ij"), axis=-1).astype(np.float64)


def thinned(present: NDArray[np.bool_], reference: Index, step: int) -> NDArray[np.bool_]:
    """[L, K]: every step-th present view in each direction from the reference view; a smaller step if few remain."""
    rows, columns = np.ogrid[: present.shape[0], : present.shape[1]]
    near: NDArray[np.bool_] = (rows - reference[0]) % step == 0
    used = present & near & ((columns - reference[1]) % step == 0)
    return used if step == 1 or used.sum() >= FEWEST_VIEWS else thinned(present, reference, step - 1)


def _check_shapes(positions: NDArray[Any], present: NDArray[Any], grid: tuple[int, int]) -> None:
    if positions.shape not in ((*grid, 2), (*grid, 3)) or present.shape != grid:
        raise InputError(
            f"view layout: expected positions {(*grid, 2)} and present {grid}, "
            f"found {positions.shape} and {present.shape}."
        )


def _check_count(positions: NDArray[Any], present: NDArray[Any]) -> None:
    used = positions[present]
    distinct = max(len(np.unique(np.round(used[:, axis], 6))) for axis in (0, 1)) if len(used) else 0
    if distinct < 3:
        rows, columns = present.shape
        raise InputError(
            f"view layout: expected at least 3×3 views, or a line of 3, found a grid of {rows}×{columns} "
            f"with {len(used)} views{_at_fewer(used)}. Add views: two viewpoints per axis do not reveal occlusions."
        )


def _at_fewer(used: NDArray[Any]) -> str:
    """How many positions the views have, if some share one."""
    count = len(np.unique(np.round(used, 6), axis=0))
    return f" at {count} position{'s' * (count != 1)}" if count < len(used) else ""


def _central(positions: NDArray[Any], present: NDArray[Any]) -> Index:
    """The view nearest to the layout's centre, the first of several; the middle of a complete regular grid."""
    used = positions[present]
    with np.errstate(over="ignore"):
        distance = np.linalg.norm(positions - 0.5 * (used.min(axis=0) + used.max(axis=0)), axis=-1)
    # Rounded, because otherwise the last bits of fitted positions would choose between two views in the middle.
    nearest = int(np.argmin(np.where(present, np.round(distance, 9), np.inf)))
    row, column = np.unravel_index(nearest, present.shape)
    return int(row), int(column)


def _check_reference(reference: Index, present: NDArray[Any]) -> None:
    rows, columns = present.shape
    row, column = reference
    if not (0 <= row < rows and 0 <= column < columns and present[row, column]):
        raise InputError(
            f"reference view: the {rows}×{columns} grid (rows 0–{rows - 1}, columns 0–{columns - 1}) has no view "
            f"{row} {column}. Choose another with ⟦reference ROW COL⟧."
        )


def _check_reach(distances: NDArray[Any]) -> None:
    """Refuse baselines so large that no point is visible in two views."""
    if not LEAST_REACH <= distances.max() <= MOST_REACH:
        raise InputError(
            f"view layout: the farthest view is {distances.max():.4g} baseline units (times eta) from the reference "
            f"view; {LEAST_REACH:g} … {MOST_REACH:g} are possible. Correct the positions, their unit or ⟦eta⟧."
        )
