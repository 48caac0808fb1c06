"""Comparison of two results of one light field: where they differ, and where it matters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.identity import ROUNDING, picture_difference
from ioadr.errors import InputError

if TYPE_CHECKING:
    from ioadr.result import Estimate

THRESHOLDS = (0.01, 0.03, 0.07, 0.3)
"""Thresholds, px: the benchmark's three, and one for errors as large as the distance between surfaces."""
TRUSTED = 0.5
"""Lowest confidence of trusted pixels."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Changes from one result to another: `difference` is second − first, in px of disparity.

    Examples
    --------
    >>> estimate.compare(estimate).beyond
    {0.01: 0.0, 0.03: 0.0, 0.07: 0.0, 0.3: 0.0}
    """

    difference: NDArray[np.float32]
    """Signed difference [N, M], px; positive where the second result is nearer."""
    trusted: NDArray[np.bool_]
    """Mask [N, M] of pixels with a confidence of at least 0.5 in both results, where differences matter most."""
    angle: NDArray[np.float32]
    """Angle between the normals, [N, M], degrees."""
    costs: tuple[float, float]
    """Mean data cost of both results, grey levels; lower fits the views better, if `same_data`."""
    confidence: tuple[float, float]
    """Mean confidence of both."""
    parameters: dict[str, tuple[Any, Any]]
    """Parameters that differ, by dotted name."""
    same_data: bool = True
    """Whether both costs were measured with the same views and the same data term."""

    @property
    def mean(self) -> float:
        """Mean signed difference, px."""
        return float(np.nanmean(self.difference))

    @property
    def median_absolute(self) -> float:
        """Median of the absolute difference, px."""
        return float(np.nanmedian(np.abs(self.difference)))

    @property
    def beyond(self) -> dict[float, float]:
        """Share of pixels that differ by more than each threshold, px."""
        return self._shares(np.ones(self.difference.shape, bool))

    @property
    def beyond_trusted(self) -> dict[float, float]:
        """The same for pixels that both results trust; NaN if there are none."""
        return self._shares(self.trusted)

    def _shares(self, area: NDArray[np.bool_]) -> dict[float, float]:
        values = np.abs(self.difference[area])
        return {limit: float(np.mean(values > limit)) if values.size else float("nan") for limit in THRESHOLDS}

    def to_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return {
            "mean": self.mean,
            "median_absolute": self.median_absolute,
            "beyond": {f"{limit:g}": share for limit, share in self.beyond.items()},
            "trusted": float(self.trusted.mean()),
            "beyond_trusted": {f"{limit:g}": share for limit, share in self.beyond_trusted.items()},
            "median_angle": float(np.nanmedian(self.angle)) if np.isfinite(self.angle).any() else float("nan"),
            "data_cost": list(self.costs),
            "same_data": self.same_data,
            "confidence": list(self.confidence),
            "parameters": {name: list(values) for name, values in self.parameters.items()},
        }


def compare(first: Estimate, second: Estimate) -> Comparison:
    """Compare two results of the same view."""
    if first.disparity.shape != second.disparity.shape:
        (a, b), (c, d) = first.disparity.shape, second.disparity.shape
        raise InputError(f"compare: expected results of one size, found {b}×{a} and {d}×{c} px.")
    apart = picture_difference(*(estimate.image * (255.0 / estimate.white) for estimate in (first, second)))
    if apart == np.inf:
        raise InputError("compare: expected results of one view, found reference views of two scenes.")
    cosine = np.einsum("...i,...i", first.normals.astype(np.float64), second.normals.astype(np.float64))
    changed = second.parameters.changes(first.parameters)
    before = first.parameters.changes(second.parameters)
    return Comparison(
        difference=second.disparity - first.disparity,
        trusted=(first.confidence >= TRUSTED) & (second.confidence >= TRUSTED),
        angle=np.degrees(np.arccos(np.clip(cosine, -1, 1))).astype(np.float32),
        costs=(_mean(first.costs), _mean(second.costs)),
        confidence=(float(np.nanmean(first.confidence)), float(np.nanmean(second.confidence))),
        parameters={name: (before[name], value) for name, value in changed.items()},
        same_data=apart < ROUNDING
        and _data_of(first) == _data_of(second)
        and np.array_equal(first.layout.present, second.layout.present),
    )


def _data_of(estimate: Estimate) -> tuple[Any, ...]:
    """What determines the data term of a map, besides the views: contrast is stretched or not, whatever the limit."""
    return replace(estimate.parameters.data, least_span=0.0), estimate.tones


def _mean(costs: Any) -> float:
    return float(np.mean(costs["data"])) if "data" in costs else float("nan")
