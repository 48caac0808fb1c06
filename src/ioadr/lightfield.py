"""The light field: views, where they were taken from, and through which camera."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera
from ioadr.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RangeOrigin = Literal["file", "user", "estimated"]
FEWEST_VIEWS = 9
"""That must be left where every other one is left out."""
LEAST_REACH, MOST_REACH = 1e-3, 1e3
"""Baseline units, times eta, between the reference view and the farthest."""
SMALL = 256
"""px; smaller images are judged as if they had this size."""
WHITE = {"uint8": 255.0, "uint16": 65535.0, "float32": 1.0}


@dataclass(frozen=True)
class DisparityRange:
    """Disparities that are considered, in px per baseline unit, and who said so."""

    minimum: float
    maximum: float
    origin: RangeOrigin = "user"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.minimum) and np.isfinite(self.maximum) and self.minimum < self.maximum):
            raise InputError(
                f"disparity range: expected finite MIN < MAX, found {self.minimum} {self.maximum}. "
                "Give the smaller (farther) value first, for example ⟦range -2 2⟧."
            )

    @property
    def extent(self) -> float:
        return self.maximum - self.minimum

    def scaled(self, factor: float) -> DisparityRange:
        return replace(self, minimum=self.minimum * factor, maximum=self.maximum * factor)


@dataclass(frozen=True, eq=False)
class LightField:
    """Views `[l, k, n, m, c]`: grid row (0 = top), grid column (0 = left), pixel row, pixel column, channel.

    A point at (n0, m0) of the reference view with disparity d is seen by view (l, k) at
    n = n0 − d·η_v·(p_v − p_v,ref), m = m0 − d·η_h·(p_h − p_h,ref), p being the view's position in baseline
    units: its grid index unless `positions` says otherwise. Positive d is nearer than the focus plane.
    """

    views: NDArray[Any]
    """uint8, uint16 or float, grey (C = 1, or no last axis) or colour (C = 3)."""
    camera: Camera | None = None
    """None: depth is relative."""
    reference: tuple[int, int] | None = None
    """Grid index of the view to estimate; None is the centre (or the present view nearest to it)."""
    eta: tuple[float, float] = (1.0, 1.0)
    """Sampling slope distortion (vertical, horizontal): px of disparity per px of `d` and baseline unit."""
    range: DisparityRange | None = None
    """None: estimated from the data."""
    positions: NDArray[np.float64] | None = None
    """[L, K, 2] (row, column) in baseline units; None is the regular grid. A single row of cameras
    anywhere in the plane is a grid of 1×V with positions."""
    present: NDArray[np.bool_] | None = None
    """[L, K], False where a view is missing; None is all."""
    white: float | None = None
    """Sample value of full white; None is the type's maximum (1.0 for float)."""
    name: str = "light field"
    source: Mapping[str, Any] = field(default_factory=dict)
    """Where it came from: path, format, notes of the reader."""

    def __post_init__(self) -> None:
        views = np.asarray(self.views)
        if views.ndim == 4:
            views = views[..., None]
        views = _supported(views)
        rows, columns = views.shape[:2]
        index = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), axis=-1)
        positions = index.astype(np.float64) if self.positions is None else np.asarray(self.positions, np.float64)
        present = np.ones((rows, columns), bool) if self.present is None else np.asarray(self.present, bool)
        _check_layout(positions, present, (rows, columns))
        reference = _central(positions, present) if self.reference is None else self.reference
        _check_reference(reference, present)
        white = WHITE[views.dtype.name] if self.white is None else float(self.white)
        used = views if present.all() else views[present]
        _check_values(used, white)
        if self.range is None or self.range.origin != "user":
            _check_texture(used)
        with np.errstate(all="ignore"):
            offsets = (positions - positions[reference])[present] * np.asarray(self.eta)
        _check_reach(offsets, self.range, max(views.shape[2:4]))
        for name, value in (
            ("views", views),
            ("positions", positions),
            ("present", present),
            ("reference", (int(reference[0]), int(reference[1]))),
            ("white", white),
        ):
            object.__setattr__(self, name, value)

    @property
    def grid(self) -> tuple[int, int]:
        """(L, K)."""
        return self.views.shape[0], self.views.shape[1]

    @property
    def height(self) -> int:
        return int(self.views.shape[2])

    @property
    def width(self) -> int:
        return int(self.views.shape[3])

    @property
    def channels(self) -> int:
        return int(self.views.shape[4])

    @property
    def view_count(self) -> int:
        """Views that are present."""
        assert self.present is not None
        return int(np.count_nonzero(self.present))

    @property
    def reference_view(self) -> NDArray[Any]:
        """[N, M, C] as stored."""
        assert self.reference is not None
        return self.views[self.reference]

    @property
    def offsets(self) -> NDArray[np.float64]:
        """[L, K, 2]: −shift (row, column) in px of each view per px of disparity, 0 at the reference."""
        assert self.positions is not None
        return (self.positions - self.positions[self.reference]) * np.asarray(self.eta)

    @property
    def reach(self) -> tuple[float, float]:
        """Largest shift (vertical, horizontal) in px of any present view per px of disparity."""
        vertical, horizontal = np.abs(self.offsets[self.present]).max(axis=0)
        return float(vertical), float(horizontal)

    def __repr__(self) -> str:
        from ioadr.app.notebook import lightfield_facts, text

        return text("LightField", self.name, lightfield_facts(self))

    def _repr_html_(self) -> str:
        from ioadr.app.notebook import lightfield_html

        return lightfield_html(self)

    def plot_epi(
        self, row: int | None = None, column: int | None = None, disparity: NDArray[Any] | None = None
    ) -> Figure:
        """The EPI through a row or column as a matplotlib figure; slopes of a map [N, M] are drawn in."""
        from ioadr.app.notebook import plot_epi

        return plot_epi(self, row, column, disparity)

    def with_(self, **changes: Any) -> LightField:
        """A copy with some fields replaced (views are shared)."""
        return replace(self, **changes)


