"""The history of a map: every pixel's disparity after each step, and its origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Origin(IntEnum):
    """Origin of a pixel's disparity after a step; files store the number."""

    KEPT = 0
    """The step left the pixel as it was."""
    GIVEN = 1
    """The start map that was given."""
    WINDOWS = 2
    """Plane sweep over windows."""
    PIXELS = 3
    """Plane sweep, pixel by pixel."""
    LINES = 4
    """Structure tensor: the slope of lines in EPIs."""
    NEIGHBOUR = 5
    """A neighbour that the sweep had visited before."""
    MEAN = 6
    """The colour-guided mean of the neighbours."""
    PLANE = 7
    """The plane of the surroundings."""
    RANDOM = 8
    """A random step from the value before."""
    MEAN_OR_PLANE = 9
    """One of the two, in sweeps that try both."""
    REGION = 10
    """A semi-global match of the whole region."""
    SURFACE = 11
    """A surface fitted to what the views want around the pixel."""
    HOLE = 12
    """The plane behind a hole that was opened."""
    BORDER = 13
    """The surface that covers most of a pixel beside a jump."""


STARTS = (Origin.GIVEN, Origin.WINDOWS, Origin.PIXELS, Origin.LINES)


@dataclass(frozen=True)
class Stage:
    """One step in the history of a pixel."""

    kind: str
    """"start", "sweep", "regions", "surfaces" or "borders"."""
    number: int
    """Number among the steps of its kind, from 1."""
    disparity: float
    """Disparity after the step, px."""
    origin: Origin


@dataclass(frozen=True, eq=False)
class Way:
    """The history of every pixel, step by step.

    Values are stored as differences from the result: exact where nothing changed later, otherwise to 1/2000 of the
    difference.
    """

    kinds: tuple[str, ...]
    """Of each step."""
    differences: NDArray[np.float16]
    """Map after each step minus the result, [S, N, M] px."""
    origins: NDArray[np.uint8]
    """Numbers of `Origin`, [S, N, M]."""
    spread: NDArray[np.float16] | None = None
    """Factor on the deviations of the targets in the finish, [N, M]; None is 1."""

    def __post_init__(self) -> None:
        if not self.differences.shape == self.origins.shape == (len(self.kinds), *self.origins.shape[-2:]):
            raise ValueError(
                f"way: expected {len(self.kinds)} maps of one size, found differences {self.differences.shape} and "
                f"origins {self.origins.shape}"
            )

    @classmethod
    def of(
        cls,
        kinds: Sequence[str],
        maps: Sequence[NDArray[np.float32]],
        origins: NDArray[np.uint8],
        spread: NDArray[np.float16] | None = None,
    ) -> Way:
        """The history from the maps after each step; the last one is the result."""
        differences = np.empty((len(maps), *maps[-1].shape), np.float16)
        for difference, values in zip(differences, maps, strict=True):
            np.subtract(values, maps[-1], out=difference, casting="same_kind")
        return cls(tuple(kinds), differences, origins, spread)

    def numbers(self) -> list[int]:
        """Number of each step among those of its kind, from 1."""
        return [self.kinds[: index + 1].count(kind) for index, kind in enumerate(self.kinds)]

    def map_after(self, step: int, result: NDArray[np.float32]) -> NDArray[np.float32]:
        """The map [N, M] after a step, px, given the result."""
        return result + self.differences[step]

    def at(self, row: int, column: int, result: float) -> list[Stage]:
        """The history of one pixel, given its disparity in the result."""
        values = result + self.differences[:, row, column].astype(np.float64)
        steps = zip(self.kinds, self.numbers(), values.tolist(), self.origins[:, row, column].tolist(), strict=True)
        return [Stage(kind, number, value, Origin(origin)) for kind, number, value, origin in steps]
