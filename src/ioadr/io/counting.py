"""Tests whether numbered views are in the assumed order, and tries other grids and orders if they do not fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.single_views import Examination, examined
from ioadr.io.capture import Capture, numbered_grid
from ioadr.io.options import Pair

FEW = 2
"""Smallest number of views that do not fit for which the order of all views is tested."""
BETTER = 0.9
"""Ratio of the differences between views below which another order is suggested. On six scenes, wrong orders had at
least 1.08 times the differences of the right one; the right order had 0.4 to 0.8 times those of a wrong one."""
CLEAR = 1.05
"""Smallest ratio of the differences in the second best order to those in the best."""
LONGEST = 4
"""Largest ratio of the sides of a grid; longer ones are lines."""


def likelier_counting(
    capture: Capture, places: tuple[Pair, ...], images: NDArray[np.float32], examination: Examination
) -> str | None:
    """The argument with which numbered views fit together, if they do not fit as read."""
    numbers = [int(capture.index[place]) for place in places]
    order = capture.order
    if order.outcome == "wrong" and order.flips is not None and not capture.put_right:
        return None  # the order itself is the reason, and is reported
    unclear = order.mirrored and order.flips is None
    certain = order.transposed is not None and order.mirrored is not None and not unclear
    doubtful = len(examination.odd) >= FEW or not certain
    count = capture.index.size
    if not (capture.counted and doubtful and sorted(capture.index.ravel()) == list(range(count))):
        return None
    tried = []
    for argument, index in _ways(count):
        where = np.argwhere(index >= 0)[np.argsort(index.ravel())].astype(np.float64)
        other = examined(images, where[numbers] - where[numbers[0]])
        if other.difference.any():
            tried.append((float(other.difference.mean()), len(other.odd), argument))
    tried.sort()
    difference, odd, argument = tried[0] if tried else (np.inf, 0, "")
    clear = len(tried) < 2 or tried[1][0] > CLEAR * difference
    better = difference < BETTER * float(examination.difference.mean())
    return argument if better and clear and odd < FEW else None


def _ways(count: int) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Grids of this many views, and orders in which they may be numbered."""
    for rows in range(1, count + 1):
        grid = rows, count // rows
        if count % rows or (min(grid) > 1 and max(grid) > LONGEST * min(grid)):
            continue
        argument = f"⟦grid {grid[0]}x{grid[1]}⟧"
        yield argument, numbered_grid(grid, "row")
        if min(grid) > 1:
            yield f"{argument} ⟦order column⟧", numbered_grid(grid, "column")
            yield f"{argument} ⟦order serpentine⟧", numbered_grid(grid, "serpentine")
            yield f"{argument} ⟦order serpentine-column⟧", numbered_grid(grid, "serpentine-column")
