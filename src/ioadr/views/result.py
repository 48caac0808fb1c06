"""The result of `estimate_views`: a map of every view, and the surfaces they share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.extras import install
from ioadr.layout import Index, Layout
from ioadr.lightfield import LightField
from ioadr.result import Estimate
from ioadr.views.outside import Outside
from ioadr.views.surfaces import NOTHING, Surface

if TYPE_CHECKING:
    import xarray

    from ioadr.views.points import FusedMesh, FusedPoints
    from ioadr.views.pose import Viewpoint
    from ioadr.views.rendering import Rendering

DIMENSIONS = {
    "disparity": ("view", "row", "column"),
    "confidence": ("view", "row", "column"),
    "source": ("view", "row", "column"),
    "index": ("view", "grid"),
}


@dataclass(frozen=True, eq=False)
class Views:
    """Disparity maps of every view. Arrays are [V, N, M] with the V present views row by row.

    Arrays loaded from a file are memory-mapped: a view is read on demand.

    Examples
    --------
    >>> views = ioadr.estimate_views(lightfield, "fast")
    >>> views.map_of((4, 4)).shape
    (40, 60)
    """

    estimate: Estimate
    """The reference view's full estimate."""
    index: NDArray[np.int64]
    """Row and column [V, 2] of each view on the grid."""
    disparity: NDArray[np.float32]
    """Disparity [V, N, M], px per baseline unit, without holes. Views out of the plane of the reference view are shown
    as seen from inside it."""
    confidence: NDArray[np.float16]
    """Confidence [V, N, M], 0 … 1, of the anchor's pixel; 0 where no anchor saw the point."""
    source: NDArray[np.uint8]
    """Number of the anchor from which the value comes, in `surfaces`; 255 where none saw the point: the value is that
    of the surface behind, continued."""
    surfaces: Sequence[Surface]
    """Contributions of the anchor views, the reference view first."""
    lightfield: LightField | None = None
    """As it was captured. None if a loaded result was opened without it; new views then cannot be rendered."""
    outside: Sequence[Outside] = ()
    """Anchors with points outside the disparity range; empty in a loaded result. `estimate.notes` says the same."""

    @property
    def layout(self) -> Layout:
        """Layout of the views to which the maps belong: in one plane."""
        layout = self.estimate.layout
        return layout if layout.planar else layout.flat

    @property
    def size(self) -> tuple[int, int]:
        """(N, M) of each map."""
        return int(self.disparity.shape[1]), int(self.disparity.shape[2])

    def check_lightfield(self, lightfield: LightField, exact: bool = False) -> None:
        """Check `lightfield` as `Estimate.check_lightfield` does, by the pictures of all anchors.

        `exact` applies to the reference view. Anchors that were moved into one plane are not compared.
        """
        from ioadr.consistency.identity import check_identity

        if exact:
            self.estimate.check_lightfield(lightfield, exact)
        moved = self.estimate.layout.forward
        anchors = {surface.view: surface.image for surface in self.surfaces if not moved[surface.view]}
        pictures = {self.layout.reference: self.estimate.image} | anchors
        # Tiles have their own anchors, so those of the whole may lack parts of their pictures.
        known = {surface.view: np.isfinite(surface.disparity) for surface in self.surfaces}
        check_identity(lightfield, self.layout, pictures, self.estimate.white, known=known)

    def number(self, view: Index) -> int:
        """Index of a view in the arrays.

        Parameters
        ----------
        view : tuple of int
            Row and column of the grid.

        Returns
        -------
        int

        Raises
        ------
        InputError
            There is no such view.

        Examples
        --------
        >>> ioadr.estimate_views(lightfield, "fast").number((1, 0))
        5
        """
        row, column = view
        numbers = np.flatnonzero((self.index[:, 0] == row) & (self.index[:, 1] == column))
        if not numbers.size:
            rows, columns = self.layout.grid
            raise InputError(f"view {row} {column}: not one of the {len(self.index)} views of a {rows}×{columns} grid.")
        return int(numbers[0])

    def map_of(self, view: Index) -> NDArray[np.float32]:
        """Disparity map of a view.

        Parameters
        ----------
        view : tuple of int
            Row and column of the grid.

        Returns
        -------
        array [N, M] of float32

        Raises
        ------
        InputError
            There is no such view.

        Examples
        --------
        >>> ioadr.estimate_views(lightfield, "fast").map_of((0, 4)).shape
        (40, 60)
        """
        return np.asarray(self.disparity[self.number(view)])

    def uncovered(self, view: Index) -> NDArray[np.bool_]:
        """Pixels of a view that the reference view does not see.

        Parameters
        ----------
        view : tuple of int
            Row and column of the grid.

        Returns
        -------
        array [N, M] of bool

        Raises
        ------
        InputError
            There is no such view.

        Examples
        --------
        >>> views = ioadr.estimate_views(lightfield, "fast")
        >>> bool(views.uncovered(views.layout.reference).any())
        False
        """
        return np.asarray(self.source[self.number(view)] != 0)

    @property
    def covered(self) -> float:
        """Share of all pixels that some anchor saw."""
        return float(np.mean([np.mean(source != NOTHING) for source in self.source]))

    def render(
        self,
        viewpoint: Viewpoint | tuple[float, float],
        size: tuple[int, int] | None = None,
        aperture: float = 0.0,
        focus: float = 0.0,
        threads: int | None = None,
        steady: bool = False,
    ) -> Rendering:
        """Render a new view from the captured ones and their maps.

        Parameters
        ----------
        viewpoint : Viewpoint or tuple of float
            The viewpoint; (row, column) for a position in the plane of the cameras, in the unit of
            `Layout.positions`: on a regular grid, indices of views as for `map_of`.
        size : tuple of int, optional
            Height and width of the picture, px; those of the views by default.
        aperture : float
            Radius of the lens in the unit of `Layout.offsets`: blur, px, per px of disparity from the focus.
        focus : float
            Disparity that is sharp through an open lens.
        threads : int, optional
            Number of CPU threads; all by default.
        steady : bool
            For videos: blend several views everywhere, so that sharpness and grain do not vary along the path.
            Otherwise, a camera at a captured position shows the captured view.

        Returns
        -------
        Rendering
            `image` [H, W, C] in sample values, with the `disparity` of the picture, and where it was `seen`.

        Raises
        ------
        InputError
            The views were loaded without their light field, an impossible size or lens, or nothing is visible.

        Examples
        --------
        >>> views = ioadr.estimate_views(lightfield, "fast")
        >>> picture = views.render((1.5, 2.25))
        >>> picture.image.shape
        (40, 60, 1)
        """
        from ioadr.views.rendering import render

        return render(self, viewpoint, size, aperture, focus, threads, steady)

    def export(self, target: str, folder: str | os.PathLike[str], **options: Any) -> list[str]:
        """Write the result as another program reads it, with the depth of every view.

        Parameters
        ----------
        target : str
            "nerfstudio", "colmap" or "open3d". For "blender", use `Estimate.export`; for "quilt", `quilt`.
        folder : str or path
            A new folder, or that of an earlier export to the same program with ``overwrite=True``.
        **options
            Other options of `Estimate.export`: overwrite, min_confidence, points, scale_to.

        Returns
        -------
        list of str
            Paths of the files.

        Raises
        ------
        InputError
            An unknown program, or relative depth for a program that needs metres.
        OutputError
            The folder cannot be written to, or holds other files.

        Examples
        --------
        >>> files = ioadr.estimate_views(lightfield, "fast").export("open3d", "rgbd", overwrite=True, scale_to=2.0)
        >>> len([file for file in files if os.path.dirname(file).endswith("depth")])
        25
        """
        from ioadr.io.exporting import export_estimate

        done = export_estimate(self.estimate, target, folder, self.lightfield, views=self, **options)
        return [str(path) for path in done.files]

    def quilt(
        self,
        folder: str | os.PathLike[str],
        device: str = "portrait",
        focus: float | None = None,
        overwrite: bool = False,
    ) -> list[str]:
        """Write a quilt for a Looking Glass display: off-axis views from left to right in one image.

        Parameters
        ----------
        folder : str or path
            New, or that of an earlier quilt if `overwrite`.
        device : str
            "portrait", "go", "16", "32" or "65".
        focus : float, optional
            Disparity in the plane of the screen, px; the middle of the scene by default.
        overwrite : bool
            Replace the earlier quilt in the folder.

        Returns
        -------
        list of str
            Paths of the files.

        Raises
        ------
        InputError
            An unknown display, a focus outside the scene, or views on one side of the reference view only.
        OutputError
            The folder cannot be written to, or holds other files.

        Examples
        --------
        >>> files = ioadr.estimate_views(lightfield, "fast").quilt("hologram", overwrite=True)
        >>> [os.path.basename(file) for file in files]
        ['quilt_qs8x6a0.75.png', 'provenance.json']
        """
        from ioadr.io.exporting import export_estimate

        options: dict[str, Any] = {"views": self, "device": device, "focus": focus}
        done = export_estimate(self.estimate, "quilt", folder, overwrite=overwrite, **options)
        return [str(path) for path in done.files]

    def points(self, min_confidence: float = 0.0) -> FusedPoints:
        """All surfaces as one point cloud, each once: positions, normals, colours, confidence, number of views.

        Parameters
        ----------
        min_confidence : float
            Drop points of lower confidence.

        Returns
        -------
        FusedPoints

        Examples
        --------
        >>> points = ioadr.estimate_views(lightfield, "fast").points(min_confidence=0.2)
        >>> points.positions.shape[1], int(points.views.max())
        (3, 25)
        """
        from ioadr.views.points import fused_points

        return fused_points(self, min_confidence)

    def mesh(self, min_confidence: float = 0.0) -> FusedMesh:
        """All surfaces as one triangle mesh, each once, without triangles between surfaces.

        Parameters
        ----------
        min_confidence : float
            Drop points of lower confidence, and the triangles at them.

        Returns
        -------
        FusedMesh

        Examples
        --------
        >>> mesh = ioadr.estimate_views(lightfield, "fast").mesh()
        >>> mesh.triangles.shape[1], mesh.points.positions.shape[1]
        (3, 3)
        """
        from ioadr.views.points import fused

        return fused(self, min_confidence)[1]

    def to_xarray(self) -> xarray.Dataset:
        """All maps as a dataset with the dimensions view, row, column; view_row and view_column are coordinates.

        Needs xarray (the extra `xarray`).
        """
        try:
            import xarray
        except ImportError as error:
            raise InputError(f"to_xarray needs the package xarray. {install('xarray')}") from error
        arrays: dict[str, Any] = {
            name: (DIMENSIONS[name], getattr(self, name)) for name in DIMENSIONS if name != "index"
        }
        places = {"view_row": ("view", self.index[:, 0]), "view_column": ("view", self.index[:, 1])}
        return xarray.Dataset(arrays, places, {"name": self.estimate.name, "disparity_unit": "px per baseline unit"})

    def save(self, folder: str | os.PathLike[str], formats: Sequence[str] | str = "npz", **options: Any) -> list[str]:
        """Write the reference view's result as `Estimate.save` does, and all maps into its `views.npz`.

        Parameters
        ----------
        folder : str or path
            New, or the folder of an earlier result with ``overwrite=True``.
        formats : sequence of str, or str
            Formats of the reference view's result; `ioadr.load_views` needs npz. With ply or glb-points, the point
            cloud of all surfaces is also written (`scene.ply`, `scene.glb`); with ply or glb, so is their mesh
            (`scene_mesh.ply`, `scene_mesh.glb`).
        **options
            Further options of `Estimate.save`.

        Returns
        -------
        list of str
            Paths of the files.

        Raises
        ------
        InputError
            An unknown format, or no point has the minimum confidence.
        OutputError
            The folder cannot be written to, or holds files already.

        Examples
        --------
        >>> views = ioadr.estimate_views(lightfield, "fast")
        >>> files = views.save("every", report=False, overwrite=True)
        >>> [os.path.basename(file) for file in files]
        ['estimate.npz', 'views.npz', 'provenance.json']
        """
        from ioadr.io.results.view_files import views_writers

        also = {**options.pop("also", {}), **views_writers(self, formats, options.get("min_confidence", 0.0))}
        report = options.pop("report", True)
        if report:
            from ioadr.app.report import report_writer

            lightfield = report if isinstance(report, LightField) else None
            if lightfield is not None:
                self.check_lightfield(lightfield)
            also["report.html"] = report_writer(self.estimate, lightfield, None, self)
        return self.estimate.save(folder, formats, report=False, also=also, **options)
