"""Times, cameras and ranges in words, shared by the terminal and the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ioadr.parameters import Parameters
from ioadr.presets import PRESETS

if TYPE_CHECKING:
    from ioadr.camera import Camera
    from ioadr.lightfield import DisparityRange

ORIGINS = {"file": "from the file", "user": "as given", "estimated": "estimated from the views"}


def duration(seconds: float, decimals: int = 0) -> str:
    """A duration in a suitable unit; `decimals` applies to seconds."""
    if seconds < 90:
        return f"{seconds:.{decimals}f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def percentage(share: float) -> str:
    """A share with two decimals; a dash if nothing was counted."""
    return f"{100 * share:.2f} %" if share == share else "–"


def preset_name(parameters: Parameters) -> str:
    """Name of the preset with these parameters, or a note that they are none."""
    return next((name for name, values in PRESETS.items() if values == parameters), "custom")


DEPTH = {
    "m": "depth in metres",
    "pose unit": "depth in the unit of the poses",
    "relative": "depth is relative: the camera is unknown",
}
"""Descriptions, by `Estimate.depth_unit`."""


def optics(camera: Camera) -> str:
    if camera.world is not None:
        side, unit = max(camera.width, camera.height), "m" if camera.metric else "units of the poses"
        focal = camera.focal_length_mm / camera.sensor_size_mm * (side - 1)
        return (
            f"of the poses: focal length {focal:.5g} px, baseline {camera.baseline_mm / 1000:.4g}, "
            f"focus at {camera.focus_distance_m:.4g} {unit}"
        )
    return (
        f"{camera.focal_length_mm:g} mm lens, {camera.sensor_size_mm:g} mm sensor, "
        f"baseline {camera.baseline_mm:g} mm, focus at {camera.focus_distance_m:g} m"
    )


def disparities(limits: DisparityRange) -> str:
    return f"{limits.minimum:.4g} … {limits.maximum:.4g} px, {ORIGINS[limits.origin]}"
