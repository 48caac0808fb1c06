"""What a row of the table of twins is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.scenes import Problem, random_problem


@dataclass(frozen=True)
class Prepared:
    """A compiled call that fills `result`, and how many evaluations of the kernel it makes."""

    call: Callable[[], Any]
    result: NDArray[Any]
    evaluations: int


@dataclass(frozen=True)
class Row:
    """A kernel, its twin, the problems both are given, and how far they may differ."""

    name: str
    covers: str
    """Kernels that it exercises: `room.module: function function; …`."""
    prepare: Callable[[Problem], Prepared]
    twin: Callable[[Problem, float], NDArray[Any]]
    """Called with a slack by which comparisons are shifted; where two slacks differ, float32 may decide either way."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the random problems must be like."""
    rtol: float = 1e-6
    floor: float = 0.0
    """Smallest magnitude to which the tolerance relates, in the result's unit."""
    slack: float = 0.0
    undecided: float = 0.1
    """Share of results that may depend on the slack."""
    why: str = ""
    """Reason for a floor or a tolerance that is not 1e-6."""

    def problem(self, seed: int) -> Problem:
        return random_problem(seed, **self.options)

    @property
    def kernels(self) -> set[str]:
        """`room.module.function`."""
        groups = (group.split(":") for group in self.covers.split(";"))
        return {f"{module.strip()}.{name}" for module, names in groups for name in names.split()}

    def expected(self, problem: Problem) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The twin's result, and where it does not depend on the last digits."""
        values = np.asarray(self.twin(problem, self.slack), np.float64)
        if not self.slack:
            return values, np.ones(values.shape, bool)
        other = np.asarray(self.twin(problem, -self.slack), np.float64)
        return values, np.isclose(
            values, other, rtol=0.1 * self.rtol, atol=0.1 * self.rtol * self.floor, equal_nan=True
        )
