"""A light field that does not fit into memory, read part by part.

Decisions about the whole (order of views, white, usable views) are made once and apply to every part.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.io.diagnosis import with_odd_views
from ioadr.io.options import ReadOptions
from ioadr.io.orientation import settled
from ioadr.io.reading import assembled, chunk, open_capture
from ioadr.io.safety.doors import damage_explained
from ioadr.io.safety.limits import check_memory
from ioadr.io.samples import STRIDE, Decided, colours, decided, prepared_as
from ioadr.io.subset import chosen_window
from ioadr.io.white import Levels
from ioadr.layout import Layout
from ioadr.lightfield import DisparityRange, LightField, Source
from ioadr.part import Part, Window


@dataclass(frozen=True, eq=False)
class Survey:
    """The whole light field without its samples."""

    part: Part
    """Window of the pixels that `crop` selects."""
    samples: Decided
    camera: Camera | None
    layout: Layout
    range: DisparityRange | None
    name: str
    source: Source
    reading: ReadOptions
    """Options that read parts in the order found, without testing it again."""

    @property
    def height(self) -> int:
        return self.part.window.height

    @property
    def width(self) -> int:
        return self.part.window.width


def survey(path: str | Path, options: ReadOptions) -> Survey:
    """Examine all views, a few at a time."""
    if options.scale != 1.0:
        raise InputError(f"{path}: cannot be read in parts and scaled. Leave ⟦scale {options.scale:g}⟧ out.")
    capture = open_capture(path, options)
    window = chosen_window(capture, options)
    numbers = [int(number) for number in capture.index[capture.available]]
    sample = capture.channels * capture.dtype.itemsize
    at_once = chunk(window, sample)
    check_memory(path, at_once * window.height * window.width * sample, f"{at_once} views at a time")
    with damage_explained(path, f"views in {capture.format} form"):
        parts, levels = [], Levels()
        for first in range(0, len(numbers), at_once):
            views = capture.load(numbers[first : first + at_once], window)
            levels.add(colours(views, capture))
            parts.append(views[:, ::STRIDE, ::STRIDE].copy())
    sparse = np.concatenate(parts)
    decisions = decided(sparse, capture, options, levels)
    samples = prepared_as(sparse, capture, options, decisions)
    thin = assembled(capture, samples, capture.camera, Part.whole(*sparse.shape[1:3]), options)
    thin = with_odd_views(thin, capture, STRIDE)
    about = thin.camera, thin.layout, thin.range, thin.name, thin.source
    return Survey(capture.part.crop(window), decisions, *about, settled(capture, options))


def read_part(path: str | Path, whole: Survey, window: Window, limits: DisparityRange) -> LightField:
    """Read a window (inside `crop`) of all views, with the decisions of the survey."""
    options = whole.reading
    capture = open_capture(path, options, judge=False)
    outer = chosen_window(capture, options)
    window = window.moved(outer.top, outer.left)
    numbers = [int(number) for number in capture.index[capture.available]]
    stored = len(numbers) * window.height * window.width * capture.channels * capture.dtype.itemsize
    check_memory(path, stored, f"a part of {window.width}×{window.height} px of {len(numbers)} views")
    with damage_explained(path, f"views in {capture.format} form"):
        views = capture.load(numbers, window)
    samples = prepared_as(views, capture, options, whole.samples)
    part = assembled(capture, samples, capture.camera, capture.part.crop(window), options)
    return part.with_(range=limits, source=whole.source)
