"""The parts of an explanation of a pixel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PointImage:
    """The 4D-PPI of one hypothesis: the colour of each view where it should see the point."""

    disparity: float
    colours: Floats
    """[L, K, 3], grey levels 0 … 255; NaN where there is no sample."""
    inside: Flags
    """[L, K], False where the view is missing or the sample lies beyond its image."""
    hidden: Flags
    """[L, K], True where something nearer hides the point: left out by J_oa."""

    @property
    def visible(self) -> int:
        return int(np.count_nonzero(self.inside & ~self.hidden))


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Cost over disparity in grey levels, by term; all [D], weights included."""

    disparities: Floats
    """Disparities, px, ascending."""
    terms: Mapping[str, Floats]
    """Costs of "data" as the solver uses it (J_oa or its substitute), "congruence" (λ J_coc) and "planar" (γ J_pg)."""
    plain: Floats
    """J_PD: as if every view saw the point."""

    @property
    def data(self) -> Floats:
        return self.terms["data"]

    @property
    def total(self) -> Floats:
        return np.add.reduce(list(self.terms.values()))

    @property
    def minimum(self) -> tuple[float, float]:
        """Disparity of the lowest total, and that cost."""
        lowest = int(np.argmin(self.total))
        return float(self.disparities[lowest]), float(self.total[lowest])

    def second_minimum(self, disparity: float, apart: float) -> float | None:
        """Disparity of the data term's lowest other minimum, at least `apart` px away; None without one."""
        data, far = self.data, np.abs(self.disparities - np.float32(disparity)) >= apart
        dip = np.r_[False, (data[1:-1] <= data[:-2]) & (data[1:-1] < data[2:]), False] & far
        return float(self.disparities[dip][np.argmin(data[dip])]) if dip.any() else None

    def at(self, disparity: float) -> dict[str, float]:
        """Cost by term at the sample nearest to a disparity."""
        index = int(np.argmin(np.abs(self.disparities - np.float32(disparity))))
        return {name: float(values[index]) for name, values in (*self.terms.items(), ("plain", self.plain))}


@dataclass(frozen=True, eq=False)
class Support:
    """The colour-guided mean in J_coc."""

    weights: Floats
    """χ [2h + 1, 2h + 1] around the pixel, 0 outside the image; NaN where a pixel does not count in its own mean."""
    smoothed: float
    """d_s, the smoothed disparity, px."""


@dataclass(frozen=True, eq=False)
class PlaneFit:
    """The plane in J_pg."""

    normal: Floats
    """[3] ν_rob: x right, y down, z away from the camera, in the geometry that the parameters name."""
    disparity: float
    """d_μ, px: disparity at which the plane meets the pixel's ray."""
    counts: bool
    """Whether the plane predicts the pixel well enough for J_pg to count."""
    offsets: NDArray[np.int32]
    """[W, 2] (row, column) of the window's normals inside the image."""
    normals: Floats
    """[W, 3] ν_lg there."""
    inlier: Flags
    """[W], True where a normal counts in ν_rob."""
    limit: float
    """Largest angle between an inlier's normal and the pixel's own, degrees."""


@dataclass(frozen=True)
class Candidate:
    """A candidate that the last sweep would try on the final map."""

    origin: str
    """"random", "smoothed", "plane", "vertical", "horizontal" or "diagonal" (visited neighbours)."""
    disparity: float
    cost: float


@dataclass(frozen=True, eq=False)
class SurfaceFit:
    """The surface that the last finishing pass fitted around a pixel."""

    before: float
    """Disparity of the pixel before the pass, px."""
    target: float
    """Target: the disparity that the views favour, px (Gauss–Newton)."""
    deviation: float | None
    """Standard deviation of the target, px; None if the pixel's own data do not count."""
    radius: int
    """Radius of the widest patch that agrees with all narrower ones, px; 0 without data."""
    curved: bool
    """Whether it is a quadric; else a plane."""
    members: NDArray[np.int32]
    """[K, 2] (row, column) of the patch's samples around the pixel."""
    weights: Floats
    """[K], 0 … 1: how far each belongs to the surface; 0 is gated, or has no target."""
    disparity: float
    """Disparity of the surface at the pixel, px."""
    shared: float
    """Mean of the surfaces of nearby pixels at the pixel, px, which became its disparity."""
    beside_rise: bool = False
    """Whether the pixel's own data are ignored because its neighbour is nearer."""


@dataclass(frozen=True, eq=False)
class ViewResiduals:
    """Residuals of the views at a pixel in the last finishing pass; all [L, K]."""

    residuals: Floats
    """Grey levels, from the mean of the views; NaN where a view does not see the pixel, or takes no part."""
    weights: Floats
    """0 … 1, how much each counted: less where it differs much."""


@dataclass(frozen=True, eq=False)
class Border:
    """Evidence of the views about a pixel at a depth discontinuity."""

    near: float
    far: float
    """Disparities of the two surfaces that meet there, px."""
    coverage: float | None
    """0 … 1, share of the pixel that the near surface covers; None where too few views see the background."""
    likelihood: float | None
    """Log-likelihood ratio for the near surface against the far one."""
    doubt: float
    """Threshold that its magnitude must exceed for the pixel to change sides."""
    was_near: bool
    is_near: bool
    """Side of the pixel before and after the step."""
    views: Flags
    """[L, K], True for views that decided: they show the pixel, and others the background that they have behind it."""


@dataclass(frozen=True)
class Doubt:
    """A reason to doubt a pixel."""

    name: str
    """Name, as in docs/confidence.md."""
    value: float
    """Value, in the unit of the reason."""
    taken: float
    """Amount by which it lowers the log odds."""


@dataclass(frozen=True, eq=False)
class Ending:
    """The steps after the sweeps, and the confidence."""

    surface: SurfaceFit | None
    views: ViewResiduals | None
    """The fitted surface; None if there is none."""
    border: Border | None
    trust: float
    """The confidence, measured again around the pixel."""
    doubts: Sequence[Doubt]
    """Reasons for doubt, the strongest first."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """The explanation of a pixel."""

    row: int
    column: int
    disparity: float | None
    """Disparity in the result, px; None without a result."""
    curve: CostCurve
    image: PointImage
    """4D-PPI at the result's disparity, or at the cheapest one if there is no result."""
    trial: PointImage | None
    """4D-PPI at the trial disparity."""
    support: Support | None
    plane: PlaneFit | None
    candidates: Sequence[Candidate]
