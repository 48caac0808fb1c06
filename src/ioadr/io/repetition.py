"""Finds pictures that repeat: a sheet of views that was cut into too few of them, so that each holds several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ioadr.io.options import Pair

ALIKE = 0.5
"""Largest difference between a picture and itself moved by a period, relative to other distances. Sheets of 5×5 views
cut into 1×5 have 0.01 … 0.34 (0.67 with shifts of 6 px between views of 60 px), single views at least 0.76."""
SHORTEST = 8
"""Shortest period, px."""
MOST = 32
"""Largest number of views that are sought along a side."""
OTHERS = (0.5, 0.62, 0.8)
"""Distances for comparison, as shares of a period."""


def repeats(view: NDArray[Any]) -> Pair:
    """How often a picture [N, M, C] repeats down and across; 1 if it does not."""
    grey = view.astype(np.float32).mean(axis=2)
    return _along(grey), _along(grey.T)


def _along(grey: NDArray[np.float32]) -> int:
    ratio, count = min(_tried(grey), default=(np.inf, 1))
    return count if ratio <= ALIKE else 1


def _tried(grey: NDArray[np.float32]) -> Iterator[tuple[float, int]]:
    """Relative difference at each period that divides the height, and how often the period fits into it."""
    height = len(grey)
    for count in range(2, MOST + 1):
        period = height // count
        if height % count == 0 and period >= SHORTEST:
            usual = float(np.median([_difference(grey, int(share * period)) for share in OTHERS]))
            if usual > 0:
                yield _difference(grey, period) / usual, count


def _difference(grey: NDArray[np.float32], distance: int) -> float:
    return float(np.abs(grey[distance:] - grey[:-distance]).mean())
