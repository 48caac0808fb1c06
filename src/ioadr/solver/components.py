"""Connected regions of a mask, compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import task


@task
def label_regions(mask, labels):
    """Label the 4-connected regions of mask bool [N, M] in labels int32 [N, M]; returns their number.

    Labels start at 1, in the raster order of the regions' first pixels; pixels outside the mask are 0.
    """
    height, width = mask.shape
    labels[:] = 0
    waiting = np.empty(mask.size, np.int64)
    count = 0
    for first in range(mask.size):
        if not mask[first // width, first % width] or labels[first // width, first % width] != 0:
            continue
        count += 1
        labels[first // width, first % width] = count
        waiting[0], left = first, 1
        while left > 0:
            left -= 1
            n, m = waiting[left] // width, waiting[left] % width
            for i, j in ((n - 1, m), (n + 1, m), (n, m - 1), (n, m + 1)):
                inside = i >= 0 and j >= 0 and i < height and j < width
                if inside and mask[i, j] and labels[i, j] == 0:
                    labels[i, j] = count
                    waiting[left] = i * width + j
                    left += 1
    return count
