"""The order of views: given by the user, defined by the format, or found from the views.

A wrong order is corrected if it is certain and not defined; a defined order only gets a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr import spilled
from ioadr.camera import is_posed
from ioadr.consistency.fixed_pattern import has_blocks
from ioadr.consistency.matching import Pictures, grey
from ioadr.consistency.order import FINEST, NOT_JUDGED, Order, judged
from ioadr.consistency.significance import NOTHING
from ioadr.errors import InputError
from ioadr.io.capture import Capture, Loader
from ioadr.io.options import Pair, ReadOptions
from ioadr.io.safety.doors import damage_explained
from ioadr.part import Window

DEFINED = {"hci", "stanford"}
"""Formats that define the order of their views."""
REMEMBERED = 32_000_000
"""Size, in bytes, up to which views decoded to test their order are kept until they are read."""
FEW_REMEMBERED = 0.9
"""Share of views that are not yet decoded above which all are decoded again."""
LARGEST = 4096
"""Longest side of the part of a view that is looked at, px."""
DISTANCE = 8
"""Number of views between the reference view and the farthest one examined."""
COMPASS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if (row, column) != (0, 0)]


def oriented(capture: Capture, options: ReadOptions, judge: bool = True) -> Capture:
    """The capture in our order of rows and columns, and the verdict; without looking at views, only as defined."""
    if options.transpose:
        capture = capture.transposed()
    for axis, wanted in ((0, options.flip_rows), (1, options.flip_columns)):
        capture = capture.flipped(axis) if wanted else capture
    if not judge:
        return capture
    capture = capture.with_(load=remembering(capture))
    order = order_of(capture)
    if options.orders_views or capture.trusted or capture.format in DEFINED:
        return _warned(capture.with_(order=order), order, options)
    return _put_right(capture.with_(order=order), order)


def remembering(capture: Capture) -> Loader:
    """The capture's loader with a cache: views decoded to find the order are not decoded again."""
    numbers = [int(capture.index[spot]) for spot in _spots(capture)]
    size = len(numbers) * capture.height * capture.width * capture.channels * capture.dtype.itemsize
    loaded: dict[int, NDArray[Any]] = {}

    def load(wanted: Sequence[int], window: Window) -> NDArray[Any]:
        if not loaded and size <= REMEMBERED and set(wanted) < set(numbers):
            loaded.update(zip(numbers, capture.load(numbers, capture.window), strict=True))
        rest = [number for number in wanted if number not in loaded]
        if len(rest) >= FEW_REMEMBERED * len(wanted):  # their copy would need as much memory again
            return capture.load(wanted, window)
        others = dict(zip(rest, capture.load(rest, window), strict=True)) if rest else {}
        views = spilled.empty((len(wanted), window.height, window.width, capture.channels), capture.dtype)
        for view, number in zip(views, wanted, strict=True):
            view[:] = loaded[number][window.slices] if number in loaded else others[number]
        return views

    return load


def order_of(capture: Capture) -> Order:
    """The order of all views, determined from a few."""
    spots = _spots(capture)
    if len(spots) < 3:
        return NOT_JUDGED
    numbers = [int(capture.index[spot]) for spot in spots]
    try:
        with damage_explained(capture.path, "views"):
            views = (capture.load([number], _middle(capture.window))[0] for number in numbers)
            first = next(views)
            images = [grey(view, FINEST) for view in chain([first], views)]
    except InputError:
        # A view that cannot be read is reported when it is wanted.
        return NOT_JUDGED
    if not all(np.isfinite(image).all() for image in images):
        return NOT_JUDGED
    placed = capture.positions
    positions = np.array(spots, np.float64) if placed is None else np.array([placed[spot][:2] for spot in spots])
    order = judged(Pictures(np.stack(images), positions - positions[0]))
    return replace(order, near=NOTHING, blocks=True) if has_blocks(first) else order


def _middle(window: Window) -> Window:
    """The window, or the middle of a large one: views of gigapixels may not fit into memory."""
    height, width = min(window.height, LARGEST), min(window.width, LARGEST)
    top, left = (window.height - height) // 2 + window.top, (window.width - width) // 2 + window.left
    return Window(top, left, top + height, left + width)


