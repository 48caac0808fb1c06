"""The light field: views, their layout and their camera."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera, RelativeCamera
from ioadr.errors import InputError
from ioadr.layout import Layout
from ioadr.part import Part, Window
from ioadr.tones import Tones, tones_of
from ioadr.view_checks import WHITE as WHITE
from ioadr.view_checks import check_plane, check_range, check_sizes, check_texture, check_values, supported

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

RangeOrigin = Literal["file", "user", "estimated"]


@dataclass(frozen=True)
class DisparityRange:
    """Range of disparities to search.

    Parameters
    ----------
    minimum, maximum : float
        Ends of the range, in px per baseline unit.
    origin : {"user", "file", "estimated"}
        Where the range comes from.

    Raises
    ------
    InputError
        The range is empty or not finite.

    Examples
    --------
    >>> ioadr.DisparityRange(-2, 2).extent
    4.0
    """

    minimum: float
    maximum: float
    origin: RangeOrigin = "user"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.minimum) and np.isfinite(self.maximum) and self.minimum < self.maximum):
            raise InputError(
                f"disparity range: expected finite MIN < MAX, found {self.minimum} {self.maximum}. "
                "Give the smaller (farther) value first, for example ⟦range -2 2⟧."
            )
        # Kernels would be compiled once more for integers, and round differently.
        for name in ("minimum", "maximum"):
            object.__setattr__(self, name, float(getattr(self, name)))

    @property
    def extent(self) -> float:
        return self.maximum - self.minimum

    def scaled(self, factor: float) -> DisparityRange:
        """The range times `factor`."""
        return replace(self, minimum=self.minimum * factor, maximum=self.maximum * factor)


@dataclass(frozen=True)
class Source:
    """The origin of a light field, and its reader's decisions.

    Examples
    --------
    >>> np.savez("views.npz", views=lightfield.views)
    >>> source = ioadr.read("views.npz").source
    >>> source.format, source.recognised
    ('numpy', True)
    """

    path: str = ""
    format: str = "memory"
    """Format of the files; "memory" without files."""
    recognised: bool = False
    """Whether the format was recognised by content, and not given."""
    notes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    """Reading options that differ from the defaults."""
    order: str = ""
    """Verdict on the order of views on the grid: agrees, corrected, contradicted or unknown, with the reason."""
    doubts: Mapping[str, str] = field(default_factory=dict)
    """Reasons to doubt every map of these views, by kind: "counting", "views" (those that do not fit), "shifts", and
    "every view" (maps of other views that are hardly reliable)."""
    alignment: Mapping[str, Any] = field(default_factory=dict)
    """Misalignment removed by `ioadr.align` (`Alignment.stored`); empty without alignment."""


@dataclass(frozen=True, eq=False, init=False)
class LightField:
    """Views of a scene from a grid, a line or other positions, with their camera and disparity range.

    View (l, k) sees a point at (n0, m0) of the reference view, with disparity d, at n = n0 − d·η_v·(p_v − p_v,ref),
    m = m0 − d·η_h·(p_h − p_h,ref). p is the view's position in baseline units. Positive d is nearer than the focus
    plane.

    Parameters
    ----------
    views : array [L, K, N, M, C]
        Samples by grid row (0 is the top), grid column (0 is the left), pixel row, pixel column and channel: uint8,
        uint16 or floats, grey (C = 1, or without this axis) or colour (C = 3).
    camera : Camera, optional
        Camera of the whole image, even if the views show a part of it. Without it, depth is relative.
    reference : tuple of int, optional
        Grid index of the view to estimate; the view nearest to the centre by default.
    eta : tuple of float
        Sampling slope distortion η, vertical and horizontal.
    range : DisparityRange, optional
        Disparities to search; estimated from the views by default.
    positions : array [L, K, 2 or 3], optional
        Positions p of the views in baseline units; the grid index by default.
    present : array [L, K] of bool, optional
        False where a view is missing.
    white : float, optional
        Sample value of full white; the maximum of the type by default, or 1 for floats.
    name : str
        Name for reports and messages.
    source : Source, optional
        Origin of the views, as `ioadr.read` records it.
    layout : Layout, optional
        Replaces `reference`, `eta`, `positions` and `present`.
    part : Part, optional
        Position of the views in a larger image; see `crop`.

    Raises
    ------
    InputError
        The views cannot be matched: wrong shape or type, too few views, NaN, a single colour, or an impossible range.

    Examples
    --------
    Arrays of your own, here 3×3 grey views of 32×24 px:

    >>> views = np.random.default_rng(0).integers(0, 256, (3, 3, 24, 32), np.uint8)
    >>> lightfield = ioadr.LightField(views, range=ioadr.DisparityRange(-1, 1), name="mine")
    >>> lightfield.view_count, lightfield.height, lightfield.width, lightfield.reference
    (9, 24, 32, (1, 1))
    """

    views: NDArray[Any]
    """uint8, uint16 or float32, grey (C = 1) or colour (C = 3)."""
    camera: Camera | None
    """Camera of the whole image, even if this is a part of it. None means that depth is relative."""
    layout: Layout
    """Positions of the views, which are present, and the reference view."""
    range: DisparityRange | None
    """Disparity range; None means that it is estimated."""
    white: float
    """Sample value of full white."""
    part: Part
    """Position of the views in a larger image; see `crop`."""
    name: str
    source: Source

    def __init__(
        self,
        views: NDArray[Any],
        camera: Camera | None = None,
        reference: tuple[int, int] | None = None,
        eta: tuple[float, float] = (1.0, 1.0),
        range: DisparityRange | None = None,
        positions: NDArray[Any] | None = None,
        present: NDArray[Any] | None = None,
        white: float | None = None,
        name: str = "light field",
        source: Source | None = None,
        *,
        layout: Layout | None = None,
        part: Part | None = None,
    ) -> None:
        """Check the arguments and fill in defaults; the class describes them."""
        views = supported(np.asarray(views))
        layout = layout or Layout.of(views.shape[:2], reference, eta, positions, present)
        part = part or Part.whole(*views.shape[2:4])
        white = WHITE[views.dtype.name] if white is None else float(white)
        check_sizes(views, layout, part)
        check_plane(layout, camera)
        # One by one: a copy of them all may be gigabytes.
        used = [views[row, column] for row, column in np.argwhere(layout.present)]
        check_values(used, white)
        if part.is_whole and (range is None or range.origin != "user"):
            check_texture(used)
        check_range((range.minimum, range.maximum) if range else None, layout, max(part.height, part.width))
        values = (views, camera, layout, range, white, part, name, source or Source())
        for field_, value in zip(fields(self), values, strict=True):
            object.__setattr__(self, field_.name, value)

    @property
    def grid(self) -> tuple[int, int]:
        """(L, K)."""
        return self.layout.grid

    @property
    def reference(self) -> tuple[int, int]:
        """Grid index of the view to estimate."""
        return self.layout.reference

    @property
    def eta(self) -> tuple[float, float]:
        """Sampling slope distortion (vertical, horizontal)."""
        return self.layout.eta

    @property
    def positions(self) -> NDArray[np.float64]:
        """[L, K, 2] (row, column) in baseline units."""
        return self.layout.positions[..., :2]

    @property
    def present(self) -> NDArray[np.bool_]:
        """[L, K], False where a view is missing."""
        return self.layout.present

    @property
    def view_count(self) -> int:
        """Number of views present."""
        return self.layout.view_count

    @property
    def offsets(self) -> NDArray[np.float64]:
        """[L, K, 2]: −shift (row, column) in px of each view per px of disparity, 0 at the reference."""
        return self.layout.offsets

    @property
    def reach(self) -> tuple[float, float]:
        """Largest shift (vertical, horizontal) in px of any present view per px of disparity."""
        return self.layout.reach

    def camera_or_relative(self, limits: DisparityRange) -> Camera | RelativeCamera:
        """The camera of the whole image, or a stand-in derived from the disparity range `limits`."""
        return self.camera or RelativeCamera(limits.minimum, limits.maximum, self.part.width, self.part.height)

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
    def reference_view(self) -> NDArray[Any]:
        """[N, M, C] as stored."""
        return self.views[self.reference]

    def tones(self, least_span: float) -> Tones:
        """Grey levels of the samples, stretched to `least_span` levels if they span fewer."""
        return tones_of(self.reference_view, self.white, self.part, least_span)

    def __repr__(self) -> str:
        from ioadr.app.notebook import lightfield_facts, text

        return text("LightField", self.name, lightfield_facts(self))

    def _repr_html_(self) -> str:
        from ioadr.app.notebook import lightfield_html

        return lightfield_html(self)

    def plot_epi(
        self, row: int | None = None, column: int | None = None, disparity: NDArray[Any] | None = None
    ) -> Figure:
        """Draw the EPI through a row or a column of pixels. Needs matplotlib (the extra `plot`).

        Parameters
        ----------
        row, column : int, optional
            Row or column of the reference view; give one of the two.
        disparity : array [N, M], optional
            Map whose slopes are drawn into the EPI.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            Neither or both of `row` and `column` are given, or the line is outside the image.

        Examples
        --------
        >>> figure = lightfield.plot_epi(row=20, disparity=estimate.disparity)
        """
        from ioadr.app.notebook import plot_epi

        return plot_epi(self, row, column, disparity)

    def replace(self, **changes: Any) -> LightField:
        """Return a copy with some arguments of the constructor replaced; views are shared.

        Parameters
        ----------
        **changes
            New values by name, such as ``range=ioadr.DisparityRange(-2, 2)`` or ``reference=(0, 0)``.

        Returns
        -------
        LightField

        Raises
        ------
        InputError
            The new values do not fit together.

        Examples
        --------
        >>> lightfield.replace(range=ioadr.DisparityRange(0.5, 1.5)).range.extent
        1.0
        """
        placed = {name: changes.pop(name) for name in ("reference", "eta", "positions", "present") if name in changes}
        if placed:
            layout = {name: getattr(self.layout, name) for name in ("reference", "eta", "positions", "present")}
            changes["layout"] = Layout.of(changes.get("views", self.views).shape[:2], **(layout | placed))
        return replace(self, **changes)

    with_ = replace
    """Earlier name of `replace`."""

    def crop(self, window: Window) -> LightField:
        """Return a part of all views, which keeps camera, scale and range of the whole.

        Parameters
        ----------
        window : Window
            The part, in pixels of these views.

        Returns
        -------
        LightField

        Raises
        ------
        InputError
            The window is not inside the views.

        Examples
        --------
        >>> lightfield.crop(ioadr.Window(8, 8, 24, 40)).views.shape
        (5, 5, 16, 32, 1)
        """
        if not (0 <= window.top < window.bottom <= self.height and 0 <= window.left < window.right <= self.width):
            raise InputError(
                f"crop: rows {window.top} … {window.bottom - 1} and columns {window.left} … {window.right - 1} are not "
                f"a part of the {self.width}×{self.height} px views. Choose another window."
            )
        return replace(self, views=self.views[:, :, *window.slices], part=self.part.crop(window))

    def to_xarray(self) -> xarray.DataArray:
        """The views as a labelled array: view_row, view_column, row, column, channel, with the views' offsets.

        Needs xarray (the extra `xarray`).
        """
        from ioadr.labelled import lightfield_array

        return lightfield_array(self)
