"""Significance of the votes of image blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CERTAIN = 1e-4
"""Significance level of a certain finding."""


@dataclass(frozen=True)
class Finding:
    """The blocks' vote between two answers."""

    score: float
    """Standard errors; > 0 is the first answer, < 0 the second."""
    chance: float
    """Probability of as many votes for the winner if both answers were equally likely (p-value)."""
    votes: tuple[int, int] = (0, 0)

    @property
    def certain(self) -> bool:
        return self.chance < CERTAIN

    @property
    def holds(self) -> bool | None:
        """Whether the first answer is right; None means undecided."""
        return self.score > 0 if self.certain else None


NOTHING = Finding(0.0, 1.0)


def by_counting(first: int, second: int) -> Finding:
    """Sign test: each block has one vote."""
    total, most = first + second, max(first, second)
    if total == 0:
        return NOTHING
    tail = sum(math.comb(total, number) for number in range(most, total + 1))
    return Finding((first - second) / math.sqrt(total), min(1.0, 2 * tail / 2**total), (first, second))


def by_weight(votes: NDArray[np.float32], inflation: float = 1.0) -> Finding:
    """Test of weighted votes, by their own spread times `inflation`, so that a few heavy votes cannot decide."""
    spread = inflation * float(np.sqrt(np.sum(votes.astype(np.float64) ** 2)))
    if spread == 0.0:
        return NOTHING
    score = float(votes.sum(dtype=np.float64)) / spread
    counts = int(np.count_nonzero(votes > 0)), int(np.count_nonzero(votes < 0))
    return Finding(score, math.erfc(abs(score) / math.sqrt(2)), counts)
