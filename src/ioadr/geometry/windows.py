"""Small square windows over maps: differences and maxima."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Sample = TypeVar("Sample", bound=np.generic)
SCHARR = (3.0 / 16.0, 10.0 / 16.0, 3.0 / 16.0)


def scharr(values: NDArray[Any], axis: int) -> NDArray[Any]:
    """Difference over 2 px along `axis`, smoothed across it, without the outermost pixels: [N − 2, M − 2, …]."""
    values = np.swapaxes(values, 0, axis)
    difference, length = values[2:] - values[:-2], values.shape[1] - 2
    return np.swapaxes(sum(difference[:, i : i + length] * SCHARR[i] for i in range(3)), 0, axis)


def grow(values: NDArray[Sample], half_width: int) -> NDArray[Sample]:
    """Maximum over a square of 2·half_width + 1 px; grows a mask by half_width."""
    width = 2 * half_width + 1
    for axis in (0, 1):
        largest = np.pad(np.moveaxis(values, axis, 0), ((half_width, half_width), (0, 0)), mode="edge")
        seen = 1
        while 2 * seen <= width:  # each step sees twice as far
            largest = np.maximum(largest[:-seen], largest[seen:])
            seen *= 2
        rest = width - seen
        values = np.moveaxis(np.maximum(largest[: len(largest) - rest], largest[rest:]), 0, axis)
    return np.ascontiguousarray(values)
