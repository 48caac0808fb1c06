"""Segments of similar colour on one surface, compiled."""

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
def label(image, disparity, step, jump, labels):
    """labels int64 [N, M]: the number n·M + m of the first pixel of each pixel's segment.

    Direct neighbours are connected if their colours in image float32 [N, M, 3] differ by no more than a step and their
    disparities, float32 [N, M], by no more than a jump.
    """
    width = labels.shape[1]
    parents = labels.reshape(-1)
    for p in range(parents.size):
        parents[p] = p
        n, m = p // width, p % width
        for q, i, j in ((p - width, n - 1, m), (p - 1, n, m - 1)):
            if i < 0 or j < 0 or abs(disparity[n, m] - disparity[i, j]) > jump:
                continue
            if is_even(image[n, m], image[i, j], step):
                first, second = root(parents, p), root(parents, q)
                parents[max(first, second)] = min(first, second)
    for p in range(parents.size):
        parents[p] = root(parents, np.int64(p))
