"""`ioadr info`: what a light field is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import ioadr
from ioadr.app.sections import SectionCommand
from ioadr.app.terminal import Terminal, output_options

if TYPE_CHECKING:
    from ioadr.lightfield import LightField


@click.command(cls=SectionCommand)
@click.argument("scene", type=click.Path())
@output_options
def command(terminal: Terminal, scene: str) -> None:
    """Say what the light field SCENE is: views, camera, disparity range."""
    with terminal.busy(f"reading {scene}"):
        lightfield = ioadr.read(scene)
    lines = [f"  {name:<10} {text}" for name, text in described(lightfield).items()]
    terminal.answer("\n".join([lightfield.name, *lines]), facts(lightfield))


def described(lightfield: LightField) -> dict[str, str]:
    """Facts in words, in the order a person asks for them."""
    rows, columns = lightfield.grid
    reference = lightfield.reference
    assert reference is not None
    colour = "grey" if lightfield.channels == 1 else "colour"
    missing = rows * columns - lightfield.view_count
    return {
        "format": str(lightfield.source.get("format", "unknown")),
        "views": f"{rows}×{columns}" + (f", {missing} of them missing" if missing else ""),
        "image": f"{lightfield.width}×{lightfield.height} px, {colour}, {lightfield.views.dtype}",
        "reference": f"row {reference[0]}, column {reference[1]} (from 0 0 at the top left)",
        "camera": _camera(lightfield),
        "range": _range(lightfield),
        "memory": f"{lightfield.views.nbytes / 1e6:.0f} MB for the views",
    }


def facts(lightfield: LightField) -> dict[str, Any]:
    """The same for programs."""
    camera, extent = lightfield.camera, lightfield.range
    return {
        "name": lightfield.name,
        "format": lightfield.source.get("format"),
        "grid": list(lightfield.grid),
        "present": lightfield.view_count,
        "size": [lightfield.height, lightfield.width],
        "channels": lightfield.channels,
        "dtype": str(lightfield.views.dtype),
        "reference": list(lightfield.reference or ()),
        "camera": vars(camera) if camera else None,
        "range": [extent.minimum, extent.maximum, extent.origin] if extent else None,
        "bytes": lightfield.views.nbytes,
    }


def _camera(lightfield: LightField) -> str:
    camera = lightfield.camera
    if camera is None:
        return "unknown: depth will be relative"
    return (
        f"{camera.focal_length_mm:g} mm lens, {camera.sensor_size_mm:g} mm sensor, "
        f"baseline {camera.baseline_mm:g} mm, focus at {camera.focus_distance_m:g} m"
    )


def _range(lightfield: LightField) -> str:
    extent = lightfield.range
    if extent is None:
        return "not given: will be estimated from the views"
    return f"{extent.minimum:g} … {extent.maximum:g} px of disparity ({extent.origin})"
