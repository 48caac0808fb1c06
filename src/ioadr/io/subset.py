"""Subsets of views and parts of images, with matching camera, positions and disparity range."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ioadr.camera import Camera
from ioadr.errors import InputError
from ioadr.io.capture import Capture
from ioadr.io.options import ReadOptions
from ioadr.layout import thinned
from ioadr.part import Part, Window


def chosen_views(capture: Capture, options: ReadOptions) -> Capture:
    """Views that remain after `skip`, `every` and `views`, applied in this order."""
    capture = _without_skipped(capture, options)
    if options.every > 1:
        capture = _every(capture, options.every)
    if options.centred is not None:
        capture = _centred(capture, *options.centred)
    if options.views == "cross":
        capture = _cross(capture, options)
    return capture


def without_unused(capture: Capture, options: ReadOptions) -> Capture:
    """The capture without the views that `view_step` skips; without a regular grid, all views."""
    reference = _reference(capture, options)
    if options.view_step == 1 or capture.positions is not None or not capture.available[reference]:
        return capture
    used = thinned(capture.available, reference, options.view_step)
    if used.sum() == capture.available.sum():
        return capture
    return capture.with_(available=used, reference=int(capture.index[reference])).noted(
        f"{used.sum()} of {capture.available.sum()} views read: this preset does not use the others"
    )


def chosen_window(capture: Capture, options: ReadOptions) -> Window:
    """The window that `crop` selects."""
    if options.crop is None:
        return capture.window
    top, left, height, width = options.crop
    if top + height > capture.height or left + width > capture.width:
        raise InputError(
            f"⟦crop⟧: rows {top} … {top + height - 1} and columns {left} … {left + width - 1} exceed the "
            f"{capture.width}×{capture.height} px views of {capture.path}. Choose a smaller part."
        )
    return Window(top, left, top + height, left + width)


def remaining_scale(capture: Capture, options: ReadOptions) -> float:
    """The factor on the image size that the reader leaves to be applied to loaded views."""
    return options.scale / capture.scaled


def scaled_size(window: Window, scale: float) -> tuple[int, int]:
    """Height and width after scaling; partial pixels are dropped, so that the factor is exact."""
    return max(1, int(window.height * scale + 1e-9)), max(1, int(window.width * scale + 1e-9))


def part_of(outer: Part, window: Window, scale: float) -> Part:
    """Position in the whole of a window of an image, itself perhaps a part, after scaling."""
    stored = outer.crop(window)
    height, width = scaled_size(Window(0, 0, stored.height, stored.width), scale)
    rows, columns = scaled_size(window, scale)
    top = min(int(stored.window.top * scale + 1e-9), height - rows)
    left = min(int(stored.window.left * scale + 1e-9), width - columns)
    return Part(Window(top, left, top + rows, left + columns), height, width)


def scaled_camera(camera: Camera, window: Window, scale: float, part: Part) -> Camera:
    """The camera of an image whose `window` becomes `part` by scaling.

    Angles do not change. Rounding of sizes and positions is absorbed by the sensor and the optical axis.
    """
    if scale == 1.0:
        return camera
    rays = camera.pinhole(window)
    before, after = max(camera.width, camera.height), max(part.width, part.height)
    size = after / (before * scale)
    # Poses say the angle of a pixel, others the size of the sensor, which is counted from pixel to pixel in rays.
    sensor = (after - 1) / ((before - 1) * scale) if camera.world is not None and before > 1 < after else size
    return replace(
        camera,
        width=part.width,
        height=part.height,
        sensor_size_mm=camera.sensor_size_mm * sensor,
        baseline_mm=camera.baseline_mm * sensor / size,
        axis_offset=(
            (rays.n0 + 0.5) * scale - 0.5 + part.window.top - 0.5 * (part.height - 1),
            (rays.m0 + 0.5) * scale - 0.5 + part.window.left - 0.5 * (part.width - 1),
        ),
    )


def _without_skipped(capture: Capture, options: ReadOptions) -> Capture:
    if options.skip == "missing":
        missing = np.argwhere(~capture.available)
        note = f"views without a file left out: {', '.join(f'{row},{column}' for row, column in missing[:20])}"
        capture = capture.noted(note) if len(missing) else capture
        return capture.with_(required=np.array(False))
    available, required = capture.available.copy(), capture.required.copy()
    for row, column in options.skip:
        if not (0 <= row < capture.grid[0] and 0 <= column < capture.grid[1]):
            raise InputError(
                f"⟦skip⟧: the {capture.grid[0]}×{capture.grid[1]} grid of {capture.path} has no view {row},{column}. "
                "Views count from 0,0 at the top left."
            )
        available[row, column] = required[row, column] = False
    return capture.with_(available=available, required=required)


def _every(capture: Capture, step: int) -> Capture:
    """Every `step`-th row and column, including the central ones; disparities and the baseline grow by `step`."""
    rows, columns = (np.arange(_centre(length) % step, length, step) for length in capture.grid)
    result = capture.take(rows, columns)
    camera, limits, positions = capture.camera, capture.range, result.positions
    return result.with_(
        camera=replace(camera, baseline_mm=camera.baseline_mm * step) if camera else None,
        range=limits.scaled(step) if limits else None,
        positions=None if positions is None else positions / step,
    )


def _centred(capture: Capture, rows: int, columns: int) -> Capture:
    if rows > capture.grid[0] or columns > capture.grid[1]:
        raise InputError(
            f"⟦views⟧: {rows}x{columns} exceeds the {capture.grid[0]}×{capture.grid[1]} views of {capture.path}. "
            "Choose fewer."
        )
    top, left = (capture.grid[0] - rows) // 2, (capture.grid[1] - columns) // 2
    return capture.take(slice(top, top + rows), slice(left, left + columns))


def _cross(capture: Capture, options: ReadOptions) -> Capture:
    """Only the row and the column of the reference view."""
    row, column = _reference(capture, options)
    wanted = np.zeros(capture.grid, bool)
    wanted[row, :] = wanted[:, column] = True
    return capture.with_(available=capture.available & wanted, required=capture.required & wanted)


def _reference(capture: Capture, options: ReadOptions) -> tuple[int, int]:
    """Grid index of the reference view; a valid one for any request."""
    centre = (_centre(capture.grid[0]), _centre(capture.grid[1]))
    named = None if capture.reference is None else capture.place_of(capture.reference)
    row, column = options.reference or named or centre
    return min(row, capture.grid[0] - 1), min(column, capture.grid[1] - 1)


def _centre(length: int) -> int:
    return (length - 1) // 2
