"""A light field that does not fit into memory, read part by part.

What is decided by looking at the whole (white, which views are usable) is decided once, from a thinned-out
copy, and holds for every part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ioadr.camera import relative_camera
from ioadr.errors import InputError
from ioadr.io.capture import Window
from ioadr.io.options import ReadOptions
from ioadr.io.reading import chunk, light_field, open_capture
from ioadr.io.safety.doors import damage_explained
from ioadr.io.safety.limits import check_memory
from ioadr.io.samples import STRIDE, Decided, decided, prepared_as
from ioadr.io.subset import chosen_window
from ioadr.lightfield import DisparityRange, LightField


@dataclass(frozen=True, eq=False)
class Survey:
    """The whole light field without its samples."""

    height: int
    width: int
    thin: LightField
    """Every STRIDE-th pixel of it, with the whole's positions, camera and range: to look at, not to estimate."""
    samples: Decided


def survey(path: str | Path, options: ReadOptions) -> Survey:
    """Look at all views, a few at a time."""
    if options.scale != 1.0:
        raise InputError(f"{path}: expected ⟦scale 1⟧ to read it in parts, found {options.scale:g}. Leave it out.")
    capture = open_capture(path, options)
    window = chosen_window(capture, options)
    numbers = [int(number) for number in capture.index[capture.available]]
    sample = capture.channels * capture.dtype.itemsize
    at_once = chunk(window, sample)
    check_memory(path, at_once * window.height * window.width * sample, f"{at_once} views at a time")
    with damage_explained(path, f"views in {capture.format} form"):
        parts = [
            capture.load(numbers[first : first + at_once], window)[:, ::STRIDE, ::STRIDE].copy()
            for first in range(0, len(numbers), at_once)
        ]
    sparse = np.concatenate(parts)
    known = decided(sparse, capture, options)
    thin = light_field(capture, prepared_as(sparse, capture, options, known), window, options)
    return Survey(window.height, window.width, thin, known)


def read_part(
    path: str | Path, options: ReadOptions, part: Window, size: tuple[int, int], known: Decided, limits: DisparityRange
) -> LightField:
    """Rows and columns `part` of all views, `size` being the whole's, `known` what `survey` decided about it."""
    capture = open_capture(path, options)
    outer = chosen_window(capture, options)
    window = Window(outer.top + part.top, outer.left + part.left, outer.top + part.bottom, outer.left + part.right)
    numbers = [int(number) for number in capture.index[capture.available]]
    stored = len(numbers) * window.height * window.width * capture.channels * capture.dtype.itemsize
    check_memory(path, stored, f"a part of {window.width}×{window.height} px of {len(numbers)} views")
    with damage_explained(path, f"views in {capture.format} form"):
        views = capture.load(numbers, window)
    samples = prepared_as(views, capture, options, known)
    if samples.views.min() == samples.views.max():
        # No light field is of one colour, but its parts may be: one sample that differs keeps them from being refused.
        samples.views[0, 0, 0] = 1 if samples.views[0, 0, 0, 0] == 0 else 0
    found = light_field(capture, samples, window, options).with_(range=limits)
    if found.camera is None:
        camera = relative_camera(size[1], size[0])
        found = found.with_(camera=replace(camera, origin=(float(part.top), float(part.left))))
    return found
