"""The table of metrics, and all scores of a map."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ioadr.errors import InputError
from ioadr.evaluation import metrics
from ioadr.evaluation.truth import Truth

FloatMap = NDArray[np.floating[Any]]


class Metric(NamedTuple):
    """Name and format of a metric; lower is always better."""

    label: str
    unit: str
    decimals: int
    meaning: str


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "mse": Metric("MSE×100", "px²/100", 3, "100 · mean squared error"),
        "badpix_007": Metric("BadPix 0.07", "%", 2, "pixels more than 0.07 px off"),
        "badpix_003": Metric("BadPix 0.03", "%", 2, "pixels more than 0.03 px off"),
        "badpix_001": Metric("BadPix 0.01", "%", 2, "pixels more than 0.01 px off"),
        "q25": Metric("Q25", "px/100", 3, "100 · 25th percentile of the error"),
        "mae_planes": Metric("MAE planes", "°", 3, "median error of normals on planes"),
        "mae_surfaces": Metric("MAE surfaces", "°", 3, "the same on smooth surfaces"),
        "bumpiness_planes": Metric("Bumpiness planes", "px/100", 3, "100 · mean curvature of the error on planes"),
        "bumpiness_surfaces": Metric("Bumpiness surfaces", "px/100", 3, "the same on smooth surfaces"),
        "discontinuities": Metric("Discontinuities", "%", 2, "BadPix 0.07 at discontinuities"),
        "fine_fattening": Metric("Fine fattening", "%", 2, "pixels around thin structures more than 0.15 px too near"),
        "fine_thinning": Metric("Fine thinning", "%", 2, "pixels of thin structures more than 0.15 px too far"),
        "backgammon_fattening": Metric("Backgammon fattening", "%", 2, "background nearer to the foreground's depth"),
        "backgammon_thinning": Metric("Backgammon thinning", "%", 2, "foreground nearer to the background's depth"),
        "pyramids_slanted": Metric("Pyramids slanted", "px/100", 3, "bumpiness of spheres and pyramids"),
        "pyramids_parallel": Metric("Pyramids parallel", "px/100", 3, "bumpiness of the plane behind them"),
        "dots_missed": Metric("Missed dots", "%", 2, "dots of which at least half is more than 0.4 px off"),
        "dots_background": Metric("Dots background MSE×100", "px²/100", 3, "MSE×100 between the dots"),
        "stripes_low_texture": Metric("Stripes low texture", "%", 2, "BadPix 0.07 where there is little texture"),
        "stripes_dark": Metric("Stripes dark", "%", 2, "BadPix 0.07 at stripes of high contrast"),
        "stripes_bright": Metric("Stripes bright", "%", 2, "BadPix 0.07 at stripes of low contrast"),
        "runtime": Metric("Runtime", "log10 s", 2, "log10 of the seconds"),
    }
)


@dataclass(frozen=True)
class Scores:
    """Values by name, in the order of `METRICS`; metrics whose mask or camera the scene lacks are left out."""

    values: Mapping[str, float]
    pixels: int
    """Number of scored pixels."""
    invalid: int = 0
    """Scored pixels that are NaN or infinite; each counts as wrong in every metric."""
    size: tuple[int, int] = (0, 0)
    """(N, M) that was scored: the views' size, or ten times it."""
    seconds: float | None = field(default=None)

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def get(self, name: str) -> float:
        """The value, or NaN where the scene has none."""
        return self.values.get(name, math.nan)


def score(estimate: FloatMap, truth: Truth, seconds: float | None = None, allow_invalid: bool = False) -> Scores:
    """All metrics that the truth has masks for.

    A map of another size is refused. NaN and infinite pixels are refused, or counted as wrong with `allow_invalid`.
    """
    estimate = _fitting(np.asarray(estimate), truth)
    area = truth.area
    invalid = int(np.count_nonzero(~np.isfinite(estimate[area])))
    if invalid and not allow_invalid:
        raise InputError(
            f"{truth.name}: {invalid} of {np.count_nonzero(area)} scored px are NaN or infinite. "
            "Fill them, or add ⟦allow-invalid⟧ to count them as wrong."
        )
    values = {name: value for name, value in _values(estimate, truth, area) if not math.isnan(value)}
    if seconds is not None:
        values["runtime"] = metrics.runtime_score(seconds)
    ordered = {name: values[name] for name in METRICS if name in values}
    return Scores(ordered, int(np.count_nonzero(area)), invalid, (area.shape[0], area.shape[1]), seconds)


