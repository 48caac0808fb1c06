"""Data for the benchmark's page: maps, curves, scores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.app.report.packing import jpegs, packed
from ioadr.camera import RelativeCamera
from ioadr.colours import rgb8, scale, shown_range
from ioadr.errors import InputError
from ioadr.evaluation.benchmark import Results
from ioadr.evaluation.metrics import bad_pixel_curve
from ioadr.evaluation.scores import METRICS
from ioadr.evaluation.truth import Truth, load_truth
from ioadr.io.reading import read

LARGEST = 640
"""Largest side of a map, px; larger ones are thinned out, so that the page stays small."""
MOST_JPEG = 300_000
"""Largest size of one centre view, in characters."""
STEP = 0.001
"""Quantisation step of the page's disparities, px."""
THRESHOLDS = np.geomspace(0.005, 0.5, 49)
RADAR = ("mse", "badpix_007", "badpix_003", "badpix_001", "q25", "mae_planes", "mae_surfaces", "discontinuities")


def page_data(results: Results) -> dict[str, Any]:
    """Everything for `web/benchmark.js`."""
    return {
        "scenes": [_scene(results, scene) for scene in results.scenes],
        "methods": [{"name": m.name, "ours": m.ours, "seconds": _seconds(results, m.name)} for m in results.methods],
        "metrics": [
            {"id": name, "label": METRICS[name].label, "unit": METRICS[name].unit, "decimals": METRICS[name].decimals}
            for name in results.metrics
        ],
        "means": {name: [results.mean(method, name) for method in results.method_names] for name in results.metrics},
        "radar": [name for name in RADAR if name in results.metrics],
        "thresholds": THRESHOLDS.round(5),
        "scales": {name: packed(scale(name)[None]) for name in ("depth", "signed")},
    }


def packed_steps(values: NDArray[Any], step: float = STEP) -> dict[str, Any]:
    """Real numbers quantised in steps, as `unpackValues` reads them; 0 means "no value"."""
    finite = values[np.isfinite(values)].astype(np.float64)
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    step = max(step, (high - low) / 65000)
    first = math.floor(low / step) - 1
    samples = np.rint(np.nan_to_num(values.astype(np.float64), posinf=0, neginf=0) / step) - first
    samples = np.where(np.isfinite(values), samples, 0).astype(np.uint16)
    return packed(samples) | {"scale": step, "offset": first * step}


def _scene(results: Results, folder: Path) -> dict[str, Any]:
    truth = load_truth(folder)
    thin = -(-max(truth.disparity.shape) // LARGEST)
    kept = (slice(None, None, thin), slice(None, None, thin))
    height, width = truth.disparity[kept].shape
    shown = shown_range(truth.disparity)
    camera = truth.camera or RelativeCamera(*shown, *reversed(truth.disparity.shape))
    maps = {method: _map(results, folder.name, method) for method in results.method_names}
    return {
        "name": folder.name,
        "width": width,
        "height": height,
        "thin": thin,
        "border": truth.border / thin,
        "rays": camera.pinhole()._asdict(),
        "shown": shown,
        "view": _view(folder, kept),
        "truth": packed_steps(truth.disparity[kept]),
        "maps": [None if m is None else packed_steps(m[kept]) for m in maps.values()],
        "curves": [None if m is None else _curve(m, truth) for m in maps.values()],
    }


def _map(results: Results, scene: str, method: str) -> NDArray[Any] | None:
    """Map of an item; None if it failed."""
    return None if results.item(scene, method).failure else results.disparity(scene, method)


def _curve(values: NDArray[Any], truth: Truth) -> NDArray[np.float64]:
    return bad_pixel_curve(values, truth.disparity, truth.area, THRESHOLDS).round(3)


def _view(folder: Path, kept: tuple[slice, slice]) -> str | None:
    """The centre view; a scene may consist of its truth alone."""
    try:
        lightfield = read(folder, views="3x3", flip_rows=False, flip_columns=False)
    except InputError:
        return None
    return jpegs([rgb8(lightfield.reference_view[kept], lightfield.white)], MOST_JPEG)[0]


def _seconds(results: Results, method: str) -> float | None:
    times = [item.seconds for item in results.items if item.method == method]
    present = [seconds for seconds in times if seconds is not None]
    return float(np.mean(present)) if present and len(present) == len(times) else None
