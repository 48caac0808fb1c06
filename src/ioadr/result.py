"""The result of an estimation: the map, its cost, and how it was made."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera, RayModel, RelativeCamera, depth_unit, is_posed
from ioadr.layout import Layout
from ioadr.lightfield import DisparityRange, LightField, Source
from ioadr.parameters import Parameters
from ioadr.part import Part
from ioadr.tones import WHITE, Tones, stretch_notes, tones_of
from ioadr.way import Way

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from ioadr.comparison import Comparison

FloatMap = NDArray[np.float32]
TOLERANCE = 0.07
"""Tolerance of `Estimate.confidence`, px of disparity: that of the benchmark's BadPix 0.07."""


@dataclass(frozen=True)
class SweepRecord:
    """Figures of one sweep."""

    sweep: int
    kind: str
    """"data", "congruence", "planar": the last term that counts in it; "initialise", "finish" around them."""
    changed: int
    """Pixels whose disparity moved by more than 0.001 px."""
    mean_cost: float
    """Mean cost of the map after the sweep, grey levels; NaN if it was not measured, as between finishing passes."""
    seconds: float


@dataclass(frozen=True, eq=False)
class Estimate:
    """The result of `ioadr.estimate`. Maps are float32 [N, M], in the pixels of the reference view.

    Examples
    --------
    >>> estimate.disparity.shape
    (40, 60)
    >>> estimate.metric  # no camera was given: depth is relative
    False
    >>> trusted = estimate.points[estimate.confidence > 0.5]
    """

    disparity: FloatMap
    """Disparity, px per baseline unit; positive is nearer than the focus plane."""
    costs: Mapping[str, FloatMap]
    """Grey levels: "data", "congruence" (λ J_coc) and "planar" (γ J_pg) at the final disparity; "accepted" is the sum
    with which the last sweep left the pixel, on which λ J_coc depends."""
    visible_views: NDArray[np.uint16]
    """Number of views that see the pixel's point."""
    confidence: FloatMap
    """Probability, 0 … 1, that the pixel is within 0.07 px of the truth; see docs/confidence.md."""
    image: NDArray[Any]
    """The reference view [N, M, C], as stored in the light field."""
    white: float
    """Sample value of full white in `image`."""
    camera: Camera | None
    range: DisparityRange
    parameters: Parameters
    seed: int
    layout: Layout
    """Layout of the light field."""
    part: Part
    """Position of the maps in a larger image."""
    name: str = "light field"
    history: Sequence[SweepRecord] = field(default_factory=tuple)
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Wall time by phase."""
    source: Source = field(default_factory=Source)
    """Where the light field came from."""
    coverage: FloatMap | None = None
    """Share of the pixel that its surface covers, 0 … 1: 1 away from depth discontinuities, NaN where unknown.
    None if it was not estimated (`coverage.settle`)."""
    two_minima: NDArray[np.bool_] | None = None
    """Mask [N, M]: True where another disparity explains the views nearly as well (mirrors, repeated texture). None in
    results of earlier versions."""
    way: Way | None = None
    """Every pixel's disparity after each step and where it came from. None in results of earlier versions, of tiles and
    of small parts of an image."""

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """Reasons to doubt the map; empty if the views agree with each other and with it."""
        from ioadr.consistency.outcome import ALIGN, LOOK, REORDER, REORDER_OR_ALIGN, doubts, sparse_doubts
        from ioadr.errors import Note

        order = self.source.order
        kept = (f"the order of views is {order}",) if order.startswith("contradicted") else ()
        posed = is_posed(self.camera)
        before, after = (ALIGN, LOOK) if posed else (REORDER_OR_ALIGN, REORDER)
        advice = after if self.source.alignment else before
        white = WHITE / self.tones.gain
        texts = doubts(self.disparity, self.costs["data"], self.confidence, self.image, white, self.range, advice)
        sparse = sparse_doubts(self._apart, self.confidence) if posed else ()
        own = (*kept, *sparse, *texts)
        return (*self.source.doubts.values(), *(Note(text) for text in own))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided on the way: by the reader, about views, and about contrast."""
        return (*self.source.notes, *stretch_notes(self.tones, self.white))

    @property
    def tones(self) -> Tones:
        """Grey levels of the samples, as the method saw them."""
        return tones_of(self.image, self.white, self.part, self.parameters.data.least_span)

    @property
    def _apart(self) -> float:
        """Angle, degrees, between views one baseline unit apart, as seen from the middle of the scene."""
        rays, depth = self.rays, self.depth[np.isfinite(self.depth)]
        return float(np.degrees(np.arctan2(rays.pitch_x / abs(rays.slope), np.median(depth)))) if depth.size else 0.0

    @property
    def metric(self) -> bool:
        """Whether depth and points are in metres; see `depth_unit`."""
        return self.camera is not None and self.camera.metric

    @property
    def depth_unit(self) -> str:
        """ "m", "pose unit" (poses of unknown unit), or "relative" (1 in the middle of the disparity range)."""
        return depth_unit(self.camera)

    @property
    def camera_or_relative(self) -> Camera | RelativeCamera:
        """The camera of the whole image, or a stand-in derived from the disparity range."""
        return self.camera or RelativeCamera(self.range.minimum, self.range.maximum, self.part.width, self.part.height)

    @property
    def rays(self) -> RayModel:
        """True pinhole geometry in the pixels of the maps."""
        return self.camera_or_relative.pinhole(self.part.window)

    @cached_property
    def depth(self) -> FloatMap:
        """Depth along the optical axis, [N, M], in `depth_unit`; NaN where it would be behind the camera."""
        from ioadr.geometry.points import depth_from_disparity

        return depth_from_disparity(self.disparity, self.camera_or_relative)

    @cached_property
    def depth_tolerance(self) -> FloatMap:
        """Depth equivalent of 0.07 px of disparity, [N, M], in `depth_unit`: the tolerance of `confidence`."""
        return (np.float32(TOLERANCE * abs(self.rays.slope)) * self.depth**2).astype(np.float32)

    @cached_property
    def points(self) -> NDArray[np.float32]:
        """Points [N, M, 3] (x right, y down, z away from the camera) in `depth_unit`, by pinhole geometry."""
        from ioadr.geometry.points import points_from_disparity

        return points_from_disparity(self.disparity, self.rays)

    @cached_property
    def normals(self) -> NDArray[np.float32]:
        """Unit normals [N, M, 3] that face the camera (normal · point < 0), with the axes of `points`."""
        from ioadr.geometry.points import normals_from_points

        return normals_from_points(self.points)

    @cached_property
    def occlusion_boundary(self) -> NDArray[np.bool_]:
        """Mask [N, M]: True where a nearer neighbour hides the pixel in some view."""
        from ioadr.geometry.discontinuity import occlusion_boundary

        return occlusion_boundary(self.disparity, self.layout.reach)

    @cached_property
    def surface_cells(self) -> NDArray[np.uint8]:
        """Triangles between neighbouring `points`, [N−1, M−1], that cover surfaces without bridging gaps."""
        from ioadr.geometry.discontinuity import surface_cells

        return surface_cells(self.points)

    @property
    def triangles(self) -> NDArray[np.int32]:
        """Triangles [T, 3] of pixel numbers n·M + m, counter-clockwise as seen by the camera."""
        from ioadr.geometry.discontinuity import triangles

        return triangles(self.surface_cells)

    def seen_from(self, offset: tuple[float, float]) -> NDArray[np.bool_]:
        """Pixels of the reference view whose point another view sees, according to the map.

        Parameters
        ----------
        offset : tuple of float
            Offset (row, column) of the view, as in `Layout.offsets`.

        Returns
        -------
        array [N, M] of bool

        Examples
        --------
        >>> bool(estimate.seen_from((0.0, 2.0)).mean() > 0.8)
        True
        """
        from ioadr.geometry.visibility import seen_from

        return seen_from(self.disparity, offset)

    @property
    def provenance(self) -> dict[str, Any]:
        """Everything needed to reproduce the result."""
        from ioadr import __version__

        return {
            "ioadr": __version__,
            "source": {
                "name": self.name,
                "grid": self.layout.grid,
                "reference": self.layout.reference,
                "reach": self.layout.reach,
                **vars(self.source),
            },
            "layout": {
                "eta": self.layout.eta,
                "positions": self.layout.stored_positions.tolist() if self.layout.deviation else None,
                "present": self.layout.present.tolist() if self.layout.view_count < self.layout.present.size else None,
            },
            "part": asdict(self.part),
            "verdict": list(self.doubts) or "the views agree with the map",
            "seed": self.seed,
            "range": asdict(self.range),
            "depth_unit": self.depth_unit,
            "camera": self.camera.numbers if self.camera else None,
            "parameters": self.parameters.to_dict(),
            "history": [asdict(record) for record in self.history],
            "seconds": dict(self.seconds),
        }

    def compare(self, other: Estimate) -> Comparison:
        """Compare with another result of the same view: the signed difference, and where it matters.

        Parameters
        ----------
        other : Estimate
            A result with other parameters, another seed or of another version.

        Returns
        -------
        Comparison
            Differences are `other` minus this result.

        Raises
        ------
        InputError
            The two results differ in size.

        Examples
        --------
        >>> other = ioadr.estimate(lightfield, "fast", seed=1)
        >>> abs(estimate.compare(other).mean) < 0.01
        True
        """
        from ioadr.comparison import compare

        if not isinstance(other, Estimate):
            raise TypeError(f"compare: expected another Estimate, not {type(other).__name__}.")
        return compare(self, other)

    def check_lightfield(self, lightfield: LightField, exact: bool = False) -> None:
        """Check whether a light field is the one that was estimated, by its layout and its reference view.

        Pictures that differ a little, as after another compression, are logged as a warning.

        Parameters
        ----------
        lightfield : LightField
            The light field to check.
        exact : bool
            Also refuse pictures that differ a little.

        Raises
        ------
        InputError
            It is another light field.

        Examples
        --------
        >>> estimate.check_lightfield(lightfield, exact=True)
        """
        from ioadr.consistency.identity import check_identity

        check_identity(lightfield, self.layout, {self.layout.reference: self.image}, self.white, exact)

    def to_xarray(self) -> xarray.Dataset:
        """All maps as a dataset with the dimensions row, column, axis and channel; units are in the attributes.

        Needs xarray (the extra `xarray`).
        """
        from ioadr.labelled import estimate_dataset

        return estimate_dataset(self)

    def __repr__(self) -> str:
        from ioadr.app.notebook import estimate_facts, text

        return text("Estimate", self.name, estimate_facts(self))

    def _repr_html_(self) -> str:
        from ioadr.app.notebook import estimate_html

        return estimate_html(self)

    def plot(self, maps: Sequence[str] = ("image", "disparity", "depth", "normals", "confidence")) -> Figure:
        """Draw maps side by side. Needs matplotlib (the extra `plot`).

        Parameters
        ----------
        maps : sequence of str
            Names of attributes, such as ``("image", "depth")``.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            There is no such map, or matplotlib is missing.

        Examples
        --------
        >>> len(estimate.plot(["image", "disparity"]).axes) >= 2
        True
        """
        from ioadr.app.notebook import plot_estimate

        return plot_estimate(self, maps)

    def save(
        self,
        folder: str | os.PathLike[str],
        formats: Sequence[str] | str = "pfm,png,npz,ply",
        overwrite: bool = False,
        report: bool | LightField = True,
        **options: Any,
    ) -> list[str]:
        """Write the result's files into a folder, all of them or none.

        Parameters
        ----------
        folder : str or path
            New, or the folder of an earlier result if `overwrite`.
        formats : sequence of str, or str
            Some of pfm, png, npz, ply, npy, png16, tiff, exr, glb, glb-points, xyz: see docs/results.md.
        overwrite : bool
            Replace the earlier result in the folder.
        report : bool or LightField
            Whether to write `report.html` as well; given the light field, the page has its EPIs.
        **options
            Further options of `ioadr.io.save_estimate`, such as ``min_confidence=0.5`` for clouds and meshes.

        Returns
        -------
        list of str
            Paths of the files.

        Raises
        ------
        InputError
            An unknown format, or no pixel has the minimum confidence.
        OutputError
            The folder cannot be written to, or holds files already.

        Examples
        --------
        >>> files = estimate.save("out", "pfm,ply", overwrite=True)
        >>> [os.path.basename(file) for file in files]
        ['disparity.pfm', 'depth.pfm', 'points.ply', 'report.html', 'provenance.json']
        """
        from ioadr.io import save_estimate

        if report:
            from ioadr.app.report import report_writer

            lightfield = None if isinstance(report, bool) else report
            if lightfield is not None:
                self.check_lightfield(lightfield)
            options["also"] = {**options.get("also", {}), "report.html": report_writer(self, lightfield)}
        return [str(path) for path in save_estimate(self, folder, formats, overwrite, **options)]

    def export(
        self,
        target: str,
        folder: str | os.PathLike[str],
        lightfield: LightField | None = None,
        overwrite: bool = False,
        min_confidence: float = 0.0,
        points: int = 10_000,
        scale_to: float | None = None,
    ) -> list[str]:
        """Write the result as another program reads it, all files or none; see docs/neighbours.md.

        Parameters
        ----------
        target : str
            "nerfstudio", "colmap", "open3d" or "blender".
        folder : str or path
            New, or that of an earlier export to the same program if `overwrite`.
        lightfield : LightField, optional
            The one that was estimated; nerfstudio and colmap need it for the images of all views.
        overwrite : bool
            Replace the earlier export in the folder.
        min_confidence : float
            0 … 1; pixels of lower confidence get no point and no depth.
        points : int
            Largest number of seed points (nerfstudio, colmap).
        scale_to : float, optional
            For relative depth: distance of the middle of the disparity range, in metres.

        Returns
        -------
        list of str
            Paths of the files; `provenance.json` has notes about them.

        Raises
        ------
        InputError
            An unknown program, a missing light field, or relative depth for a program that needs metres.
        OutputError
            The folder cannot be written to, or holds other files.

        Examples
        --------
        >>> files = estimate.export("open3d", "rgbd", overwrite=True, scale_to=2.0)
        >>> [os.path.basename(file) for file in files]
        ['color.png', 'depth.png', 'intrinsics.json', 'provenance.json']
        """
        from ioadr.io.exporting import export_estimate

        done = export_estimate(self, target, folder, lightfield, overwrite, min_confidence, points, scale_to)
        return [str(path) for path in done.files]
