"""Rough time and memory of an estimation, before it runs."""

from __future__ import annotations

import math
import time
from functools import cache
from typing import NamedTuple

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
SECONDS_PER_PIXEL = {"paper": 3.5e-6, "best": 35e-6, "fast": 1.75e-6}
SECONDS_PER_SAMPLE = {"paper": 0.24e-6, "best": 0.113e-6, "fast": 0.03e-6}
"""CPU seconds per file, per pixel of the reference view, and per sample of all views in the files; docs/performance.md
gives their accuracy."""
SERIAL = 0.15
"""Share of this time that more cores do not shorten."""
USUAL_SPREAD = 16.0
"""Usual difference between the shifts of the nearest and the farthest point in the outermost view, px, as in the
benchmark's scenes. With a larger one, the first map tries more planes and occluders are farther away."""
NARROWEST = {"paper": USUAL_SPREAD, "best": 6.0, "fast": USUAL_SPREAD}
POWER = {"paper": 1.0, "best": 0.56, "fast": 1.0}
"""The time grows as the spread, at least the narrowest, to this power."""
USUAL_RELIEF, RELIEFS, GROWTH = 0.25, (0.14, 0.45), {"paper": 0.0, "best": 3.5, "fast": 0.0}
"""Relief of a usual scene (see `Content`), smallest and largest that was measured, and the logarithm of the factor on
the time if it is larger by 1."""
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
LEAST_COST = 1e-3
"""Cost, grey levels, below which all shifts of a block match alike."""
SMALLEST_PICTURE = 16
"""Smallest side of pictures that are matched, px."""
OVERHEAD = 180_000_000
"""Bytes of interpreter and compiled code."""
TRIALS, USUAL_TRIAL = 15, 0.7e-3
"""Number of short calculations that show how fast this machine is, and seconds of one on that of these figures."""


def expected_seconds(lightfield: LightField, preset: str = DEFAULT) -> float:
    """Seconds on this machine with all its cores; looks at a few views."""
    seen = content(lightfield)
    shifts = spread(lightfield) if lightfield.range else seen.spread
    size = lightfield.view_count, lightfield.height, lightfield.width
    seconds = core_seconds(*size, preset, difficulty(shifts, seen.relief, preset))
    return slowness() * (START + (SERIAL + (1.0 - SERIAL) / cores()) * seconds)


def difficulty(shifts: float, relief: float, preset: str) -> float:
    """Factor on the time of a scene, from its spread of shifts, px, and its relief."""
    wide = (max(shifts, NARROWEST[preset]) / USUAL_SPREAD) ** POWER[preset]
    return wide * math.exp(GROWTH[preset] * (min(max(relief, RELIEFS[0]), RELIEFS[1]) - USUAL_RELIEF))


@cache
def slowness() -> float:
    """Time of this machine as a multiple of that of the machine of these figures, from deviations of samples."""
    samples = np.arange(2**20, dtype=np.uint32) * np.uint32(2654435761)
    places = np.arange(2**15) * 31
    times = []
    for _ in range(TRIALS):
        begin, total = time.perf_counter(), np.zeros(places.size, np.float32)
        for neighbour in (0, 1, 641, 642):
            packed = samples[places + neighbour]
            for bit in (0, 10, 20):
                channel = ((packed >> np.uint32(bit)) & np.uint32(1023)).astype(np.float32)
                total += np.abs(channel * np.float32(0.25) - np.float32(100.0))
        times.append(time.perf_counter() - begin)  # the clock of CPU time has steps of 16 ms on Windows
    return float(np.median(times)) / USUAL_TRIAL


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
    return lightfield.range.extent * max(lightfield.reach) if lightfield.range else content(lightfield).spread


class Content(NamedTuple):
    """What small pictures of the views at the ends of two lines show."""

    spread: float
    """Spread of the shifts in the outermost view, px, for an unknown range."""
    relief: float
    """How far blocks differ at their best shift, as a share of the median over all shifts: much at steps in depth."""


def content(lightfield: LightField) -> Content:
    """The content of a light field."""
    row, column = lightfield.reference
    rows, columns = np.flatnonzero(lightfield.present[:, column]), np.flatnonzero(lightfield.present[row])
    places = [(row, column), *((i, column) for i in rows[[0, -1]]), *((row, j) for j in columns[[0, -1]])]
    offsets = np.array([lightfield.offsets[place] for place in places])[:, :2]
    pictures = Pictures(np.stack([grey(lightfield.views[place], FINEST) for place in places]), offsets - offsets[0])
    if min(pictures.images.shape[1:]) < SMALLEST_PICTURE or not pictures.offsets.any():
        return Content(USUAL_SPREAD, USUAL_RELIEF)
    matches = matched(pictures)
    low, high = matches.limits()
    size = max(pictures.reduced(matches.longest).images.shape[1:])
    costs = matches.costs[matches.best]
    relief = float(np.mean(costs.min(axis=0) / np.maximum(np.median(costs, axis=0), LEAST_COST)))
    return Content(WIDER * (high - low - STEP) * max(lightfield.height, lightfield.width) / size, relief)


def core_seconds(views: int, height: int, width: int, preset: str = DEFAULT, difficulty: float = 1.0) -> float:
    """CPU seconds of an estimation with a preset, without start-up, on the machine of these figures."""
    pixel = SECONDS_PER_PIXEL[preset] + SECONDS_PER_SAMPLE[preset] * views
    return SECONDS_PER_VIEW * views + difficulty * pixel * height * width


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
