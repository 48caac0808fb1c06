"""The sample value of white, guessed from all samples if files do not give it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BRIGHT = 0.99
"""Quantile of float samples that is white, if it is above 1."""
OVERSHOOT = 1.5
"""Largest float sample for a white of 1: sharpening and resampling may exceed 1."""
LEAST_BYTES = 64.0
"""Floats up to 255 are bytes stored as floats if more than a hundredth of them exceed this value."""
DEPTH = 14
"""Largest number of used bits of 16 for which white is the largest number of that many bits."""


class Levels:
    """Brightness of samples: the maximum, and for floats a histogram of their upper 16 bits, to 0.8 %."""

    def __init__(self) -> None:
        self.brightest = 0.0
        self._counts = np.zeros(1 << 15, np.int64)

    @classmethod
    def of(cls, views: NDArray[Any]) -> Levels:
        """Levels of views [V, N, M, C]; empty if white is that of the type."""
        levels = cls()
        if views.dtype == np.uint8 or views.size == 0:
            return levels
        levels.brightest = float(views.max())
        if levels.brightest > OVERSHOOT:
            levels._count(views)
        return levels

    def add(self, views: NDArray[Any]) -> None:
        """More views of the same light field."""
        self.brightest = max(self.brightest, float(views.max()))
        self._count(views)

    def quantile(self, share: float) -> float:
        """Quantile of the floats, rounded up to 8 bits."""
        below = np.cumsum(self._counts)
        bucket = int(np.searchsorted(below, share * below[-1]))
        return float(np.uint32((bucket + 1) << 16).view(np.float32)) if below[-1] else 0.0

    def _count(self, views: NDArray[Any]) -> None:
        """Count floats by their bits, which are ordered like positive floats."""
        if views.dtype.kind == "f":
            for view in views:
                bits = np.fmax(view, np.float32(0)).view(np.uint32).ravel() >> 16
                self._counts += np.bincount(bits, minlength=len(self._counts))


def guessed_white(dtype: np.dtype[Any], levels: Levels) -> tuple[float, str] | None:
    """White and the reason; None if it is the type's. 10 to 14 bits stored in 16, and HDR floats, have their own."""
    brightest = levels.brightest
    if dtype == np.uint16 and brightest < 2**DEPTH:
        bits = max(8, int(brightest).bit_length())
        return 2.0**bits - 1, f"16-bit samples use {bits} bits"
    if dtype.kind != "f" or brightest <= OVERSHOOT:
        return None
    level = levels.quantile(BRIGHT)
    if brightest <= 255 and level > LEAST_BYTES:
        return 255.0, f"float samples up to {brightest:.4g}"
    return max(1.0, level), f"float samples up to {brightest:.4g}, 99 % of them up to {level:.3g}"
