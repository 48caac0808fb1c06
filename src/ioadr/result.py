"""What an estimation returns: the map, what it cost, and how it came about."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.camera import Camera, RayModel, relative_camera
from ioadr.layout import Layout
from ioadr.lightfield import DisparityRange, Source
from ioadr.parameters import Parameters
from ioadr.part import Part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FloatMap = NDArray[np.float32]


@dataclass(frozen=True)
class SweepRecord:
    """What one sweep did."""

    sweep: int
    kind: str
    """"data", "congruence", "planar": the last term that counts in it; "initialise", "finish" around them."""
    changed: int
    """Pixels whose disparity moved by more than 0.001 px."""
    mean_cost: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Estimate:
    """Maps are [N, M], float32, in the pixels of the reference view and at its full size."""

    disparity: FloatMap
    """px per baseline unit; positive is nearer than the focus plane."""
    costs: Mapping[str, FloatMap]
    """Grey levels: "data", "congruence" (λ J_coc) and "planar" (γ J_pg) at the final disparity; "accepted" is the sum
    with which the last sweep left the pixel, on which λ J_coc depends."""
    visible_views: NDArray[np.uint16]
    """Views that see the pixel's point."""
    confidence: FloatMap
    """0 … 1; see docs/confidence.md."""
    image: NDArray[Any]
    """The reference view [N, M, C], as stored in the light field."""
    white: float
    """Sample value of full white in `image`."""
    camera: Camera | None
    range: DisparityRange
    parameters: Parameters
    seed: int
    layout: Layout
    """Of the light field."""
    part: Part
    """Which part of a larger image the maps show."""
    name: str = "light field"
    history: Sequence[SweepRecord] = field(default_factory=tuple)
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Wall time by phase."""
    source: Source = field(default_factory=Source)
    """Where the light field came from."""
    coverage: FloatMap | None = None
    """0 … 1, share of the pixel that the surface of its disparity covers: 1 but beside jumps, NaN where it cannot be
    told. None where it was not estimated (`coverage.settle`)."""

    @property
    def metric(self) -> bool:
        """Whether depth and points are in metres; otherwise they are relative, 1 at zero disparity."""
        return self.camera is not None

    @property
    def camera_or_relative(self) -> Camera:
        """The camera of the whole image; a stand-in where it is unknown."""
        return self.camera or relative_camera(self.part.width, self.part.height)

    @property
    def rays(self) -> RayModel:
        """True pinhole geometry in the pixels of the maps."""
        return self.camera_or_relative.pinhole(self.part.window)

    @cached_property
    def depth(self) -> FloatMap:
        """Metres along the optical axis, or relative units; NaN where the camera would put it behind itself."""
        from ioadr.geometry.points import depth_from_disparity

        return depth_from_disparity(self.disparity, self.camera_or_relative)

    @cached_property
    def points(self) -> NDArray[np.float32]:
        """[N, M, 3] (x right, y down, z away from the camera), in the unit of depth, true pinhole geometry."""
        from ioadr.geometry.points import points_from_disparity

        return points_from_disparity(self.disparity, self.rays)

    @cached_property
    def normals(self) -> NDArray[np.float32]:
        """[N, M, 3] unit vectors that face the camera (normal · point < 0), same axes as `points`."""
        from ioadr.geometry.points import normals_from_points

        return normals_from_points(self.points)

    @cached_property
    def occlusion_boundary(self) -> NDArray[np.bool_]:
        """[N, M], True where a neighbour is nearer by enough to hide the pixel in some view."""
        from ioadr.geometry.discontinuity import occlusion_boundary

        return occlusion_boundary(self.disparity, self.layout.reach)

    @cached_property
    def surface_cells(self) -> NDArray[np.uint8]:
        """[N−1, M−1], how triangles between neighbouring `points` cover the surfaces, without bridging gaps."""
        from ioadr.geometry.discontinuity import surface_cells

        return surface_cells(self.points)

    @property
    def triangles(self) -> NDArray[np.int32]:
        """[T, 3] pixel numbers n·M + m, counter-clockwise as the camera sees them."""
        from ioadr.geometry.discontinuity import triangles

        return triangles(self.surface_cells)

    @property
    def provenance(self) -> dict[str, Any]:
        """All that is needed to do it again."""
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
                "positions": self.layout.positions[..., :2].tolist() if self.layout.deviation else None,
                "present": self.layout.present.tolist() if self.layout.view_count < self.layout.present.size else None,
            },
            "part": asdict(self.part),
            "seed": self.seed,
            "range": asdict(self.range),
            "depth_unit": "m" if self.metric else "relative",
            "camera": asdict(self.camera) if self.camera else None,
            "parameters": self.parameters.to_dict(),
            "history": [asdict(record) for record in self.history],
            "seconds": dict(self.seconds),
        }

    def __repr__(self) -> str:
        from ioadr.app.notebook import estimate_facts, text

        return text("Estimate", self.name, estimate_facts(self))

    def _repr_html_(self) -> str:
        from ioadr.app.notebook import estimate_html

        return estimate_html(self)

    def plot(self, maps: Sequence[str] = ("image", "disparity", "depth", "normals", "confidence")) -> Figure:
        """The maps side by side as a matplotlib figure."""
        from ioadr.app.notebook import plot_estimate

        return plot_estimate(self, maps)

    def save(self, folder: str | os.PathLike[str], **options: Any) -> list[str]:
        """Write the result's files atomically into `folder`; returns their paths. See `ioadr.io.save_estimate`."""
        from ioadr.io import save_estimate

        return [str(path) for path in save_estimate(self, folder, **options)]
