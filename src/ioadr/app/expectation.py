"""What an estimation will take, before it runs: rough figures to plan by."""

from __future__ import annotations

from ioadr.lightfield import LightField
from ioadr.machine import cores
from ioadr.parameters import DEFAULT, PRESETS

SECONDS_PER_SAMPLE = {"paper": 0.9e-6, "best": 1.5e-6, "fast": 0.26e-6}
"""Of one core, for one pixel of one view, by preset: `ioadr estimate` on the benchmark's scenes, README.md."""
USUAL_SPREAD = 11.0
"""px between the shifts of the nearest and the farthest point in the outermost view; beyond it the first map tries
more planes and occluders lie farther away, in proportion."""
BYTES_PER_SAMPLE = 4
"""Packed colour of one pixel of one view."""
BYTES_PER_PIXEL = 320
"""Maps of the reference view: state, planes, visibility, costs, result."""
OVERHEAD = 180_000_000
"""Interpreter and compiled code."""


def expected_seconds(lightfield: LightField, preset: str = DEFAULT) -> float:
    """On this machine, with all its cores; of a usual range of disparities if none is known."""
    spread = lightfield.range.extent * max(lightfield.reach) if lightfield.range else USUAL_SPREAD
    more = max(spread / USUAL_SPREAD, 1.0)
    return more * core_seconds(lightfield.view_count, lightfield.height, lightfield.width, preset) / cores()


def expected_bytes(lightfield: LightField, preset: str = DEFAULT) -> int:
    """Peak of the whole process."""
    copies = 2 if PRESETS[preset].finish.passes else 1
    return peak_bytes(lightfield.view_count, lightfield.height, lightfield.width, lightfield.views.nbytes, copies)


def core_seconds(views: int, height: int, width: int, preset: str = DEFAULT) -> float:
    """Of one core, for an estimation with a preset."""
    return SECONDS_PER_SAMPLE[preset] * views * height * width


def peak_bytes(views: int, height: int, width: int, stored: int, copies: int = 1) -> int:
    """Of a process that estimates a light field whose samples take `stored` bytes; the finish packs one or two more."""
    return stored + (BYTES_PER_SAMPLE * views * copies + BYTES_PER_PIXEL) * height * width + OVERHEAD
