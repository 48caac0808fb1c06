"""Rough time and memory of an estimation, before it runs."""

from __future__ import annotations

import math

import numpy as np

from ioadr.consistency.arrangement import STEP, matched
from ioadr.consistency.matching import Pictures, grey
from ioadr.consistency.order import FINEST
from ioadr.lightfield import LightField
from ioadr.machine import cores
from ioadr.parameters import Parameters
from ioadr.presets import DEFAULT, PRESETS
from ioadr.spilled import is_spilled

START = 1.0
"""Seconds until modules and compiled code are loaded, and of a small light field's files; more cores do not help."""
SECONDS_PER_VIEW = 3.7e-3
SECONDS_PER_PIXEL = {"paper": 3.5e-6, "best": 18e-6, "fast": 1.75e-6}
SECONDS_PER_SAMPLE = {"paper": 0.24e-6, "best": 0.164e-6, "fast": 0.03e-6}
"""CPU seconds per file, per pixel of the reference view, and per sample of all views in the files; docs/performance.md
gives their accuracy."""
USUAL_SPREAD = 16.0
"""Usual difference between the shifts of the nearest and the farthest point in the outermost view, px, as in the
benchmark's scenes. With a larger one, the first map tries more planes and occluders are farther away, in proportion."""
BYTES_PER_SAMPLE = 4
"""Bytes of the packed colour of one pixel of one view."""
BYTES_PER_PIXEL = 320
"""Bytes per pixel of the reference view: state, planes, visibility, costs, result."""
BYTES_PER_PLANE = 3, 5
"""Bytes of one pixel: deviation and share of a semi-global match; later also its sums of paths."""
BYTES_PER_HEARD_SAMPLE = 12, 4
"""Bytes of one pixel of one view in that match, at the same times: packed, high-pass and the surface that it sees, then
packed alone."""
PLANES, MOST_PLANES, ENOUGH_VIEWS, LARGE = 3.0, 192, 49, 250_000_000
FEW_SWEPT, ENOUGH_SWEPT = 64, 81
"""As in `solver.heard_costs`, `few_views`, `problem` and `refine`, which would load the compiler; a test compares them.
"""
WIDER = 1.3
"""Ratio of the disparity range to the range that blocks of small pictures show; its median is 1.28 on 23 scenes of
known range (docs/performance.md)."""
SMALLEST_PICTURE = 16
"""Smallest side of pictures that are matched, px."""
OVERHEAD = 180_000_000
"""Bytes of interpreter and compiled code."""


def expected_seconds(lightfield: LightField, preset: str = DEFAULT) -> float:
    """Seconds on this machine with all its cores; looks at a few views if the disparity range is unknown."""
    more = max(spread(lightfield) / USUAL_SPREAD, 1.0)
    return START + more * core_seconds(lightfield.view_count, lightfield.height, lightfield.width, preset) / cores()


def expected_bytes(lightfield: LightField, preset: str = DEFAULT) -> int:
    """Peak memory of the whole process."""
    parameters, pixels = PRESETS[preset], lightfield.height * lightfield.width
    used = read = lightfield.view_count
    if parameters.initialise.method == "plane-sweep":
        used = int(np.count_nonzero(lightfield.layout.thinned(parameters.data.view_step)))
        read = read if lightfield.layout.deviation else used  # of a regular grid, the others are not even read
    stored = 0 if is_spilled(lightfield.views) else read * pixels * lightfield.channels * lightfield.views.itemsize
    return stored + working_bytes(used, pixels, parameters, spread(lightfield)) + OVERHEAD


def spread(lightfield: LightField) -> float:
    """Spread of the shifts over the disparity range in the outermost view, px."""
    return lightfield.range.extent * max(lightfield.reach) if lightfield.range else matched_spread(lightfield)


def matched_spread(lightfield: LightField) -> float:
    """The same if the range is unknown, from small pictures of the views at the ends of two lines."""
    row, column = lightfield.reference
    rows, columns = np.flatnonzero(lightfield.present[:, column]), np.flatnonzero(lightfield.present[row])
    places = [(row, column), *((i, column) for i in rows[[0, -1]]), *((row, j) for j in columns[[0, -1]])]
    offsets = np.array([lightfield.offsets[place] for place in places])[:, :2]
    pictures = Pictures(np.stack([grey(lightfield.views[place], FINEST) for place in places]), offsets - offsets[0])
    if min(pictures.images.shape[1:]) < SMALLEST_PICTURE or not pictures.offsets.any():
        return USUAL_SPREAD
    matches = matched(pictures)
    low, high = matches.limits()
    size = max(pictures.reduced(matches.longest).images.shape[1:])
    return WIDER * (high - low - STEP) * max(lightfield.height, lightfield.width) / size


def core_seconds(views: int, height: int, width: int, preset: str = DEFAULT) -> float:
    """CPU seconds of an estimation with a preset, without start-up."""
    pixel = SECONDS_PER_PIXEL[preset] + SECONDS_PER_SAMPLE[preset] * views
    return SECONDS_PER_VIEW * views + pixel * height * width


def working_bytes(views: int, pixels: int, parameters: Parameters, shifts: float = USUAL_SPREAD) -> int:
    """Peak memory of an estimation, by the number of pixels of the reference view, without the stored samples.

    The finish packs its views once or twice more. Before that a semi-global match holds a volume of planes. Large views
    are not copied: the finish filters them in place, and the match reuses their memory.
    """
    packed, finish, heard = BYTES_PER_SAMPLE * views, parameters.finish, few(views)
    large = packed * pixels > LARGE
    most = packed + BYTES_PER_SAMPLE * max(heard if large else 0, swept(views, parameters))
    if finish.passes and not large:
        most = packed * (2 + (finish.high_pass > 0))
    if finish.region_passes:
        planes = min(math.ceil(shifts * PLANES) + 1, MOST_PLANES)
        volume = max(a * planes + b * heard for a, b in zip(BYTES_PER_PLANE, BYTES_PER_HEARD_SAMPLE, strict=True))
        most = max(most, volume + (0 if large and heard < views else packed))
    return (most + BYTES_PER_PIXEL) * pixels


def swept(views: int, parameters: Parameters) -> int:
    """Number of views of a square grid that the first sweeps copy; none if they use all."""
    some = few(views, ENOUGH_SWEPT)
    return some if parameters.search.few_view_sweeps and FEW_SWEPT <= some < views else 0


def few(views: int, enough: int = ENOUGH_VIEWS) -> int:
    """Number of views of a square grid that rank hypotheses: of many, every second or third in each direction."""
    side, step = math.sqrt(views), 1
    while math.ceil(side / step) ** 2 > max(enough, math.ceil(side)):
        step += 1
    return math.ceil(side / step) ** 2 if step > 1 else views
