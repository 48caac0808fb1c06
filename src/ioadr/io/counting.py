"""Are counted views counted as was assumed? Other grids and orders are tried where the views do not fit together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ioadr.consistency.single_views import Examination, examined
from ioadr.io.capture import Capture, numbered_grid
from ioadr.io.options import Pair

FEW = 2
"""Number of odd views from which the counting of all is doubted."""
BETTER = 0.9
"""Factor on the differences between views from which another way to count is named. Of a right way all others have at
least 1.08 times the differences, over six scenes; of a wrong one the right way has 0.4 to 0.8 times."""
CLEAR = 1.05
"""Factor between the differences of the best way to count and of the next."""
LONGEST = 4
"""Side of a grid over the other; a line is longer."""


def likelier_counting(
    capture: Capture, places: tuple[Pair, ...], images: NDArray[np.float32], examination: Examination
) -> str | None:
    """The argument with which views that are counted fit together, where they do not as they are."""
    numbers = [int(capture.index[place]) for place in places]
    order = capture.order
    if order.outcome == "wrong" and order.flips is not None and not capture.put_right:
        return None  # the order itself is the reason, and is said
    told = order.transposed is not None and order.mirrored is not None and not (order.mirrored and order.flips is None)
    doubtful = len(examination.odd) >= FEW or not told
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
    """Grids of as many views, and orders in which they may be counted."""
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
