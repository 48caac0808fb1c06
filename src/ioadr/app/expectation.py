"""What an estimation will take, before it runs: rough figures to plan by."""

from __future__ import annotations

from ioadr.io.images import cores
from ioadr.lightfield import LightField

SECONDS_PER_SAMPLE = 1.0e-6
"""Of one core, for one pixel of one view, all sweeps of the preset `paper`; measured on the benchmark's scenes."""
BYTES_PER_SAMPLE = 4
"""Packed colour of one pixel of one view."""
BYTES_PER_PIXEL = 250
"""Maps of the reference view: state, planes, visibility, costs, result."""
OVERHEAD = 150_000_000
"""Interpreter and compiled code."""


def expected_seconds(lightfield: LightField) -> float:
    """On this machine, with all its cores."""
    samples = lightfield.view_count * lightfield.height * lightfield.width
    return SECONDS_PER_SAMPLE * samples / cores()


def expected_bytes(lightfield: LightField) -> int:
    """Peak of the whole process."""
    pixels = lightfield.height * lightfield.width
    packed = BYTES_PER_SAMPLE * lightfield.view_count * pixels
    return int(lightfield.views.nbytes + packed + BYTES_PER_PIXEL * pixels + OVERHEAD)