def _spots(capture: Capture) -> list[Pair]:
    """Grid indices of the view in the middle and of others in eight directions, half as far and farther."""
    there = np.argwhere(capture.available)
    if len(there) == 0:
        return []
    middle = (np.array(capture.grid) - 1) // 2
    centre = there[np.abs(there - middle).sum(axis=1).argmin()]
    spots = [(int(centre[0]), int(centre[1]))]
    for direction in COMPASS:
        far = _farthest(capture.available, centre, np.array(direction))
        for steps in sorted({far, far // 2} - {0}):
            row, column = centre + steps * np.array(direction)
            if capture.available[row, column]:
                spots.append((int(row), int(column)))
    return spots


def _farthest(available: NDArray[np.bool_], centre: NDArray[np.intp], direction: NDArray[np.intp]) -> int:
    """Steps to the farthest available view in a direction."""
    for steps in range(DISTANCE, 0, -1):
        row, column = centre + steps * direction
        if 0 <= row < available.shape[0] and 0 <= column < available.shape[1] and available[row, column]:
            return steps
    return 0


def verdict(capture: Capture) -> str:
    """The verdict on the order of views (agrees, corrected, contradicted or unknown), with reasons."""
    if is_posed(capture.camera) and capture.order.outcome == "unknown":
        return "given: the poses determine it"
    outcome = {"wrong": "corrected" if capture.put_right else "contradicted"}.get(
        capture.order.outcome, capture.order.outcome
    )
    return f"{outcome}: {capture.order.words}"


def _put_right(capture: Capture, order: Order) -> Capture:
    capture = capture.with_(put_right=bool(order.transposed) or (order.flips is not None and any(order.flips)))
    if order.transposed:
        capture = capture.transposed().noted(
            "the grid of views is transposed: rows and columns swapped (⟦no-transpose⟧ keeps them)"
        )
    for axis, name in enumerate(("rows", "columns")):
        if order.flips is not None and order.flips[axis]:
            capture = capture.flipped(axis).noted(
                f"{name} of views were in reverse order: corrected (⟦no-flip-{name}⟧ keeps them)"
            )
    for doubt in doubts(order):
        capture = capture.noted(doubt)
    return capture


def settled(capture: Capture, options: ReadOptions) -> ReadOptions:
    """Options with the detected order, so that it is not determined again."""
    if not capture.put_right:
        return options
    rows, columns = capture.order.flips or (False, False)
    return replace(options, transpose=bool(capture.order.transposed), flip_rows=rows, flip_columns=columns)


def doubts(order: Order) -> Iterator[str]:
    """Open questions about the order, and their remedies."""
    if order.transposed is None:
        yield (
            "could not tell the order of the views from their pixels: check the picture, or use ⟦transpose⟧, "
            "⟦flip-rows⟧ or ⟦flip-columns⟧"
        )
    elif order.mirrored is None:
        yield "could not tell whether rows and columns of views agree: check the picture, or use ⟦flip-rows⟧"
    elif order.flips is None and order.mirrored:
        yield (
            "rows or columns of views are in reverse order, but it is unclear which: the order was kept. "
            "Use ⟦flip-rows⟧, or ⟦flip-columns⟧ if near and far then look swapped"
        )
    elif order.flips is None:
        yield "could not tell near from far: check the picture, or use ⟦flip-both⟧"


def _warned(capture: Capture, order: Order, options: ReadOptions) -> Capture:
    """A defined order is kept, with a warning if the views contradict it."""
    if order.outcome != "wrong":
        return capture
    unclear = order.flips is None and order.mirrored and not options.orders_views
    return capture.noted(
        f"the views contradict the order that {'you' if options.orders_views else 'the format'} defined, "
        f"which was kept: {order.words}. Try {' and '.join(remedies(order, options))}"
        f"{', or ⟦flip-columns⟧ if near and far then look swapped' if unclear else ''}"
    )


def likely_flips(order: Order) -> tuple[bool, bool]:
    """Whether to reverse rows and columns; if one of them is reversed and it is unclear which, the rows."""
    return order.flips or (bool(order.mirrored), False)


def remedies(order: Order, options: ReadOptions) -> list[str]:
    """Arguments that correct the order, replacing those used to read the views."""
    given = bool(options.flip_rows), bool(options.flip_columns)
    given = given[::-1] if order.transposed else given
    swap = ["⟦transpose⟧"] if bool(options.transpose) != bool(order.transposed) else []
    rows, columns = (needed != before for needed, before in zip(likely_flips(order), given, strict=True))
    if rows and columns:
        return [*swap, "⟦flip-both⟧"]
    flips = [f"⟦flip-{name}⟧" for name, flip in (("rows", rows), ("columns", columns)) if flip]
    kept = ["⟦no-transpose⟧"] if options.transpose else ["⟦no-flip-rows⟧", "⟦no-flip-columns⟧"]
    return [*swap, *flips] or kept
