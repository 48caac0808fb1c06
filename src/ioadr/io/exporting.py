"""Exports of an estimate for other programs: all files or none.

A new program is a module of `ioadr.io.exports` with a `TARGET`, and its name in `PROGRAMS` there.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ioadr.errors import InputError, Note, OutputError, unknown
from ioadr.io.exports import DEVICES, PROGRAMS
from ioadr.io.exports.target import Target
from ioadr.io.posed import Scene
from ioadr.io.results.save import plain
from ioadr.io.safety.atomic import MARKER, atomic_folder, check_folder
from ioadr.io.safety.doors import noted
from ioadr.io.safety.leftovers import flush
from ioadr.lightfield import LightField
from ioadr.result import Estimate
from ioadr.views.result import Views

MOST_POINTS = 10_000
"""Default number of seed points."""
EXPORT = "export"
"""Key in the provenance: the program for which the files were written."""


TARGETS: dict[str, Target] = {name: import_module(f"ioadr.io.exports.{name}").TARGET for name in PROGRAMS}


@dataclass(frozen=True)
class Exported:
    """Written files, and notes about them."""

    files: list[Path]
    notes: list[Note]


def export_estimate(
    estimate: Estimate,
    target: str,
    folder: str | os.PathLike[str],
    lightfield: LightField | None = None,
    overwrite: bool = False,
    min_confidence: float = 0.0,
    points: int = MOST_POINTS,
    scale_to: float | None = None,
    views: Views | None = None,
    device: str = "portrait",
    focus: float | None = None,
) -> Exported:
    """Export an estimate for another program; the arguments are those of `Estimate.export`."""
    check_export(target, folder, overwrite)
    program = TARGETS[target]
    _check_unit(estimate, program, target, scale_to)
    _check_numbers(min_confidence, points)
    views = views if program.every_view or program.depth_of_views else None
    images = program.all_views or (views is not None and program.depth_of_views)
    if images:
        _check_lightfield(estimate, views, lightfield, target)
    if program.every_view:
        _check_views(views, target, device)
    pose = estimate.camera.world if estimate.camera is not None and program.all_views else None
    taken = lightfield if images else None
    scene = Scene(estimate, taken, min_confidence, points, scale_to, pose, views, device, focus)
    units = [] if program.every_view else _unit_notes(estimate, scale_to, pose is not None)
    notes = [*units, *program.notes(scene)]
    with atomic_folder(folder, overwrite, replacing=program.names, names=program.names) as staging:
        program.write(scene, staging)
        files = sorted(path.relative_to(staging) for path in staging.rglob("*") if path.is_file())
        content: dict[str, Any] = {
            EXPORT: target,
            "unit": scene.unit,
            "scale_to": scale_to,
            "min_confidence": min_confidence,
        }
        content |= {"points": points, "notes": notes, "result": plain(estimate.provenance)}
        (staging / MARKER).write_text(json.dumps(content, indent=2, allow_nan=False) + "\n", encoding="utf-8")
        for file in files:
            flush(staging / file)
    return Exported([Path(folder) / path for path in (*files, Path(MARKER))], notes)


def check_export(target: str, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Refuse an unknown target, and a folder with files other than an earlier export to it."""
    if target not in TARGETS:
        raise unknown("program", target, TARGETS, "⟦to⟧: ")
    checked = check_folder(folder, overwrite, TARGETS[target].names)
    there = [name for name in (MARKER, *TARGETS[target].names) if (checked / name).exists()]
    if there and _earlier(checked) != target:
        raise OutputError(
            f"{checked}: contains {there[0]}, which is not part of an export to {target} and would be lost. "
            "Choose another folder with ⟦out⟧."
        )


def _earlier(folder: Path) -> str | None:
    """Target of the folder's earlier export."""
    try:
        return str(noted(folder / MARKER)[EXPORT])
    except (KeyError, TypeError):
        return None


def _check_unit(estimate: Estimate, program: Target, target: str, scale_to: float | None) -> None:
    posed = estimate.camera is not None
    if posed and not estimate.metric and (scale_to is not None or program.metres):
        raise InputError(
            f"depth is in the unit of the poses, which is unknown{f', and {target} needs metres' * program.metres}. "
            "Estimate again with its length, ⟦pose-unit METRES⟧."
        )
    if scale_to is None:
        if program.metres and not estimate.metric:
            raise InputError(
                f"depth is relative, because the camera is unknown, and {target} needs metres. Give the camera and "
                "estimate again, or give the distance of the middle of the disparity range: ⟦scale-to METRES⟧."
            )
        return
    if estimate.metric:
        raise InputError("⟦scale-to⟧: the camera is known, so depth is already in metres. Leave it out.")
    if not 0 < scale_to < math.inf:
        raise InputError(f"⟦scale-to⟧: expected metres above 0, found {scale_to:g}.")


def _check_numbers(min_confidence: float, points: int) -> None:
    if not 0 <= min_confidence <= 1:
        raise InputError(f"⟦min-confidence⟧: expected 0 … 1, found {min_confidence:g}.")
    if points < 1:
        raise InputError(f"⟦points⟧: expected at least 1, found {points}.")


def _check_lightfield(estimate: Estimate, views: Views | None, lightfield: LightField | None, target: str) -> None:
    """Refuse a light field that does not belong to the map."""
    if lightfield is None:
        raise InputError(f"{target} needs the images of all views. Give the light field: ⟦lightfield⟧.")
    (views or estimate).check_lightfield(lightfield)


def _check_views(views: Views | None, target: str, device: str) -> None:
    """Refuse a quilt without the maps of all views, which its intermediate views need."""
    if views is None:
        raise InputError(
            f"{target}: contains views between the captured ones, which need the maps of every view. Call "
            "`ioadr.estimate_views`, and `quilt` of its result."
        )
    if device not in DEVICES:
        raise unknown("display", device, DEVICES, "⟦device⟧: ")


def _unit_notes(estimate: Estimate, scale_to: float | None, posed: bool) -> list[Note]:
    if posed:
        return [Note("poses, points and depth are in the frame and the unit of the poses that came with the views")]
    if estimate.metric:
        return []
    if estimate.camera is not None:
        return [Note("lengths are in the unit of the poses that came with the views")]
    shape = (
        "the shape of the scene follows from an assumed camera (100 mm lens on a 35 mm sensor, depth 0.83 … 1.25 "
        "of the middle over the disparity range)"
    )
    if scale_to is None:
        return [Note(f"lengths have no unit, because the camera is unknown: {shape}")]
    return [Note(f"metres assume that the middle of the disparity range is {scale_to:g} m away; {shape}")]