def _fitting(estimate: FloatMap, truth: Truth) -> FloatMap:
    """The map at the truth's size; the benchmark's nearest-neighbour enlargement for high-resolution truth."""
    height, width = (side // truth.scale for side in truth.disparity.shape)
    if estimate.shape != (height, width):
        size = "×".join(str(side) for side in reversed(estimate.shape))
        raise InputError(
            f"{truth.name}: expected a map of {width}×{height} px, found {size}. "
            "Estimate the same reference view at full size."
        )
    if estimate.dtype.kind != "f":
        estimate = estimate.astype(np.float64)
    return enlarge(estimate, truth.scale)


def enlarge(values: NDArray[Any], factor: int) -> NDArray[Any]:
    """Nearest neighbour with the corner pixels' centres kept in place, as `scipy.ndimage.zoom(order=0)` does."""
    if factor == 1:
        return values
    rows, columns = (
        np.floor(np.arange(n * factor) * ((n - 1) / (n * factor - 1)) + 0.5).astype(int) for n in values.shape
    )
    larger: NDArray[Any] = values[rows[:, None], columns]
    return larger


def _values(estimate: FloatMap, truth: Truth, area: NDArray[np.bool_]) -> Iterator[tuple[str, float]]:
    true = truth.disparity
    yield "mse", metrics.mean_square(estimate, true, area)
    for threshold in (0.07, 0.03, 0.01):
        yield f"badpix_{round(threshold * 100):03d}", metrics.bad_pixels(estimate, true, area, threshold)
    yield "q25", metrics.quartile(estimate, true, area)
    for name, (function, masks) in _REGIONAL.items():
        region = truth.region(*masks)
        if region is not None:
            yield name, function(estimate, truth, region)
    if "boxes" in truth.masks and "dots_by_size" in truth.masks:
        yield "dots_missed", metrics.missed_dots(estimate, true, truth.masks["boxes"], truth.masks["dots_by_size"])


Regional = Callable[[FloatMap, Truth, NDArray[np.bool_]], float]


def _plain(function: Callable[[FloatMap, FloatMap, NDArray[np.bool_]], float]) -> Regional:
    return lambda estimate, truth, region: function(estimate, truth.disparity, region)


def _angle(estimate: FloatMap, truth: Truth, region: NDArray[np.bool_]) -> float:
    return math.nan if truth.rays is None else metrics.median_angle(estimate, truth.disparity, region, truth.rays)


def _bad(estimate: FloatMap, truth: Truth, region: NDArray[np.bool_]) -> float:
    return metrics.bad_pixels(estimate, truth.disparity, region, 0.07)


def _backgammon_fattening(estimate: FloatMap, truth: Truth, region: NDArray[np.bool_]) -> float:
    """The scene's left edge is foreground in every row."""
    foreground = truth.disparity[:, 14 * truth.scale, None]
    return metrics.nearer_than_midway(estimate, truth.disparity, region, foreground)


def _backgammon_thinning(estimate: FloatMap, truth: Truth, region: NDArray[np.bool_]) -> float:
    """The scene's right edge is background in every row."""
    return metrics.farther_than_midway(estimate, truth.disparity, region, truth.disparity[:, -11, None])


_REGIONAL: Mapping[str, tuple[Regional, tuple[str, ...]]] = {
    "mae_planes": (_angle, ("planes",)),
    "mae_surfaces": (_angle, ("smooth_surfaces",)),
    "bumpiness_planes": (_plain(metrics.bumpiness), ("planes",)),
    "bumpiness_surfaces": (_plain(metrics.bumpiness), ("smooth_surfaces",)),
    "discontinuities": (_bad, ("discontinuities",)),
    "fine_fattening": (_plain(metrics.fine_fattening), ("fine_surrounding",)),
    "fine_thinning": (_plain(metrics.fine_thinning), ("fine",)),
    "backgammon_fattening": (_backgammon_fattening, ("foreground_fattening",)),
    "backgammon_thinning": (_backgammon_thinning, ("foreground_thinning",)),
    "pyramids_slanted": (_plain(metrics.bumpiness), ("sphere_in", "sphere_out", "pyramids")),
    "pyramids_parallel": (_plain(metrics.bumpiness), ("plane",)),
    "dots_background": (_plain(metrics.mean_square), ("background", "boxes", "dots_by_size")),
    "stripes_low_texture": (_bad, ("low_texture",)),
    "stripes_dark": (_bad, ("high_contrast",)),
    "stripes_bright": (_bad, ("low_contrast",)),
}
