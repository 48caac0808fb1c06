"""Segments of similar colour, compiled."""

from __future__ import annotations

import numpy as np

from ioadr._jit import kernel, task


@kernel
def root(parents, i):
    """The root of pixel i in the union-find forest."""
    while parents[i] != i:
        parents[i] = parents[parents[i]]  # path halving
        i = parents[i]
    return i


@kernel
def is_even(first, second, step):
    """Whether two colours differ by at most `step` in every channel."""
    even = True
    for c in range(3):
        even = even and abs(first[c] - second[c]) <= step
    return even


@task
def label(image, step, labels):
    """Set labels int64 [N, M] to the index n·M + m of the first pixel of each pixel's segment.

    Direct neighbours of image float32 [N, M, 3] are connected if their colours are even.
    """
    width = labels.shape[1]
    parents = labels.reshape(-1)
    for p in range(parents.size):
        parents[p] = p
        n, m = p // width, p % width
        for q, i, j in ((p - width, n - 1, m), (p - 1, n, m - 1)):
            if i >= 0 and j >= 0 and is_even(image[n, m], image[i, j], step):
                first, second = root(parents, p), root(parents, q)
                parents[max(first, second)] = min(first, second)
    for p in range(parents.size):
        parents[p] = root(parents, np.int64(p))
