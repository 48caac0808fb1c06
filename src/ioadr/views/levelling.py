"""Level an anchor's map with the surfaces of earlier ones, compiled.

Where texture is weak, a map estimated from the few views around an anchor can be off by a tenth of a pixel over a whole
surface. The difference from earlier surfaces is known where they continue into the map. A membrane extends it to the
pixels that they do not show.
"""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel
from ioadr.views.carry import SIDES

STIFF = 2.0
"""Weight of the difference between neighbours, relative to that of a known difference."""
SURE = 0.05
"""Weight of no correction at all, where the anchor's confidence is 1."""
PASSES = 30
"""Passes over the pixels, from the first to the last and back in turn."""


@kernel
def stretch(pixels, disparity, known, trust, link, step):
    """Set `step` [N, M], px, at the pixels int [P, 2] to a membrane through the `known` differences, NaN if unknown.

    It starts from `step`, NaN where it is to be found, and remains NaN where no known difference is connected. It is
    torn where neighbours are more than `link` apart, and pulled to 0 by the map's own confidence `trust`.
    """
    height, width = disparity.shape
    for number in range(PASSES):
        for at in range(len(pixels)):
            n, m = pixels[at if number % 2 == 0 else len(pixels) - 1 - at]
            total, weights = 0.0, 0.0
            if np.isfinite(known[n, m]):
                total, weights = np.float64(known[n, m]), 1.0
            for down, right in SIDES:
                a, b = n + down, m + right
                inside = 0 <= a < height and 0 <= b < width
                if inside and abs(disparity[a, b] - disparity[n, m]) <= link and np.isfinite(step[a, b]):
                    total, weights = total + STIFF * step[a, b], weights + STIFF
            if weights > 0.0:
                step[n, m] = total / (weights + SURE * trust[n, m] * trust[n, m])
