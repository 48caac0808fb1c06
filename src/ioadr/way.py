"""The history of a map: every pixel's disparity after each step, and its origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import EllipsisType
from typing import Any

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
    """The mean of neighbours or the plane, in sweeps that try both."""
    REGION = 10
    """A semi-global match or a plane, for the whole region."""
    SURFACE = 11
    """A surface fitted to the disparities that the views favour around the pixel."""
    HOLE = 12
    """The plane behind a hole that was opened."""
    BORDER = 13
    """The surface that covers most of a pixel at a depth discontinuity."""


KINDS = "start", "sweep", "regions", "surfaces", "holes", "borders"
"""Kinds of steps."""
BLOCK = 16
"""Number of neighbouring pixels of a row that share one mark of gloss."""
FloatMap = NDArray[np.float32]
Slices = tuple[slice, slice] | EllipsisType
STARTS = (Origin.GIVEN, Origin.WINDOWS, Origin.PIXELS, Origin.LINES)


@dataclass(frozen=True)
class Stage:
    """One step in the history of a pixel."""

    kind: str
    """One of `KINDS`."""
    number: int
    """Number among the steps of its kind, from 1."""
    disparity: float
    """Disparity after the step, px."""
    origin: Origin


@dataclass(frozen=True, eq=False)
class Way:
    """The history of every pixel, step by step.

    Maps from the last sweep on are exact, so that the steps after it can be repeated. Earlier ones are stored as
    differences from the result: exact where nothing changed later, otherwise to 1/2000 of the difference.
    """

    kinds: tuple[str, ...]
    """Kind of each step."""
    differences: NDArray[np.float16]
    """Map after each earlier step minus the result, [A, N, M] px."""
    origins: NDArray[np.uint8]
    """Numbers of `Origin`, [S, N, M]."""
    spread: NDArray[np.float16] | None = None
    """Factor on the deviations of the targets in the finish, [N, M]; None means 1."""
    exact: FloatMap | None = None
    """Map after each later step, [S − A − 1, N, M] px; the last step's is the result. None if all are differences."""
    glossy: NDArray[np.bool_] | None = None
    """[P − 1, N, ⌈M/16⌉]: whether the second and later of P finishing passes looked for gloss, one mark for sixteen
    pixels; None means everywhere."""
    contours: NDArray[np.float16] | None = None
    """[N, M]: evidence of contours for the near surface in the border step; None if no contours were fitted."""

    def __post_init__(self) -> None:
        height, width = shape = self.origins.shape[-2:]
        late = 0 if self.exact is None else len(self.exact) + 1
        maps = self.differences if self.exact is None else self.exact
        if not self.origins.shape == (len(self.differences) + late, *shape) == (len(self.kinds), *maps.shape[1:]):
            exact = "none" if self.exact is None else self.exact.shape
            raise ValueError(
                f"way: expected {len(self.kinds)} maps of one size, found differences {self.differences.shape}, exact "
                f"maps {exact} and origins {self.origins.shape}"
            )
        if self.kinds[:1] != ("start",) or not set(self.kinds) <= set(KINDS):
            raise ValueError(f"way: expected the steps {', '.join(KINDS)}, found {', '.join(self.kinds)[:200]}")
        blocks = self.kinds.count("surfaces") - 1, height, -(-width // BLOCK)
        if self.glossy is not None and self.glossy.shape != blocks:
            raise ValueError(f"way: expected glossy blocks {blocks}, found {self.glossy.shape}")
        if self.contours is not None and self.contours.shape != shape:
            raise ValueError(f"way: expected evidence of contours {shape}, found {self.contours.shape}")

    @classmethod
    def of(
        cls, kinds: Sequence[str], maps: Sequence[NDArray[np.float32]], origins: NDArray[np.uint8], **more: Any
    ) -> Way:
        """The history from the maps after each step; the last one is the result."""
        last = max(index for index, kind in enumerate(kinds) if kind in ("start", "sweep"))
        early = len(kinds) if last == len(kinds) - 1 else last
        differences = np.empty((early, *maps[-1].shape), np.float16)
        for difference, values in zip(differences, maps, strict=False):
            np.subtract(values, maps[-1], out=difference, casting="same_kind")
        exact = np.stack(maps[early:-1]) if early < len(kinds) else None
        return cls(tuple(kinds), differences, origins, exact=exact, **more)

    def numbers(self) -> list[int]:
        """Number of each step among those of its kind, from 1."""
        return [self.kinds[: index + 1].count(kind) for index, kind in enumerate(self.kinds)]

    def map_after(self, step: int, result: FloatMap, part: Slices = ...) -> FloatMap:
        """The map [N, M] after a step, px, or a part of it, given the result."""
        step, early = step % len(self.kinds), len(self.differences)
        if step < early:
            return result[part] + self.differences[step][part]
        return result[part] if self.exact is None or step == len(self.kinds) - 1 else self.exact[step - early][part]

    def at(self, row: int, column: int, result: float) -> list[Stage]:
        """The history of one pixel, given its disparity in the result."""
        values = (result + self.differences[:, row, column].astype(np.float64)).tolist()
        if self.exact is not None:
            values += [*self.exact[:, row, column].tolist(), result]
        steps = zip(self.kinds, self.numbers(), values, self.origins[:, row, column].tolist(), strict=True)
        return [Stage(kind, number, value, Origin(origin)) for kind, number, value, origin in steps]
