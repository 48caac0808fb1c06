"""`ioadr.read`: recognise, orient, choose views, check sizes, decode."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import spilled
from ioadr.camera import Camera, is_posed
from ioadr.errors import InputError, Note, printable
from ioadr.io.capture import Capture
from ioadr.io.diagnosis import with_odd_views
from ioadr.io.options import ReadOptions
from ioadr.io.orientation import oriented, verdict
from ioadr.io.registry import find_format
from ioadr.io.safety.doors import check_file, damage_explained
from ioadr.io.safety.limits import check_memory
from ioadr.io.samples import Samples, prepared, resized
from ioadr.io.subset import (
    chosen_views,
    chosen_window,
    part_of,
    remaining_scale,
    scaled_camera,
    scaled_size,
    without_unused,
)
from ioadr.lightfield import DisparityRange, LightField, Source
from ioadr.part import Part, Window

CHUNK, CHUNK_BYTES = 16, 200_000_000
"""Largest number of views, and of bytes, held at full size while views are scaled or thinned out."""


def read(path: str | os.PathLike[str], options: ReadOptions | None = None, **changes: Any) -> LightField:
    """Read a light field, whatever its format.

    Parameters
    ----------
    path : str or path
        A folder of images, an HDF5, MATLAB, NumPy or Zarr file, one image of all views, or a ``lightfield.toml``. It is
        recognised by its content.
    options : ReadOptions, optional
        How to read it, as an object.
    **changes
        The same as keywords, such as ``views="5x5"``, ``crop=(top, left, height, width)`` or ``range=(-2, 2)``;
        `ioadr.io.ReadOptions` lists them.

    Returns
    -------
    LightField
        Its `source` records the recognised format and all decisions.

    Raises
    ------
    InputError
        Nothing there can be read as a light field, or views are missing; the message says what to do.

    Examples
    --------
    >>> np.savez("views.npz", views=lightfield.views)
    >>> ioadr.read("views.npz", views="3x3", range=(0, 2)).grid
    (3, 3)
    """
    chosen = ReadOptions.of(options, **changes)
    capture = open_capture(path, chosen)
    window, scale = chosen_window(capture, chosen), remaining_scale(capture, chosen)
    with damage_explained(capture.path, f"views in {capture.format} form"):
        views = _loaded(capture, window, scale)
    samples = prepared(views, capture, chosen)
    part = part_of(capture.part, window, scale)
    camera = capture.camera and scaled_camera(capture.camera, capture.part.crop(window).window, scale, part)
    return with_odd_views(assembled(capture, samples, camera, part, chosen), capture)


def open_capture(path: str | os.PathLike[str], options: ReadOptions | None = None, judge: bool = True) -> Capture:
    """The capture at `path`, oriented and reduced to the chosen views; samples are not loaded yet.

    Without `judge`, no views are decoded to check their order: sufficient for sizes.
    """
    options = options or ReadOptions()
    location = Path(path)
    if not os.fspath(path):
        raise InputError("light field: the name is empty. Name a file or folder; . is this folder.")
    if not location.is_dir():
        check_file(location, "a light field", "Copy its contents into a file.")
    format_ = find_format(location, options)
    with damage_explained(location, format_.description, "Check it, or name its format with ⟦format⟧."):
        capture = format_.open(location, options)
    capture = _ordered(capture, options)
    capture = capture.with_(camera=_camera(capture, options))
    capture = chosen_views(oriented(capture, options, judge), options)
    _check_complete(capture)
    return without_unused(capture, options)


def _ordered(capture: Capture, options: ReadOptions) -> Capture:
    """The capture with its order applied; where rows and columns are given, only a transposition is possible."""
    if capture.counted or options.counting == "row":
        return capture
    if options.order != "column":
        raise InputError(
            f"{capture.path}: ⟦order {options.order}⟧ needs numbered views; these have rows and columns. Leave it out."
        )
    return capture.transposed()


def _loaded(capture: Capture, window: Window, scale: float) -> NDArray[Any]:
    """[V, N, M, C] of the available views, after checking that they fit into memory."""
    numbers = [int(number) for number in capture.index[capture.available]]
    if not numbers:
        raise InputError(f"{capture.path}: no views remain after ⟦views⟧ and ⟦skip⟧. Choose others.")
    size = scaled_size(window, scale)
    sample = capture.channels * capture.dtype.itemsize
    at_once = len(numbers) if scale == 1.0 else min(chunk(window, sample), len(numbers))
    full = at_once * window.height * window.width * sample
    reduced = 0 if scale == 1.0 else len(numbers) * size[0] * size[1] * sample
    kind = f"{capture.channels} × {capture.dtype}"
    check_memory(capture.path, full + reduced, f"{len(numbers)} views of {window.width}×{window.height} px, {kind}")
    if scale == 1.0:
        return capture.load(numbers, window)
    views = spilled.empty((len(numbers), *size, capture.channels), capture.dtype)
    for start in range(0, len(numbers), at_once):
        some = capture.load(numbers[start : start + at_once], window)
        views[start : start + at_once] = resized(some, scale, size)
    return views


def chunk(window: Window, sample: int) -> int:
    """Number of views, of `sample` bytes per pixel, to load at a time."""
    return max(1, min(CHUNK, CHUNK_BYTES // (window.height * window.width * sample)))


def assembled(
    capture: Capture, samples: Samples, camera: Camera | None, part: Part, options: ReadOptions
) -> LightField:
    """Build the light field from the capture and its samples."""
    present = capture.available.copy()
    present[present] = samples.usable
    name = printable(capture.name or capture.path.resolve().name)
    limits = capture.range.scaled(remaining_scale(capture, options)) if capture.range else None
    reference = options.reference
    if reference is None and capture.reference is not None:
        reference = capture.place_of(capture.reference, present)
    try:
        return LightField(
            views=_placed(samples.views, capture),
            camera=camera,
            reference=reference,
            eta=options.eta or capture.eta or (1.0, 1.0),
            range=DisparityRange(*options.range, "user") if options.range else limits,
            positions=capture.positions,
            present=present,
            white=samples.white,
            name=name,
            source=_source(capture, samples.notes, options),
            part=part,
        )
    except InputError as error:
        raise InputError(f"{capture.path}: {error.marked}") from error


def _placed(views: NDArray[Any], capture: Capture) -> NDArray[Any]:
    """Views [L, K, N, M, C]; zero where a view is missing."""
    if capture.available.all():
        return views.reshape(*capture.grid, *views.shape[1:])
    grid = spilled.empty((*capture.grid, *views.shape[1:]), views.dtype)
    grid[~capture.available] = 0
    for place, view in zip(np.argwhere(capture.available), views, strict=True):
        grid[tuple(place)] = view  # view by view: numpy takes five times as long for all by one mask
    return grid


def _source(capture: Capture, notes: Sequence[str], options: ReadOptions) -> Source:
    """The record of where the light field came from."""
    given = {key: value for key, value in asdict(options).items() if value != getattr(ReadOptions(), key)}
    noted = tuple(Note(note) for note in (*capture.notes, *notes))
    order = verdict(capture)
    return Source(os.path.abspath(capture.path), capture.format, options.format is None, noted, given, order)


def _camera(capture: Capture, options: ReadOptions) -> Camera | None:
    """The file's camera, with the values that the user overrides."""
    names = ("focal_length_mm", "sensor_size_mm", "baseline_mm", "focus_distance_m")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    posed = is_posed(capture.camera)
    if options.pose_unit is not None and not posed:
        raise InputError(f"{capture.path}: no poses came with the views. Leave ⟦pose-unit⟧ out.")
    if given and posed:
        raise InputError(
            f"{capture.path}: the poses already determine {', '.join(given)}. Leave it out; "
            "⟦pose-unit METRES⟧ scales them."
        )
    if not given:
        return capture.camera
    if capture.camera is not None:
        return replace(capture.camera, **given)
    if len(given) < len(names):
        flags = ", ".join(f"⟦{name.replace('_', '-')}⟧" for name in names if name not in given)
        raise InputError(
            f"{capture.path}: the files have no camera, and {', '.join(given)} alone is not enough. Add {flags}."
        )
    return Camera(**given, width=capture.width, height=capture.height)


def _check_complete(capture: Capture) -> None:
    """Refuse missing views; the message names the files and the largest complete centred grid."""
    holes = np.argwhere(~capture.available & capture.required)
    if len(holes) == 0:
        return
    rows, columns = capture.grid
    names = ", ".join(capture.name_at(row, column) for row, column in holes[:5]) + (" …" if len(holes) > 5 else "")
    row, column = holes[0]
    declared = f" in {capture.declared_by}" if capture.declared_by else ""
    raise InputError(
        f"{capture.path}/: expected {rows * columns} views ({rows}×{columns}{declared}), "
        f"found {rows * columns - len(holes)}; missing {names}. "
        f"Restore {'it' if len(holes) == 1 else 'them'}{_complete_centre(capture.available)}, or continue without: "
        f"⟦skip {f'{row},{column}' if len(holes) == 1 else 'missing'}⟧."
    )


def _complete_centre(available: NDArray[np.bool_]) -> str:
    rows, columns = available.shape
    for border in range(1, (min(rows, columns) - 3) // 2 + 1):
        if available[border : rows - border, border : columns - border].all():
            size = f"{rows - 2 * border}x{columns - 2 * border}"
            return f", use the complete centred grid with ⟦views {size}⟧"
    return ""