def thinned(present: NDArray[np.bool_], reference: tuple[int, int], step: int) -> NDArray[np.bool_]:
    """[L, K]: every step-th present view in each direction from the reference view; a smaller step if few remain."""
    rows, columns = np.ogrid[: present.shape[0], : present.shape[1]]
    near: NDArray[np.bool_] = (rows - reference[0]) % step == 0
    used = present & near & ((columns - reference[1]) % step == 0)
    return used if step == 1 or used.sum() >= FEWEST_VIEWS else thinned(present, reference, step - 1)


def _supported(views: NDArray[Any]) -> NDArray[Any]:
    if views.ndim != 5 or views.shape[4] not in (1, 3) or min(views.shape) == 0:
        raise InputError(
            f"views: expected [rows, columns, height, width, channels] with 1 or 3 channels, found shape {views.shape}."
        )
    if views.dtype.kind == "f":
        return views.astype(np.float32, copy=False)
    if views.dtype.name not in WHITE:
        raise InputError(f"views: expected uint8, uint16 or float samples, found {views.dtype}. Convert them first.")
    return views


def _check_layout(positions: NDArray[Any], present: NDArray[Any], grid: tuple[int, int]) -> None:
    if positions.shape != (*grid, 2) or present.shape != grid:
        raise InputError(
            f"view layout: expected positions {(*grid, 2)} and present {grid}, "
            f"found {positions.shape} and {present.shape}."
        )
    used = positions[present]
    distinct = max(len(np.unique(np.round(used[:, axis], 6))) for axis in (0, 1)) if len(used) else 0
    if distinct < 3:
        raise InputError(
            f"view layout: expected at least 3×3 views, or a line of 3, found a grid of {grid[0]}×{grid[1]} "
            f"with {len(used)} views. Add views: two viewpoints per axis cannot show what is occluded."
        )


def _central(positions: NDArray[Any], present: NDArray[Any]) -> tuple[int, int]:
    """The present view nearest to the layout's centre; on a regular grid with all views, its middle."""
    used = positions[present]
    with np.errstate(over="ignore"):
        distance = np.linalg.norm(positions - 0.5 * (used.min(axis=0) + used.max(axis=0)), axis=-1)
    row, column = np.unravel_index(int(np.argmin(np.where(present, distance, np.inf))), present.shape)
    return int(row), int(column)


def _check_reference(reference: tuple[int, int], present: NDArray[Any]) -> None:
    rows, columns = present.shape
    row, column = reference
    if not (0 <= row < rows and 0 <= column < columns and present[row, column]):
        raise InputError(
            f"reference view: expected a present view of the {rows}×{columns} grid (rows 0–{rows - 1}, "
            f"columns 0–{columns - 1}), found {row} {column}. Choose another with ⟦reference ROW COL⟧."
        )


def _check_reach(offsets: NDArray[Any], extent: DisparityRange | None, side: int) -> None:
    """Refuse baselines and disparities with which no point is in two views, and whose planes are without number."""
    distances = np.abs(offsets).max(axis=-1)
    if not LEAST_REACH <= distances.max() <= MOST_REACH:
        raise InputError(
            f"view layout: expected the farthest view {LEAST_REACH:g} … {MOST_REACH:g} baseline units times eta from "
            f"the reference view, found {distances.max():.4g}. Correct the positions, their unit or ⟦eta⟧."
        )
    most = max(side, SMALL) / distances[distances >= distances.max() * LEAST_REACH].min()
    if extent is not None and max(-extent.minimum, extent.maximum) > most:
        raise InputError(
            f"disparity range: expected at most {most:.4g} px, with which a point is still in two views, "
            f"found {extent.minimum:g} {extent.maximum:g}. Correct it, or leave it out to have it estimated."
        )


def _check_values(views: NDArray[Any], white: float) -> None:
    if views.dtype.kind == "f" and not np.isfinite(views).all():
        raise InputError(
            "views: expected finite samples, found NaN or infinity. Replace them, or leave the views out with ⟦skip⟧."
        )
    if not white > 0:
        raise InputError(f"white: expected a positive sample value, found {white}.")


def _check_texture(views: NDArray[Any]) -> None:
    """Who gives a range gets a map even of this; its confidence is low."""
    if views.min() == views.max():
        raise InputError(
            f"views: expected texture, found one constant value ({views.min()}) everywhere. "
            "Depth needs contrast: check the exposure and that the right images were read."
        )
